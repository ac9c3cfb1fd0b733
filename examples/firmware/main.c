/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the self-test of a network, whose name is NETWORK_TEST, and prints PASS or
 * the element that differs, and how many instructions it took. There is no C
 * library: what the compilers call is at the end.
 */

#include "board.h"

#include <stddef.h>

long NETWORK_TEST(void);

static void write_number(const char *label, uint32_t number) {
  char digits[12];
  char *next = digits + sizeof digits;
  *--next = 0;
  *--next = '\n';
  do
    *--next = (char)('0' + number % 10);
  while (number /= 10);
  board_write(label);
  board_write(next);
}

int main(void) {
  uint32_t before = board_count();
  long different = NETWORK_TEST();
  uint32_t after = board_count();
  write_number("instructions ", after - before);
  if (different < 0) {
    board_write("PASS\n");
    return 0;
  }
  write_number("FAIL: element ", (uint32_t)different);
  return 1;
}

typedef uint32_t __attribute__((may_alias)) Word;

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (!(((uintptr_t)t | (uintptr_t)f) % 4))
    for (; count >= 4; count -= 4, t += 4, f += 4)
      *(Word *)t = *(const Word *)f;
  while (count--)
    *t++ = *f++;
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t < f)
    return memcpy(to, from, count);
  while (count--)
    t[count] = f[count];
  return to;
}

void *memset(void *to, int byte, size_t count) {
  unsigned char *t = to;
  for (; count && (uintptr_t)t % 4; --count)
    *t++ = (unsigned char)byte;
  for (; count >= 4; count -= 4, t += 4)
    *(Word *)t = 0x01010101u * (unsigned char)byte;
  while (count--)
    *t++ = (unsigned char)byte;
  return to;
}

#ifdef __arm__
/* The names of the Arm EABI, whose memset has its arguments in another order. */
void __aeabi_memcpy(void *to, const void *from, size_t count) {
  memcpy(to, from, count);
}
void __aeabi_memmove(void *to, const void *from, size_t count) {
  memmove(to, from, count);
}
void __aeabi_memset(void *to, size_t count, int byte) {
  memset(to, byte, count);
}
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
#define ALIASES(name, ...)                                                     \
  void name##4(__VA_ARGS__) __attribute__((alias(#name)));                     \
  void name##8(__VA_ARGS__) __attribute__((alias(#name)));
ALIASES(__aeabi_memcpy, void *, const void *, size_t)
ALIASES(__aeabi_memmove, void *, const void *, size_t)
ALIASES(__aeabi_memset, void *, size_t, int)
ALIASES(__aeabi_memclr, void *, size_t)
#endif

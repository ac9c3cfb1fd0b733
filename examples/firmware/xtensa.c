/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The start of QEMU's Xtensa simulator, whose host is reached by simcall.
 */

#include "board.h"

extern char bss_begin[], bss_end[];

enum { SYS_EXIT = 1, SYS_WRITE = 4 };

static long call(long number, long first, long second, long third) {
  register long a2 __asm__("a2") = number;
  register long a3 __asm__("a3") = first;
  register long a4 __asm__("a4") = second;
  register long a5 __asm__("a5") = third;
  __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
  return a2;
}

void board_write(const char *text) {
  long length = 0;
  while (text[length])
    ++length;
  call(SYS_WRITE, 1, (long)text, length);
}

void board_exit(int code) {
  call(SYS_EXIT, code, 0, 0);
  for (;;)
    ;
}

/* Cycles of a clock of 40 MHz. With -icount shift=0 an instruction takes a
   nanosecond. */
uint32_t board_count(void) {
  uint32_t count;
  __asm__ volatile("rsr.ccount %0" : "=r"(count));
  return count * (NANOSECONDS_BY_100 / 100);
}

void start(void);
void start(void) {
  for (char *p = bss_begin; p < bss_end; ++p)
    *(volatile char *)p = 0;
  board_exit(main());
}

__asm__(".section .vectors,\"ax\"\n"
        ".globl reset\n"
        "reset:\n"
        "  j begin\n"
        "  .text\n"
        "  .literal_position\n"
        "  .literal top, stack_top\n"
        "begin:\n"
        "  l32r a1, top\n"
        "  call0 start\n");

/* What gcc calls, and an ESP8266 has in its ROM; Debian's libgcc leaves it out. */
long long __muldi3(long long a, long long b);
long long __muldi3(long long a, long long b) {
  uint32_t a_low = (uint32_t)a, b_low = (uint32_t)b;
  uint32_t a0 = a_low & 0xffff, a1 = a_low >> 16;
  uint32_t b0 = b_low & 0xffff, b1 = b_low >> 16;
  uint32_t low = a0 * b0, middle = a1 * b0 + (low >> 16);
  uint32_t other = a0 * b1 + (middle & 0xffff);
  uint32_t high = a1 * b1 + (middle >> 16) + (other >> 16);
  high += a_low * (uint32_t)(b >> 32) + (uint32_t)(a >> 32) * b_low;
  return (long long)((uint64_t)high << 32 | (other << 16 | (low & 0xffff)));
}

static uint32_t divide(uint32_t a, uint32_t b, uint32_t *rest) {
  uint32_t quotient = 0, left = 0;
  for (int bit = 31; bit >= 0; --bit) {
    left = left << 1 | (a >> bit & 1);
    if (left >= b) {
      left -= b;
      quotient |= 1u << bit;
    }
  }
  *rest = left;
  return quotient;
}

uint32_t __udivsi3(uint32_t a, uint32_t b);
uint32_t __udivsi3(uint32_t a, uint32_t b) {
  uint32_t rest;
  return divide(a, b, &rest);
}

uint32_t __umodsi3(uint32_t a, uint32_t b);
uint32_t __umodsi3(uint32_t a, uint32_t b) {
  uint32_t rest;
  divide(a, b, &rest);
  return rest;
}

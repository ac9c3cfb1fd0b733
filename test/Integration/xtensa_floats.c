/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of examples/firmware/xtensa_floats.c against this processor's floats. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

float __addsf3(float, float);
float __subsf3(float, float);
float __mulsf3(float, float);
float __floatsisf(int32_t);
float __floatunsisf(uint32_t);
uint32_t __fixunssfsi(float);

static float from_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, 4);
  return number;
}

static int differ(float x, float y) {
  return memcmp(&x, &y, 4) && (x == x || y == y);
}

int main(void) {
  /* Zero, the smallest, the largest and no numbers, 1, and 2^24, with their neighbours. */
  static const uint32_t edges[] = {0,          1,          2,          0x007fffff,
                                   0x00800000, 0x00800001, 0x3effffff, 0x3f000000,
                                   0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b7fffff,
                                   0x4b800000, 0x4f7fffff, 0x7f7fffff, 0x7f800000,
                                   0x7fc00000};
  enum { COUNT = sizeof edges / sizeof edges[0] };
  uint64_t state = 88172645463325252u;
  unsigned long wrong = 0, tried = 0;
  for (long i = 0; i < 4000000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint32_t a = (uint32_t)state, b = (uint32_t)(state >> 32);
    if (i < 4 * COUNT * COUNT) {
      a = edges[i / 4 % COUNT] | (uint32_t)(i & 1) << 31;
      b = edges[i / 4 / COUNT] | (uint32_t)(i & 2) << 30;
    } else if (i % 2) {
      /* Near to each other, where bits cancel or are lost. */
      b = (b & 0x87ffffff) | ((a & 0x7f800000) - (b & 0x07800000));
    }
    float x = from_bits(a), y = from_bits(b);
    wrong += differ(__addsf3(x, y), x + y) + differ(__subsf3(x, y), x - y) +
             differ(__mulsf3(x, y), x * y) +
             differ(__floatsisf((int32_t)a), (float)(int32_t)a) +
             differ(__floatunsisf(a), (float)a);
    if (x > -1.0f && x < 4294967296.0f)
      wrong += __fixunssfsi(x) != (uint32_t)x;
    ++tried;
  }
  printf("%lu pairs, %lu differ\n", tried, wrong);
  return wrong != 0;
}

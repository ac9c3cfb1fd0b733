/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Floats of 32 bits by integers, as IEEE 754 says, to nearest and even: what gcc
 * calls, and an ESP8266 has in its ROM. Debian's libgcc has the other functions.
 */

#include <stdint.h>

typedef union {
  float number;
  uint32_t bits;
} Float;

enum { FRACTION = 23, INFINITE = 255 };
static const uint32_t one = UINT32_C(1) << FRACTION;

/* A number's magnitude is mantissa * 2^(exponent - 150). */
typedef struct {
  uint32_t sign, mantissa;
  int exponent;
} Parts;

static Parts take(float number) {
  Float value = {number};
  Parts parts = {value.bits & 0x80000000u, value.bits & (one - 1),
                 (int)(value.bits >> FRACTION & INFINITE)};
  if (parts.exponent)
    parts.mantissa |= one;
  else
    parts.exponent = 1;
  return parts;
}

static float from_bits(uint32_t bits) {
  Float value = {.bits = bits};
  return value.number;
}

/* The bits that are lost are in the last one, if any is set. */
static uint32_t shift_right(uint32_t value, int places) {
  if (places == 0)
    return value;
  if (places > 31)
    return value != 0;
  return value >> places | ((value << (32 - places)) != 0);
}

/* mantissa * 2^(exponent - 157), less than 2^32 such units, rounded. */
static float round_to_float(uint32_t sign, uint32_t mantissa, int exponent) {
  if (!mantissa)
    return from_bits(sign);
  if (mantissa >> 31) {
    mantissa = shift_right(mantissa, 1);
    ++exponent;
  }
  while (!(mantissa >> 30)) {
    mantissa <<= 1;
    --exponent;
  }
  if (exponent >= INFINITE)
    return from_bits(sign | (uint32_t)INFINITE << FRACTION);
  if (exponent <= 0) {
    /* What has no leading bit then has the exponent 0. */
    mantissa = shift_right(mantissa, 1 - exponent);
    exponent = 1;
  }
  uint32_t rounded = (mantissa + 0x3f + (mantissa >> 7 & 1)) >> 7;
  return from_bits(sign | ((((uint32_t)exponent - 1) << FRACTION) + rounded));
}

static int is_nan(Parts x) {
  return x.exponent == INFINITE && x.mantissa != one;
}

float __mulsf3(float x, float y);
float __mulsf3(float x, float y) {
  Parts a = take(x), b = take(y);
  uint32_t sign = a.sign ^ b.sign;
  if (is_nan(a) || is_nan(b))
    return from_bits(0x7fc00000u);
  if (a.exponent == INFINITE || b.exponent == INFINITE)
    return from_bits(a.mantissa && b.mantissa
                         ? sign | (uint32_t)INFINITE << FRACTION
                         : 0x7fc00000u);
  uint64_t product = (uint64_t)a.mantissa * b.mantissa;
  int exponent = a.exponent + b.exponent - 143;
  while (product >> 32) {
    product = product >> 1 | (product & 1);
    ++exponent;
  }
  return round_to_float(sign, (uint32_t)product, exponent);
}

float __addsf3(float x, float y);
float __addsf3(float x, float y) {
  Parts a = take(x), b = take(y);
  if (is_nan(a) || is_nan(b))
    return from_bits(0x7fc00000u);
  if (a.exponent == INFINITE || b.exponent == INFINITE) {
    if (a.exponent == b.exponent && a.sign != b.sign)
      return from_bits(0x7fc00000u);
    return a.exponent == INFINITE ? x : y;
  }
  if (a.exponent < b.exponent) {
    Parts other = a;
    a = b;
    b = other;
  }
  uint32_t high = a.mantissa << 6,
           low = shift_right(b.mantissa << 6, a.exponent - b.exponent);
  int exponent = a.exponent + 1;
  if (a.sign == b.sign)
    return round_to_float(a.sign, high + low, exponent);
  if (high == low)
    return 0;
  return high > low ? round_to_float(a.sign, high - low, exponent)
                    : round_to_float(b.sign, low - high, exponent);
}

float __subsf3(float x, float y);
float __subsf3(float x, float y) {
  Float negative = {y};
  negative.bits ^= 0x80000000u;
  return __addsf3(x, negative.number);
}

float __floatunsisf(uint32_t number);
float __floatunsisf(uint32_t number) { return round_to_float(0, number, 157); }

float __floatsisf(int32_t number);
float __floatsisf(int32_t number) {
  return number < 0 ? round_to_float(0x80000000u, 0 - (uint32_t)number, 157)
                    : round_to_float(0, (uint32_t)number, 157);
}

uint32_t __fixunssfsi(float number);
uint32_t __fixunssfsi(float number) {
  Parts parts = take(number);
  int places = parts.exponent - 150;
  if (parts.sign || places < -23)
    return 0;
  if (places > 8)
    return UINT32_MAX;
  return places < 0 ? parts.mantissa >> -places : parts.mantissa << places;
}

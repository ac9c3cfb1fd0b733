// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in fixed point, of digits of 32 bits.

#include "qbackend/Numerics/ExactSum.h"

#include <cmath>

using namespace qbackend::numerics;

void ExactSum::raise(int64_t top) {
  for (; state[0] < top; ++state[0]) {
    for (int i = kDigits; i > 1; --i)
      state[i] = state[i - 1];
    state[1] = 0;
  }
}

void ExactSum::add(double value) {
  if (value == 0)
    return;
  // Of subnormals, too: -1074 is the least.
  int exponent = std::ilogb(value);
  int64_t top =
      exponent >= 0 ? exponent / kWidth : -((kWidth - 1 - exponent) / kWidth);
  raise(top);
  // Each digit is a product with a power of two and a difference: exact.
  for (int i = 1; i <= kDigits; ++i) {
    int power = kWidth * int(state[0] - (i - 1));
    double digit = std::trunc(std::scalbn(value, -power));
    state[i] += int64_t(digit);
    value -= std::scalbn(digit, power);
  }
}

void ExactSum::add(ExactSum other) {
  raise(other.state[0]);
  other.raise(state[0]);
  for (int i = 1; i <= kDigits; ++i)
    state[i] += other.state[i];
}

double ExactSum::getValue() const {
  // One sign and digits below 2^32, so that nothing cancels in the double.
  int64_t digits[kDigits];
  auto carry = [&](int sign) {
    int64_t more = 0;
    for (int i = kDigits - 1; i >= 0; --i) {
      int64_t sum = sign * state[1 + i] + more;
      digits[i] = i ? sum & 0xFFFFFFFF : sum;
      more = (sum - digits[i]) >> kWidth;
    }
    return digits[0] >= 0;
  };
  int sign = carry(1) || !carry(-1) ? 1 : -1;
  int power = kWidth * int(state[0] - (kDigits - 1));
  uint64_t low = uint64_t(digits[1]) << kWidth | uint64_t(digits[2]);
  return sign * (std::scalbn(double(digits[0]), power + 2 * kWidth) +
                 std::scalbn(double(low), power));
}

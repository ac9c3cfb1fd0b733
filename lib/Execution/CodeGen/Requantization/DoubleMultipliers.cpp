// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Requantization/DoubleMultipliers.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::codegen;

/// The number whose product with the odd `number` is 1 modulo 2^64.
static uint64_t invert(uint64_t number) {
  uint64_t inverse = number; // of the low 3 bits
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - number * inverse;
  return inverse;
}

/// Whether a sum of a magnitude of at most `bound` is a tie.
static bool mayBeTie(uint64_t multiplier, unsigned shift,
                     numerics::Rounding rounding, uint64_t bound) {
  // Ties to even are what f64 has, too.
  if (multiplier == 0 || rounding == numerics::Rounding::NearestEven)
    return false;
  // |v| * m = tie modulo 2^s; of both signs the same, for -2^(s-1) = 2^(s-1).
  uint64_t tie = uint64_t(1) << (shift - 1);
  if (rounding == numerics::Rounding::Double)
    tie -= uint64_t(1) << 30;
  unsigned zeros = llvm::countr_zero(multiplier);
  uint64_t mask = (uint64_t(1) << (shift - zeros)) - 1;
  if (tie & ((uint64_t(1) << zeros) - 1))
    return false;
  uint64_t least = ((tie >> zeros) * invert(multiplier >> zeros)) & mask;
  return least <= bound;
}

std::optional<std::vector<int64_t>>
qbackend::codegen::findDoubleMultipliers(llvm::ArrayRef<int64_t> multipliers,
                                         numerics::Rounding rounding,
                                         int64_t bound) {
  std::vector<int64_t> found;
  for (int64_t packed : multipliers) {
    uint64_t multiplier = packed & INT32_MAX;
    unsigned shift = (packed >> 32) + 1;
    // Below 1/2, so that no product is beyond 32 bits.
    if (shift < 32 || shift > 44 ||
        mayBeTie(multiplier, shift, rounding, bound))
      return std::nullopt;
    // What is added for the second rounding, 2^(30 - s), is read from the
    // exponent.
    if (rounding == numerics::Rounding::Double && multiplier != 0 &&
        multiplier < uint64_t(1) << 30)
      return std::nullopt;
    found.push_back(
        llvm::bit_cast<int64_t>(std::ldexp(double(multiplier), -int(shift))));
  }
  return found;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed-point multipliers m / 2^s as f32, where one fused multiplication and
// addition gives the bytes of the fixed-point formula. That takes fewer
// instructions than qnnpack's own requantization.
//
//   f32(sum + offset) * factor + (1.5 * 2^23 - whole)
//
// is rounded once, to an integer, which is in the low bits. All of it is exact
// but for the factor, which has 24 bits. `offset * factor - whole` is what the
// sum is moved by before it is rounded: any number, to 2^-q of the factor's
// last bit, is that of some offset. So the two rounding steps of `double` are
// one, with one number for sums that are not negative and one for others.
//
// Which factor and offset are right is decided for all sums, not by their
// error. Both the formula and the f32 form never fall as the sum rises. So they
// are equal for all sums if they are equal at both ends of each range of sums
// with one byte, of which there are at most 256.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_FLOATMULTIPLIERS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_FLOATMULTIPLIERS_H

#include "qbackend/Numerics/Requantize.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace qbackend::codegen {

/// The unit of numbers from 2^23 on is 1: an addition of this rounds to
/// nearest, ties to even, and the integer is in the low bits.
inline constexpr float shifter = 0x1.8p23f;

/// What a channel's sums are multiplied by.
struct FloatMultiplier {
  float factor = 0;
  /// What is added to a sum, and to the product: of sums that are not negative,
  /// and of others.
  int32_t offset[2] = {0, 0};
  float addend[2] = {shifter, shifter};
};

/// How fixed-point products become integers: rounded, then more by `zeroPoint`,
/// and not beyond the limits.
struct FixedPointResult {
  numerics::Rounding rounding;
  int64_t zeroPoint, lo, hi;
};

/// The FloatMultiplier of each of `multipliers`, packed as int8.conv2d has
/// them: the low bits of what it makes of a sum, less those of `shifter`, are
/// the integer of `result`, or are clamped to it by its limits, for sums of a
/// magnitude of at most `bound`. Sums have two offsets only if one is not
/// enough for all channels. Nothing: a channel has none. Each integer within
/// the limits is tried.
std::optional<std::vector<FloatMultiplier>>
findFloatMultipliers(llvm::ArrayRef<int64_t> multipliers,
                     const FixedPointResult &result, int64_t bound);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_FLOATMULTIPLIERS_H

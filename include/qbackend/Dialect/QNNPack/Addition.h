// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of two quantized tensors in integers of 32 bits.

#ifndef QBACKEND_DIALECT_QNNPACK_ADDITION_H
#define QBACKEND_DIALECT_QNNPACK_ADDITION_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include <optional>

namespace qbackend::qnnpack {

/// y = clamp(round(((a - za) * lhs + (b - zb) * rhs + moved) / 2^shift) + zy,
/// lo, hi), with ties up, or away from zero.
struct Addition {
  int32_t lhs, rhs, moved;
  int shift;
  bool halfUp;

  /// Whether no sum, with the half that rounds it, is beyond 32 bits. A byte is
  /// off its zero point by 255 at most.
  static bool fits(int64_t lhs, int64_t rhs, int64_t shift, int64_t moved = 0);
};

/// The numbers of `op`. With fixed-point requantizations they are those that
/// give its integer for each pair of bytes, which are all tried: three
/// roundings become one. Nothing: there are none, or the op adds floats.
std::optional<Addition> getAddition(AddOp op);

} // namespace qbackend::qnnpack

#endif // QBACKEND_DIALECT_QNNPACK_ADDITION_H

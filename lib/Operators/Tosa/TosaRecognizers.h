// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers of TOSA ops.

#ifndef QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H

#include "Recognition.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::forms {

void recognizeTosaPooling(const Recognition &recognition);
void recognizeTosaResize(const Recognition &recognition);
void recognizeTosaEmbedding(const Recognition &recognition);

/// The numbers of a shape operand; nullopt if they aren't constant.
std::optional<llvm::SmallVector<int64_t>> readShape(mlir::Value value);

/// A pad of zeros: its input, and what it adds before and after each dimension.
struct ZeroPad {
  mlir::Value input;
  llvm::SmallVector<int64_t> amounts;
};
/// The pad of zeros of only the rows and columns of an NHWC image that `value`
/// is, with no other use.
std::optional<ZeroPad> matchZeroPad(const Recognition &recognition,
                                    mlir::Value value);

/// The whole image of which `value` is all but the last rows and columns, of
/// which windows with this stride and padding (top, bottom, left, right)
/// use none: TOSA wants strides to divide, so producers cut what
/// is left over. Else `value`.
mlir::Value skipTrim(mlir::Value value, llvm::ArrayRef<int64_t> stride,
                     llvm::ArrayRef<int64_t> padding);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H

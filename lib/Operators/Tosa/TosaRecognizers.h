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

/// The whole image of which `value` is all but the last rows and columns, of
/// which windows with this stride and padding (top, bottom, left, right)
/// use none: TOSA wants strides to divide, so producers cut what
/// is left over. Else `value`.
mlir::Value skipTrim(mlir::Value value, llvm::ArrayRef<int64_t> stride,
                     llvm::ArrayRef<int64_t> padding);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H

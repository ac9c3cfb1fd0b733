// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of TOSA ops: shapes, and slices in front.

#ifndef QBACKEND_LIB_OPERATORS_READING_TOSAOPERANDS_H
#define QBACKEND_LIB_OPERATORS_READING_TOSAOPERANDS_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::forms {

/// The numbers of a shape operand; nullopt if they aren't constant.
std::optional<llvm::SmallVector<int64_t>> readShape(mlir::Value value);

/// The whole image of which `value` is all but the last rows and columns, of
/// which windows with this stride and padding (top, bottom, left, right)
/// use none: TOSA wants strides to divide, so producers cut what
/// is left over. Else `value`.
mlir::Value skipTrim(mlir::Value value, llvm::ArrayRef<int64_t> stride,
                     llvm::ArrayRef<int64_t> padding);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_TOSAOPERANDS_H

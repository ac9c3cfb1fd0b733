// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts that loops of linalg stay within their tensors.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_LOOPBOUNDS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_LOOPBOUNDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qbackend::codegen {

/// Asserts that the tensors of `op` have the same extent along each loop, and
/// that what is computed from loops stays within the dimension that it walks.
/// Fails, and says so at the op, if that is known to be wrong.
mlir::LogicalResult checkLoopBounds(mlir::linalg::LinalgOp op);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_LOOPBOUNDS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an elementwise op takes for each of its elements.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_ELEMENTWISECOST_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_ELEMENTWISECOST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qbackend::codegen {

/// Whether the body of `op` has what takes longer than to load a number:
/// divisions, roots, and other functions.
bool isSlow(mlir::linalg::LinalgOp op);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_ELEMENTWISECOST_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elementwise ops around a sum that are better computed with it: a bias
// before, a residual and a relu behind.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_SUMSTAGES_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_SUMSTAGES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qbackend::codegen {

struct SumStages {
  /// Writes all of what the sum adds to; null: what is there stays.
  mlir::linalg::LinalgOp start;
  /// Reads the sums, which nothing else does; null: they are stored.
  mlir::linalg::LinalgOp finish;
  /// The operand of `finish` that the sums are.
  mlir::OpOperand *finished = nullptr;
};

/// Returns the ops on buffers around `sum` whose place can be in its loops: no
/// memory is written or read between them, though some may be allocated, and
/// none of them reads what `finish` writes. Arguments of a function are taken
/// for different buffers.
SumStages findSumStages(mlir::linalg::LinalgOp sum);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_SUMSTAGES_H

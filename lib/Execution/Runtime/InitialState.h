// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that a network keeps between calls.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_INITIALSTATE_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_INITIALSTATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace qbackend::runtime {

/// Makes variables (`tosa.variable`, and an `ml_program.global` that is stored
/// to) values of one call of `entry`: each begins as what it is declared with,
/// and what is written last is of no use. So samples don't depend on each
/// other, and may be run in any order.
///
/// Fails where that can't be seen in the code: at a write that isn't in the
/// entry's own block (a branch, a loop, another function), where another
/// function reads what is written, and without an initial value.
llvm::Error startFromInitialState(mlir::ModuleOp module,
                                  mlir::func::FuncOp entry);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_INITIALSTATE_H

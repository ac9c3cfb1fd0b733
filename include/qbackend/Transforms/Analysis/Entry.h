// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of a module that is the network, and the names of its arguments.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_ENTRY_H
#define QBACKEND_TRANSFORMS_ANALYSIS_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// The function to run: `name`, or when empty `main`, `forward`, or the only
/// public function with a body.
llvm::Expected<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                             llvm::StringRef name = "");

/// `entry` and the functions of the module that it refers to, directly or not.
llvm::DenseSet<mlir::Operation *> getReachedFunctions(mlir::func::FuncOp entry);

/// The name of argument `index` of `function`, for arrays of a file: that of
/// its location, else the attribute `qbackend.name`, else "arg0".
std::string getArgumentName(mlir::func::FuncOp function, unsigned index);

/// Whether somebody chose that name.
bool hasArgumentName(mlir::func::FuncOp function, unsigned index);

/// Gives arguments whose location has a name the attribute `qbackend.name`,
/// which text without locations keeps.
void recordArgumentNames(mlir::ModuleOp module);

/// Which results of `function`, or arguments, hold unsigned integers, as their
/// type says or the attribute `qbackend.unsigned`.
llvm::SmallVector<bool> findUnsignedResults(mlir::func::FuncOp function);
llvm::SmallVector<bool> findUnsignedArguments(mlir::func::FuncOp function);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_ENTRY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be compiled: the operators of a network.

#ifndef QBACKEND_EXECUTION_RUNTIME_ISOLATENETWORK_H
#define QBACKEND_EXECUTION_RUNTIME_ISOLATENETWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

namespace qbackend::runtime {

/// Leaves of `module` what `entry` reaches: that is public, all else private,
/// and attributes that bring code of their own, or tell LLVM more than the code
/// does, are gone.
///
/// A module is data, often someone else's. Emits an error if compiled it could
/// do more than compute tensors: if it has an op on memory, or calls another
/// function without a body than the `hooks`. It is of the stage that
/// `qbackend-execution-pipeline` leaves.
///
/// Functions whose names C or LLVM have for theirs get other ones, but for
/// `entry`, of which that is an error, unless it `mayRename`: who links it
/// knows it by its name, who runs it by its address.
mlir::LogicalResult isolateNetwork(mlir::ModuleOp module,
                                   mlir::func::FuncOp entry,
                                   llvm::ArrayRef<llvm::StringRef> hooks = {},
                                   bool mayRename = false);

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_ISOLATENETWORK_H

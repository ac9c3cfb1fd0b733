// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be compiled and run in this process.

#ifndef QBACKEND_LIB_RUNTIME_PREPAREMODULE_H
#define QBACKEND_LIB_RUNTIME_PREPAREMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace qbackend::runtime {

/// Returns an error that begins with the location, if there is one.
llvm::Error makeErrorAt(mlir::Location location, const llvm::Twine &message);

/// Readies `module` to be lowered: marks `entry` as what is called from outside
/// and other functions as internal, drops what is not reached, and says that
/// the functions `hooks`, which have no body, only read.
///
/// A module is data, often someone else's. Fails if running it could do more
/// than compute tensors: if it has an op on memory, or calls another function
/// without a body.
llvm::Error prepareModule(mlir::ModuleOp module, mlir::func::FuncOp entry,
                          llvm::ArrayRef<llvm::StringRef> hooks);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_RUNTIME_PREPAREMODULE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be compiled and run in this process.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_PREPAREMODULE_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_PREPAREMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace qbackend::runtime {

/// Returns an error that begins with the location, if there is one.
llvm::Error makeErrorAt(mlir::Location location, const llvm::Twine &message);

/// Returns whether `name` is one of the functions that the lowering calls: C's
/// memory and mathematics, and our own.
bool isRuntimeFunction(llvm::StringRef name);

/// Readies `module` to be lowered and called in this process: see
/// isolateNetwork, which says what is refused, and startFromInitialState. Marks
/// `entry` as what is called from outside, and says that the functions `hooks`,
/// which have no body, only read. Nothing is refused `onBuffers`.
llvm::Error prepareModule(mlir::ModuleOp module, mlir::func::FuncOp entry,
                          llvm::ArrayRef<llvm::StringRef> hooks,
                          bool onBuffers);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_PREPAREMODULE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from files, for programs.

#ifndef QBACKEND_INSIGHT_EXPLANATION_READMODULE_H
#define QBACKEND_INSIGHT_EXPLANATION_READMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// Parses the module of the file `path`, or of standard input ("-"). What is
/// wrong with it, and where its source comes from another tool which converter
/// it needs, is printed to standard error with its place; the error that is
/// returned names the file. Unless `weights` is empty, it is the file of
/// weights that the module only names, see bindParameters.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(llvm::StringRef path, mlir::MLIRContext *context,
           llvm::StringRef weights = {});

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_READMODULE_H

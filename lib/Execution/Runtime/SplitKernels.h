// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in modules of their own, which threads compile side by side.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace qbackend::runtime {

/// Moves generated kernels of `module`, which has functions of the llvm dialect
/// only, to modules of their own that are alike in size, and returns `module`
/// and these. What one of them uses of another is external, and declared where
/// it is used; other functions are internal. The modules depend on `module`
/// alone, and not on the number of threads.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H

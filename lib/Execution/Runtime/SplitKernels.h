// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in modules of their own, which threads compile side by side.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace qbackend::runtime {

/// Moves generated kernels of `module`, which is in the llvm dialect, to
/// modules of their own, as many as they are worth, and returns `module`, which
/// has the rest and may keep kernels, and these. What one of them uses of
/// another is external, and declared where it is used; weak functions stay so,
/// and others are internal. The modules depend on `module` alone, and not on
/// the number of threads.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_SPLITKERNELS_H

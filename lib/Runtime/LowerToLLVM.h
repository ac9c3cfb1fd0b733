// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tensors to the llvm dialect.

#ifndef QBACKEND_LIB_RUNTIME_LOWERTOLLVM_H
#define QBACKEND_LIB_RUNTIME_LOWERTOLLVM_H

#include "Vectorize.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace qbackend::runtime {

/// Adds the passes from tosa, linalg, tensor, ... to the llvm dialect, for
/// vectors of `unit`.
///
/// Big constants become declarations; their data is in `store`. A failed
/// `cf.assert` calls `qbackend_runtime_assert_failed(i64)` with the index of
/// its message in `assertMessages`.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm, const VectorUnit &unit,
                              ConstantStore &store,
                              std::vector<std::string> &assertMessages);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_RUNTIME_LOWERTOLLVM_H

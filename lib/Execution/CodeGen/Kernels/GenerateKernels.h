// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that makes functions of the ops of the int8 dialect.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_GENERATEKERNELS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_GENERATEKERNELS_H

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/CodeGen/Passes.h"

namespace qbackend::codegen {

/// Makes the pass with a place for the constants of kernels; null: in the
/// module.
std::unique_ptr<mlir::Pass>
createGenerateKernelsPass(const GenerateKernelsPassOptions &options,
                          ConstantStore *store);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_GENERATEKERNELS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the vector code of a kernel is what its int8.conv2d says.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_JUDGEKERNEL_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_JUDGEKERNEL_H

#include "Terms/Solver.h"

#include "qbackend/Execution/Int8/Int8.h"
#include "qbackend/Insight/Proof/Prove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend::proof {

/// What is shown of `code`, which was emitted for the function of buffers that
/// has `op`, with the same arguments. What isn't followed is a step that is
/// open, with the reason.
llvm::Expected<std::vector<ProofStep>>
judgeKernel(int8::Conv2dOp op, mlir::func::FuncOp code, Solver &solver);

/// A module with a function of buffers that has `op` alone, which is on
/// tensors and has constants.
mlir::OwningOpRef<mlir::ModuleOp> isolateKernel(int8::Conv2dOp op);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_JUDGEKERNEL_H

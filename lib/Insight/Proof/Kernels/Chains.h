// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of qnnpack become one kernel.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_CHAINS_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_CHAINS_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace qbackend::proof {

/// The ops of qnnpack in `module`, in its order; those that one kernel of
/// convert-qnnpack-to-int8 computes are together, the first one first. Fails if
/// the conversion does.
mlir::FailureOr<std::vector<llvm::SmallVector<mlir::Operation *>>>
findChains(mlir::ModuleOp module);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_CHAINS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a backend does with an operator, in words.

#ifndef QBACKEND_INSIGHT_EXPLANATION_EXPLAIN_H
#define QBACKEND_INSIGHT_EXPLANATION_EXPLAIN_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Prints the patterns of `operators`, those that they are a part of, and what
/// each mapping of the backend has for them. `operators` is a kind ("conv2d"),
/// several in the order of execution ("conv2d+relu", or with commas), the name
/// of an MLIR op, or a name of PyTorch ("torch.nn.Conv2d"). Fails, and says so
/// at `backend` with the nearest names, if nobody knows one of them.
mlir::LogicalResult explain(BackendConfigOp backend, llvm::StringRef operators,
                            llvm::raw_ostream &os);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_EXPLAIN_H

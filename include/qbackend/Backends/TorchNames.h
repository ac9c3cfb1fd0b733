// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator kinds PyTorch's names of modules, functions and methods are.

#ifndef QBACKEND_BACKENDS_TORCHNAMES_H
#define QBACKEND_BACKENDS_TORCHNAMES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The kinds of PyTorch's `name`, in the order of execution: several for a
/// fused module, `name` itself if it is not known ("vendor.swish"). Methods are
/// "method:relu" or, as PyTorch has them, "relu".
llvm::SmallVector<llvm::StringRef> getKindsOfTorchName(llvm::StringRef name);

/// A pattern of PyTorch's names as one of kinds: lists of names in the order of
/// execution stay lists if they have 3 kinds at most.
mlir::Attribute getPatternOfTorch(mlir::Attribute torch);

/// All kinds that have a name in PyTorch, sorted.
llvm::ArrayRef<llvm::StringRef> getTorchKinds();

} // namespace qbackend

#endif // QBACKEND_BACKENDS_TORCHNAMES_H

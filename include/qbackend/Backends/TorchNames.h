// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator kinds PyTorch's names of modules, functions and methods are.

#ifndef QBACKEND_BACKENDS_TORCHNAMES_H
#define QBACKEND_BACKENDS_TORCHNAMES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The kinds of PyTorch's `name`, in the order of execution: several for a
/// fused module, `name` itself if it is not known ("vendor.swish"). A name of
/// operators of several ranks, as torch.ops.aten.convolution.default, has more
/// than one such list. Methods are "method:relu" or, as PyTorch has them,
/// "relu".
llvm::SmallVector<llvm::SmallVector<llvm::StringRef>>
getKindsOfTorchName(llvm::StringRef name);

/// The kinds of several names in the order of execution, for each choice of the
/// kinds of each. Empty if there are more than 64.
llvm::SmallVector<llvm::SmallVector<llvm::StringRef>>
getKindsOfTorchNames(llvm::ArrayRef<llvm::StringRef> names);

/// A pattern of PyTorch's names as those of kinds, one for each choice of the
/// kinds of its names: lists of names in the order of execution stay lists if
/// they have 3 kinds at most. `fusedOperator`, kinds that are left of each,
/// leaves out those that don't have them. Empty if there are more than 64.
llvm::SmallVector<mlir::Attribute>
getPatternsOfTorch(mlir::Attribute torch, mlir::ArrayAttr fusedOperator);

/// All kinds that have a name in PyTorch, sorted.
llvm::ArrayRef<llvm::StringRef> getTorchKinds();

} // namespace qbackend

#endif // QBACKEND_BACKENDS_TORCHNAMES_H

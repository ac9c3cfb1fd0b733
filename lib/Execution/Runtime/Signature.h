// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of what a compiled function takes and gives.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_SIGNATURE_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_SIGNATURE_H

#include "qbackend/Execution/Runtime/Executable.h"

namespace qbackend::runtime {

/// The type of an element; nullopt for what arrays can't hold.
std::optional<arrays::ElementType> getElementType(mlir::Type type);

/// The signature of `what` (argument, result) `index` of the function `entry`;
/// an error unless `type` is one that arrays have.
llvm::Expected<TensorSignature> getSignature(mlir::Type type,
                                             llvm::StringRef entry,
                                             llvm::StringRef what,
                                             unsigned index);

/// The unsigned type of the width of `type`; others are themselves.
arrays::ElementType getUnsigned(arrays::ElementType type);

/// Whether an array of type `array` holds what `signature` asks for.
bool isCompatible(arrays::ElementType signature, arrays::ElementType array);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_SIGNATURE_H

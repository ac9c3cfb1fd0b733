// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of large constants, where they are.

#ifndef QBACKEND_DIALECT_QBACKEND_ELEMENTS_H
#define QBACKEND_DIALECT_QBACKEND_ELEMENTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qbackend {

/// The elements of a constant as f32 numbers, without a copy of what is there;
/// nullopt if they are of another type or the data is not there. Those of a
/// splat, and of a resource that isn't aligned, are written to `storage`, which
/// has to live as long as they are read.
std::optional<llvm::ArrayRef<float>>
viewFloats(mlir::ElementsAttr elements, llvm::SmallVectorImpl<float> &storage);

/// Whether the data of a constant is there and has the bytes that its type says:
/// MLIR takes any number of a resource.
bool hasWholeData(mlir::ElementsAttr elements);

/// Whether `viewFloats` finds any; nothing is read.
bool hasFloats(mlir::ElementsAttr elements);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_ELEMENTS_H

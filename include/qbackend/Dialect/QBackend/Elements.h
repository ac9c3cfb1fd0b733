// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of large constants, where they are.

#ifndef QBACKEND_DIALECT_QBACKEND_ELEMENTS_H
#define QBACKEND_DIALECT_QBACKEND_ELEMENTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qbackend {

/// The elements of a constant as f32 numbers, without a copy of what is there;
/// nullopt if they are of another type or the data is not there. Those of a
/// splat, and of a resource that isn't aligned, are written to `storage`, which
/// has to live as long as they are read.
std::optional<llvm::ArrayRef<float>>
viewFloats(mlir::ElementsAttr elements, llvm::SmallVectorImpl<float> &storage);

/// The same of `value`, if it is a constant or a `qbackend.transpose` of one:
/// weights stay as the file has them until their numbers are read. Those of a
/// transpose are written to `storage`. nullopt if it is anything else, or null.
std::optional<llvm::ArrayRef<float>>
viewFloats(mlir::Value value, llvm::SmallVectorImpl<float> &storage);

/// Gives what `viewFloats` finds to `read`, panel by panel: rows of dimension
/// 0, the number of the first and all numbers of them. Of a transpose, no more
/// than a panel is copied at a time. False, at once, where `read` says so or
/// where there are no numbers.
bool forEachPanel(
    mlir::Value value,
    llvm::function_ref<bool(int64_t first, llvm::ArrayRef<float> numbers)>
        read);

/// A copy of them.
std::optional<llvm::SmallVector<float, 0>> readFloats(mlir::Value value);

/// A number for what `viewFloats` gives, for which it is read where it is: the
/// same for a constant and for a transpose of its transpose. nullopt where
/// there are none.
std::optional<uint64_t> hashFloats(mlir::Value value);

/// How many elements a tensor of static shape has; nullopt where that takes
/// more than 63 bits, and MLIR's own count wraps.
std::optional<int64_t> tryCountElements(mlir::ShapedType type);

/// Whether the data of a constant is there and has the bytes that its type
/// says: MLIR takes any number of a resource, and of others those that are left
/// of a product of extents that wraps.
bool hasWholeData(mlir::ElementsAttr elements);

/// Whether `viewFloats` finds any; nothing is read.
bool hasFloats(mlir::ElementsAttr elements);
bool hasFloats(mlir::Value value);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_ELEMENTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in a file, and names, side by side in locations.

#ifndef QBACKEND_SUPPORT_PLACES_H
#define QBACKEND_SUPPORT_PLACES_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// The name of `op` for selectors, tables and messages: that of its named
/// location, or of the first named one in a fused location; else empty.
std::string getLocationName(mlir::Location loc);

/// `loc` as "file:line:column", else as its name in quotes, else as MLIR prints
/// it.
std::string spellPlace(mlir::Location loc);

/// Gives each op of `module`, which was parsed from `text`, the place where it
/// stands there if its location is a name without one: MLIR's parser keeps only
/// what is written. Reads the text once more, if there is such an op; nothing
/// is done if `text` is bytecode. `file` is what places call it.
void addPlaces(mlir::ModuleOp module, llvm::StringRef text,
               llvm::StringRef file);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_PLACES_H

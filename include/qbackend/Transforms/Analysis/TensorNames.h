// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tensors between operators are called, in observers and in tables.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_TENSORNAMES_H
#define QBACKEND_TRANSFORMS_ANALYSIS_TENSORNAMES_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "llvm/ADT/MapVector.h"

namespace qbackend {

/// What one tensor is called.
struct TensorName {
  /// That of its location, else by kind and count; no two are the same.
  std::string name;
  /// For a tensor whose location has no name: what its producer computes, with
  /// which weights, and what those of its inputs compute, as a hash. A change
  /// of the network elsewhere changes counts, but not this. Empty if structures
  /// weren't asked for: they take a reading of all weights.
  std::string structure;
};

/// Names the inputs and results of all operators of a module, whether they are
/// observed or not, so that names don't depend on what is quantized.
class TensorNames {
public:
  explicit TensorNames(mlir::ModuleOp module, bool withStructures = false);

  /// Sees through observers and changes of layout, which have no names.
  static mlir::Value getTensor(mlir::Value value);

  /// The name of what `getTensor` gives for `value`.
  const TensorName &lookup(mlir::Value value);

  /// The tensors, in the order of the code.
  const llvm::MapVector<mlir::Value, TensorName> &getAll() const {
    return names;
  }

private:
  const TensorName &add(mlir::Value tensor);
  llvm::StringRef getDescription(mlir::Operation *op);
  std::string getStructure(mlir::Operation *op);

  const bool withStructures;
  llvm::DenseMap<mlir::Operation *, std::string> descriptions;
  llvm::MapVector<mlir::Value, TensorName> names;
  llvm::StringMap<unsigned> taken, counts, structures;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_TENSORNAMES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a calibration table has for the tensors and observers of a module.

#ifndef QBACKEND_LIB_PIPELINES_CALIBRATE_TABLELOOKUP_H
#define QBACKEND_LIB_PIPELINES_CALIBRATE_TABLELOOKUP_H

#include "qbackend/Calibration/Table.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <set>

namespace qbackend {

/// What to do about a table of another network, which the same network is too
/// where another backend fuses and names it otherwise.
std::string getFix(const calibration::Table &table);

/// The entries of a table for the tensors of a module.
class TableLookup {
public:
  TableLookup(mlir::ModuleOp module, const calibration::Table &table);

  /// What the table has for the tensor behind `value`; null if it has nothing.
  const calibration::TableEntry *lookupEntry(mlir::Value value);
  const calibration::Statistics *lookup(mlir::Value value);

  /// What the table has for `op`; nothing if a tensor is missing in it. Fails,
  /// and says so, if it is the table of another network.
  mlir::FailureOr<std::optional<calibration::TableEntry>> lookup(ObserverOp op);

  /// Whether `entry` has averages over batches, or the batches.
  static bool hasAverages(const calibration::TableEntry &entry);

  /// Whether the table has averages of `entry`, but only with what shared its
  /// observer when it was made.
  bool isAveragedInGroup(const calibration::TableEntry &entry) const;

private:
  /// Null if the table has nothing for `tensor`.
  const calibration::TableEntry *find(mlir::Value tensor);

  llvm::LogicalResult checkShape(ObserverOp op, mlir::Value tensor,
                                 const calibration::TableEntry &entry) const;

  TensorNames names;
  /// What an error ends with.
  std::string fix;
  llvm::StringMap<const calibration::TableEntry *> byName, byStructure;
  /// Tensors that share an observer with others that has averages.
  std::set<std::string> averaged;
  llvm::StringMap<llvm::SmallVector<mlir::Value>> tensors;
};

/// What a table has for corrections of layers, as the network is now.
struct PatchSource {
  std::optional<calibration::Table> table;
  std::optional<TableLookup> lookup;
  struct Rescaling {
    llvm::SmallVector<float, 0> factors, shifts;
  };
  /// Of values that were changed since the table was made.
  llvm::DenseMap<mlir::Value, Rescaling> rescaled;

  /// Of what the layer `op` reads; nothing if the table hasn't it.
  std::optional<calibration::PatchMoments> get(OperatorOp op,
                                               bool withProducts);
};

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_CALIBRATE_TABLELOOKUP_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a qconfig mapping, and their text.

#ifndef QBACKEND_LIB_INSIGHT_TUNING_MAPPING_H
#define QBACKEND_LIB_INSIGHT_TUNING_MAPPING_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Pipelines/Corrections.h"

#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace qbackend::tuning {

/// A change of all operators of a mapping: one of these.
struct Change {
  bool perChannel = false;
  std::optional<ObserverKind> observer;
  std::optional<Correction> correction;
  /// Entries to add, in the place of those that select the same.
  QConfigMappingOp entries;

  /// As a message has it; of entries, their text.
  std::string getName() const;
};

/// A module with the mapping `base` as @tuned, changed: with other observers,
/// its corrections as an attribute, and an entry `none` for each operator of
/// `realValued`.
mlir::OwningOpRef<mlir::ModuleOp>
makeMapping(QConfigMappingOp base, llvm::ArrayRef<Change> changes,
            llvm::ArrayRef<SimulatedOperator> floatValued);

/// Whether `change` makes another mapping of `base`.
bool changesMapping(QConfigMappingOp base, const Change &change);

} // namespace qbackend::tuning

#endif // QBACKEND_LIB_INSIGHT_TUNING_MAPPING_H

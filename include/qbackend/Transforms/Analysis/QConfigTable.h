// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a backend support an operator with a qconfig, and which one is it?

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_QCONFIGTABLE_H
#define QBACKEND_TRANSFORMS_ANALYSIS_QCONFIGTABLE_H

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Analysis/OperatorSelectors.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

#include <map>
#include <tuple>

namespace qbackend {

/// Finds the qconfig of operators in a mapping, in PyTorch's order of
/// precedence.
class QConfigTable {
public:
  QConfigTable(QConfigMappingOp mapping, const OperatorSelectors &operators);
  QConfigTable(QConfigTable &&) = default;

  /// The entry for `op`, which is of `kinds`; null if there is none. `isFusion`
  /// says that a pattern with a fuser method has these kinds.
  QConfigOp lookup(OperatorOp op, llvm::ArrayRef<llvm::StringRef> kinds,
                   bool isFusion) const;

  /// The entry for `op` by where it is: its number, its name or module, or the
  /// class of one; null if there is none.
  QConfigOp lookupPlace(OperatorOp op, bool isFusion) const;

  /// Whether an entry selects `kind` by its name.
  bool selectsKind(llvm::StringRef kind) const { return byKind.contains(kind); }

  /// The activation observer of the global entry; null if there is none.
  ObserverAttr getGlobalActivation() const;

  /// Fails, and says so with the nearest names, for each entry that selects by
  /// name and fits none of the operators, or selects a kind that nobody knows.
  /// A null `backend` knows none beyond those of PyTorch.
  mlir::LogicalResult verifySelectors(BackendConfigOp backend) const;

  /// Says after an error which names of operators, or of modules that they are
  /// in, are most like `wanted`.
  void listNearestNames(mlir::InFlightDiagnostic &diag,
                        llvm::StringRef wanted) const;

private:
  /// The names of all operators, and of their parts.
  llvm::StringMap<char> getNames() const;

  /// The entry that selects exactly `op` by its number.
  QConfigOp lookupOrder(const OperatorSelector &op, bool isFusion) const;

  /// The entry that selects `op` by its name or path, or else its nearest
  /// ancestor.
  QConfigOp lookupName(const OperatorSelector &op) const;

  /// The entry that selects one of `kinds`, or else the global one.
  QConfigOp lookupKinds(llvm::ArrayRef<llvm::StringRef> kinds,
                        bool isFusion) const;

  QConfigMappingOp mapping;
  const OperatorSelectors &operators;
  QConfigOp global;
  llvm::StringMap<QConfigOp> byKind, byName, byModuleType;
  llvm::SmallVector<std::pair<llvm::Regex, QConfigOp>> byRegex;
  /// By module, kind and number.
  std::map<std::tuple<std::string, std::string, int64_t>, QConfigOp> byOrder;
};

/// The observer that `spec`, which may be null, gives its edge; else `other`,
/// that of the qconfig.
ObserverAttr getObserver(SpecAttr spec, ObserverAttr other);

/// What the dtype configs of `pattern` have to support of an operator with
/// `qconfig`: its activation, and the weight's observer, which the pattern's
/// specs may give.
QConfigAttr getChosenQConfig(PatternConfigOp pattern, QConfigAttr qconfig);

/// Why a qconfig doesn't satisfy any of the dtype configs of `pattern`; empty
/// if it satisfies one. `hasWeight` and `hasBias` say which roles there are.
/// Rules: torch.ao's _is_pattern_dtype_config_and_qconfig_supported_by_backend.
std::string whyUnsupported(PatternAttr pattern, QConfigAttr qconfig,
                           bool hasWeight, bool hasBias);

/// The first dtype config of `pattern` that a qconfig satisfies; null if it
/// satisfies none.
DTypeConfigAttr findDTypes(PatternAttr pattern, QConfigAttr qconfig,
                           bool hasWeight, bool hasBias);

/// The smallest and largest integer of the observer's type and range.
std::pair<int64_t, int64_t> getQuantRange(ObserverAttr observer);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_QCONFIGTABLE_H

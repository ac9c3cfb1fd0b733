// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators are quantized, by which backend of a list, and why others
// stay float.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_DECIDER_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_DECIDER_H

#include "Observe/ObserverInserter.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/Limits.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include <map>

namespace qbackend {

/// Why an operator stays float.
struct FloatReason {
  llvm::StringRef code;
  std::string reason, suggestion;
  llvm::SmallVector<RemarkNote, 3> notes;
};

/// Decides for each operator, and says why not.
class Decider {
public:
  Decider(mlir::DictionaryAttr torchNames, const PatternTable &patterns,
          const OperatorSelectors &operators,
          llvm::ArrayRef<QConfigTable> qconfigs, const Backend &backend,
          llvm::ArrayRef<QConfigMappingOp> mappings,
          llvm::ArrayRef<std::string> keepFloat);

  /// What each backend of the list that takes `op` makes of it; if none does,
  /// all reasons are said.
  llvm::SmallVector<Decision, 1> decide(OperatorOp op);

  /// Says at `op` why it stays float, and keeps the code of it there.
  void refuse(OperatorOp op, llvm::StringRef code, const llvm::Twine &reason,
              const llvm::Twine &suggestion, llvm::ArrayRef<RemarkNote> notes);

  /// Fails, and says so, for each name of keep-float that no operator has that
  /// was decided on.
  mlir::LogicalResult verifyKept(mlir::ModuleOp module) const;

  /// True if `parameter` is a constant with data.
  static bool isKnown(mlir::Value parameter);

private:
  /// What the backend at `place` makes of `op`, of which `candidates` are its
  /// patterns; adds why it leaves it to `refusals`.
  std::optional<Decision> decide(OperatorOp op,
                                 llvm::ArrayRef<llvm::StringRef> kinds,
                                 llvm::ArrayRef<PatternConfigOp> candidates,
                                 unsigned place,
                                 llvm::SmallVectorImpl<FloatReason> &refusals);

  /// The patterns of the backend at `place` that are of `kinds`.
  llvm::SmallVector<PatternConfigOp, 2>
  lookup(llvm::ArrayRef<llvm::StringRef> kinds, unsigned place) const;

  /// The patterns of the backend at `place` that may be that of `op`; `kinds`,
  /// those of `op`, become those of its spelling that has them.
  llvm::SmallVector<PatternConfigOp, 2>
  findPatterns(OperatorOp op, llvm::SmallVectorImpl<llvm::StringRef> &kinds,
               unsigned place);

  /// What messages call the backend at `place`: of a list, that has the name of
  /// its mapping.
  llvm::StringRef getBackendName(unsigned place);

  /// The name in keep-float of `op`, of a part of it, or of a module that one
  /// of them is in; empty if there is none.
  llvm::StringRef findKept(OperatorOp op);

  const PatternTable &patterns;
  const OperatorSelectors &operators;
  /// Of each backend of the list.
  llvm::ArrayRef<QConfigTable> qconfigs;
  LimitTable limits;
  BackendConfigOp backend;
  const llvm::DenseMap<mlir::Operation *, unsigned> &places;
  mlir::DictionaryAttr torchNames;
  llvm::ArrayRef<QConfigMappingOp> mappings;
  /// The names of keep-float, and whether an operator has them.
  std::map<std::string, bool> kept;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_DECIDER_H

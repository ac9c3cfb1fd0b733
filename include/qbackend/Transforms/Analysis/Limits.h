// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which limits of a backend an operator is beyond.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_LIMITS_H
#define QBACKEND_TRANSFORMS_ANALYSIS_LIMITS_H

#include "qbackend/Dialect/QBackend/Edges.h"

namespace qbackend {

/// A limit that an operator doesn't satisfy.
struct LimitViolation {
  LimitOp limit;
  /// "is beyond the limit \"stride <= 3\" of Ethos-U55: stride is [4, 4]", or
  /// why that can't be known.
  std::string reason;
};

/// The fields of a kind by name, as they are written: `stride`, `groups`. Of
/// those that are left out where they have their default, the flags are there.
llvm::SmallVector<std::pair<std::string, mlir::Attribute>>
getKindFields(mlir::Attribute kind);

/// Asks the limits of one backend.
class LimitTable {
public:
  explicit LimitTable(BackendConfigOp backend);

  /// Those that `op` violates, in the backend's order. A fused operator has the
  /// limits of each of its kinds; fields are those of that kind.
  llvm::SmallVector<LimitViolation> findViolations(OperatorOp op) const;

private:
  llvm::StringMap<llvm::SmallVector<LimitOp, 1>> byKind;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_LIMITS_H

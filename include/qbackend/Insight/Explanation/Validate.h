// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong or pointless in a configuration that its verifiers accept.

#ifndef QBACKEND_INSIGHT_EXPLANATION_VALIDATE_H
#define QBACKEND_INSIGHT_EXPLANATION_VALIDATE_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

enum class Severity {
  /// A fact that a reader of the file may not expect.
  Note,
  /// Something that is written down has no effect.
  Warning,
  /// A module can't be quantized with it.
  Error,
};

/// One thing that `validate` found.
struct Finding {
  Severity severity;
  /// The op to change.
  mlir::Operation *op;
  /// What is there, and what to write instead.
  std::string what, fix;
};

/// Looks for patterns that never match, constraints that no qconfig of the
/// backend's mappings meets, contradictions between dtypes, schemes and
/// observers, and names that nobody knows. Findings are in the order of the
/// file; what several ops share is said at the first one.
llvm::SmallVector<Finding> validate(BackendConfigOp backend);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_VALIDATE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that `validate` is made of.

#ifndef QBACKEND_LIB_INSIGHT_EXPLANATION_FINDINGS_H
#define QBACKEND_LIB_INSIGHT_EXPLANATION_FINDINGS_H

#include "qbackend/Insight/Explanation/Validate.h"

namespace qbackend::inspection {

/// Collects what the checks find.
class Findings {
public:
  void note(mlir::Operation *op, const llvm::Twine &what,
            const llvm::Twine &fix) {
    add(Severity::Note, op, what, fix);
  }
  void warn(mlir::Operation *op, const llvm::Twine &what,
            const llvm::Twine &fix) {
    add(Severity::Warning, op, what, fix);
  }
  void error(mlir::Operation *op, const llvm::Twine &what,
             const llvm::Twine &fix) {
    add(Severity::Error, op, what, fix);
  }

  llvm::SmallVector<Finding> take() { return std::move(findings); }

private:
  void add(Severity severity, mlir::Operation *op, const llvm::Twine &what,
           const llvm::Twine &fix) {
    findings.push_back({severity, op, what.str(), fix.str()});
  }

  llvm::SmallVector<Finding> findings;
};

/// Forms that no engine offers.
void checkLowering(BackendConfigOp backend, Findings &findings);
/// Patterns that never match, or say what nobody reads.
void checkPatterns(BackendConfigOp backend, Findings &findings);
/// Functions given as `reference`.
void checkReferences(BackendConfigOp backend, Findings &findings);
/// Constraints and observers that contradict themselves or their dtype.
void checkTypes(BackendConfigOp backend, Findings &findings);
/// Selectors of mappings, and patterns that no mapping is for.
void checkMappings(BackendConfigOp backend, Findings &findings);

} // namespace qbackend::inspection

#endif // QBACKEND_LIB_INSIGHT_EXPLANATION_FINDINGS_H

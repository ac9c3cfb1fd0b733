// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks as a person reads them.

#ifndef QBACKEND_SUPPORT_REMARKGROUPS_H
#define QBACKEND_SUPPORT_REMARKGROUPS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace qbackend {

/// Holds the remarks of this project that are printed while passes run, and
/// prints those with one code and one reason once: at the place of the first,
/// with a note that counts the others by operator, and has the places of some.
/// The summary QB000 becomes a sentence; its table stays. They are printed
/// after each pass of the command line, and before an error. Remarks
/// that go to a file don't come here.
class RemarkGroups : public mlir::PassInstrumentation {
public:
  explicit RemarkGroups(mlir::MLIRContext *context);
  ~RemarkGroups() override;

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  struct Group {
    std::unique_ptr<mlir::Diagnostic> first;
    /// Operator and place of each of the others.
    std::vector<std::pair<std::string, mlir::Location>> others;
  };

  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);
  void flush();

  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID handler;
  bool isFlushing = false;
  /// How many passes on the whole module are running, one in the other.
  unsigned depth = 0;
  /// In the order of the first remark of each.
  std::vector<Group> groups;
  /// Their numbers, by what is equal: the text without the operator.
  llvm::StringMap<size_t> byKey;
};

} // namespace qbackend

#endif // QBACKEND_SUPPORT_REMARKGROUPS_H

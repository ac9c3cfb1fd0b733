// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All there is to know about one operator.

#ifndef QBACKEND_LIB_PIPELINES_EXPLAINOPERATOR_H
#define QBACKEND_LIB_PIPELINES_EXPLAINOPERATOR_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace qbackend {

/// Prints what passes find out about the operator whose result is called
/// `name`, or that was fused from one of this name. While it lives, remarks are
/// kept for it instead of being printed.
class OperatorExplanation {
public:
  OperatorExplanation(llvm::StringRef name, mlir::MLIRContext *context,
                      llvm::raw_ostream &os);

  /// Prints where it was recognised in `module`, which is observed for
  /// `backend`, what it matched, and the observers of its inputs and its
  /// result. An error with the nearest names if there is none of this name.
  mlir::LogicalResult printObserved(mlir::ModuleOp module,
                                    BackendConfigOp backend,
                                    llvm::ArrayRef<QConfigMappingOp> mappings);

  /// Prints what computes it in `module`, which has kernels.
  void printKernel(mlir::ModuleOp module);

  /// Says why there is no kernel.
  void printNoKernel(llvm::StringRef why);

  /// Prints the remarks about it so far, each code with its meaning.
  void printRemarks();

private:
  /// A remark, where it was given and how it reads.
  struct Said {
    mlir::Location loc;
    std::string text;
  };

  std::string name;
  llvm::raw_ostream &os;
  /// Where the operator is.
  std::optional<mlir::Location> found;
  std::vector<Said> remarks;
  mlir::ScopedDiagnosticHandler record;
};

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_EXPLAINOPERATOR_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a network's results are off by in a form that isn't exact: bounded while
// its kernels are there, and measured on samples when it is lowered.

#ifndef QBACKEND_PIPELINES_MEASUREDIFFERENCES_H
#define QBACKEND_PIPELINES_MEASUREDIFFERENCES_H

#include "qbackend/Pipelines/NetworkRunner.h"
#include "qbackend/Transforms/Analysis/FormDifference.h"

#include "mlir/IR/OwningOpRef.h"

namespace qbackend {

class FormDifferences {
public:
  /// `entry`: see findEntry.
  FormDifferences(llvm::StringRef entry, llvm::StringRef form)
      : entry(entry), form(form) {}

  /// Looks at the kernels of `module`, and keeps them, if an engine says that
  /// the form isn't exact.
  void bound(mlir::ModuleOp module);

  /// Emits the remark, if there is anything to say, after a run of what was
  /// kept and of `lowered` on at most 100 of the samples, if there are any.
  mlir::LogicalResult emitRemark(mlir::ModuleOp lowered,
                                 const SampleRequest &request);

private:
  llvm::Expected<std::optional<MeasuredDifference>>
  measure(mlir::ModuleOp lowered, const SampleRequest &request);

  std::string entry, form;
  mlir::OwningOpRef<mlir::ModuleOp> exact;
  llvm::SmallVector<ResultDifference> results;
};

} // namespace qbackend

#endif // QBACKEND_PIPELINES_MEASUREDIFFERENCES_H

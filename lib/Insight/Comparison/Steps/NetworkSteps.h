// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors that a network stores, and the code between them: what two forms
// of a network have in common, whatever their ops are called.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_NETWORKSTEPS_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_NETWORKSTEPS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace qbackend {

/// Whether `network` multiplies or rescales integers, or has kernels that do.
bool hasIntegerArithmetic(mlir::func::FuncOp network);

/// A network of one block. What it stores are tensors of 16 bits or less, and
/// where there are none, the results of operators. Movements are not stored,
/// nor is what is only clamped: that belongs to the clamp's step.
class NetworkSteps {
public:
  struct Step {
    /// Results of other steps, and arguments, in the order of operands.
    llvm::SmallVector<mlir::Value> inputs;
    /// What computes on them, in the order of the block.
    llvm::SmallVector<mlir::Operation *> code;
    /// The one of it that it is called by.
    mlir::Operation *main = nullptr;
    int64_t multiplyAccumulates = 0;
  };

  explicit NetworkSteps(mlir::func::FuncOp network);

  /// Those of all steps, in the order of the block.
  llvm::ArrayRef<mlir::Value> getResults() const { return results; }
  bool isResult(mlir::Value value) const { return stored.contains(value); }

  /// The step that ends in `value`, whether or not it is stored.
  const Step &getStep(mlir::Value value);

  /// The inputs of the step of `value`, or what they are computed of: `count`
  /// of them, as near to it as there are so many; nothing else. A softmax has
  /// one, of how many steps it may be.
  llvm::SmallVector<mlir::Value> getInputs(mlir::Value value, size_t count);

  /// What computes `value` of `inputs`, in the order of the block.
  llvm::SmallVector<mlir::Operation *>
  getCode(mlir::Value value, llvm::ArrayRef<mlir::Value> inputs) const;

private:
  bool isStored(mlir::Value value) const;
  bool isDependent(mlir::Operation *op) const;

  bool isInteger = false;
  llvm::DenseSet<mlir::Value> dependent, stored;
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseMap<mlir::Value, Step> steps;
};

/// Tensors that `op` reads, those in its regions, too.
llvm::SmallVector<mlir::Value> getTensorOperands(mlir::Operation *op);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_NETWORKSTEPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which value of a quantized network is which of the float one.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_MATCHNETWORKS_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_MATCHNETWORKS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace qbackend {

/// Whether `value` is a tensor of quantized numbers.
bool isQuantizedTensor(mlir::Value value);

/// Whether `value` depends on constants only: a weight, a bias, a number.
bool isConstantParameter(mlir::Value value);

/// `op` without a choice: one tensor becomes one of the same shape, floats
/// integers or back.
bool isQuantizeLike(mlir::Operation *op);
bool isDequantizeLike(mlir::Operation *op);

/// The values of two networks side by side, from their results back to their
/// arguments. Names don't matter, most modules have none: what counts is what
/// operators read. An operator of one network that the other one does without
/// (a requantization, a reshape) is passed over.
class MatchedNetworks {
public:
  MatchedNetworks(mlir::func::FuncOp original, mlir::func::FuncOp quantized);

  /// The value of the float network that `value` of the other one stands for,
  /// of the same shape; null if it isn't known.
  mlir::Value getFloat(mlir::Value value) const {
    return originalOf.lookup(value);
  }
  /// What stands for `value` in the quantized network; null: nothing.
  mlir::Value getQuantized(mlir::Value value) const {
    return quantizedOf.lookup(value);
  }
  /// What computes `op` there; null: nothing.
  mlir::Operation *getKernel(OperatorOp op) const { return kernels.lookup(op); }

  /// The operands of `kernel` that are the inputs of `op`.
  static llvm::SmallVector<mlir::Value> getInputs(OperatorOp op,
                                                  mlir::Operation *kernel);

private:
  void match(mlir::Value original, mlir::Value quantized);

  llvm::DenseMap<mlir::Value, mlir::Value> originalOf, quantizedOf;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> kernels;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> worklist;
};

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_MATCHNETWORKS_H

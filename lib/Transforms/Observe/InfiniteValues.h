// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are infinite by a constant of the module.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_INFINITEVALUES_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_INFINITEVALUES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Values that hold -inf or inf because a constant does, such as scores of
/// which a softmax is to leave some out, on their way through operators and
/// code that is not recognised. Nothing has a range for them, whatever the data
/// is.
class InfiniteValues {
public:
  explicit InfiniteValues(mlir::ModuleOp module);

  /// The constant that makes numbers of `value` infinite, or the result of an
  /// operator with such a number of its own; null if none does.
  mlir::Value lookup(mlir::Value value);

private:
  /// What a value can hold, if all that is not known is in [-1, 1].
  struct Source {
    FloatRange range;
    mlir::Value constant;
    /// Whether infinities are beside other numbers, or are genuine: large
    /// numbers alone are a change of units.
    bool isMask = false;
  };

  Source getSource(mlir::Value value);
  void setSum(mlir::Value result, FloatRange range,
              llvm::ArrayRef<mlir::Value> from);
  void setProduct(mlir::Value result, FloatRange range,
                  llvm::ArrayRef<mlir::Value> from);
  void setMoved(mlir::Value result, mlir::Value from);
  void visit(mlir::Operation *op);
  void visitOperator(OperatorOp op);
  void visitArithmetic(mlir::Operation *op);
  void visitLoops(mlir::Operation *op);

  /// Of infinite values, and of constants that were looked at.
  llvm::DenseMap<mlir::Value, Source> sources;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_INFINITEVALUES_H

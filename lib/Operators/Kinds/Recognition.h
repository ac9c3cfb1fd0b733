// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all recognisers work on.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_RECOGNITION_H
#define QBACKEND_LIB_OPERATORS_KINDS_RECOGNITION_H

#include "Reading/Expressions/ScalarExpression.h"
#include "qbackend/Operators/Recognizer.h"

namespace qbackend::forms {

/// One root, and where to put what it is the end of.
struct Recognition {
  mlir::Operation *root;
  ScalarExpressions &expressions;
  llvm::SmallVectorImpl<RecognizedOperator> &found;

  ConstantEvaluator &constants() const { return expressions.constants; }
  mlir::MLIRContext *context() const { return root->getContext(); }
  mlir::Value result() const { return root->getResult(0); }
  mlir::FloatAttr asFloat(double value) const;
  mlir::DenseI64ArrayAttr ints(llvm::ArrayRef<int64_t> values) const;
  /// Adds an operator without parameters.
  void add(mlir::Attribute kind, llvm::ArrayRef<mlir::Value> inputs) const;
  bool isConstant(mlir::Value value) const {
    return constants().isConstant(value);
  }
  /// Whether all elements of `value` are about `number`.
  bool isSplat(mlir::Value value, double number) const;
};

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_RECOGNITION_H

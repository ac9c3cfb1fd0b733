// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recognisers of the families of TOSA operators share.

#ifndef QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H

#include "qbackend/Operators/Recognizer.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::tosa_forms {

/// The op that is looked at, and what it turned out to be the end of.
struct Recognition {
  mlir::Operation *root;
  ConstantEvaluator &constants;
  llvm::SmallVectorImpl<RecognizedOperator> &found;

  mlir::MLIRContext *context() const { return root->getContext(); }
  mlir::Value result() const { return root->getResult(0); }
  mlir::FloatAttr real(double value) const;
  mlir::DenseI64ArrayAttr ints(llvm::ArrayRef<int64_t> values) const;
  /// Adds an operator without parameters.
  void add(mlir::Attribute kind, llvm::ArrayRef<mlir::Value> inputs) const;
  bool isConstant(mlir::Value value) const {
    return constants.isConstant(value);
  }
  /// Whether all elements of `value` are about `number`.
  bool isSplat(mlir::Value value, double number) const;
};

/// The type of `value` if it is a ranked tensor of f32; else null.
mlir::RankedTensorType getFloatType(mlir::Value value);

/// The numbers of a shape operand; nullopt if they aren't constant.
std::optional<llvm::SmallVector<int64_t>> readShape(mlir::Value value);

/// A commutative op's operands with the constant one second; nullopt unless
/// exactly one of them is constant.
std::optional<std::pair<mlir::Value, mlir::Value>>
splitConstant(const Recognition &recognition, mlir::Operation *op);

/// `value` if it is `x + number` or `x * number`: the op `OpT` of `x` with that
/// scalar; else null.
template <typename OpT>
mlir::Value matchScalar(const Recognition &recognition, mlir::Value value,
                        double number) {
  auto op = value.getDefiningOp<OpT>();
  if (!op)
    return {};
  auto operands = splitConstant(recognition, op);
  if (!operands || !recognition.isSplat(operands->second, number))
    return {};
  return operands->first;
}

/// A pad of zeros: its input, and what it adds before and after each dimension.
struct ZeroPad {
  mlir::Value input;
  llvm::SmallVector<int64_t> amounts;
};
/// The pad of zeros of only the rows and columns of an NHWC image that `value`
/// is, with no other use.
std::optional<ZeroPad> matchZeroPad(const Recognition &recognition,
                                    mlir::Value value);

/// The whole image of which `value` is all but the last rows and columns, of
/// which windows with this stride and padding (top, bottom, left, right)
/// use none: TOSA wants strides to divide, so producers cut what
/// is left over. Else `value`.
mlir::Value skipTrim(mlir::Value value, llvm::ArrayRef<int64_t> stride,
                     llvm::ArrayRef<int64_t> padding);

void recognizeConvolution(const Recognition &recognition);
void recognizeLinear(const Recognition &recognition);
void recognizeNormalization(const Recognition &recognition);
void recognizeActivation(const Recognition &recognition);
void recognizeElementwise(const Recognition &recognition);
void recognizePooling(const Recognition &recognition);
void recognizeShape(const Recognition &recognition);

} // namespace qbackend::tosa_forms

#endif // QBACKEND_LIB_OPERATORS_TOSA_TOSARECOGNIZERS_H

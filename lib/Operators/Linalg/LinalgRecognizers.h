// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers of linalg on tensors, one for each family of operators.

#ifndef QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H

#include "ScalarExpression.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qbackend/Operators/Recognizer.h"

namespace qbackend::linalg_forms {

/// What all recognisers work on: one root, and where to put what it is.
struct Recognition {
  mlir::Operation *root;
  ScalarExpressions &expressions;
  llvm::SmallVectorImpl<RecognizedOperator> &found;

  ConstantEvaluator &constants() const { return expressions.constants; }
  mlir::MLIRContext *context() const { return root->getContext(); }
  mlir::DenseI64ArrayAttr ints(llvm::ArrayRef<int64_t> values) const {
    return mlir::DenseI64ArrayAttr::get(context(), values);
  }
  mlir::FloatAttr real(double value) const;
  mlir::Value result() const { return root->getResult(0); }
};

void recognizeConvolution(Recognition &recognition);
void recognizeLinear(Recognition &recognition);
void recognizeNormalization(Recognition &recognition);
void recognizeActivation(Recognition &recognition);
void recognizeSoftmax(Recognition &recognition);
void recognizePooling(Recognition &recognition);
void recognizeElementwise(Recognition &recognition);
void recognizeConcatenation(Recognition &recognition);
void recognizeShape(Recognition &recognition);

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// A value that an op reads through layout ops: dimension `i` of `source`,
/// taken in `shape`, is loop `loops[i]` of the op, or has size 1.
struct LayoutView {
  mlir::Value source;
  /// Empty: that of `source`.
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<std::optional<unsigned>> loops;
};

/// Looks from what an op reads through `map` back through transpositions,
/// broadcasts and, with `reshapes`, changes of shape.
std::optional<LayoutView> viewThroughLayout(mlir::Value value,
                                            mlir::AffineMap map, bool reshapes);

/// The operand that has exactly `loops`, in this order; null if `view` has
/// others. `shape` is its final shape, empty if it has the sizes of the loops.
RecognizedOperand arrange(const LayoutView &view,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::ArrayRef<int64_t> shape = {});

/// If `op` only copies elements: the map from the loops of its result.
std::optional<mlir::AffineMap> getCopyMap(mlir::Operation *op,
                                          mlir::Value &source);

/// True if `value` is constant or, through layout ops and slices, an argument
/// of the function or a global.
bool isParameter(mlir::Value value, ConstantEvaluator &constants);

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

/// The operand with `size` numbers that `scalar` has along loop `channel`; null
/// if it isn't a parameter or varies otherwise. `resultType` is that of the op
/// that reads it.
RecognizedOperand getChannelOperand(const Scalar *scalar, unsigned channel,
                                    mlir::RankedTensorType resultType,
                                    ScalarExpressions &expressions);

/// What an accumulation starts with: `bias` is null if that is 0. Failure if it
/// isn't a parameter that varies along dimension `channel` only.
llvm::LogicalResult getInitialBias(mlir::Value init, unsigned channel,
                                   ScalarExpressions &expressions,
                                   RecognizedOperand &bias);

/// Elements of constant `value` along `channel`, if they don't vary otherwise.
std::optional<llvm::SmallVector<float>>
getChannelNumbers(mlir::Value value, unsigned channel,
                  ConstantEvaluator &constants);

/// If the root adds one parameter for each channel to a value: that value, and
/// the parameter as an operand.
struct BiasAddition {
  mlir::Value value;
  const Scalar *parameter;
};
std::optional<BiasAddition> getBiasAddition(Recognition &recognition);

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// True if `op` adds the product of its two inputs to its destination, all of
/// them f32: a convolution or a contraction.
bool isMultiplyAccumulate(mlir::linalg::LinalgOp op,
                          ScalarExpressions &expressions);

/// How an op slides over the two spatial dimensions of its input.
struct Windows {
  /// Positions in the input of the spatial dimensions, and their loops.
  llvm::SmallVector<unsigned, 2> positions, outputLoops, kernelLoops;
  llvm::SmallVector<int64_t, 2> strides, dilations;
  /// Loops of the other dimensions of the input, or nullopt for spatial ones.
  llvm::SmallVector<std::optional<unsigned>> loops;
};
std::optional<Windows> getWindows(mlir::linalg::LinalgOp op);

/// `value` without the padding in front of it.
struct PaddedValue {
  mlir::Value value;
  /// [top, bottom, left, right]
  llvm::SmallVector<int64_t, 4> padding;
  /// Of the padding; no number if there is none.
  std::optional<double> number;
};
PaddedValue skipPadding(mlir::Value value, llvm::ArrayRef<unsigned> spatial,
                        ConstantEvaluator &constants);

/// True if no element of `value` is below 0.
bool isNonNegative(mlir::Value value, ScalarExpressions &expressions,
                   unsigned depth = 6);

/// True if `init` is filled with `number`.
bool isFilledWith(mlir::Value init, double number,
                  ConstantEvaluator &constants);

} // namespace qbackend::linalg_forms

#endif // QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops read values through layout ops, and what parameters are.

#ifndef QBACKEND_LIB_OPERATORS_READING_LAYOUT_H
#define QBACKEND_LIB_OPERATORS_READING_LAYOUT_H

#include "Reading/Expressions/ScalarExpression.h"
#include "qbackend/Operators/Recognizer.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::forms {

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
/// others. `shape` is its final shape, empty if it has the sizes of the loops;
/// where it is 1, the loop may be missing.
RecognizedOperand arrange(const LayoutView &view,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::ArrayRef<int64_t> shape = {});

/// If `op` only copies elements: the map from the loops of its result.
std::optional<mlir::AffineMap> getCopyMap(mlir::Operation *op,
                                          mlir::Value &source);

/// What `op` only changes the shape of; null for other ops.
mlir::Value getReshaped(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Where a value comes from, through layout ops, slices and casts.
struct Origin {
  enum Kind {
    /// A constant or a global.
    Parameter,
    /// An argument of the function that may be a parameter: of static shape,
    /// and read as data by none of its users.
    Argument,
    Activation
  };
  Kind kind = Activation;
  /// The argument.
  mlir::Value argument = {};
  /// Whether it is part of the argument, and whether dimensions were permuted
  /// on the way.
  bool sliced = false, transposed = false;
};
/// What `reader`, if given, does with the value tells nothing.
Origin getOrigin(mlir::Value value, ConstantEvaluator &constants,
                 mlir::Operation *reader = nullptr);

/// True if `value` is a parameter, or an argument that may be one.
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

/// The same where the channels are cut into dimensions `channels` of
/// `resultType`, the outer ones first: the constant `scalar` in one dimension;
/// null if it isn't one, or varies along others or not along all of these.
RecognizedOperand getSplitChannelOperand(const Scalar &scalar,
                                         llvm::ArrayRef<unsigned> channels,
                                         mlir::RankedTensorType resultType,
                                         ConstantEvaluator &constants);

/// What an accumulation starts with: `bias` is null if that is 0. Failure if it
/// isn't a parameter that varies along dimension `channel` only.
llvm::LogicalResult getInitialBias(mlir::Value init, unsigned channel,
                                   ScalarExpressions &expressions,
                                   RecognizedOperand &bias);

/// Elements of constant `value` along `channel`, if they don't vary otherwise.
std::optional<llvm::SmallVector<float>>
getChannelNumbers(mlir::Value value, unsigned channel,
                  ConstantEvaluator &constants);

/// If `root` adds one parameter for each channel to a value: that value, and
/// the parameter as an operand.
struct BiasAddition {
  mlir::Value value;
  const Scalar *parameter;
};
std::optional<BiasAddition> getBiasAddition(mlir::Operation *root,
                                            ScalarExpressions &expressions);

/// What `op` gives as it is: what it copies, adds 0 to or multiplies by 1. Null
/// for other ops.
mlir::Value getUnchanged(mlir::Operation *op, ScalarExpressions &expressions);

/// The constant that `pad` pads with, as a value that is there without it: one
/// in its region is cloned at `builder`.
mlir::Value createPaddingValue(mlir::OpBuilder &builder,
                               mlir::tensor::PadOp pad);

/// The number that all elements of `value` have; sizes may be dynamic.
std::optional<double> getFill(mlir::Value value, ConstantEvaluator &constants);

/// True if `init` is filled with `number`.
bool isFilledWith(mlir::Value init, double number,
                  ConstantEvaluator &constants);

/// The loop whose position `value` is, in the region of a linalg op.
std::optional<unsigned> getDirectLoop(mlir::Value value);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_LAYOUT_H

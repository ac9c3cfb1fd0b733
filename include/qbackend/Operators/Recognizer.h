// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a source dialect tells which of its subgraphs are operators.

#ifndef QBACKEND_OPERATORS_RECOGNIZER_H
#define QBACKEND_OPERATORS_RECOGNIZER_H

#include "mlir/IR/DialectInterface.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Operators/PreparationRewriter.h"

namespace qbackend {

/// One operand of a recognised operator, and how to get it into the layout that
/// the operator's kind asks for (NHWC, weights [out, kh, kw, in / groups]):
///
///   canonical = reshape(transpose(reshape(value, sourceShape), permutation),
///                       shape)
///
/// The body of the operator undoes this and runs the original code.
struct RecognizedOperand {
  /// A value of the original code; null if there is no such operand, or if it
  /// is `constant`.
  mlir::Value value;
  /// Empty: the shape of `value`.
  llvm::SmallVector<int64_t> sourceShape;
  /// Empty: no transposition.
  llvm::SmallVector<int64_t> permutation;
  /// Empty: the transposed shape.
  llvm::SmallVector<int64_t> shape;
  /// The canonical operand itself, where no value of the original code is that
  /// operand up to layout (evaluated, broadcast, or a default). The original
  /// code in the body keeps what it had.
  mlir::DenseElementsAttr constant;

  explicit operator bool() const { return value || constant; }

  static RecognizedOperand of(mlir::Value value) { return {value}; }
  static RecognizedOperand transposed(mlir::Value value,
                                      llvm::ArrayRef<int64_t> permutation) {
    return {value, {}, llvm::SmallVector<int64_t>(permutation)};
  }
  static RecognizedOperand reshaped(mlir::Value value,
                                    llvm::ArrayRef<int64_t> shape) {
    return {value, {}, {}, llvm::SmallVector<int64_t>(shape)};
  }
  static RecognizedOperand ofConstant(mlir::DenseElementsAttr constant) {
    RecognizedOperand operand;
    operand.constant = constant;
    return operand;
  }

  /// `elements` of `value`, as the canonical operand has them.
  mlir::DenseElementsAttr arrange(mlir::DenseElementsAttr elements) const;
  /// The same of a constant that isn't read yet, by one copy, not two; null
  /// where nothing is transposed, or its data isn't that of its type.
  mlir::DenseElementsAttr
  arrange(mlir::DenseResourceElementsAttr resource) const;
};

/// A subgraph that is one operator: all ops from which `result` is computed,
/// back to the operands and constants.
struct RecognizedOperator {
  /// An attribute with OperatorKindAttrInterface. `TransposeAttr` becomes a
  /// `qbackend.transpose`, without a body.
  mlir::Attribute kind;
  /// The value that the operator computes, up to `outputPermutation`.
  mlir::Value result;
  /// The activations.
  llvm::SmallVector<RecognizedOperand, 2> inputs;
  RecognizedOperand weight = {}, bias = {}, runningMean = {}, runningVar = {};
  /// The operator's result is `transpose(result, outputPermutation)`; empty:
  /// it is `result`.
  llvm::SmallVector<int64_t> outputPermutation = {};
  /// What the result is reshaped to before that, because the code gives the
  /// operator's result in another shape; empty: it doesn't.
  llvm::SmallVector<int64_t> outputShape = {};
  /// How it is transposed before it is reshaped; empty: it isn't.
  llvm::SmallVector<int64_t> resultPermutation = {};
};

/// A dialect with this interface takes part in `qbackend-raise`.
class OperatorRecognizerInterface
    : public mlir::DialectInterface::Base<OperatorRecognizerInterface> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OperatorRecognizerInterface)
  explicit OperatorRecognizerInterface(mlir::Dialect *dialect)
      : Base(dialect) {}

  /// Appends to `found` the operators whose last op is `root`, the most
  /// specific first; the first one that can be raised is (a subgraph whose
  /// inner values are used elsewhere can't). Ops are visited from the end of a
  /// block to its beginning, and those inside of a raised operator are not
  /// visited. Looks at a number of ops that doesn't depend on the module.
  virtual void
  recognize(mlir::Operation *root, ConstantEvaluator &constants,
            llvm::SmallVectorImpl<RecognizedOperator> &found) const = 0;

  /// Brings `op` into the form that `recognize` expects, by replacing it; what
  /// it becomes is recorded, so that it comes back if it is no operator.
  /// Called for each op of a block in order, before any is recognised.
  virtual void prepare(mlir::Operation *op,
                       PreparationRewriter &rewriter) const {}

  /// Splits `op`, which is no operator as a whole, into one that is, in the
  /// sense of `isOperator`, and the rest, before it. Returns the last op that
  /// it has become; null, and nothing has changed, if that can't be done.
  virtual mlir::Operation *
  split(mlir::Operation *op, PreparationRewriter &rewriter,
        llvm::function_ref<bool(mlir::Operation *)> isOperator) const {
    return nullptr;
  }

  /// What stays to be said about `root` when nothing was recognised: nullopt if
  /// the op computes nothing worth a remark (constants, casts, guards).
  virtual std::optional<std::string> describe(mlir::Operation *root) const {
    return root->getName().getStringRef().str();
  }
};

/// Adds the recognisers of this project: of tosa, linalg, tensor, arith and
/// math.
void registerRecognizers(mlir::DialectRegistry &registry);

} // namespace qbackend

#endif // QBACKEND_OPERATORS_RECOGNIZER_H

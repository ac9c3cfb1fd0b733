// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches the recognisers to linalg, tensor and arith.

#include "LinalgRecognizers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::linalg_forms;

FloatAttr Recognition::real(double value) const {
  return FloatAttr::get(Float64Type::get(context()), value);
}

/// The op that says most about what a region computes.
static std::optional<std::string> describeRegion(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (!body)
    return std::nullopt;
  StringRef found;
  for (Operation &inner : body->without_terminator()) {
    StringRef name = inner.getName().getStringRef();
    if (name.starts_with("math."))
      return name.str();
    if (name == "tensor.extract" || name == "linalg.index")
      found = name;
    else if (found.empty() && name.starts_with("arith.") &&
             !isa<arith::ConstantOp, arith::TruncFOp, arith::ExtFOp>(inner))
      found = name;
  }
  return found.empty() ? std::nullopt : std::optional(found.str());
}

namespace {
class LinalgRecognizer : public OperatorRecognizerInterface {
public:
  using OperatorRecognizerInterface::OperatorRecognizerInterface;

  void recognize(Operation *root, ConstantEvaluator &constants,
                 SmallVectorImpl<RecognizedOperator> &found) const override {
    if (root->getNumResults() != 1 || !getFloatType(root->getResult(0)) ||
        isa<tensor::CastOp, tensor::EmptyOp, tensor::PadOp, linalg::FillOp>(
            root) ||
        constants.isConstant(root->getResult(0)))
      return;
    ScalarExpressions expressions(constants);
    Recognition recognition{root, expressions, found};
    recognizeConvolution(recognition);
    recognizeLinear(recognition);
    recognizeSoftmax(recognition);
    recognizePooling(recognition);
    recognizeNormalization(recognition);
    recognizeActivation(recognition);
    recognizeElementwise(recognition);
    recognizeConcatenation(recognition);
    recognizeShape(recognition);
  }

  std::optional<std::string> describe(Operation *root) const override {
    // Only what computes on floats is missed; copies and shapes compute
    // nothing.
    Value source;
    if (llvm::none_of(root->getResults(),
                      [](Value value) { return bool(getFloatType(value)); }) ||
        isa<tensor::TensorDialect>(root->getDialect()) ||
        isa<linalg::FillOp>(root) || root->hasTrait<OpTrait::ConstantLike>() ||
        getCopyMap(root, source))
      return std::nullopt;
    std::string name = root->getName().getStringRef().str();
    auto generic = dyn_cast<linalg::LinalgOp>(root);
    if (!generic ||
        !isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(root))
      return name;
    if (auto inner = describeRegion(generic))
      return name + " with " + *inner;
    return name;
  }
};
} // namespace

void qbackend::registerLinalgRecognizers(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, linalg::LinalgDialect *dialect) {
        dialect->addInterfaces<LinalgRecognizer>();
      });
  registry.addExtension(
      +[](MLIRContext *context, tensor::TensorDialect *dialect) {
        dialect->addInterfaces<LinalgRecognizer>();
      });
  registry.addExtension(
      +[](MLIRContext *context, arith::ArithDialect *dialect) {
        dialect->addInterfaces<LinalgRecognizer>();
      });
}

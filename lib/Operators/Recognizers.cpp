// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches the recognisers to tosa, linalg, tensor, arith and math.

#include "Kinds/Recognizers.h"
#include "Preparation/Preparation.h"
#include "Reading/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

DenseElementsAttr RecognizedOperand::arrange(DenseElementsAttr elements) const {
  auto type = cast<RankedTensorType>(elements.getType());
  if (!sourceShape.empty())
    elements = elements.reshape(type.clone(sourceShape));
  if (!permutation.empty())
    elements = transposeElements(elements, permutation);
  if (!shape.empty())
    elements = elements.reshape(type.clone(shape));
  return elements;
}

DenseElementsAttr
RecognizedOperand::arrange(DenseResourceElementsAttr resource) const {
  auto type = dyn_cast<RankedTensorType>(resource.getType());
  if (!type || permutation.empty())
    return {};
  if (!sourceShape.empty())
    resource = DenseResourceElementsAttr::get(type.clone(sourceShape),
                                              resource.getRawHandle());
  DenseElementsAttr elements = transposeElements(resource, permutation);
  if (elements && !shape.empty())
    elements = elements.reshape(type.clone(shape));
  return elements;
}

/// Whether a sum takes rows of a table by position, and where its bags begin
/// from a vector of integers: PyTorch's EmbeddingBag with offsets.
static bool isBagByOffsets(linalg::LinalgOp op) {
  bool readsTable = false, readsOffsets = false;
  op.getBlock()->walk([&](tensor::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    readsTable |= type.getElementType().isF32() && type.getRank() == 2;
    readsOffsets |= type.getElementType().isInteger() && type.getRank() == 1;
  });
  return op.getNumReductionLoops() != 0 && readsTable && readsOffsets;
}

/// The op that says most about what a region computes.
static std::optional<std::string> describeRegion(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (!body)
    return std::nullopt;
  if (isBagByOffsets(op))
    return "bags of an embedding that begin at offsets";
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
/// One recogniser for all dialects of float networks: front ends mix them.
class Recognizer : public OperatorRecognizerInterface {
public:
  using OperatorRecognizerInterface::OperatorRecognizerInterface;

  void recognize(Operation *root, ConstantEvaluator &constants,
                 SmallVectorImpl<RecognizedOperator> &found) const override {
    if (root->getNumResults() != 1 || !getFloatType(root->getResult(0)) ||
        root->getNumOperands() == 0 ||
        isa<tensor::CastOp, tensor::EmptyOp, linalg::FillOp>(root) ||
        constants.isConstant(root->getResult(0)))
      return;
    ScalarExpressions expressions(constants);
    Recognition recognition{root, expressions, found};
    // Between reshapes, what could be either is a linear layer (TFLite's).
    bool isReshaped = getReshaped(root) || isBetweenReshapes(root);
    if (isReshaped)
      recognizeLinear(recognition);
    recognizeConvolution(recognition);
    if (!isReshaped)
      recognizeLinear(recognition);
    recognizeSplitBias(recognition);
    if (isa<tosa::TosaDialect>(root->getDialect())) {
      recognizeTosaPooling(recognition);
    } else {
      recognizeLinalgPooling(recognition);
    }
    recognizeMatmul(recognition);
    recognizeMean(recognition);
    recognizeMaximum(recognition);
    recognizeConcatenation(recognition);
    // Reshapes of either dialect may follow.
    recognizeLinalgResize(recognition);
    recognizeTosaResize(recognition);
    recognizeLinalgEmbedding(recognition);
    recognizeTosaEmbedding(recognition);
    recognizeSoftmax(recognition);
    recognizeLayerNorm(recognition);
    recognizeNormalization(recognition);
    recognizeActivation(recognition);
    recognizeElementwise(recognition);
    recognizePad(recognition);
    recognizeMovement(recognition);
  }

  void prepare(Operation *op, PreparationRewriter &rewriter) const override {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      if (Operation *merged = mergeGroups(collapse, rewriter))
        op = merged;
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      separateDestinations(structured, rewriter);
    Operation *restored = restoreLeadingDim(op, rewriter);
    if (!restored)
      return;
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(restored))
      takeOutOfShuffle(collapse, rewriter);
    Operation *rest = splitPrologue(restored, rewriter);
    expandGroups(rest, rewriter);
    if (auto generic = dyn_cast<linalg::GenericOp>(rest)) {
      if (Operation *small = lowerBroadcast(generic, rewriter))
        rest = small;
      takeOutTransposes(cast<linalg::GenericOp>(rest), rewriter);
    }
    rest = repeatFactor(rest, rewriter);
    mergeExpandedLoops(rest, rewriter);
  }

  Operation *split(Operation *op, PreparationRewriter &rewriter,
                   function_ref<bool(Operation *)> isOperator) const override {
    return splitFused(op, rewriter, isOperator);
  }

  std::optional<std::string> describe(Operation *root) const override {
    // Only what computes on floats is missed; copies, shapes and conversions
    // compute nothing.
    Value source;
    if (llvm::none_of(root->getResults(),
                      [](Value value) { return bool(getFloatType(value)); }) ||
        isa<tensor::TensorDialect>(root->getDialect()) ||
        isa<linalg::FillOp, tosa::ConstShapeOp, tosa::VariableReadOp,
            tosa::CastOp, tosa::IdentityOp, tosa::ReshapeOp, tosa::TransposeOp,
            tosa::SliceOp, tosa::PadOp, tosa::TileOp>(root) ||
        root->hasTrait<OpTrait::ConstantLike>() || getCopyMap(root, source))
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

template <typename... DialectTs> static void attach(DialectRegistry &registry) {
  (registry.addExtension(+[](MLIRContext *, DialectTs *dialect) {
    dialect->template addInterfaces<Recognizer>();
  }),
   ...);
}

void qbackend::registerRecognizers(DialectRegistry &registry) {
  attach<tosa::TosaDialect, linalg::LinalgDialect, tensor::TensorDialect,
         arith::ArithDialect, math::MathDialect>(registry);
}

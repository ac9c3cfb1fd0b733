// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully connected layers: tosa.matmul with a parameter, and 1x1 convolutions of
// what was reshaped to have neither height nor width.

#include "Tosa/TosaRecognizers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No parameter goes through more layout ops than this.
static constexpr int kMaxLayoutOps = 16;

/// Whether `value` is constant, or got by layout ops from a function argument
/// of at most `maxRank` dimensions (networks with parameters as arguments).
static bool isParameter(const Recognition &recognition, Value value,
                        int64_t maxRank) {
  if (recognition.isConstant(value))
    return true;
  for (int i = 0; i < kMaxLayoutOps; ++i) {
    Operation *op = value.getDefiningOp();
    if (!op)
      break;
    if (!isa<tosa::TransposeOp, tosa::ReshapeOp, tosa::SliceOp,
             tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp>(op))
      return false;
    value = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  auto type = getFloatType(value);
  // What a function gets in more dimensions than a parameter has, it computes
  // with. The first argument may be anything.
  return argument && argument.getOwner()->isEntryBlock() && type &&
         type.getRank() <= maxRank;
}

namespace {
/// A product, seen from the op that ends it.
struct Product {
  /// The last op of the product itself.
  Operation *op = nullptr;
  Value bias;
  bool isReshaped = false;
};
} // namespace

/// Goes back from the root over one sum with a parameter and one reshape, in
/// any order, to a matmul or convolution.
static std::optional<Product> findProduct(const Recognition &recognition) {
  Product product;
  Value value = recognition.result();
  for (int i = 0; i < 3; ++i) {
    Operation *op = value.getDefiningOp();
    if (!op || !getFloatType(value))
      return std::nullopt;
    if (isa<tosa::MatMulOp, tosa::Conv2DOp>(op)) {
      product.op = op;
      return product;
    }
    if (auto reshape = dyn_cast<tosa::ReshapeOp>(op);
        reshape && !product.isReshaped) {
      product.isReshaped = true;
      value = reshape.getInput1();
      continue;
    }
    auto add = dyn_cast<tosa::AddOp>(op);
    if (!add || product.bias)
      return std::nullopt;
    value = add.getInput1();
    product.bias = add.getInput2();
    if (isParameter(recognition, value, 1))
      std::swap(value, product.bias);
    if (!isParameter(recognition, product.bias, 1))
      return std::nullopt;
  }
  return std::nullopt;
}

/// `bias` with only its last dimension, of `size`; failure if it has others.
static FailureOr<RecognizedOperand> getBias(Value bias, int64_t size) {
  if (!bias)
    return RecognizedOperand();
  auto type = getFloatType(bias);
  if (!type || !type.hasStaticShape() || type.getNumElements() != size ||
      type.getRank() < 1 || type.getShape().back() != size)
    return failure();
  return RecognizedOperand::reshaped(bias, {size});
}

static bool isLinearShape(ArrayRef<int64_t> input, ArrayRef<int64_t> result,
                          RankedTensorType weight) {
  return !input.empty() && input.size() == result.size() &&
         input.drop_back() == result.drop_back() &&
         input.back() == weight.getShape()[1] &&
         result.back() == weight.getShape()[0];
}

/// Adds the linear if its input can be had in the shape that goes with the
/// root's. `factor` is the activation of the product.
static void addLinear(const Recognition &recognition, Value factor,
                      const RecognizedOperand &weight,
                      RankedTensorType weightType,
                      const RecognizedOperand &bias) {
  ArrayRef<int64_t> result = getFloatType(recognition.result()).getShape();
  auto add = [&](RecognizedOperand input) {
    RecognizedOperator op{LinearAttr::get(recognition.context()),
                          recognition.result(),
                          {std::move(input)}};
    op.weight = weight;
    op.bias = bias;
    recognition.found.push_back(std::move(op));
  };
  // A reshape that comes with the product isn't one of the network's.
  if (auto reshape = factor.getDefiningOp<tosa::ReshapeOp>()) {
    auto type = getFloatType(reshape.getInput1());
    if (type && isLinearShape(type.getShape(), result, weightType))
      add(RecognizedOperand::of(reshape.getInput1()));
  }
  auto type = getFloatType(factor);
  if (isLinearShape(type.getShape(), result, weightType))
    return add(RecognizedOperand::of(factor));
  SmallVector<int64_t> shape(result);
  if (shape.empty() || !type.hasStaticShape() ||
      ShapedType::isDynamicShape(result))
    return;
  shape.back() = weightType.getShape()[1];
  if (ShapedType::getNumElements(shape) == type.getNumElements() &&
      isLinearShape(shape, result, weightType))
    add(RecognizedOperand::reshaped(factor, shape));
}

static void recognizeMatMul(const Recognition &recognition,
                            const Product &product, tosa::MatMulOp matmul) {
  auto type = getFloatType(matmul.getA());
  auto weightType = getFloatType(matmul.getB());
  if (!type || !weightType || type.getRank() != 3 ||
      weightType.getRank() != 3 || !weightType.hasStaticShape() ||
      weightType.getDimSize(0) != 1 || recognition.isConstant(matmul.getA()) ||
      !isParameter(recognition, matmul.getB(), 2) ||
      !recognition.isSplat(matmul.getAZp(), 0) ||
      !recognition.isSplat(matmul.getBZp(), 0))
    return;
  // A product of two arguments as they came is one of activations.
  if (isa<BlockArgument>(matmul.getB()))
    return;
  int64_t in = weightType.getDimSize(1), out = weightType.getDimSize(2);
  auto bias = getBias(product.bias, out);
  if (failed(bias))
    return;
  auto weight = RecognizedOperand::transposed(matmul.getB(), {1, 0});
  weight.sourceShape = {in, out};
  addLinear(recognition, matmul.getA(), weight, weightType.clone({out, in}),
            *bias);
}

static void recognizeConv(const Recognition &recognition,
                          const Product &product, tosa::Conv2DOp conv) {
  auto reshape = conv.getInput().getDefiningOp<tosa::ReshapeOp>();
  auto type = getFloatType(conv.getInput());
  auto weightType = getFloatType(conv.getWeight());
  if (!reshape || !product.isReshaped || !type || !weightType ||
      type.getRank() != 4 || type.getDimSize(1) != 1 ||
      type.getDimSize(2) != 1 || !weightType.hasStaticShape() ||
      weightType.getRank() != 4 || weightType.getDimSize(1) != 1 ||
      weightType.getDimSize(2) != 1 ||
      llvm::any_of(conv.getPad(), [](int64_t pad) { return pad != 0; }) ||
      !recognition.isSplat(conv.getInputZp(), 0) ||
      !recognition.isSplat(conv.getWeightZp(), 0))
    return;
  int64_t out = weightType.getDimSize(0), in = weightType.getDimSize(3);
  bool hasBias = !recognition.isSplat(conv.getBias(), 0);
  if (hasBias && product.bias)
    return;
  auto bias = getBias(hasBias ? conv.getBias() : product.bias, out);
  if (failed(bias))
    return;
  addLinear(recognition, conv.getInput(),
            RecognizedOperand::reshaped(conv.getWeight(), {out, in}),
            weightType.clone({out, in}), *bias);
}

void forms::recognizeTosaLinear(const Recognition &recognition) {
  std::optional<Product> product = findProduct(recognition);
  if (!product)
    return;
  if (auto matmul = dyn_cast<tosa::MatMulOp>(product->op))
    recognizeMatMul(recognition, *product, matmul);
  else
    recognizeConv(recognition, *product, cast<tosa::Conv2DOp>(product->op));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds batch norm into the weighted operator before it. The code of that
// operator has no place for a bias in general, so it gets new code.

#include "FoldBatchNorm.h"
#include "WeightedCode.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Numerics/BatchNorm.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The numbers of a constant operand; `size` times `missing` if there is none.
static std::optional<SmallVector<float, 0>>
readOperand(Value operand, int64_t size, float missing) {
  if (!operand)
    return SmallVector<float, 0>(size, missing);
  std::optional<SmallVector<float, 0>> numbers = readFloats(operand);
  if (!numbers || int64_t(numbers->size()) != size)
    return std::nullopt;
  return numbers;
}

static Value createConstant(OpBuilder &builder, Location loc,
                            ArrayRef<float> numbers, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, numbers));
}

/// root(x, `weight`, `bias`) in the place of `root`, of `between`, which read
/// its result one after the other, the last one first, and of `norm`.
static OperatorOp replaceByBias(OperatorOp root, OperatorOp norm, Value weight,
                                ArrayRef<float> bias,
                                ArrayRef<OperatorOp> between = {}) {
  OpBuilder builder(norm);
  Location loc =
      FusedLoc::get(norm.getContext(), {root.getLoc(), norm.getLoc()});
  Value newBias =
      createConstant(builder, root.getLoc(), bias, {int64_t(bias.size())});
  auto type = cast<RankedTensorType>(norm.getOutput().getType());
  auto fused = OperatorOp::create(builder, loc, type, root.getKinds(),
                                  root.getInputs(), weight, newBias, Value(),
                                  Value(), QConfigAttr(), Attribute());
  Block &body = fused.getBody().emplaceBlock();
  for (Value operand : fused.getOperands())
    body.addArgument(operand.getType(), loc);
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(loc, &body);
  Value result =
      createWeightedCode(b, root.getKind(), type, body.getArgument(0),
                         body.getArgument(1), body.getArgument(2));
  YieldOp::create(b, result);
  norm.replaceAllUsesWith(fused.getOutput());
  norm.erase();
  for (OperatorOp op : between)
    op.erase();
  root.erase();
  return fused;
}

OperatorOp qbackend::foldBatchNorm(OperatorOp root, OperatorOp norm,
                                   Location place) {
  auto decline = [&](const Twine &reason,
                     const Twine &suggestion) -> OperatorOp {
    remarkMissed(
        norm, "QB102", norm.getKindName(), "not folded: " + reason, suggestion,
        {RemarkNote::atConfiguration(place, "folded by this pattern"),
         RemarkNote::atCode(root.getLoc(), "into this " + root.getKindName())});
    return {};
  };
  auto batchNorm = dyn_cast<BatchNormKindAttrInterface>(
      static_cast<Attribute>(norm.getKind()));
  auto convolution = dyn_cast<ConvolutionKindAttrInterface>(
      static_cast<Attribute>(root.getKind()));
  if (!batchNorm || (!convolution && !isa<LinearAttr>(root.getKind())))
    return decline("the backend asks to fold " + norm.getKindName() + " into " +
                       root.getKindName(),
                   "the fuser method folds batch norm into convolutions and "
                   "linear layers");
  int64_t last =
      cast<RankedTensorType>(norm.getOutput().getType()).getRank() - 1;
  if (batchNorm.getChannelAxis() != last)
    return decline("it normalizes dimension " +
                       Twine(batchNorm.getChannelAxis()) +
                       ", the channels of " + root.getKindName() +
                       " are dimension " + Twine(last),
                   "normalize the channels");
  auto weightType = dyn_cast_or_null<RankedTensorType>(
      root.getWeight() ? root.getWeight().getType() : Type());
  if (!weightType || !weightType.hasStaticShape() ||
      weightType.getNumElements() == 0)
    return decline("the weight of " + root.getKindName() +
                       " has no static shape, or no elements",
                   "give the weights as dense constants");
  int64_t channels = weightType.getDimSize(0);
  auto weight = readOperand(root.getWeight(), weightType.getNumElements(), 0);
  auto bias = readOperand(root.getBias(), channels, 0);
  auto gamma = readOperand(norm.getWeight(), channels, 1);
  auto beta = readOperand(norm.getBias(), channels, 0);
  auto mean = readOperand(norm.getRunningMean(), channels, 0);
  auto var = readOperand(norm.getRunningVar(), channels, 1);
  if (!weight || !bias || !gamma || !beta || !mean || !var)
    return decline("the parameters are not constants with data",
                   "give the weights as dense constants");
  numerics::foldBatchNorm(weight->data(), channels,
                          weightType.getNumElements() / channels, bias->data(),
                          mean->data(), var->data(), gamma->data(),
                          beta->data(), float(batchNorm.getEpsilon()));

  OpBuilder builder(norm);
  return replaceByBias(
      root, norm,
      createConstant(builder, root.getLoc(), *weight, weightType.getShape()),
      *bias);
}

/// A number for each channel of `op`, the last dimension: a constant of that
/// shape.
static std::optional<SmallVector<float, 0>> readChannels(Value value,
                                                         int64_t channels) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || type.getShape().back() != channels)
    return std::nullopt;
  return readOperand(value, channels, 0);
}

OperatorOp qbackend::foldCancelledBatchNorm(OperatorOp norm) {
  auto batchNorm = dyn_cast<BatchNormKindAttrInterface>(
      static_cast<Attribute>(norm.getKind()));
  auto type = cast<RankedTensorType>(norm.getOutput().getType());
  int64_t channels = type.getShape().back();
  if (!batchNorm || norm.isFused() ||
      batchNorm.getChannelAxis() != type.getRank() - 1 ||
      ShapedType::isDynamic(channels))
    return {};
  auto gamma = readOperand(norm.getWeight(), channels, 1);
  auto beta = readOperand(norm.getBias(), channels, 0);
  auto mean = readOperand(norm.getRunningMean(), channels, 0);
  auto var = readOperand(norm.getRunningVar(), channels, 1);
  if (!gamma || !beta || !mean || !var)
    return {};
  // factor * x + shift, where x is what was looked at last.
  SmallVector<double, 0> factor(channels), shift(channels);
  for (int64_t c = 0; c < channels; ++c) {
    factor[c] =
        (*gamma)[c] / std::sqrt(double((*var)[c]) + batchNorm.getEpsilon());
    shift[c] = (*beta)[c] - factor[c] * (*mean)[c];
  }
  SmallVector<OperatorOp> between;
  auto root = norm.getInputs()[0].getDefiningOp<OperatorOp>();
  while (root && isa<AddAttr, MulAttr, DivAttr>(root.getKind()) &&
         root->getBlock() == norm->getBlock() && root->hasOneUse() &&
         !root.isFused() && root.getInputs().size() == 2) {
    OperandRange inputs = root.getInputs();
    unsigned other =
        isa<DivAttr>(root.getKind()) || !readChannels(inputs[0], channels) ? 1
                                                                           : 0;
    auto numbers = readChannels(inputs[other], channels);
    if (!numbers)
      return {};
    for (int64_t c = 0; c < channels; ++c) {
      double number = (*numbers)[c];
      if (isa<AddAttr>(root.getKind()))
        shift[c] += factor[c] * number;
      else
        factor[c] = isa<MulAttr>(root.getKind()) ? factor[c] * number
                                                 : factor[c] / number;
    }
    between.push_back(root);
    root = inputs[1 - other].getDefiningOp<OperatorOp>();
  }
  // What is in another block may come later in the text, and is looked at
  // again.
  if (!root || root->getBlock() != norm->getBlock() || !root->hasOneUse() ||
      root.isFused() || !root.getWeight() ||
      !root.getWeight().getDefiningOp<DequantizeOp>() ||
      !(isa<LinearAttr>(root.getKind()) ||
        isa<ConvolutionKindAttrInterface>(
            static_cast<Attribute>(root.getKind()))))
    return {};
  auto bias = readOperand(root.getBias(), channels, 0);
  if (!bias ||
      cast<RankedTensorType>(root.getWeight().getType()).getDimSize(0) !=
          channels)
    return {};
  for (int64_t c = 0; c < channels; ++c) {
    // What multiplied the weight before it was quantized is f32.
    if (!(std::fabs(factor[c] - 1) <= 1e-5))
      return {};
    (*bias)[c] = float(factor[c] * (*bias)[c] + shift[c]);
  }
  return replaceByBias(root, norm, root.getWeight(), *bias, between);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of layer, group, instance and batch norm.

#include "Verify.h"

using namespace mlir;
using namespace qbackend::qnnpack;

/// The shape and the storage stay.
static LogicalResult verifyUnary(Operation *op, Type input, Type output) {
  if (failed(verifySameShape(op, input, output)))
    return failure();
  return verifySameStorage(op, input, output);
}

/// `value`, the operand `name`, has type `shape` of f32; it may be missing.
static LogicalResult verifyParameter(Operation *op, StringRef name, Value value,
                                     ArrayRef<int64_t> shape,
                                     StringRef reason) {
  if (!value || cast<ShapedType>(value.getType()).getShape() == shape)
    return success();
  Type expected =
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return op->emitOpError() << name << " has type " << value.getType()
                           << ", expected " << expected << ", " << reason;
}

static LogicalResult verifyWeightAndBias(Operation *op, Value weight,
                                         Value bias, ArrayRef<int64_t> shape,
                                         StringRef reason) {
  if (bias && !weight)
    return op->emitOpError()
           << "has a bias but no weight; pass a weight of ones";
  if (failed(verifyParameter(op, "weight", weight, shape, reason)))
    return failure();
  return verifyParameter(op, "bias", bias, shape, reason);
}

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  // Written so that a NaN fails.
  if (eps.convertToDouble() >= 0 && eps.isFinite())
    return success();
  return op->emitOpError() << "eps is " << eps.convertToDouble()
                           << ", expected a finite number of 0 or more";
}

LogicalResult LayerNormOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifyUnary(*this, input, getOutput().getType())))
    return failure();
  ArrayRef<int64_t> shape = getNormalizedShape();
  if (shape.empty() || static_cast<int64_t>(shape.size()) > input.getRank() ||
      input.getShape().take_back(shape.size()) != shape)
    return emitOpError() << "normalized_shape [" << shape
                         << "] is not the end of the shape of " << input
                         << "; name one or more of its last dimensions";
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
    return emitOpError() << "normalized_shape [" << shape
                         << "] is dynamic or empty, expected static sizes";
  if (failed(verifyWeightAndBias(*this, getWeight(), getBias(), shape,
                                 "the normalized shape")))
    return failure();
  return verifyEps(*this, getEps());
}

/// What group and instance norm have in common.
template <typename OpTy> static LogicalResult verifyGroups(OpTy op) {
  ShapedType input = op.getInput().getType();
  if (failed(verifyUnary(op, input, op.getOutput().getType())))
    return failure();
  if (input.getRank() < 2)
    return op.emitOpError() << "the input has rank " << input.getRank()
                            << ", expected a batch and channels: 2 or more";
  for (int64_t size : input.getShape().drop_front())
    if (ShapedType::isDynamic(size) || size < 1)
      return op.emitOpError() << "the input " << input
                              << " is dynamic or empty beyond its batch; make "
                                 "the pixels and channels static";
  int64_t channels = input.getShape().back();
  if constexpr (std::is_same_v<OpTy, GroupNormOp>) {
    int64_t groups = op.getNumGroups();
    if (groups < 1 || channels % groups != 0)
      return op.emitOpError() << "num_groups " << groups << " must divide the "
                              << channels << " channels";
  }
  if (failed(verifyWeightAndBias(op, op.getWeight(), op.getBias(), channels,
                                 "one number per channel")) ||
      failed(verifyEps(op, op.getEps())))
    return failure();
  if (!op.getChannelsLast())
    return success();
  if (input.getRank() != 4)
    return op.emitOpError()
           << "has channels_last and an input of rank " << input.getRank()
           << ", expected an image of rank 4; drop the "
              "attribute for the contiguous formula";
  int64_t pixels = 0;
  if (llvm::MulOverflow(input.getDimSize(1), input.getDimSize(2), pixels) ||
      pixels >= 512)
    return op.emitOpError() << "has channels_last and an image of "
                            << input.getDimSize(1) << "x" << input.getDimSize(2)
                            << " pixels, expected less than 512; drop the "
                               "attribute for the contiguous formula";
  return success();
}

LogicalResult GroupNormOp::verify() { return verifyGroups(*this); }

LogicalResult InstanceNormOp::verify() { return verifyGroups(*this); }

LogicalResult BatchNormOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifyUnary(*this, input, getOutput().getType())))
    return failure();
  if (input.getRank() < 2)
    return emitOpError() << "the input has rank " << input.getRank()
                         << ", expected a batch and channels: 2 or more";
  int64_t channels = input.getShape().back();
  if (ShapedType::isDynamic(channels))
    return emitOpError() << "the input " << input
                         << " has dynamic channels; only the other dimensions "
                            "may be dynamic";
  for (auto [name, value] : {std::pair<StringRef, Value>{"weight", getWeight()},
                             {"bias", getBias()},
                             {"mean", getMean()},
                             {"var", getVar()}})
    if (failed(verifyParameter(*this, name, value, channels,
                               "one number per channel")))
      return failure();
  return verifyEps(*this, getEps());
}

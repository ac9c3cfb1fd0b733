// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of quantize, dequantize, arithmetic and activation functions.

#include "Verify.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend::qnnpack;

/// The per-axis parameters of `type` have one entry per channel.
static LogicalResult verifyChannels(Operation *op, ShapedType type) {
  auto perAxis =
      dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
  if (!perAxis) {
    if (isa<quant::UniformQuantizedType>(type.getElementType()))
      return success();
    return op->emitOpError() << "has parameters " << type.getElementType()
                             << ", expected some per tensor or per channel";
  }
  int64_t axis = perAxis.getQuantizedDimension();
  if (axis < 0 || axis >= type.getRank() ||
      type.getDimSize(axis) != static_cast<int64_t>(perAxis.getScales().size()))
    return op->emitOpError() << "has " << perAxis.getScales().size()
                             << " scales along axis " << axis << " of " << type;
  return success();
}

LogicalResult QuantizeOp::verify() {
  if (failed(
          verifySameShape(*this, getInput().getType(), getOutput().getType())))
    return failure();
  return verifyChannels(*this, getOutput().getType());
}

LogicalResult DequantizeOp::verify() {
  if (failed(
          verifySameShape(*this, getInput().getType(), getOutput().getType())))
    return failure();
  return verifyChannels(*this, getInput().getType());
}

//===----------------------------------------------------------------------===//
// Binary arithmetic
//===----------------------------------------------------------------------===//

/// The shapes broadcast, and the storage types are the same.
static LogicalResult verifyBinary(Operation *op, ShapedType lhs, ShapedType rhs,
                                  ShapedType output) {
  auto broadcasts = [&](ShapedType type) {
    int64_t missing = output.getRank() - type.getRank();
    if (missing < 0)
      return false;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.getDimSize(i) != output.getDimSize(missing + i) &&
          type.getDimSize(i) != 1)
        return false;
    return true;
  };
  bool covered = true;
  if (broadcasts(lhs) && broadcasts(rhs)) {
    for (int64_t i = 0, rank = output.getRank(); i < rank; ++i) {
      auto has = [&](ShapedType type) {
        int64_t j = i - (rank - type.getRank());
        return j >= 0 && type.getDimSize(j) == output.getDimSize(i);
      };
      covered &= has(lhs) || has(rhs) || output.getDimSize(i) == 1;
    }
  } else {
    covered = false;
  }
  if (!covered)
    return op->emitOpError() << "the shapes of " << lhs << " and " << rhs
                             << " do not broadcast to that of " << output;
  if (failed(verifySameStorage(op, lhs, output)))
    return failure();
  return verifySameStorage(op, rhs, output);
}

bool AddOp::addsFloatNumbers() {
  // XNNPACK's addition of signed operands broadcasts, QNNPACK's doesn't.
  return getAten() ||
         (!getRequantizationAttr() &&
          !getQuantizedType(getOutput().getType()).isSigned() &&
          getLhs().getType().getShape() != getRhs().getType().getShape());
}

LogicalResult AddOp::verify() {
  ShapedType lhs = getLhs().getType(), rhs = getRhs().getType(),
             output = getOutput().getType();
  if (failed(verifyBinary(*this, lhs, rhs, output)))
    return failure();
  RequantizationAttr all[] = {getRequantizationAttr(),
                              getLhsRequantizationAttr(),
                              getRhsRequantizationAttr()};
  if (llvm::any_of(all, [](RequantizationAttr attr) { return bool(attr); })) {
    for (RequantizationAttr &attr : all) {
      if (!attr)
        return emitOpError()
               << "has some of requantization, lhs_requantization "
                  "and rhs_requantization, expected all or none";
      if (failed(verifyMultipliers(*this, attr, /*channels=*/1,
                                   /*isOfOperand=*/&attr != &all[0])))
        return failure();
    }
    if (getAten() || getVectorized())
      return emitOpError() << "has requantization and a formula of ATen; drop "
                              "one of them";
    return getRelu() ? verifyReluRange(*this, output) : success();
  }
  bool isAten = addsFloatNumbers();
  if (!isAten) {
    // XNNPACK, the signed engine, has the stricter limit for both.
    bool isSigned = getQuantizedType(output).isSigned();
    float least = isSigned ? 0x1p-10f : 0x1p-14f;
    auto [a, b] = getAddRatios(lhs, rhs, output);
    for (float ratio : {a, b})
      if (!(ratio >= least && ratio < 0x1p8f))
        return emitOpError() << "input scale / output scale is " << ratio
                             << ", expected a number in ["
                             << (isSigned ? "2^-10" : "2^-14") << ", 2^8)";
    if (std::max(a, b) < 0x1p-10f)
      return emitOpError() << "the larger input scale / output scale is "
                           << std::max(a, b) << ", expected 2^-10 or more";
  }
  if (getRelu() && failed(verifyReluRange(*this, output)))
    return failure();
  if (getVectorized() && !isAten)
    return emitOpError()
           << "has vectorized, and the engine adds these operands "
              "as integers; drop it, or add `aten`";
  if (getVectorized() && !output.hasStaticShape())
    return emitOpError() << "has vectorized and the dynamic result " << output
                         << "; make the shapes static, or drop it";
  return success();
}

LogicalResult MulOp::verify() {
  RequantizationAttr requantization = getRequantizationAttr();
  if (requantization &&
      failed(verifyMultipliers(*this, requantization, /*channels=*/1)))
    return failure();
  return verifyBinary(*this, getLhs().getType(), getRhs().getType(),
                      getOutput().getType());
}

/// `output` has the element type `expected`.
static LogicalResult verifyScalarResult(Operation *op, ShapedType input,
                                        double scalar, ShapedType output,
                                        quant::UniformQuantizedType expected) {
  if (failed(verifySameShape(op, input, output)))
    return failure();
  if (!expected)
    return op->emitOpError()
           << "no 32-bit scale holds " << input << " combined with " << scalar
           << "; use a smaller number";
  if (output.getElementType() == expected)
    return success();
  return op->emitOpError() << "the output has " << output.getElementType()
                           << ", expected " << expected;
}

LogicalResult AddScalarOp::verify() {
  return verifyScalarResult(
      *this, getInput().getType(), getScalar().convertToDouble(),
      getOutput().getType(),
      getAddScalarResultType(getQuantizedType(getInput().getType()),
                             getScalar().convertToDouble()));
}

LogicalResult MulScalarOp::verify() {
  return verifyScalarResult(
      *this, getInput().getType(), getScalar().convertToDouble(),
      getOutput().getType(),
      getMulScalarResultType(getQuantizedType(getInput().getType()),
                             getScalar().convertToDouble()));
}

//===----------------------------------------------------------------------===//
// Activation functions
//===----------------------------------------------------------------------===//

/// The shape and the storage stay.
static LogicalResult verifyTable(Operation *op, Type input, Type output) {
  if (failed(verifySameShape(op, input, output)))
    return failure();
  return verifySameStorage(op, input, output);
}

/// The shape stays, and the result has `scale` and the zero point that lies
/// `offset` above the smallest integer.
static LogicalResult verifyFixedResult(Operation *op, Type input, Type output,
                                       double scale, int64_t offset) {
  if (failed(verifyTable(op, input, output)))
    return failure();
  auto type = getQuantizedType(output);
  int64_t zeroPoint = type.getStorageTypeMin() + offset;
  if (type.getScale() == scale && type.getZeroPoint() == zeroPoint)
    return success();
  return op->emitOpError() << "the output has scale " << type.getScale()
                           << " and zero point " << type.getZeroPoint()
                           << ", expected " << scale << " and " << zeroPoint;
}

/// The shape and the parameters stay.
static LogicalResult verifyUnchanged(Operation *op, Type input, Type output) {
  if (failed(verifySameShape(op, input, output)))
    return failure();
  return verifySameParameters(op, input, output);
}

LogicalResult ReluOp::verify() {
  return verifyUnchanged(*this, getInput().getType(), getOutput().getType());
}

LogicalResult ClampOp::verify() {
  if (failed(
          verifyUnchanged(*this, getInput().getType(), getOutput().getType())))
    return failure();
  if (getMin() <= getMax())
    return success();
  return emitOpError() << "min " << getMin().convertToFloat()
                       << " is not at most max " << getMax().convertToFloat();
}

LogicalResult SigmoidOp::verify() {
  return verifyFixedResult(*this, getInput().getType(), getOutput().getType(),
                           0x1p-8, 0);
}

LogicalResult TanhOp::verify() {
  return verifyFixedResult(*this, getInput().getType(), getOutput().getType(),
                           0x1p-7, 128);
}

LogicalResult HardsigmoidOp::verify() {
  return verifyFixedResult(*this, getInput().getType(), getOutput().getType(),
                           0x1p-8, 0);
}

LogicalResult RequantizeOp::verify() {
  return verifySameShape(*this, getInput().getType(), getOutput().getType());
}

LogicalResult HardswishOp::verify() {
  return verifyTable(*this, getInput().getType(), getOutput().getType());
}

LogicalResult LeakyReluOp::verify() {
  return verifyTable(*this, getInput().getType(), getOutput().getType());
}

LogicalResult EluOp::verify() {
  return verifyTable(*this, getInput().getType(), getOutput().getType());
}

LogicalResult CeluOp::verify() {
  if (failed(verifyTable(*this, getInput().getType(), getOutput().getType())))
    return failure();
  if (getAlpha().isZero())
    return emitOpError() << "alpha is 0, expected another number; use "
                            "qnnpack.relu for its limit";
  return success();
}

LogicalResult ThresholdOp::verify() {
  return verifyUnchanged(*this, getInput().getType(), getOutput().getType());
}

LogicalResult PreluOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifySameShape(*this, input, getOutput().getType())))
    return failure();
  int64_t slopes = getWeight().getType().getDimSize(0);
  if (input.getRank() < 1)
    return emitOpError()
           << "the input has rank 0, expected channels: 1 or more";
  int64_t channels = input.getShape().back();
  if (ShapedType::isDynamic(slopes) || (slopes != 1 && slopes != channels))
    return emitOpError() << "weight has type " << getWeight().getType()
                         << ", expected one slope, or one for each of the "
                         << (ShapedType::isDynamic(channels)
                                 ? std::string("channels, made static")
                                 : std::to_string(channels) + " channels");
  if (failed(verifySameStorage(*this, input, getOutput().getType())))
    return failure();
  return verifySameStorage(*this, getWeight().getType(), getOutput().getType());
}

LogicalResult SoftmaxOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifyTable(*this, input, getOutput().getType())) ||
      failed(verifyAxis(*this, getAxis(), input)))
    return failure();
  if (input.isDynamicDim(getAxis()) || input.getDimSize(getAxis()) < 1)
    return emitOpError() << "axis " << getAxis() << " of " << input
                         << " is dynamic or empty, expected a static size";
  return verifyFixedResult(*this, input, getOutput().getType(), 0x1p-8, 0);
}

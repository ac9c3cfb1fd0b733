// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv2d, conv_transpose2d and linear: TOSA's convolution to i32, and a
// rescale.

#include "Tensors.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

//===----------------------------------------------------------------------===//
// Weight and bias
//===----------------------------------------------------------------------===//

namespace {
/// A weight is a sum of these, each [out, height, width, in / groups] with one
/// zero point: mostly one, but see `splitWeight`.
struct WeightPart {
  /// If it is known: all elements, or one that is everywhere, of the constant
  /// or computed here.
  ArrayRef<int8_t> getValues() const {
    return computed.empty() ? given : ArrayRef<int8_t>(computed);
  }

  ArrayRef<int8_t> given;
  SmallVector<int8_t, 0> computed;
  Value value; // if it is not known
  int64_t zeroPoint = 0;
  /// Whether it has 4 bits, of TOSA's EXT-INT4.
  bool isNarrow = false;
};

/// What a convolution needs besides its input.
struct Parameters {
  SmallVector<WeightPart> weight;
  Value bias;                  // [out], of the type of sums
  SmallVector<int64_t> bounds; // of each channel's accumulators
};
} // namespace

/// The zero point of each output channel of the weight type `type`.
static SmallVector<int64_t> getWeightZeroPoints(ShapedType type) {
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType()))
    return SmallVector<int64_t>(perAxis.getZeroPoints());
  return SmallVector<int64_t>(
      type.getDimSize(0),
      cast<quant::UniformQuantizedType>(type.getElementType()).getZeroPoint());
}

/// TOSA has one zero point for a weight. If channels have several, they are
/// subtracted here; if a difference is no byte, it is the sum of two.
static SmallVector<WeightPart>
splitWeight(const ConstantElements<int8_t> &values,
            ArrayRef<int64_t> zeroPoints) {
  WeightPart low, high;
  if (llvm::all_equal(zeroPoints)) {
    low.given = values.getStored();
    low.zeroPoint = zeroPoints.empty() ? 0 : zeroPoints.front();
    return {std::move(low)};
  }
  int64_t depth = values.size() / zeroPoints.size();
  for (int64_t i = 0, e = values.size(); i < e; ++i) {
    int64_t difference = values[i] - zeroPoints[i / depth];
    int64_t byte = std::clamp<int64_t>(difference, INT8_MIN, INT8_MAX);
    low.computed.push_back(byte);
    high.computed.push_back(difference - byte);
  }
  SmallVector<WeightPart> parts;
  parts.push_back(std::move(low));
  if (llvm::any_of(high.computed, [](int8_t value) { return value != 0; }))
    parts.push_back(std::move(high));
  return parts;
}

/// The range of 4 bits in TOSA, symmetric as that of a type which asks for it;
/// of 8-bit activations alone.
static bool isNarrow(ShapedType weight, ShapedType input) {
  auto type = cast<quant::QuantizedType>(weight.getElementType());
  return type.getStorageTypeMin() >= -7 && type.getStorageTypeMax() <= 7 &&
         !isWide(input);
}

/// `values` of `part`, in any order, as a constant.
static Value weightConstant(ImplicitLocOpBuilder &b, const WeightPart &part,
                            ArrayRef<int8_t> values, ArrayRef<int64_t> shape) {
  if (!part.isNarrow)
    return constant(b, values, shape);
  return constant(b, SmallVector<int64_t>(values.begin(), values.end()), shape,
                  b.getIntegerType(4));
}

/// The zero point of `part`.
static Value weightScalar(ImplicitLocOpBuilder &b, const WeightPart &part) {
  return weightConstant(b, part, {static_cast<int8_t>(part.zeroPoint)}, {1});
}

/// TOSA's sums: of 16-bit activations they have 48 bits.
static Type getSumType(ImplicitLocOpBuilder &b, Type input) {
  return b.getIntegerType(isWide(input) ? 48 : 32);
}

/// A constant of zeros, the bias of all parts of a weight but the first.
static Value noBias(ImplicitLocOpBuilder &b, int64_t channels, Type sum) {
  return constant(b, SmallVector<int64_t>(channels, 0), {channels}, sum);
}

/// The weight and bias of a conv2d or linear; no weight if TOSA can't hold it.
template <typename OpTy>
static Parameters getParameters(OpTy op, Value weight, Value bias,
                                ImplicitLocOpBuilder &b) {
  ShapedType type = op.getWeight().getType();
  auto inputType = getQuantizedType(op.getInput().getType());
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(type);
  int64_t out = type.getDimSize(0);
  Parameters result;
  result.bounds.assign(out, int64_t(1) << 31);
  auto values = ConstantElements<int8_t>::read(op.getWeight());
  if (values && !values->canExpand() && !llvm::all_equal(zeroPoints))
    return result;
  if (values) {
    result.weight = splitWeight(*values, zeroPoints);
    if (result.weight.size() == 1)
      result.weight.front().isNarrow = isNarrow(type, op.getInput().getType());
  } else if (llvm::all_equal(zeroPoints)) {
    WeightPart &part = result.weight.emplace_back();
    part.value = weight;
    part.zeroPoint = zeroPoints.empty() ? 0 : zeroPoints.front();
  } else {
    return result;
  }

  if (isWide(op.getInput().getType())) {
    // No cast to 48 bits is in TOSA, and no sum of two of them.
    Type sum = getSumType(b, op.getInput().getType());
    if (!op.getBias()) {
      result.bias = noBias(b, out, sum);
    } else if (auto values = ConstantElements<int64_t>::read(op.getBias())) {
      SmallVector<int64_t> integers;
      for (int64_t o = 0; o < out; ++o)
        integers.push_back((*values)[o]);
      if (llvm::all_of(integers, llvm::isInt<48>))
        result.bias = constant(b, integers, {out}, sum);
    }
    if (!result.bias || result.weight.size() != 1)
      result.weight.clear();
    return result;
  }
  std::optional<ConstantElements<int32_t>> biasValues;
  if (op.getBias())
    biasValues = ConstantElements<int32_t>::read(op.getBias());
  result.bias = bias;
  if (biasValues)
    result.bias = constant(b, biasValues->getStored(), {out});
  else if (!op.getBias())
    result.bias = constant(b, SmallVector<int32_t>(out, 0), {out});
  if (!values || (op.getBias() && !biasValues) || out == 0)
    return result;
  int64_t zeroPoint = inputType.getZeroPoint(), depth = values->size() / out;
  int64_t largest = std::max(zeroPoint - inputType.getStorageTypeMin(),
                             inputType.getStorageTypeMax() - zeroPoint);
  for (int64_t o = 0; o < out; ++o) {
    // Beyond that sums wrap.
    constexpr int64_t highest = int64_t(1) << 31;
    int64_t bound =
        biasValues ? std::abs(static_cast<int64_t>((*biasValues)[o])) : 0;
    if (values->isSplat())
      bound += largest * std::abs((*values)[0] - zeroPoints[o]) *
               std::min(depth, highest);
    else
      for (int8_t value : values->getStored().slice(o * depth, depth))
        bound += largest * std::abs(value - zeroPoints[o]);
    result.bounds[o] = std::min(bound, highest);
  }
  return result;
}

/// One multiplier for each of `channels`.
static SmallVector<float> getMultipliers(Type input, Type weight, Type output,
                                         int64_t channels) {
  SmallVector<float> multipliers =
      getRequantizationMultipliers(input, weight, output);
  if (multipliers.size() == 1)
    multipliers.assign(channels, multipliers.front());
  return multipliers;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A zero point of `image`.
static Value inputScalar(ImplicitLocOpBuilder &b, Value image, int64_t value) {
  return constant(b, ArrayRef<int64_t>{value}, {1},
                  getElementTypeOrSelf(image.getType()));
}

/// The sums of products of one part of the weight, of `sumType`.
static Value convolve(ImplicitLocOpBuilder &b, Value image,
                      const WeightPart &part, ArrayRef<int64_t> weightShape,
                      Value bias, int64_t inputZeroPoint,
                      const Windows &windows, RankedTensorType sumType) {
  Value weight = part.value
                     ? reshape(b, part.value, weightShape)
                     : weightConstant(b, part, part.getValues(), weightShape);
  Value inputZero = inputScalar(b, image, inputZeroPoint);
  Value weightZero = weightScalar(b, part);
  return tosa::Conv2DOp::create(b, sumType, image, weight, bias, inputZero,
                                weightZero, windows.padding, windows.stride,
                                windows.dilation, sumType.getElementType());
}

/// The same if each channel of the input has its own channels of the output:
/// the weight becomes [height, width, in, out / in].
static Value convolveDepthwise(ImplicitLocOpBuilder &b, Value image,
                               const WeightPart &part,
                               ArrayRef<int64_t> weightShape, Value bias,
                               int64_t inputZeroPoint, const Windows &windows,
                               RankedTensorType sumType) {
  int64_t out = weightShape[0], height = weightShape[1], width = weightShape[2];
  int64_t in = cast<RankedTensorType>(image.getType()).getDimSize(3);
  SmallVector<int64_t> shape = {height, width, in, out / in};
  Value weight;
  if (part.value) {
    Value split = reshape(b, part.value, {in, out / in, height, width});
    weight = tosa::TransposeOp::create(
        b, RankedTensorType::get(shape, b.getI8Type()), split,
        ArrayRef<int32_t>{2, 3, 0, 1});
  } else if (part.getValues().size() == 1) {
    weight = weightConstant(b, part, part.getValues(), shape);
  } else {
    int64_t taps = height * width;
    ArrayRef<int8_t> from = part.getValues();
    SmallVector<int8_t, 0> values(from.size());
    for (int64_t o = 0; o < out; ++o)
      for (int64_t tap = 0; tap < taps; ++tap)
        values[tap * out + o] = from[o * taps + tap];
    weight = weightConstant(b, part, values, shape);
  }
  Value inputZero = inputScalar(b, image, inputZeroPoint);
  Value weightZero = weightScalar(b, part);
  return tosa::DepthwiseConv2DOp::create(
      b, sumType, image, weight, bias, inputZero, weightZero, windows.padding,
      windows.stride, windows.dilation, sumType.getElementType());
}

/// `groups` convolutions, side by side.
static Value convolveGroups(ImplicitLocOpBuilder &b, Value image,
                            const WeightPart &part,
                            ArrayRef<int64_t> weightShape, Value bias,
                            int64_t inputZeroPoint, const Windows &windows,
                            RankedTensorType sumType, int64_t groups) {
  int64_t out = weightShape[0] / groups, in = weightShape[3];
  int64_t depth = weightShape[1] * weightShape[2] * in;
  SmallVector<int64_t> shape(weightShape), sumShape(sumType.getShape());
  shape[0] = sumShape[3] = out;
  SmallVector<Value> sums;
  for (int64_t group = 0; group < groups; ++group) {
    WeightPart piece;
    piece.zeroPoint = part.zeroPoint;
    piece.isNarrow = part.isNarrow;
    if (part.value)
      piece.value = slice(b, part.value, 0, group * out, (group + 1) * out);
    else if (part.getValues().size() == 1)
      piece.given = part.getValues();
    else
      piece.given = part.getValues().slice(group * out * depth, out * depth);
    Value channels = slice(b, image, 3, group * in, (group + 1) * in);
    Value biases = slice(b, bias, 0, group * out, (group + 1) * out);
    sums.push_back(convolve(b, channels, piece, shape, biases, inputZeroPoint,
                            windows, sumType.clone(sumShape)));
  }
  return concat(b, sums, 3);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// The result of `op`, of the shape of its sums, from these.
template <typename OpTy>
static Value requantizeSums(OpTy op, LoweringBuilder &b, Value sums,
                            ArrayRef<int64_t> bounds, int64_t channels,
                            bool relu) {
  auto type = getQuantizedType(op.getOutput().getType());
  RequantizationAttr requantization = op.getRequantizationAttr();
  if (!requantization)
    return requantize(b, sums,
                      getMultipliers(op.getInput().getType(),
                                     op.getWeight().getType(),
                                     op.getOutput().getType(), channels),
                      bounds, type, relu);
  Value bytes = rescale(b, sums, requantization, 0, getStoredZeroPoint(type),
                        b.getIntegerType(type.getStorageTypeIntegralWidth()));
  if (!bytes)
    return b.decline(op, kRounding.str());
  return clamp(b, bytes, getOutputRange(type, relu));
}

/// Why there is no weight.
static std::string getReason(Type input) {
  return isWide(input)
             ? "the bias of its 16-bit activations is not a constant of 48 "
               "bits, "
               "or the zero points of its weight are not one"
             : "the weight is not a constant, or a splat too large to be "
               "written out, and its channels have several zero points";
}

// conv2d(x, w, b) -> rescale(the sum over the parts w' of w of conv2d(x, w'), +
// b)
static Value lowerConv2d(Conv2dOp op, Conv2dOp::Adaptor adaptor,
                         LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  ShapedType weightType = op.getWeight().getType();
  RankedTensorType type = b.resultType(op);
  if (!isStaticImage(inputType) || !weightType.hasStaticShape())
    return b.decline(op, "its image or its weight is not static");
  Parameters parameters =
      getParameters(op, adaptor.getWeight(), adaptor.getBias(), b);
  if (parameters.weight.empty())
    return b.decline(op, getReason(inputType));

  Windows windows;
  windows.kernel.assign({weightType.getDimSize(1), weightType.getDimSize(2)});
  windows.stride.assign(op.getStride().begin(), op.getStride().end());
  windows.dilation.assign(op.getDilation().begin(), op.getDilation().end());
  windows.padding.assign(op.getPadding().begin(), op.getPadding().end());
  Value image = windows.fit(b, adaptor.getInput(), type.getShape());

  int64_t groups = op.getGroups(), channels = type.getDimSize(3);
  int64_t zeroPoint = getStoredZeroPoint(getQuantizedType(inputType));
  ArrayRef<int64_t> weightShape = weightType.getShape();
  RankedTensorType sumType = type.clone(getSumType(b, inputType));
  Value sums, bias = parameters.bias;
  for (const WeightPart &part : parameters.weight) {
    Value sum;
    if (groups == 1)
      sum = convolve(b, image, part, weightShape, bias, zeroPoint, windows,
                     sumType);
    else if (groups == inputType.getDimSize(3))
      sum = convolveDepthwise(b, image, part, weightShape, bias, zeroPoint,
                              windows, sumType);
    else
      sum = convolveGroups(b, image, part, weightShape, bias, zeroPoint,
                           windows, sumType, groups);
    sums = sums ? Value(tosa::AddOp::create(b, sumType, sums, sum)) : sum;
    // It is added once.
    bias = noBias(b, channels, sumType.getElementType());
  }
  return requantizeSums(op, b, sums, parameters.bounds, channels, op.getRelu());
}

// conv_transpose2d(x, w, b) -> rescale(transpose_conv2d(x, w, b)): padding is
// cut off the result, output padding is added to it
static Value lowerConvTranspose2d(ConvTranspose2dOp op,
                                  ConvTranspose2dOp::Adaptor adaptor,
                                  LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  ShapedType weightType = op.getWeight().getType();
  RankedTensorType type = b.resultType(op);
  if (!isStaticImage(inputType) || !weightType.hasStaticShape())
    return b.decline(op, "its image or its weight is not static");
  if (op.getGroups() != 1 || op.getDilation()[0] != 1 ||
      op.getDilation()[1] != 1)
    return b.decline(op, "its taps are dilated, or its channels are in groups");
  SmallVector<int64_t> pad;
  for (int i : {0, 1}) {
    pad.push_back(-op.getPadding()[2 * i]);
    pad.push_back(op.getOutputPadding()[i] - op.getPadding()[2 * i + 1]);
    // TOSA: out_pad > -kernel.
    if (std::min(pad[2 * i], pad[2 * i + 1]) <= -weightType.getDimSize(1 + i))
      return b.decline(op, "its padding is as large as its kernel");
  }
  Parameters parameters =
      getParameters(op, adaptor.getWeight(), adaptor.getBias(), b);
  if (parameters.weight.size() != 1)
    return b.decline(op, getReason(inputType));
  const WeightPart &part = parameters.weight.front();
  Value weight = part.value ? part.value
                            : weightConstant(b, part, part.getValues(),
                                             weightType.getShape());
  Value inputZero = inputScalar(
      b, adaptor.getInput(), getStoredZeroPoint(getQuantizedType(inputType)));
  Value weightZero = weightScalar(b, part);
  Type sum = getSumType(b, inputType);
  Value sums = tosa::TransposeConv2DOp::create(
      b, type.clone(sum), adaptor.getInput(), weight, parameters.bias,
      inputZero, weightZero, pad, op.getStride(), sum);
  return requantizeSums(op, b, sums, parameters.bounds, type.getDimSize(3),
                        /*relu=*/false);
}

// TOSA has no fully connected layer: it is a 1x1 convolution of as many images
// of one pixel as there are rows.
static Value lowerLinear(LinearOp op, LinearOp::Adaptor adaptor,
                         LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  ShapedType weightType = op.getWeight().getType();
  RankedTensorType type = b.resultType(op);
  if (inputType.isDynamicDim(inputType.getRank() - 1) ||
      !weightType.hasStaticShape())
    return b.decline(op, "its weight is not static");
  if (inputType.getNumDynamicDims() > 1)
    return b.decline(op, "several of its dimensions are dynamic");
  Parameters parameters =
      getParameters(op, adaptor.getWeight(), adaptor.getBias(), b);
  if (parameters.weight.empty())
    return b.decline(op, getReason(inputType));

  int64_t out = weightType.getDimSize(0), in = weightType.getDimSize(1);
  int64_t rows = 1;
  for (int64_t size : inputType.getShape().drop_back())
    rows = ShapedType::isDynamic(size) || ShapedType::isDynamic(rows)
               ? ShapedType::kDynamic
               : rows * size;
  Value image = reshape(b, adaptor.getInput(), {rows, 1, 1, in});
  auto sumType =
      RankedTensorType::get({rows, 1, 1, out}, getSumType(b, inputType));
  Windows windows;
  windows.kernel = windows.stride = {1, 1};
  int64_t zeroPoint = getStoredZeroPoint(getQuantizedType(inputType));
  Value sums, bias = parameters.bias;
  for (const WeightPart &part : parameters.weight) {
    Value sum = convolve(b, image, part, {out, 1, 1, in}, bias, zeroPoint,
                         windows, sumType);
    sums = sums ? Value(tosa::AddOp::create(b, sumType, sums, sum)) : sum;
    bias = noBias(b, out, sumType.getElementType());
  }
  Value bytes =
      requantizeSums(op, b, sums, parameters.bounds, out, op.getRelu());
  return bytes ? reshape(b, bytes, type.getShape()) : Value();
}

void qnnpack_to_tosa::populateConvolutionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns,
    Reasons &reasons) {
  addLowerings(converter, patterns, reasons, lowerConv2d, lowerConvTranspose2d,
               lowerLinear);
}

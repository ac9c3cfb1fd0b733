// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling. TOSA's average divides by the taps inside of its padding; padding
// that counts is written out before.

#include "Tensors.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

/// `image` with `value` before and after its dimension `axis`. The pad is one
/// of rank 3: the validator of MLIR 22 refuses those of more than 6 amounts.
static Value padAxis(ImplicitLocOpBuilder &b, Value image, int64_t axis,
                     int64_t value, int64_t before, int64_t after) {
  if (before == 0 && after == 0)
    return image;
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(image.getType()).getShape());
  // Dimensions before and after `axis` are one each.
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < axis; ++i)
    outer = ShapedType::isDynamic(outer) || ShapedType::isDynamic(shape[i])
                ? ShapedType::kDynamic
                : outer * shape[i];
  for (int64_t size : ArrayRef(shape).drop_front(axis + 1))
    inner *= size;
  Value merged = reshape(b, image, {outer, shape[axis], inner});
  shape[axis] += before + after;
  Value amounts = tosa::ConstShapeOp::create(
      b, tosa::shapeType::get(b.getContext(), 6),
      b.getIndexTensorAttr({0, 0, before, after, 0, 0}));
  Value padded = tosa::PadOp::create(
      b, RankedTensorType::get({outer, shape[axis], inner}, b.getI8Type()),
      merged, amounts, byte(b, value));
  return reshape(b, padded, shape);
}

/// The image with `value` around it; `padding` is top, bottom, left, right.
static Value pad(ImplicitLocOpBuilder &b, Value image, int64_t value,
                 ArrayRef<int64_t> padding) {
  image = padAxis(b, image, 1, value, padding[0], padding[1]);
  return padAxis(b, image, 2, value, padding[2], padding[3]);
}

/// The average of the taps of each window that are inside of the image, less
/// `zeroPoint` for each, plus it.
static Value average(ImplicitLocOpBuilder &b, Value image, int64_t zeroPoint,
                     const Windows &windows, RankedTensorType type) {
  Value zero = byte(b, zeroPoint);
  return tosa::AvgPool2dOp::create(b, type, image, zero, zero, windows.kernel,
                                   windows.stride, windows.padding,
                                   b.getI32Type());
}

/// QNNPACK's average: padding counts as the zero point.
static Value averageAll(ImplicitLocOpBuilder &b, Value image, int64_t zeroPoint,
                        Windows windows, RankedTensorType type) {
  image = pad(b, image, zeroPoint, windows.padding);
  windows.padding.assign(4, 0);
  image = windows.fit(b, image, type.getShape());
  return average(b, image, zeroPoint, windows, type);
}

// max_pool(x) -> max_pool2d(x); what lies in the padding is skipped by both
static Value lowerMaxPool2d(MaxPool2dOp op, MaxPool2dOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  RankedTensorType type = b.resultType(op);
  if (!isStaticImage(op.getInput().getType()))
    return b.decline(op, "its image is not static");
  Windows windows;
  windows.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  windows.stride.assign(op.getStride().begin(), op.getStride().end());
  windows.padding.assign(op.getPadding().begin(), op.getPadding().end());
  for (auto [size, dilation] :
       llvm::zip_equal(windows.kernel, op.getDilation()))
    if (size != 1 && dilation != 1)
      return b.decline(op, "its windows are dilated");
  Value image = windows.fit(b, adaptor.getInput(), type.getShape());
  // TOSA skips taps in the padding, too, but not as much of it.
  for (int i : {0, 1})
    if (std::max(windows.padding[2 * i], windows.padding[2 * i + 1]) >=
        windows.kernel[i])
      return b.decline(op, "its padding is not smaller than its kernel");
  return tosa::MaxPool2dOp::create(b, type, image, windows.kernel,
                                   windows.stride, windows.padding);
}

// avg_pool(x) -> avg_pool2d(x), of an image with its padding written out where
// it counts; with a divisor, rescale(depthwise_conv2d(x, 1))
static Value lowerAvgPool2d(AvgPool2dOp op, AvgPool2dOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  auto quantized = getQuantizedType(inputType);
  int64_t zeroPoint = getStoredZeroPoint(quantized);
  RankedTensorType type = b.resultType(op);
  if (!isStaticImage(inputType))
    return b.decline(op, "its image is not static");
  // What divides by the size of the window, whatever it was told.
  bool isQNNPack =
      !op.getCeilMode() && !op.getMathematical() && !quantized.isSigned();
  std::optional<int64_t> divisor;
  if (!isQNNPack)
    divisor = op.getDivisorOverride();
  if (divisor && *divisor < 0)
    return b.decline(op, "its divisor is negative");

  Windows windows;
  windows.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  windows.stride.assign(op.getStride().begin(), op.getStride().end());
  windows.padding.assign(op.getPadding().begin(), op.getPadding().end());
  Value image = adaptor.getInput();
  if (isQNNPack)
    return averageAll(b, image, zeroPoint, windows, type);

  if (divisor) {
    // The sum is a convolution with ones, where padding adds nothing.
    image = windows.fit(b, image, type.getShape());
    int64_t channels = type.getDimSize(3);
    int64_t taps = windows.kernel[0] * windows.kernel[1];
    Value ones = constant(b, SmallVector<int8_t>(taps * channels, 1),
                          {windows.kernel[0], windows.kernel[1], channels, 1});
    Value bias = constant(b, SmallVector<int32_t>(channels, 0), {channels});
    Value inputZero = byte(b, zeroPoint), weightZero = byte(b, 0);
    Value sums = tosa::DepthwiseConv2DOp::create(
        b, type.clone(b.getI32Type()), image, ones, bias, inputZero, weightZero,
        windows.padding, windows.stride, windows.dilation, b.getI32Type());
    return requantize(b, sums, getInverse(static_cast<double>(*divisor)),
                      255 * taps, quantized, /*relu=*/false);
  }
  if (op.getCountIncludePad()) {
    // Padding counts; what the last windows cover beyond it doesn't.
    image = pad(b, image, zeroPoint, windows.padding);
    windows.padding.assign(4, 0);
  }
  image = windows.fit(b, image, type.getShape());
  return average(b, image, zeroPoint, windows, type);
}

// adaptive_avg_pool(x) -> avg_pool2d(x) where the sizes divide, else one for
// each pixel of the result
static Value lowerAdaptiveAvgPool2d(AdaptiveAvgPool2dOp op,
                                    AdaptiveAvgPool2dOp::Adaptor adaptor,
                                    LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  RankedTensorType type = b.resultType(op);
  auto quantized = getQuantizedType(inputType);
  int64_t in[2] = {inputType.getDimSize(1), inputType.getDimSize(2)};
  int64_t out[2] = {type.getDimSize(1), type.getDimSize(2)};
  Value image = adaptor.getInput();
  if (in[0] == out[0] && in[1] == out[1])
    return image;
  if (in[0] % out[0] == 0 && in[1] % out[1] == 0) {
    Windows windows;
    windows.kernel = windows.stride = {in[0] / out[0], in[1] / out[1]};
    return averageAll(b, image, getStoredZeroPoint(quantized), windows, type);
  }

  // Windows of different sizes: an op for each. The kernel has no zero point:
  // it averages the integers themselves.
  SmallVector<int64_t> shape(type.getShape());
  shape[1] = shape[2] = 1;
  auto window = [&](int axis, int64_t o) {
    return std::pair(o * in[axis] / out[axis],
                     llvm::divideCeil((o + 1) * in[axis], out[axis]));
  };
  SmallVector<Value> rows;
  for (int64_t row = 0; row < out[0]; ++row) {
    auto [top, bottom] = window(0, row);
    Value strip = slice(b, image, 1, top, bottom);
    SmallVector<Value> columns;
    for (int64_t column = 0; column < out[1]; ++column) {
      auto [left, right] = window(1, column);
      Windows whole;
      whole.kernel = {static_cast<int64_t>(bottom - top),
                      static_cast<int64_t>(right - left)};
      whole.stride = {1, 1};
      columns.push_back(average(b, slice(b, strip, 2, left, right),
                                -getStoredOffset(quantized), whole,
                                type.clone(shape)));
    }
    rows.push_back(concat(b, columns, 2));
  }
  return concat(b, rows, 1);
}

// mean(x) -> reshape(avg_pool2d(x)) with one window
static Value lowerMean(MeanOp op, MeanOp::Adaptor adaptor, LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  Windows windows;
  windows.kernel = {inputType.getDimSize(1), inputType.getDimSize(2)};
  windows.stride = {1, 1};
  auto pixel = RankedTensorType::get(
      {inputType.getDimSize(0), 1, 1, inputType.getDimSize(3)}, b.getI8Type());
  Value result = averageAll(b, adaptor.getInput(),
                            getStoredZeroPoint(getQuantizedType(inputType)),
                            windows, pixel);
  return reshape(b, result, b.resultType(op).getShape());
}

void qnnpack_to_tosa::populatePoolingPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns,
                                              Reasons &reasons) {
  addLowerings(converter, patterns, reasons, lowerMaxPool2d, lowerAvgPool2d,
               lowerAdaptiveAvgPool2d, lowerMean);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling: a linalg.generic over windows, and for averages one that
// requantizes the sum.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

namespace {
/// Windows over height and width. `named` has loops in the order of upstream's
/// named ops, which is not the one that vectorizes as it stands.
struct Windows {
  bool named = false;
  SmallVector<int64_t, 2> kernel;
  SmallVector<int64_t, 2> stride;
  SmallVector<int64_t, 2> dilation = {1, 1};
  SmallVector<int64_t, 2> before = {0, 0};
};
} // namespace

/// `input` with as much of `value` around it as the windows of an output of
/// `type` cover.
static Value padForWindows(ImplicitLocOpBuilder &b, Value input, int64_t value,
                           const Windows &windows, RankedTensorType type) {
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> sizes;
  for (int i : {0, 1}) {
    int64_t covered = (type.getDimSize(1 + i) - 1) * windows.stride[i] +
                      (windows.kernel[i] - 1) * windows.dilation[i] + 1;
    sizes.push_back(windows.before[i]);
    sizes.push_back(std::max<int64_t>(0, covered - windows.before[i] -
                                             inputType.getDimSize(1 + i)));
  }
  return padImage(b, input, value, sizes);
}

/// The loops over batch, pixels of the output, windows and channels.
struct WindowLoops {
  AffineExpr n, oh, ow, kh, kw, c;
  StringRef kinds;
};

static WindowLoops makeLoops(MLIRContext *context, bool named) {
  WindowLoops loops;
  if (named)
    bindDims(context, loops.n, loops.oh, loops.ow, loops.c, loops.kh, loops.kw);
  else
    bindDims(context, loops.n, loops.oh, loops.ow, loops.kh, loops.kw, loops.c);
  loops.kinds = named ? "pppprr" : "ppprrp";
  return loops;
}

/// Folds `body` over the windows of the padded `input`, from `start`.
static Value reduceWindows(ImplicitLocOpBuilder &b, Value input, Value start,
                           const Windows &windows, RankedTensorType type,
                           Body body) {
  RankedTensorType initType = type.clone(start.getType());
  Value init = filled(b, start, initType, input);
  // Only the shape of this operand is used: it bounds the loops of the window.
  Value window = tensor::EmptyOp::create(b, windows.kernel, b.getI8Type());
  auto [n, oh, ow, kh, kw, c, kinds] = makeLoops(b.getContext(), windows.named);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(6, 0, exprs, b.getContext());
  };
  AffineMap inputMap =
      map({n, oh * windows.stride[0] + kh * windows.dilation[0],
           ow * windows.stride[1] + kw * windows.dilation[1], c});
  return generic(
      b, {input, window}, init, {inputMap, map({kh, kw}), map({n, oh, ow, c})},
      loopKinds(kinds), [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return body(b, {args[0], args[2]});
      });
}

static Value indexOf(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Folds windows of `sizes` pixels, from `init`, with a `body` that reads its
/// tap itself: of loops over batch, pixels of the output, windows and channels.
static Value foldWindows(
    ImplicitLocOpBuilder &b, Value init, ArrayRef<int64_t> sizes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &b, Value folded)> body) {
  // Only the shape of this operand is used: it bounds the loops of the window.
  Value window = tensor::EmptyOp::create(b, sizes, b.getI8Type());
  auto [n, oh, ow, kh, kw, c, kinds] =
      makeLoops(b.getContext(), /*named=*/false);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(6, 0, exprs, b.getContext());
  };
  return generic(b, window, init, {map({kh, kw}), map({n, oh, ow, c})},
                 loopKinds(kinds),
                 [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                   return body(b, args[1]);
                 });
}

/// The same as `reduceWindows` without padding: a tap outside of the image is
/// the nearest pixel.
static Value reduceClampedWindows(ImplicitLocOpBuilder &b, Value input,
                                  Value start, const Windows &windows,
                                  RankedTensorType type, Body body) {
  Value init = filled(b, start, type.clone(start.getType()), input);
  return foldWindows(
      b, init, windows.kernel, [&](ImplicitLocOpBuilder &b, Value folded) {
        SmallVector<Value> position = {linalg::IndexOp::create(b, 0)};
        for (int i : {0, 1}) {
          int64_t size = cast<ShapedType>(input.getType()).getDimSize(1 + i);
          Value first = linalg::IndexOp::create(b, 1 + i);
          first =
              arith::MulIOp::create(b, first, indexOf(b, windows.stride[i]));
          Value step = linalg::IndexOp::create(b, 3 + i);
          step =
              arith::MulIOp::create(b, step, indexOf(b, windows.dilation[i]));
          Value pixel = arith::AddIOp::create(b, first, step);
          pixel =
              arith::SubIOp::create(b, pixel, indexOf(b, windows.before[i]));
          pixel = arith::MaxSIOp::create(b, pixel, indexOf(b, 0));
          position.push_back(
              arith::MinSIOp::create(b, pixel, indexOf(b, size - 1)));
        }
        position.push_back(linalg::IndexOp::create(b, 5));
        Value tap = tensor::ExtractOp::create(b, input, position);
        return body(b, {tap, folded});
      });
}

/// The sum of each window less `bias`, as i32.
static Value sumWindows(ImplicitLocOpBuilder &b, Value input, int64_t bias,
                        quant::UniformQuantizedType type,
                        const Windows &windows, RankedTensorType resultType) {
  return reduceWindows(b, input, i32Constant(b, -bias), windows, resultType,
                       [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                         return arith::AddIOp::create(b, args[1],
                                                      extend(b, args[0], type));
                       });
}

/// QNNPACK's average of windows of the whole kernel, padding counting as the
/// zero point: clamp(rne(f32(f32(sum - n * zx) * m)) + zx).
static Value averageWindows(ImplicitLocOpBuilder &b, Value input,
                            quant::UniformQuantizedType type,
                            const Windows &windows,
                            RankedTensorType resultType) {
  int64_t count = windows.kernel[0] * windows.kernel[1];
  int64_t zeroPoint = type.getZeroPoint();
  Value padded = padForWindows(b, input, zeroPoint, windows, resultType);
  Value sums =
      sumWindows(b, padded, count * zeroPoint, type, windows, resultType);
  float multiplier = numerics::avgPoolMultiplier(type.getScale(), count);
  return elementwise(
      b, sums, b.getI8Type(), [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return requantize(b, args[0], f32Constant(b, multiplier), zeroPoint,
                          getOutputRange(type, /*relu=*/false),
                          255.0 * count * multiplier, Overflow::ToLowest);
      });
}

namespace {
/// What ATen multiplies sums by.
struct Multipliers {
  /// Of the first channels, for each pixel of the output.
  SmallVector<float> pixels;
  /// Of the channels from `numFirst` on; empty if they have no others.
  SmallVector<float> rest;
  int64_t numFirst = 0;
  /// Whether the zero point is added to what is rounded.
  bool roundsFirst = false;
};
} // namespace

/// What the inverse of the inverse of `multiplier` is in f32: ATen divides
/// scales for images with channels last.
static float invertTwice(float multiplier) {
  return 1.0f / (1.0f / multiplier);
}

/// ATen's average: clamp(rne(f32(f32(f32(sum) * m) + bias))), or, if it rounds
/// first, clamp(rne(f32(f32(sum) * m)) + bias). The result is in `stored`, the
/// stored type of `type`.
static Value averageATen(ImplicitLocOpBuilder &b, Value sums,
                         const Multipliers &multipliers, int64_t bias,
                         quant::UniformQuantizedType type,
                         quant::UniformQuantizedType stored) {
  auto sumType = cast<RankedTensorType>(sums.getType());
  AffineMap identity = b.getMultiDimIdentityMap(4);
  SmallVector<Value> inputs = {sums};
  SmallVector<AffineMap> maps = {identity};
  ArrayRef<float> pixels = multipliers.pixels;
  bool perChannel =
      !multipliers.rest.empty() && multipliers.rest != multipliers.pixels;
  bool perPixel = !llvm::all_equal(pixels);
  bool uniform = !perChannel && !perPixel;
  if (!uniform) {
    // The least that they depend on.
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> dims;
    if (perPixel) {
      shape = {sumType.getDimSize(1), sumType.getDimSize(2)};
      dims = {b.getAffineDimExpr(1), b.getAffineDimExpr(2)};
    }
    SmallVector<float> table;
    if (perChannel) {
      shape.push_back(sumType.getDimSize(3));
      dims.push_back(b.getAffineDimExpr(3));
      for (size_t pixel = 0; pixel < (perPixel ? pixels.size() : 1); ++pixel)
        for (int64_t channel = 0; channel < sumType.getDimSize(3); ++channel)
          table.push_back(channel < multipliers.numFirst
                              ? pixels[pixel]
                              : multipliers.rest[pixel]);
      pixels = table;
    }
    inputs.push_back(constantTensor(b, pixels, shape));
    maps.push_back(AffineMap::get(4, 0, dims, b.getContext()));
  }
  maps.push_back(identity);
  Value init = emptyLike(b, sumType.clone(b.getI8Type()), sums);
  return parallel(
      b, inputs, init, maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value multiplier = uniform ? f32Constant(b, pixels.front()) : args[1];
        Value asFloat = arith::SIToFPOp::create(b, b.getF32Type(), args[0]);
        asFloat = arith::MulFOp::create(b, asFloat, multiplier);
        if (bias != 0 && !multipliers.roundsFirst)
          asFloat = arith::AddFOp::create(b, asFloat, f32Constant(b, bias));
        // At most 255 times the number of taps: the conversion is exact.
        Value integer = arith::FPToSIOp::create(
            b, b.getI32Type(), math::RoundEvenOp::create(b, asFloat));
        if (bias != 0 && multipliers.roundsFirst)
          integer = arith::AddIOp::create(b, integer, i32Constant(b, bias));
        integer = clampI32(b, integer, getOutputRange(type, /*relu=*/false));
        return arith::TruncIOp::create(b, b.getI8Type(),
                                       restate(b, integer, type, stored));
      });
}

// max_pool(x) -> max over the window; the nearest pixel, or none, outside
static Value lowerMaxPool2d(MaxPool2dOp op, MaxPool2dOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  bool isSigned = getQuantizedType(op.getInput().getType()).isSigned();
  auto type = b.stored(op.getInput());
  Windows windows{b.signedBytes};
  windows.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  windows.stride.assign(op.getStride().begin(), op.getStride().end());
  windows.dilation.assign(op.getDilation().begin(), op.getDilation().end());
  windows.before = {op.getPadding()[0], op.getPadding()[2]};
  // The smallest integer never wins over a tap inside of the image.
  int64_t least = type.isSigned() ? -128 : 0;
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    if (type.isSigned())
      return arith::MaxSIOp::create(b, args[1], args[0]);
    return arith::MaxUIOp::create(b, args[1], args[0]);
  };
  // QNNPACK takes the nearest pixel, which without dilation is in the window.
  bool skips = op.getMathematical() || op.getCeilMode() || isSigned;
  for (int i : {0, 1})
    if (!skips && windows.dilation[i] != 1 &&
        (op.getPadding()[2 * i] != 0 || op.getPadding()[2 * i + 1] != 0))
      return reduceClampedWindows(b, adaptor.getInput(), byteConstant(b, least),
                                  windows, b.resultType(op), body);
  Value padded =
      padForWindows(b, adaptor.getInput(), least, windows, b.resultType(op));
  return reduceWindows(b, padded, byteConstant(b, least), windows,
                       b.resultType(op), body);
}

// avg_pool(x) -> requantize(sum over the window of x - zx), with one
// multiplier, or with one for each pixel where windows differ
static Value lowerAvgPool2d(AvgPool2dOp op, AvgPool2dOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  auto type = getQuantizedType(inputType), bytes = b.stored(op.getInput());
  Windows windows{b.signedBytes};
  windows.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  windows.stride.assign(op.getStride().begin(), op.getStride().end());
  windows.before = {op.getPadding()[0], op.getPadding()[2]};
  RankedTensorType outputType = b.resultType(op);
  if (!op.getCeilMode() && !op.getMathematical() && !type.isSigned())
    return averageWindows(b, adaptor.getInput(), bytes, windows, outputType);

  // Taps outside of the image count as the zero point in the sum of all taps,
  // less the zero point for each: as if they were not there.
  int64_t zeroPoint = bytes.getZeroPoint();
  Value padded =
      padForWindows(b, adaptor.getInput(), zeroPoint, windows, outputType);
  Value sums =
      sumWindows(b, padded, windows.kernel[0] * windows.kernel[1] * zeroPoint,
                 bytes, windows, outputType);

  // Per axis, the taps of each window that are inside of the image, and
  // inside of the padded image.
  SmallVector<int64_t> inside[2], covered[2];
  for (int i : {0, 1}) {
    int64_t size = inputType.getDimSize(1 + i);
    int64_t after = op.getPadding()[2 * i + 1];
    for (int64_t o = 0; o < outputType.getDimSize(1 + i); ++o) {
      int64_t start = o * windows.stride[i] - windows.before[i];
      int64_t end = std::min(start + windows.kernel[i], size + after);
      covered[i].push_back(end - start);
      inside[i].push_back(std::min(end, size) - std::max<int64_t>(start, 0));
    }
  }
  auto &counts = op.getCountIncludePad() ? covered : inside;
  // The attribute is signed, its accessor is not.
  auto divisor = [&](int64_t count) {
    return static_cast<int64_t>(op.getDivisorOverride().value_or(count));
  };
  Multipliers multipliers;
  for (int64_t height : counts[0])
    for (int64_t width : counts[1])
      multipliers.pixels.push_back(
          getInverse(static_cast<double>(divisor(height * width))));
  if (op.getChannelsLast()) {
    // ATen's vector code takes 8 channels at a time.
    multipliers.numFirst = outputType.getDimSize(3) / 8 * 8;
    multipliers.rest = llvm::map_to_vector(multipliers.pixels, invertTwice);
    multipliers.roundsFirst = true;
  }
  return averageATen(b, sums, multipliers, type.getZeroPoint(), type, bytes);
}

// adaptive_avg_pool(x) -> avg_pool(x) where the sizes divide, else
// rne(sum of x * f32(f32(1 / kh) / kw)) over windows of different sizes; with
// channels last rne(sum of (x - zx) * f32(1 / (kh * kw))) + zx
static Value lowerAdaptiveAvgPool2d(AdaptiveAvgPool2dOp op,
                                    AdaptiveAvgPool2dOp::Adaptor adaptor,
                                    LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  auto type = getQuantizedType(inputType), bytes = b.stored(op.getInput());
  RankedTensorType outputType = b.resultType(op);
  int64_t in[2] = {inputType.getDimSize(1), inputType.getDimSize(2)};
  int64_t out[2] = {outputType.getDimSize(1), outputType.getDimSize(2)};
  if (in[0] == out[0] && in[1] == out[1])
    return adaptor.getInput();
  if (!type.isSigned() && in[0] % out[0] == 0 && in[1] % out[1] == 0) {
    Windows windows{b.signedBytes};
    windows.kernel = {in[0] / out[0], in[1] / out[1]};
    windows.stride = windows.kernel;
    return averageWindows(b, adaptor.getInput(), bytes, windows, outputType);
  }

  // Windows of different sizes: loop over the largest one and leave out the
  // taps that are not in the window.
  SmallVector<int64_t> sizes[2];
  for (int i : {0, 1})
    for (int64_t o = 0; o < out[i]; ++o)
      sizes[i].push_back(llvm::divideCeil((o + 1) * in[i], out[i]) -
                         o * in[i] / out[i]);
  Multipliers multipliers;
  for (int64_t height : sizes[0])
    for (int64_t width : sizes[1])
      multipliers.pixels.push_back(
          op.getChannelsLast()
              ? invertTwice(getInverse(static_cast<double>(height * width)))
              : getInverse(static_cast<double>(height)) /
                    static_cast<float>(width));
  multipliers.roundsFirst = op.getChannelsLast();
  int64_t zeroPoint = op.getChannelsLast() ? type.getZeroPoint() : 0;

  Value input = adaptor.getInput();
  RankedTensorType sumType = outputType.clone(b.getI32Type());
  Value init = filled(b, i32Constant(b, 0), sumType, input);
  int64_t largest[] = {*llvm::max_element(sizes[0]),
                       *llvm::max_element(sizes[1])};
  Value sums = foldWindows(
      b, init, largest, [&](ImplicitLocOpBuilder &b, Value sum) -> Value {
        // start = o * in / out, end = ceil((o + 1) * in / out)
        SmallVector<Value> position = {linalg::IndexOp::create(b, 0)};
        Value isInside;
        for (int i : {0, 1}) {
          Value o = linalg::IndexOp::create(b, 1 + i);
          Value tap = linalg::IndexOp::create(b, 3 + i);
          Value scaled = arith::MulIOp::create(b, o, indexOf(b, in[i]));
          Value start = arith::DivUIOp::create(b, scaled, indexOf(b, out[i]));
          Value end =
              arith::AddIOp::create(b, scaled, indexOf(b, in[i] + out[i] - 1));
          end = arith::DivUIOp::create(b, end, indexOf(b, out[i]));
          Value pixel = arith::AddIOp::create(b, start, tap);
          Value holds =
              arith::CmpIOp::create(b, arith::CmpIPredicate::ult, pixel, end);
          isInside =
              isInside ? arith::AndIOp::create(b, isInside, holds) : holds;
          position.push_back(
              arith::MinUIOp::create(b, pixel, indexOf(b, in[i] - 1)));
        }
        position.push_back(linalg::IndexOp::create(b, 5));
        Value tap =
            extend(b, tensor::ExtractOp::create(b, input, position), bytes);
        tap = restate(b, tap, bytes, type);
        if (zeroPoint != 0)
          tap = arith::SubIOp::create(b, tap, i32Constant(b, zeroPoint));
        tap = arith::SelectOp::create(b, isInside, tap, i32Constant(b, 0));
        return arith::AddIOp::create(b, sum, tap);
      });
  return averageATen(b, sums, multipliers, zeroPoint, type, bytes);
}

// mean(x) -> avg_pool(x) with one window, and a change of shape
static Value lowerMean(MeanOp op, MeanOp::Adaptor adaptor, LoweringBuilder &b) {
  ShapedType inputType = op.getInput().getType();
  Windows windows{b.signedBytes};
  windows.kernel = {inputType.getDimSize(1), inputType.getDimSize(2)};
  windows.stride = {1, 1};
  RankedTensorType image = RankedTensorType::get(
      {inputType.getDimSize(0), 1, 1, inputType.getDimSize(3)}, b.getI8Type());
  Value result = averageWindows(b, adaptor.getInput(), b.stored(op.getInput()),
                                windows, image);
  if (op.getKeepdim())
    return result;
  return tensor::CollapseShapeOp::create(
      b, b.resultType(op), result,
      SmallVector<ReassociationIndices>{{0}, {1, 2, 3}});
}

void qnnpack::populatePoolingPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerMaxPool2d, lowerAvgPool2d,
               lowerAdaptiveAvgPool2d, lowerMean);
}

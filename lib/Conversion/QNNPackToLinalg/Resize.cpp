// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upsampling: a linalg.generic that reads the pixels which constant vectors
// name. channel_shuffle: a transpose.

#include "Scalars.h"

#include "qbackend/Numerics/Resize.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

/// The element of `image` at batch and channel of the current element, and at
/// `row` and `column`, which are i32.
static Value readPixel(ImplicitLocOpBuilder &b, Value image, Value row,
                       Value column) {
  auto index = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
  };
  Value batch = linalg::IndexOp::create(b, 0);
  Value channel = linalg::IndexOp::create(b, 3);
  return tensor::ExtractOp::create(
      b, image, ValueRange{batch, index(row), index(column), channel});
}

/// Whether the engine copies: height and width stay.
static bool isCopy(RankedTensorType from, RankedTensorType to) {
  return from.getDimSize(1) == to.getDimSize(1) &&
         from.getDimSize(2) == to.getDimSize(2);
}

template <typename OpTy>
static std::optional<double> getFactor(OpTy op, int axis) {
  std::optional<ArrayRef<double>> factors = op.getScaleFactors();
  return factors ? std::optional<double>((*factors)[axis]) : std::nullopt;
}

namespace {
// upsample_nearest(x)[r, c] -> x[R[r], C[c]], R and C computed here
static Value lowerNearest(UpsampleNearest2dOp op,
                          UpsampleNearest2dOp::Adaptor adaptor,
                          LoweringBuilder &b) {
  Value input = adaptor.getInput();
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType type = b.resultType(op);
  if (isCopy(from, type))
    return input;
  SmallVector<Value> sources;
  for (int axis : {0, 1}) {
    int64_t out = type.getDimSize(1 + axis);
    std::vector<int32_t> pixels = numerics::nearestSources(
        from.getDimSize(1 + axis), out, getFactor(op, axis));
    sources.push_back(constantTensor(b, ArrayRef<int32_t>(pixels), {out}));
  }
  AffineMap identity = b.getMultiDimIdentityMap(4);
  return parallel(
      b, sources, emptyLike(b, type, input),
      {identity.getSubMap({1u}), identity.getSubMap({2u}), identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return readPixel(b, input, args[0], args[1]);
      });
}

/// Of the current element, along one axis.
struct Tap {
  Value low, high, lowWeight, highWeight;
};

/// lowWeight * low + highWeight * high, each operation rounded; `isVector`
/// says which of the products is fused with the sum, if one is.
static Value mix(ImplicitLocOpBuilder &b, const Tap &tap, Value low, Value high,
                 std::optional<bool> isVector = {}) {
  auto multiply = [&](Value weight, Value value) -> Value {
    return arith::MulFOp::create(b, weight, value);
  };
  if (!isVector) {
    Value lowPart = multiply(tap.lowWeight, low);
    Value highPart = multiply(tap.highWeight, high);
    return arith::AddFOp::create(b, lowPart, highPart);
  }
  if (*isVector)
    return math::FmaOp::create(b, tap.highWeight, high,
                               multiply(tap.lowWeight, low));
  return math::FmaOp::create(b, tap.lowWeight, low,
                             multiply(tap.highWeight, high));
}

// upsample_bilinear(x)[r, c] -> the sum of four pixels by their weights,
// rounded in the order of the engine's code for the layout
static Value lowerBilinear(UpsampleBilinear2dOp op,
                           UpsampleBilinear2dOp::Adaptor adaptor,
                           LoweringBuilder &b) {
  Value input = adaptor.getInput();
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType type = b.resultType(op);
  bool channelsLast = op.getChannelsLast();
  // The channels-last code has no such shortcut, but gives the same unless
  // a scale factor is a little above 1.
  if (isCopy(from, type) && !channelsLast)
    return input;
  auto x = getQuantizedType(op.getInput().getType());
  auto bytes = b.stored(op.getInput());

  AffineMap identity = b.getMultiDimIdentityMap(4);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned axis : {0, 1}) {
    int64_t out = type.getDimSize(1 + axis);
    std::vector<numerics::BilinearTap> taps =
        numerics::bilinearTaps({from.getDimSize(1 + axis), out,
                                op.getAlignCorners(), getFactor(op, axis)},
                               /*fused=*/channelsLast);
    SmallVector<int32_t> lows, highs;
    SmallVector<float> lowWeights, highWeights;
    for (const numerics::BilinearTap &tap : taps) {
      lows.push_back(tap.low);
      highs.push_back(tap.high);
      lowWeights.push_back(tap.lowWeight);
      highWeights.push_back(tap.highWeight);
    }
    inputs.append({constantTensor(b, ArrayRef<int32_t>(lows), {out}),
                   constantTensor(b, ArrayRef<int32_t>(highs), {out}),
                   constantTensor(b, ArrayRef<float>(lowWeights), {out}),
                   constantTensor(b, ArrayRef<float>(highWeights), {out})});
    maps.append(4, identity.getSubMap({1u + axis}));
  }
  maps.push_back(identity);
  return parallel(
      b, inputs, emptyLike(b, type, input), maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Tap row = {args[0], args[1], args[2], args[3]};
        Tap column = {args[4], args[5], args[6], args[7]};
        auto pixel = [&](Value r, Value c) -> Value {
          Value integer = extend(b, readPixel(b, input, r, c), bytes);
          return arith::SIToFPOp::create(b, b.getF32Type(),
                                         restate(b, integer, bytes, x));
        };
        Value p00 = pixel(row.low, column.low),
              p01 = pixel(row.low, column.high),
              p10 = pixel(row.high, column.low),
              p11 = pixel(row.high, column.high);
        auto mixAll = [&](std::optional<bool> isVector) {
          Value low = mix(b, column, p00, p01, isVector);
          Value high = mix(b, column, p10, p11, isVector);
          return mix(b, row, low, high, isVector);
        };
        Value v =
            channelsLast
                ? vectorOrScalar(
                      b, type.getShape(), /*first=*/3,
                      numerics::countVectorChannels(type.getDimSize(3)), mixAll)
                : mixAll(std::nullopt);
        int64_t zero = x.getZeroPoint();
        if (zero != 0)
          v = arith::SubFOp::create(b, v, f32Constant(b, zero));
        Value integer = arith::FPToSIOp::create(
            b, b.getI32Type(), math::RoundEvenOp::create(b, v));
        // Less the zero point, in the type of the bytes.
        zero = bytes.getZeroPoint();
        if (zero != 0)
          integer = arith::AddIOp::create(b, integer, i32Constant(b, zero));
        integer = clampI32(b, integer, getOutputRange(bytes, /*relu=*/false));
        return arith::TruncIOp::create(b, b.getI8Type(), integer);
      });
}

// [.., groups, channels / groups] -> [.., channels / groups, groups]
static Value lowerChannelShuffle(ChannelShuffleOp op,
                                 ChannelShuffleOp::Adaptor adaptor,
                                 LoweringBuilder &b) {
  RankedTensorType type = b.resultType(op);
  int64_t rank = type.getRank(), groups = op.getGroups();
  int64_t inner = type.getShape().back() / groups;
  SmallVector<ReassociationIndices> split;
  SmallVector<int64_t> permutation;
  for (int64_t d = 0; d < rank; ++d) {
    split.push_back({d});
    permutation.push_back(d);
  }
  split.back().push_back(rank);
  permutation.back() = rank;
  permutation.push_back(rank - 1);

  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({groups, inner});
  Value grouped = tensor::ExpandShapeOp::create(b, type.clone(shape),
                                                adaptor.getInput(), split);
  std::swap(shape[rank - 1], shape[rank]);
  Value init = emptyLike(b, type.clone(shape), adaptor.getInput());
  Value shuffled =
      linalg::TransposeOp::create(b, grouped, init, permutation)->getResult(0);
  return tensor::CollapseShapeOp::create(b, type, shuffled, split);
}
} // namespace

void qnnpack::populateResizePatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerNearest, lowerBilinear,
               lowerChannelShuffle);
}

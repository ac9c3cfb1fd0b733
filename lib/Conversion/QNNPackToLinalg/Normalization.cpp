// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer, group and instance norm: two linalg.generic that add integers up, two
// on the groups for center and factor, one that normalizes. Batch norm: one
// linalg.generic.

#include "Scalars.h"

#include "qbackend/Numerics/BatchNorm.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Layer, group and instance norm
//===----------------------------------------------------------------------===//

namespace {
/// Which elements are normalized together, and by which formula.
struct Groups {
  AffineMap group;     // from an element to its group
  AffineMap parameter; // from an element to its weight and bias
  double eps;
  enum { Layer, Contiguous, ChannelsLast } formula;
};

/// Numbers of each group: the mean less the zero point, and the scale over the
/// standard deviation. See docs/Numerics.md.
struct Statistics {
  Value center;
  Value factor;
};
} // namespace

/// The sum of the integers of each group, or of their squares, of type
/// `element`.
static Value sumGroups(ImplicitLocOpBuilder &b, Value input,
                       quant::UniformQuantizedType stored,
                       quant::UniformQuantizedType type, AffineMap group,
                       Type element, bool squares) {
  auto inputType = cast<RankedTensorType>(input.getType());
  int64_t rank = inputType.getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (AffineExpr expr : group.getResults()) {
    unsigned d = cast<AffineDimExpr>(expr).getPosition();
    loops[d] = utils::IteratorType::parallel;
    shape.push_back(inputType.getDimSize(d));
    if (inputType.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, input, d));
  }
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(element, 0));
  Value empty = tensor::EmptyOp::create(b, shape, element, sizes);
  Value init = linalg::FillOp::create(b, zero, empty).getResult(0);
  return generic(b, input, init, {b.getMultiDimIdentityMap(rank), group}, loops,
                 [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                   Value x =
                       restate(b, extend(b, args[0], stored), stored, type);
                   if (squares)
                     x = arith::MulIOp::create(b, x, x);
                   if (element.isInteger(64))
                     x = arith::ExtSIOp::create(b, element, x);
                   return arith::AddIOp::create(b, args[1], x);
                 });
}

static Statistics computeStatistics(ImplicitLocOpBuilder &b, Value input,
                                    quant::UniformQuantizedType stored,
                                    quant::UniformQuantizedType type,
                                    const Groups &groups, int64_t count) {
  // Squares are at most 255^2.
  Type element =
      count <= INT32_MAX / (255 * 255) ? b.getI32Type() : Type(b.getI64Type());
  Value sum = sumGroups(b, input, stored, type, groups.group, element, false);
  Value squares =
      sumGroups(b, input, stored, type, groups.group, element, true);
  Type f32 = b.getF32Type(), f64 = b.getF64Type();
  auto mean = [&](ImplicitLocOpBuilder &b, Value total) -> Value {
    Value asFloat = arith::SIToFPOp::create(b, f32, total);
    return arith::DivFOp::create(b, asFloat, f32Constant(b, count));
  };
  Statistics result;
  result.center = elementwise(
      b, sum, f32, [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value mu = mean(b, args[0]);
        return arith::SubFOp::create(b, mu,
                                     f32Constant(b, type.getZeroPoint()));
      });
  result.factor = elementwise(
      b, {sum, squares}, f32,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value mu = mean(b, args[0]);
        Value scale = f32Constant(b, type.getScale());
        Value negative = arith::NegFOp::create(b, mu);
        Value var = math::FmaOp::create(b, negative, mu, mean(b, args[1]));
        var = arith::MaximumFOp::create(b, var, f32Constant(b, 0));
        var = arith::MulFOp::create(b, var, scale);
        var = arith::MulFOp::create(b, var, scale);
        auto wide = [&](double value) -> Value {
          return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
        };
        Value wideVar = arith::ExtFOp::create(b, f64, var);
        Value sumWithEps = arith::AddFOp::create(b, wideVar, wide(groups.eps));
        Value wideScale = wide(static_cast<float>(type.getScale()));
        Value quotient = arith::DivFOp::create(
            b, wideScale, math::SqrtOp::create(b, sumWithEps));
        return arith::TruncFOp::create(b, f32, quotient);
      });
  return result;
}

/// `input`, of type `inputType`, stored as `x`, normalized to what is stored as
/// `y`. `weight` and `bias` may be null.
static Value normalize(ImplicitLocOpBuilder &b, Value input,
                       quant::UniformQuantizedType inputType,
                       quant::UniformQuantizedType x, Value weight, Value bias,
                       quant::UniformQuantizedType y, const Groups &groups,
                       int64_t count) {
  Statistics statistics =
      computeStatistics(b, input, x, inputType, groups, count);
  auto type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs = {input, statistics.center, statistics.factor};
  SmallVector<AffineMap> maps = {identity, groups.group, groups.group};
  for (Value parameter : {weight, bias}) {
    if (!parameter)
      continue;
    inputs.push_back(parameter);
    maps.push_back(groups.parameter);
  }
  maps.push_back(identity);
  return parallel(
      b, inputs, emptyLike(b, type, input), maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value d =
            arith::SIToFPOp::create(b, b.getF32Type(), center(b, args[0], x));
        Value center = args[1], factor = args[2];
        Value gamma = weight ? args[3] : f32Constant(b, 1);
        Value beta = bias ? args[4] : f32Constant(b, 0);
        Value v;
        switch (groups.formula) {
        case Groups::Layer: {
          Value scaled = arith::MulFOp::create(
              b, arith::SubFOp::create(b, d, center), factor);
          v = math::FmaOp::create(b, scaled, gamma, beta);
          break;
        }
        case Groups::Contiguous: {
          Value g = arith::MulFOp::create(b, factor, gamma);
          v = math::FmaOp::create(b, arith::SubFOp::create(b, d, center), g,
                                  beta);
          break;
        }
        case Groups::ChannelsLast: {
          Value g = arith::MulFOp::create(b, factor, gamma);
          Value h =
              math::FmaOp::create(b, arith::NegFOp::create(b, g), center, beta);
          v = math::FmaOp::create(b, d, g, h);
          break;
        }
        }
        return quantizeScalar(b, v, y, getOutputRange(y, /*relu=*/false));
      });
}

// layer_norm(x, w, b) -> quantize(fma((x - zx - c) * k, w, b)), c and k from
// the exact sums of x and of x^2
static Value lowerLayerNorm(LayerNormOp op, LayerNormOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  int64_t rank = op.getInput().getType().getRank();
  int64_t last = op.getNormalizedShape().size(), count = 1;
  for (int64_t size : op.getNormalizedShape())
    count *= size;
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  Groups groups;
  groups.group = identity.getMajorSubMap(rank - last);
  groups.parameter = identity.getMinorSubMap(last);
  // A map without results has no context of its own.
  if (last == rank)
    groups.group = AffineMap::get(rank, 0, b.getContext());
  groups.eps = op.getEps().convertToDouble();
  groups.formula = Groups::Layer;
  return normalize(b, adaptor.getInput(),
                   getQuantizedType(op.getInput().getType()),
                   b.stored(op.getInput()), adaptor.getWeight(),
                   adaptor.getBias(), b.stored(op.getOutput()), groups, count);
}

/// Of `rank` dimensions, the last one as two.
static SmallVector<ReassociationIndices> splitLast(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back({d});
  groups.back().push_back(rank);
  return groups;
}

/// group_norm and instance_norm.
template <typename OpTy>
static Value lowerChannelNorm(OpTy op, typename OpTy::Adaptor adaptor,
                              LoweringBuilder &b) {
  auto type = b.resultType(op);
  int64_t rank = type.getRank(), channels = type.getShape().back();
  int64_t count = channels;
  if constexpr (std::is_same_v<OpTy, GroupNormOp>)
    count = op.getNumGroups();
  int64_t inner = channels / count, pixels = 1;
  for (int64_t size : type.getShape().drop_front().drop_back())
    pixels *= size;

  // [.., channels] -> [.., groups, channels / groups]
  auto split = [&](Value value) -> Value {
    if (!value)
      return {};
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(from.getShape().drop_back());
    shape.append({count, inner});
    return tensor::ExpandShapeOp::create(b, from.clone(shape), value,
                                         splitLast(from.getRank()));
  };
  AffineMap identity = b.getMultiDimIdentityMap(rank + 1);
  unsigned group = rank - 1;
  Groups groups;
  groups.group = identity.getSubMap({0u, group});
  groups.parameter = identity.getMinorSubMap(2);
  groups.eps = op.getEps().convertToDouble();
  groups.formula =
      op.getChannelsLast() ? Groups::ChannelsLast : Groups::Contiguous;
  Value input = split(adaptor.getInput()), weight = split(adaptor.getWeight()),
        bias = split(adaptor.getBias());
  Value result = normalize(b, input, getQuantizedType(op.getInput().getType()),
                           b.stored(op.getInput()), weight, bias,
                           b.stored(op.getOutput()), groups, pixels * inner);
  return tensor::CollapseShapeOp::create(b, type, result, splitLast(rank));
}

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

/// Slope and offset of each channel, in steps of the result: constants, if the
/// operands of `op` are.
static std::pair<Value, Value> getChannelAffine(ImplicitLocOpBuilder &b,
                                                BatchNormOp op, Value weight,
                                                Value bias, Value mean,
                                                Value var) {
  double sx = getQuantizedType(op.getInput().getType()).getScale(),
         sy = getQuantizedType(op.getOutput().getType()).getScale();
  double eps = op.getEps().convertToDouble();
  auto weights = ConstantElements<float>::read(weight),
       biases = ConstantElements<float>::read(bias),
       means = ConstantElements<float>::read(mean),
       vars = ConstantElements<float>::read(var);
  if (weights && biases && means && vars) {
    SmallVector<float> slopes, offsets;
    for (int64_t c = 0; c < weights->size(); ++c) {
      numerics::ChannelAffine affine = numerics::batchNormAffine(
          (*weights)[c], (*biases)[c], (*means)[c], (*vars)[c], eps, sx, sy);
      slopes.push_back(affine.scale);
      offsets.push_back(affine.offset);
    }
    int64_t channels = slopes.size();
    return {constantTensor(b, ArrayRef<float>(slopes), {channels}),
            constantTensor(b, ArrayRef<float>(offsets), {channels})};
  }

  Type f32 = b.getF32Type(), f64 = b.getF64Type();
  auto wide = [&](ImplicitLocOpBuilder &b, double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  Value reciprocals = elementwise(
      b, var, f32, [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value sum = arith::AddFOp::create(b, args[0], f32Constant(b, eps));
        Value one = f32Constant(b, 1);
        return arith::DivFOp::create(b, one, math::SqrtOp::create(b, sum));
      });
  Value slopes =
      elementwise(b, {reciprocals, weight}, f32,
                  [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                    Value product = arith::MulFOp::create(b, args[0], args[1]);
                    Value exact = arith::ExtFOp::create(b, f64, product);
                    Value scaled =
                        arith::MulFOp::create(b, exact, wide(b, sx / sy));
                    return arith::TruncFOp::create(b, f32, scaled);
                  });
  Value offsets =
      elementwise(b, {mean, reciprocals, weight, bias}, f32,
                  [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                    Value product = arith::MulFOp::create(
                        b, arith::MulFOp::create(b, args[0], args[1]), args[2]);
                    Value offset = arith::SubFOp::create(b, args[3], product);
                    Value exact = arith::ExtFOp::create(b, f64, offset);
                    Value scaled = arith::DivFOp::create(b, exact, wide(b, sy));
                    return arith::TruncFOp::create(b, f32, scaled);
                  });
  return {slopes, offsets};
}

// batch_norm(x) -> clamp(zy + rne(fma(a, x - zx, b)), lo, qmax), for each
// channel
static Value lowerBatchNorm(BatchNormOp op, BatchNormOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  auto x = b.stored(op.getInput()), y = b.stored(op.getOutput());
  auto [slopes, offsets] =
      getChannelAffine(b, op, adaptor.getWeight(), adaptor.getBias(),
                       adaptor.getMean(), adaptor.getVar());
  auto type = b.resultType(op);
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap channel = identity.getMinorSubMap(1);
  return parallel(b, {adaptor.getInput(), slopes, offsets},
                  emptyLike(b, type, adaptor.getInput()),
                  {identity, channel, channel, identity},
                  [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                    Value d = arith::SIToFPOp::create(b, b.getF32Type(),
                                                      center(b, args[0], x));
                    Value v = math::FmaOp::create(b, args[1], d, args[2]);
                    Value integer =
                        roundScalar(b, v, i32Constant(b, y.getZeroPoint()),
                                    getOutputRange(y, op.getRelu()));
                    return arith::TruncIOp::create(b, b.getI8Type(), integer);
                  });
}

void qnnpack::populateNormalizationPatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerLayerNorm,
               lowerChannelNorm<GroupNormOp>, lowerChannelNorm<InstanceNormOp>,
               lowerBatchNorm);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv2d and linear: a linalg.generic that adds products of integers to the
// bias, and one that requantizes.
//
//   sum (x - zx) * (w - zw) + b  =  sum x * w' + (b - zx * sum w'),  w' = w -
//   zw
//
// Padding with zx makes this hold at the borders, too. If the weight is a
// constant, w' and the new bias are computed here, and the output channel
// becomes the innermost dimension of w': the innermost loop then adds one
// input times a row of w' to a row of accumulators, without a reduction.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The zero point of each output channel of the weight type `type`.
static SmallVector<int64_t> getWeightZeroPoints(ShapedType type) {
  int64_t channels = type.getDimSize(0);
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType()))
    return SmallVector<int64_t>(perAxis.getZeroPoints());
  return SmallVector<int64_t>(
      channels,
      cast<quant::UniformQuantizedType>(type.getElementType()).getZeroPoint());
}

//===----------------------------------------------------------------------===//
// Weight and bias
//===----------------------------------------------------------------------===//

namespace {
/// Operands of the sum of products, free of zero points.
struct Operands {
  Value weight; // i8 or i16, in the layout that `rows` says
  Value bias;   // [out], i32
  bool rows;    // whether the weight is [taps..., in, out] or as it came
};
} // namespace

/// w' and the bias, both constants. `groups` splits the output channels into
/// [groups, out / groups].
static Operands foldConstants(ImplicitLocOpBuilder &b, ArrayRef<int8_t> weight,
                              ShapedType type,
                              std::optional<SmallVector<int32_t>> bias,
                              Value biasValue, int64_t inputZeroPoint,
                              int64_t groups) {
  int64_t out = type.getDimSize(0);
  int64_t depth = out == 0 ? 0 : type.getNumElements() / out;
  int64_t in = type.getShape().back(), taps = in == 0 ? 0 : depth / in;
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(type);

  // [out, taps, in] -> [taps, groups, in, out / groups]
  int64_t outPerGroup = out / groups;
  SmallVector<int16_t> reordered(weight.size());
  SmallVector<int32_t> offset(out);
  bool fitsByte = true;
  for (int64_t o = 0; o < out; ++o) {
    uint32_t sum = 0;
    int64_t group = o / outPerGroup, column = o % outPerGroup;
    for (int64_t tap = 0; tap < taps; ++tap) {
      for (int64_t i = 0; i < in; ++i) {
        int32_t value = weight[(o * taps + tap) * in + i] -
                        static_cast<int32_t>(zeroPoints[o]);
        sum += static_cast<uint32_t>(value);
        fitsByte &= value >= -128 && value <= 127;
        reordered[((tap * groups + group) * in + i) * outPerGroup + column] =
            static_cast<int16_t>(value);
      }
    }
    offset[o] =
        static_cast<int32_t>(0u - static_cast<uint32_t>(inputZeroPoint) * sum);
  }

  SmallVector<int64_t> shape(type.getShape().drop_front().drop_back());
  if (groups != 1)
    shape.push_back(groups);
  shape.append({in, outPerGroup});
  Operands result;
  result.rows = true;
  if (fitsByte)
    result.weight = constantTensor(
        b, SmallVector<int8_t>(ArrayRef<int16_t>(reordered)), shape);
  else
    result.weight = constantTensor(b, ArrayRef<int16_t>(reordered), shape);

  if (biasValue && !bias) {
    Value constant = constantTensor(b, ArrayRef<int32_t>(offset), {out});
    result.bias =
        elementwise(b, {biasValue, constant}, b.getI32Type(),
                    [](ImplicitLocOpBuilder &b, ValueRange args) {
                      return Value(arith::AddIOp::create(b, args[0], args[1]));
                    });
    return result;
  }
  for (int64_t o = 0; bias && o < out; ++o)
    offset[o] = static_cast<int32_t>(static_cast<uint32_t>(offset[o]) +
                                     static_cast<uint32_t>((*bias)[o]));
  result.bias = constantTensor(b, ArrayRef<int32_t>(offset), {out});
  return result;
}

/// The same at run time; the weight keeps its layout.
static Operands foldValues(ImplicitLocOpBuilder &b, Value weight,
                           ShapedType type, Value bias,
                           int64_t inputZeroPoint) {
  int64_t out = type.getDimSize(0), rank = type.getRank();
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(type);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(0));
  if (llvm::any_of(zeroPoints, [](int64_t zero) { return zero != 0; })) {
    Value zeros = constantTensor(
        b, SmallVector<int16_t>(ArrayRef<int64_t>(zeroPoints)), {out});
    Value init = tensor::EmptyOp::create(b, type.getShape(), b.getI16Type());
    weight = generic(
        b, {weight, zeros}, init, {identity, channel, identity},
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value wide = arith::ExtSIOp::create(b, b.getI16Type(), args[0]);
          return arith::SubIOp::create(b, wide, args[1]);
        });
  }
  if (!bias)
    bias = constantTensor(b, SmallVector<int32_t>(out, 0), {out});
  if (inputZeroPoint != 0) {
    SmallVector<utils::IteratorType> loops(rank,
                                           utils::IteratorType::reduction);
    loops[0] = utils::IteratorType::parallel;
    bias = generic(b, weight, bias, {identity, channel}, loops,
                   [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                     Value wide =
                         arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
                     Value product = arith::MulIOp::create(
                         b, wide, i32Constant(b, inputZeroPoint));
                     return arith::SubIOp::create(b, args[1], product);
                   });
  }
  return {weight, bias, /*rows=*/false};
}

static Operands getOperands(ImplicitLocOpBuilder &b, Value weight,
                            ShapedType weightType, Value bias,
                            ShapedType inputType, int64_t groups) {
  int64_t zeroPoint = getQuantizedType(inputType).getZeroPoint();
  std::optional<SmallVector<int8_t>> values = readConstant<int8_t>(weight);
  if (!values)
    return foldValues(b, weight, weightType, bias, zeroPoint);
  std::optional<SmallVector<int32_t>> biasValues;
  if (bias)
    biasValues = readConstant<int32_t>(bias);
  return foldConstants(b, *values, weightType, std::move(biasValues), bias,
                       zeroPoint, groups);
}

//===----------------------------------------------------------------------===//
// Sum and requantization
//===----------------------------------------------------------------------===//

/// acc + x * w, in i32.
static Value accumulate(ImplicitLocOpBuilder &b, ValueRange args,
                        quant::QuantizedType inputType) {
  Value x = extend(b, args[0], inputType);
  Value w = arith::ExtSIOp::create(b, b.getI32Type(), args[1]);
  return arith::AddIOp::create(b, args[2], arith::MulIOp::create(b, x, w));
}

/// `bias` in each row of an i32 tensor of the shape of `type`.
static Value broadcastBias(ImplicitLocOpBuilder &b, Value bias,
                           RankedTensorType type, Value like) {
  Value init = emptyLike(b, type.clone(b.getI32Type()), like);
  SmallVector<int64_t> added =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  return linalg::BroadcastOp::create(b, bias, init, added)->getResult(0);
}

/// The integers of `type` from `accumulators`, channels last.
static Value requantizeChannels(ImplicitLocOpBuilder &b, Value accumulators,
                                Type input, Type weight, Type output,
                                bool relu) {
  auto type = getQuantizedType(output);
  SmallVector<float> multipliers =
      getRequantizationMultipliers(input, weight, output);
  auto accType = cast<RankedTensorType>(accumulators.getType());
  int64_t rank = accType.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs = {accumulators};
  SmallVector<AffineMap> maps = {identity};
  bool perChannel = !llvm::all_equal(multipliers);
  if (perChannel) {
    inputs.push_back(
        constantTensor(b, ArrayRef<float>(multipliers),
                       {static_cast<int64_t>(multipliers.size())}));
    maps.push_back(AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1)));
  }
  maps.push_back(identity);
  double largest =
      0x1p31 * (multipliers.empty() ? 0 : *llvm::max_element(multipliers));
  Value init = emptyLike(b, accType.clone(b.getI8Type()), accumulators);
  return generic(
      b, inputs, init, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value multiplier = perChannel ? args[1]
                           : multipliers.empty()
                               ? f32Constant(b, 1)
                               : f32Constant(b, multipliers[0]);
        return requantize(b, args[0], multiplier, type.getZeroPoint(),
                          getOutputRange(type, relu), largest,
                          type.isSigned() ? Overflow::ToHighest
                                          : Overflow::ToLowest);
      });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct LowerConv2d : Lowering<Conv2dOp> {
  using Lowering::Lowering;

  Value rewrite(Conv2dOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    ShapedType inputType = op.getInput().getType();
    ShapedType weightType = op.getWeight().getType();
    int64_t groups = op.getGroups();
    auto type = resultType(op);
    Operands operands = getOperands(b, adaptor.getWeight(), weightType,
                                    adaptor.getBias(), inputType, groups);
    Value x =
        padImage(b, adaptor.getInput(),
                 getQuantizedType(inputType).getZeroPoint(), op.getPadding());
    Value acc = broadcastBias(b, operands.bias, type, x);

    auto pixel = [&](int axis, AffineExpr out, AffineExpr tap) {
      return out * op.getStride()[axis] + tap * op.getDilation()[axis];
    };
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) {
      return accumulate(b, args,
                        cast<quant::QuantizedType>(inputType.getElementType()));
    };
    if (groups == 1) {
      AffineExpr n, oh, ow, kh, kw, i, o;
      bindDims(b.getContext(), n, oh, ow, kh, kw, i, o);
      auto map = [&](ArrayRef<AffineExpr> exprs) {
        return AffineMap::get(7, 0, exprs, b.getContext());
      };
      AffineMap xMap = map({n, pixel(0, oh, kh), pixel(1, ow, kw), i});
      AffineMap wMap =
          operands.rows ? map({kh, kw, i, o}) : map({o, kh, kw, i});
      acc = generic(b, {x, operands.weight}, acc,
                    {xMap, wMap, map({n, oh, ow, o})}, loopKinds("ppprrrp"),
                    body);
    } else if (groups == inputType.getDimSize(3) &&
               groups == type.getDimSize(3)) {
      // Depthwise: the channel is the only inner dimension.
      Value weight = operands.weight;
      SmallVector<ReassociationIndices> merge = {{0}, {1}, {2, 3, 4}};
      if (!operands.rows)
        merge = {{0}, {1}, {2, 3}};
      weight = tensor::CollapseShapeOp::create(b, weight, merge);
      AffineExpr n, oh, ow, kh, kw, c;
      bindDims(b.getContext(), n, oh, ow, kh, kw, c);
      auto map = [&](ArrayRef<AffineExpr> exprs) {
        return AffineMap::get(6, 0, exprs, b.getContext());
      };
      AffineMap xMap = map({n, pixel(0, oh, kh), pixel(1, ow, kw), c});
      AffineMap wMap = operands.rows ? map({kh, kw, c}) : map({c, kh, kw});
      acc = generic(b, {x, weight}, acc, {xMap, wMap, map({n, oh, ow, c})},
                    loopKinds("ppprrp"), body);
    } else {
      // [.., channels] -> [.., groups, channels / groups]
      SmallVector<ReassociationIndices> split = {{0}, {1}, {2}, {3, 4}};
      auto grouped = [&](Value image) -> Value {
        auto from = cast<RankedTensorType>(image.getType());
        SmallVector<int64_t> shape(from.getShape().drop_back());
        shape.append({groups, from.getShape().back() / groups});
        return tensor::ExpandShapeOp::create(b, from.clone(shape), image,
                                             split);
      };
      Value weight = operands.weight;
      if (!operands.rows) {
        auto from = cast<RankedTensorType>(weight.getType());
        SmallVector<int64_t> shape = {groups, from.getDimSize(0) / groups};
        llvm::append_range(shape, from.getShape().drop_front());
        weight = tensor::ExpandShapeOp::create(
            b, from.clone(shape), weight,
            SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}, {4}});
      }
      AffineExpr n, oh, ow, g, kh, kw, i, o;
      bindDims(b.getContext(), n, oh, ow, g, kh, kw, i, o);
      auto map = [&](ArrayRef<AffineExpr> exprs) {
        return AffineMap::get(8, 0, exprs, b.getContext());
      };
      AffineMap xMap = map({n, pixel(0, oh, kh), pixel(1, ow, kw), g, i});
      AffineMap wMap =
          operands.rows ? map({kh, kw, g, i, o}) : map({g, o, kh, kw, i});
      Value sums = generic(b, {grouped(x), weight}, grouped(acc),
                           {xMap, wMap, map({n, oh, ow, g, o})},
                           loopKinds("pppprrrp"), body);
      acc = tensor::CollapseShapeOp::create(b, type.clone(b.getI32Type()), sums,
                                            split);
    }
    return requantizeChannels(b, acc, inputType, weightType,
                              op.getOutput().getType(), op.getRelu());
  }
};

struct LowerLinear : Lowering<LinearOp> {
  using Lowering::Lowering;

  Value rewrite(LinearOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    ShapedType inputType = op.getInput().getType();
    ShapedType weightType = op.getWeight().getType();
    Operands operands = getOperands(b, adaptor.getWeight(), weightType,
                                    adaptor.getBias(), inputType, /*groups=*/1);
    Value x = adaptor.getInput();
    auto type = resultType(op);
    Value acc = broadcastBias(b, operands.bias, type, x);

    // Loops: the leading dimensions, in, out.
    int64_t lead = inputType.getRank() - 1;
    SmallVector<AffineExpr> dims;
    for (int64_t d = 0; d < lead; ++d)
      dims.push_back(b.getAffineDimExpr(d));
    AffineExpr i = b.getAffineDimExpr(lead), o = b.getAffineDimExpr(lead + 1);
    auto map = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(lead + 2, 0, exprs, b.getContext());
    };
    auto with = [&](AffineExpr last) {
      SmallVector<AffineExpr> exprs(dims);
      exprs.push_back(last);
      return map(exprs);
    };
    SmallVector<utils::IteratorType> loops(lead, utils::IteratorType::parallel);
    loops.append(
        {utils::IteratorType::reduction, utils::IteratorType::parallel});
    acc = generic(b, {x, operands.weight}, acc,
                  {with(i), operands.rows ? map({i, o}) : map({o, i}), with(o)},
                  loops, [&](ImplicitLocOpBuilder &b, ValueRange args) {
                    return accumulate(
                        b, args,
                        cast<quant::QuantizedType>(inputType.getElementType()));
                  });
    return requantizeChannels(b, acc, inputType, weightType,
                              op.getOutput().getType(), op.getRelu());
  }
};
} // namespace

void qnnpack::populateConvolutionPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerConv2d, LowerLinear>(converter, patterns.getContext());
}

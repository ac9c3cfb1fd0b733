// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weight and bias free of zero points, sums of products, requantization.

#include "Weights.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The zero point of each output channel of the weight type `type`.
static SmallVector<int64_t> getChannelZeroPoints(ShapedType type) {
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(type);
  if (zeroPoints.size() == 1)
    zeroPoints.resize(type.getDimSize(0), zeroPoints.front());
  return zeroPoints;
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

namespace {
/// Where the taps of a kernel go.
struct TapLayout {
  SmallVector<int64_t> shape;  // of the taps
  SmallVector<int64_t> phases; // of the bias, before the channel
  // Without phases taps keep their places, and these are empty.
  SmallVector<int64_t> positions; // of each tap, row-major in `shape`
  SmallVector<int64_t> phaseOf;   // each tap, row-major in `phases`

  int64_t getPosition(int64_t tap) const {
    return positions.empty() ? tap : positions[tap];
  }
  int64_t getPhase(int64_t tap) const {
    return phaseOf.empty() ? 0 : phaseOf[tap];
  }
};
} // namespace

static TapLayout layOutTaps(ArrayRef<int64_t> kernel,
                            const std::optional<Phases> &phases) {
  TapLayout layout;
  if (!phases) {
    layout.shape.assign(kernel.begin(), kernel.end());
    return layout;
  }
  layout.positions = layout.phaseOf = {0};
  for (auto [i, size] : llvm::enumerate(kernel)) {
    int64_t dilation = phases->dilation[i], stride = phases->stride[i];
    layout.shape.append({phases->countTaps(i, size), stride});
    layout.phases.push_back(stride);
    int64_t extent = phases->countTaps(i, size) * stride;
    SmallVector<int64_t> positions, phaseOf;
    for (auto [position, phase] :
         llvm::zip_equal(layout.positions, layout.phaseOf))
      for (int64_t k = 0; k < size; ++k) {
        positions.push_back(position * extent + k * dilation);
        phaseOf.push_back(phase * stride + k * dilation % stride);
      }
    layout.positions = std::move(positions);
    layout.phaseOf = std::move(phaseOf);
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Weight and bias
//===----------------------------------------------------------------------===//

/// Whether w' is one number everywhere: phases have zeros where there is no
/// tap.
static bool staysSplat(const ConstantElements<int8_t> &weight,
                       ArrayRef<int64_t> zeroPoints,
                       const std::optional<Phases> &phases) {
  return weight.isSplat() && !phases && llvm::all_equal(zeroPoints);
}

/// w' in the layout of `Operands::rows`: [out, taps, in] becomes
/// [taps, groups, in, out / groups].
template <typename T>
static SmallVector<T, 0> arrangeRows(const ConstantElements<int8_t> &weight,
                                     ArrayRef<int64_t> zeroPoints, int64_t taps,
                                     int64_t in, int64_t groups,
                                     const TapLayout &layout) {
  int64_t out = zeroPoints.size();
  int64_t outPerGroup = out / groups;
  SmallVector<T, 0> rows(ShapedType::getNumElements(layout.shape) * in * out);
  for (int64_t o = 0; o < out; ++o) {
    int64_t group = o / outPerGroup, column = o % outPerGroup;
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t row = (layout.getPosition(tap) * groups + group) * in;
      for (int64_t i = 0; i < in; ++i)
        rows[(row + i) * outPerGroup + column] =
            static_cast<T>(weight[(o * taps + tap) * in + i] - zeroPoints[o]);
    }
  }
  return rows;
}

/// w' and the bias, both constants. `groups` splits the output channels into
/// [groups, out / groups].
static Operands
foldConstants(ImplicitLocOpBuilder &b, const ConstantElements<int8_t> &weight,
              ShapedType type,
              const std::optional<ConstantElements<int32_t>> &bias,
              Value biasValue, int64_t inputZeroPoint, int64_t groups,
              const std::optional<Phases> &phases) {
  int64_t out = type.getDimSize(0), in = type.getShape().back();
  TapLayout layout =
      layOutTaps(type.getShape().drop_front().drop_back(), phases);
  int64_t taps =
      ShapedType::getNumElements(type.getShape().drop_front().drop_back());
  SmallVector<int64_t> zeroPoints = getChannelZeroPoints(type);

  bool isSplat = staysSplat(weight, zeroPoints, phases);
  int64_t phaseCount = ShapedType::getNumElements(layout.phases);
  SmallVector<uint32_t> offset(phaseCount * out);
  bool fitsByte = true;
  auto getValue = [&](int64_t o, int64_t i) {
    int32_t value = weight[i] - static_cast<int32_t>(zeroPoints[o]);
    fitsByte &= value >= -128 && value <= 127;
    return static_cast<uint32_t>(value);
  };
  if (isSplat) {
    // A product stands for the sum.
    uint32_t sum = getValue(0, 0) * static_cast<uint32_t>(taps * in);
    offset.assign(out, -(static_cast<uint32_t>(inputZeroPoint) * sum));
  } else {
    for (int64_t o = 0; o < out; ++o)
      for (int64_t tap = 0; tap < taps; ++tap) {
        uint32_t sum = 0;
        for (int64_t i = 0; i < in; ++i)
          sum += getValue(o, (o * taps + tap) * in + i);
        offset[layout.getPhase(tap) * out + o] -=
            static_cast<uint32_t>(inputZeroPoint) * sum;
      }
  }

  SmallVector<int64_t> shape = layout.shape, biasShape = layout.phases;
  if (groups != 1)
    shape.push_back(groups);
  shape.append({in, out / groups});
  biasShape.push_back(out);
  Operands result;
  result.rows = true;
  auto arrange = [&](auto zero) {
    using T = decltype(zero);
    SmallVector<T, 0> rows;
    if (isSplat)
      rows.push_back(static_cast<T>(weight[0] - zeroPoints[0]));
    else
      rows = arrangeRows<T>(weight, zeroPoints, taps, in, groups, layout);
    return constantTensor(b, ArrayRef<T>(rows), shape);
  };
  result.weight = fitsByte ? arrange(int8_t(0)) : arrange(int16_t(0));

  for (auto [i, value] : llvm::enumerate(offset))
    if (bias)
      value += static_cast<uint32_t>((*bias)[i % out]);
  result.bias = constantTensor(
      b, SmallVector<int32_t>(ArrayRef<uint32_t>(offset)), biasShape);
  if (!biasValue || bias)
    return result;
  int64_t rank = biasShape.size();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));
  Value init = tensor::EmptyOp::create(b, biasShape, b.getI32Type());
  result.bias = generic(
      b, {biasValue, result.bias}, init, {channel, identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        return arith::AddIOp::create(b, args[0], args[1]);
      });
  return result;
}

/// `weight`, [out, taps..., in], with each axis of taps as the two dimensions
/// of `phases`.
static Value splitPhases(ImplicitLocOpBuilder &b, Value weight,
                         const Phases &phases) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t axes = type.getRank() - 2;
  SmallVector<int64_t> spread = {type.getDimSize(0)}, split = spread;
  SmallVector<OpFoldResult> steps = {b.getIndexAttr(1)};
  SmallVector<ReassociationIndices> dims = {{0}};
  for (int64_t i = 0; i < axes; ++i) {
    int64_t count = phases.countTaps(i, type.getDimSize(1 + i));
    spread.push_back(count * phases.stride[i]);
    split.append({count, phases.stride[i]});
    steps.push_back(b.getIndexAttr(phases.dilation[i]));
    dims.push_back({1 + 2 * i, 2 + 2 * i});
  }
  spread.push_back(type.getShape().back());
  split.push_back(type.getShape().back());
  steps.push_back(b.getIndexAttr(1));
  dims.push_back({1 + 2 * axes});
  if (type.getShape() != ArrayRef(spread)) {
    Type element = type.getElementType();
    Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(element, 0));
    Value zeros = filled(b, zero, type.clone(spread), weight);
    weight = tensor::InsertSliceOp::create(
        b, weight, zeros,
        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(0)),
        tensor::getMixedSizes(b, b.getLoc(), weight), steps);
  }
  return tensor::ExpandShapeOp::create(b, type.clone(split), weight, dims);
}

/// The same at run time; the channels of the weight keep their place.
static Operands foldValues(ImplicitLocOpBuilder &b, Value weight,
                           ShapedType type, Value bias, int64_t inputZeroPoint,
                           const std::optional<Phases> &phases) {
  int64_t out = type.getDimSize(0), rank = type.getRank();
  SmallVector<int64_t> zeroPoints = getChannelZeroPoints(type);
  if (llvm::any_of(zeroPoints, [](int64_t zero) { return zero != 0; })) {
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(0));
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
  if (phases)
    weight = splitPhases(b, weight, *phases);

  TapLayout layout =
      layOutTaps(type.getShape().drop_front().drop_back(), phases);
  int64_t phaseAxes = layout.phases.size();
  SmallVector<int64_t> biasShape = layout.phases;
  biasShape.push_back(out);
  if (!bias)
    bias = constantTensor(
        b, SmallVector<int32_t>(ShapedType::getNumElements(biasShape), 0),
        biasShape);
  else if (phases)
    bias =
        broadcastBias(b, bias, RankedTensorType::get(biasShape, b.getI32Type()),
                      bias, llvm::to_vector(llvm::seq<int64_t>(0, phaseAxes)));
  if (inputZeroPoint != 0) {
    rank = cast<RankedTensorType>(weight.getType()).getRank();
    SmallVector<utils::IteratorType> loops(rank,
                                           utils::IteratorType::reduction);
    Exprs kept;
    for (int64_t i = 0; i < phaseAxes; ++i) {
      kept.push_back(b.getAffineDimExpr(2 + 2 * i));
      loops[2 + 2 * i] = utils::IteratorType::parallel;
    }
    kept.push_back(b.getAffineDimExpr(0));
    loops[0] = utils::IteratorType::parallel;
    bias = generic(
        b, weight, bias,
        {b.getMultiDimIdentityMap(rank),
         AffineMap::get(rank, 0, kept, b.getContext())},
        loops, [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value wide = arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
          Value product =
              arith::MulIOp::create(b, wide, i32Constant(b, inputZeroPoint));
          return arith::SubIOp::create(b, args[1], product);
        });
  }
  return {weight, bias, /*rows=*/false};
}

Operands qnnpack::getOperands(ImplicitLocOpBuilder &b, Value weight,
                              ShapedType type, Value bias,
                              int64_t inputZeroPoint, int64_t groups,
                              const std::optional<Phases> &phases) {
  auto values = ConstantElements<int8_t>::read(weight);
  if (!values || (!values->canExpand() &&
                  !staysSplat(*values, getChannelZeroPoints(type), phases)))
    return foldValues(b, weight, type, bias, inputZeroPoint, phases);
  std::optional<ConstantElements<int32_t>> biasValues;
  if (bias)
    biasValues = ConstantElements<int32_t>::read(bias);
  return foldConstants(b, *values, type, biasValues, bias, inputZeroPoint,
                       groups, phases);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value qnnpack::broadcastBias(ImplicitLocOpBuilder &b, Value bias,
                             RankedTensorType type, Value like,
                             ArrayRef<int64_t> added) {
  Value init = emptyLike(b, type.clone(b.getI32Type()), like);
  return linalg::BroadcastOp::create(b, bias, init, added)->getResult(0);
}

/// The channels, the last dimension of `value`, as [groups, channels / groups].
static Value splitChannels(ImplicitLocOpBuilder &b, Value value, int64_t groups,
                           ArrayRef<ReassociationIndices> split) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({groups, type.getShape().back() / groups});
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, split);
}

/// Dimensions 0 to `count` - 1 as they are.
static SmallVector<ReassociationIndices> keepDims(int64_t count) {
  SmallVector<ReassociationIndices> dims;
  for (int64_t d = 0; d < count; ++d)
    dims.push_back({d});
  return dims;
}

Value qnnpack::addProducts(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                           const Operands &operands, Value sums, int64_t groups,
                           int64_t taps, Positions positions) {
  auto inputType = cast<RankedTensorType>(input.getType());
  auto type = cast<RankedTensorType>(sums.getType());
  Value weight = operands.weight;
  auto weightType = cast<RankedTensorType>(weight.getType());
  int64_t outer = type.getRank() - 1;
  bool grouped = groups != 1;
  // One channel each: the channel is the only inner dimension.
  bool depthwise = grouped && groups == inputType.getShape().back() &&
                   groups == type.getShape().back();

  // Loops: those of the sums, groups, taps, input channels, output channels.
  int64_t loopCount = 0;
  std::string kinds;
  auto addLoops = [&](int64_t count, char kind) {
    Exprs loops;
    for (int64_t i = 0; i < count; ++i)
      loops.push_back(b.getAffineDimExpr(loopCount++));
    kinds.append(count, kind);
    return loops;
  };
  Exprs outerLoops = addLoops(outer, 'p');
  Exprs group = addLoops(grouped && !depthwise, 'p');
  Exprs tapLoops = addLoops(taps, 'r');
  Exprs in = addLoops(!depthwise, 'r');
  Exprs out = addLoops(1, 'p');

  Exprs inputExprs, weightTaps, weightExprs, sumExprs = outerLoops;
  positions(outerLoops, tapLoops, inputExprs, weightTaps);
  llvm::append_range(inputExprs, group);
  llvm::append_range(inputExprs, depthwise ? out : in);
  llvm::append_range(sumExprs, group);
  llvm::append_range(sumExprs, out);
  if (operands.rows) {
    weightExprs = weightTaps;
    llvm::append_range(weightExprs, group);
    llvm::append_range(weightExprs, in);
    llvm::append_range(weightExprs, out);
  } else {
    weightExprs = group;
    llvm::append_range(weightExprs, out);
    llvm::append_range(weightExprs, weightTaps);
    llvm::append_range(weightExprs, in);
  }

  SmallVector<ReassociationIndices> split = keepDims(outer);
  split.push_back({outer, outer + 1});
  if (depthwise) {
    // [taps..., groups, 1, 1] or [groups, taps..., 1]
    int64_t rank = weightType.getRank(), kept = rank - (operands.rows ? 3 : 2);
    SmallVector<ReassociationIndices> merge = keepDims(kept);
    merge.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(kept, rank)));
    weight = tensor::CollapseShapeOp::create(b, weight, merge);
  } else if (grouped) {
    SmallVector<ReassociationIndices> splitInput =
        keepDims(inputType.getRank() - 1);
    splitInput.push_back({inputType.getRank() - 1, inputType.getRank()});
    input = splitChannels(b, input, groups, splitInput);
    sums = splitChannels(b, sums, groups, split);
    if (!operands.rows) {
      SmallVector<int64_t> shape = {groups, weightType.getDimSize(0) / groups};
      llvm::append_range(shape, weightType.getShape().drop_front());
      SmallVector<ReassociationIndices> dims = {{0, 1}};
      for (int64_t d = 1; d < weightType.getRank(); ++d)
        dims.push_back({d + 1});
      weight = tensor::ExpandShapeOp::create(b, weightType.clone(shape), weight,
                                             dims);
    }
  }

  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loopCount, 0, exprs, b.getContext());
  };
  sums = generic(
      b, {input, weight}, sums,
      {map(inputExprs), map(weightExprs), map(sumExprs)}, loopKinds(kinds),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value x =
            isSigned
                ? Value(arith::ExtSIOp::create(b, b.getI32Type(), args[0]))
                : Value(arith::ExtUIOp::create(b, b.getI32Type(), args[0]));
        Value w = arith::ExtSIOp::create(b, b.getI32Type(), args[1]);
        return arith::AddIOp::create(b, args[2],
                                     arith::MulIOp::create(b, x, w));
      });
  if (grouped && !depthwise)
    sums = tensor::CollapseShapeOp::create(b, type, sums, split);
  return sums;
}

Value qnnpack::requantizeChannels(ImplicitLocOpBuilder &b, Value sums,
                                  Type input, Type weight, Type output,
                                  bool relu, bool mathematical) {
  auto type = getQuantizedType(output);
  SmallVector<float> multipliers =
      getRequantizationMultipliers(input, weight, output);
  auto sumType = cast<RankedTensorType>(sums.getType());
  int64_t rank = sumType.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs = {sums};
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
  Value init = emptyLike(b, sumType.clone(b.getI8Type()), sums);
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
                          type.isSigned() || mathematical ? Overflow::ToHighest
                                                          : Overflow::ToLowest);
      });
}

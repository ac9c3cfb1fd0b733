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
  SmallVector<int64_t> shape; // of the taps
  int64_t phases = 1;
  // Without phases taps keep their places, and these are empty.
  SmallVector<int64_t> positions; // of each tap, row-major in `shape`
  SmallVector<int64_t> phaseOf;   // each tap

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
    int64_t count = phases->countTaps(i, size);
    layout.shape.push_back(count);
    layout.phases *= stride;
    SmallVector<int64_t> positions, phaseOf;
    for (auto [position, phase] :
         llvm::zip_equal(layout.positions, layout.phaseOf))
      for (int64_t k = 0; k < size; ++k) {
        positions.push_back(position * count + count - 1 -
                            k * dilation / stride);
        phaseOf.push_back(phase * stride + k * dilation % stride);
      }
    layout.positions = std::move(positions);
    layout.phaseOf = std::move(phaseOf);
  }
  return layout;
}

namespace {
/// The dimensions of w'.
struct WeightShape {
  SmallVector<int64_t> taps;
  int64_t groups, in, out;
  bool outFirst; // [groups, out, taps..., in]

  WeightShape(ArrayRef<int64_t> taps, int64_t groups, int64_t in, int64_t out,
              bool named)
      : taps(taps), groups(groups), in(in), out(out),
        outFirst(named && groups != 1 && (in != 1 || out != 1)) {}

  SmallVector<int64_t> getShape() const {
    SmallVector<int64_t> shape;
    if (outFirst)
      shape = {groups, out};
    llvm::append_range(shape, taps);
    if (!outFirst && groups != 1)
      shape.push_back(groups);
    shape.push_back(in);
    if (!outFirst)
      shape.push_back(out);
    return shape;
  }

  int64_t getIndex(int64_t group, int64_t o, int64_t tap, int64_t i) const {
    return outFirst ? ((group * out + o) * ShapedType::getNumElements(taps) +
                       tap) * in +
                          i
                    : ((tap * groups + group) * in + i) * out + o;
  }
};
} // namespace

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

/// Dimensions 0 to `count` - 1 as they are.
static SmallVector<ReassociationIndices> keepDims(int64_t count) {
  SmallVector<ReassociationIndices> dims;
  for (int64_t d = 0; d < count; ++d)
    dims.push_back({d});
  return dims;
}

/// Dimensions `first` to `last` - 1, added as one to `dims`.
static void addMerged(SmallVectorImpl<ReassociationIndices> &dims,
                      int64_t first, int64_t last) {
  dims.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(first, last)));
}

Value qnnpack::splitLast(ImplicitLocOpBuilder &b, Value value,
                         ArrayRef<int64_t> parts) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t kept = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape().drop_back());
  llvm::append_range(shape, parts);
  SmallVector<ReassociationIndices> dims = keepDims(kept);
  addMerged(dims, kept, kept + parts.size());
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, dims);
}

/// `bias`, [out], as [groups, phases, out / groups], but in one dimension.
static Value repeatBias(ImplicitLocOpBuilder &b, Value bias, int64_t groups,
                        int64_t phases) {
  if (phases == 1)
    return bias;
  int64_t out = cast<ShapedType>(bias.getType()).getDimSize(0) / groups;
  Value init =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{groups, phases, out},
                              getElementTypeOrSelf(bias.getType()));
  Value repeated =
      linalg::BroadcastOp::create(b, splitLast(b, bias, {groups, out}), init, 1)
          ->getResult(0);
  return tensor::CollapseShapeOp::create(
      b, repeated, ArrayRef<ReassociationIndices>{{0, 1, 2}});
}

/// w' and the bias, both constants.
static Operands
foldConstants(ImplicitLocOpBuilder &b, const ConstantElements<int8_t> &weight,
              ShapedType type,
              const std::optional<ConstantElements<int32_t>> &bias,
              Value biasValue, int64_t inputZeroPoint, int64_t groups,
              bool named, const std::optional<Phases> &phases) {
  int64_t out = type.getDimSize(0), in = type.getShape().back();
  TapLayout layout =
      layOutTaps(type.getShape().drop_front().drop_back(), phases);
  int64_t taps =
      ShapedType::getNumElements(type.getShape().drop_front().drop_back());
  SmallVector<int64_t> zeroPoints = getChannelZeroPoints(type);
  int64_t perGroup = out / groups;
  WeightShape shape(layout.shape, groups, in, layout.phases * perGroup, named);
  // Of channel `o` in its group, in the phase of `tap`.
  auto getColumn = [&](int64_t o, int64_t tap) {
    return layout.getPhase(tap) * perGroup + o % perGroup;
  };

  bool isSplat = staysSplat(weight, zeroPoints, phases);
  SmallVector<uint32_t> offset(layout.phases * out);
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
        offset[o / perGroup * shape.out + getColumn(o, tap)] -=
            static_cast<uint32_t>(inputZeroPoint) * sum;
      }
  }

  Operands result;
  result.groups = groups;
  result.named = named;
  auto arrange = [&](auto zero) {
    using T = decltype(zero);
    SmallVector<T, 0> elements;
    if (isSplat) {
      elements.push_back(static_cast<T>(weight[0] - zeroPoints[0]));
    } else {
      elements.resize(ShapedType::getNumElements(shape.getShape()));
      for (int64_t o = 0; o < out; ++o)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t i = 0; i < in; ++i)
            elements[shape.getIndex(o / perGroup, getColumn(o, tap),
                                    layout.getPosition(tap), i)] =
                static_cast<T>(weight[(o * taps + tap) * in + i] -
                               zeroPoints[o]);
    }
    return constantTensor(b, ArrayRef<T>(elements), shape.getShape());
  };
  result.weight = fitsByte ? arrange(int8_t(0)) : arrange(int16_t(0));

  if (bias)
    for (auto [i, value] : llvm::enumerate(offset))
      value += static_cast<uint32_t>(
          (*bias)[i / shape.out * perGroup + i % perGroup]);
  result.bias =
      constantTensor(b, SmallVector<int32_t>(ArrayRef<uint32_t>(offset)),
                     {static_cast<int64_t>(offset.size())});
  if (!biasValue || bias)
    return result;
  result.bias = elementwise(
      b, {repeatBias(b, biasValue, groups, layout.phases), result.bias},
      b.getI32Type(), [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        return arith::AddIOp::create(b, args[0], args[1]);
      });
  return result;
}

/// `weight`, [out, taps..., in], with each axis of taps as the taps of a phase
/// and the phases: [out, taps, phases, ..., in].
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
  weight = tensor::ExpandShapeOp::create(b, type.clone(split), weight, dims);
  // The last tap first.
  auto splitType = cast<RankedTensorType>(weight.getType());
  return parallel(
      b, {}, emptyLike(b, splitType, weight),
      {b.getMultiDimIdentityMap(splitType.getRank())},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        SmallVector<Value> position;
        for (int64_t d = 0; d < splitType.getRank(); ++d) {
          position.push_back(linalg::IndexOp::create(b, d));
          if (d % 2 == 1 && d < 1 + 2 * axes)
            position.back() = arith::SubIOp::create(
                b,
                arith::ConstantIndexOp::create(b, splitType.getDimSize(d) - 1),
                position.back());
        }
        return tensor::ExtractOp::create(b, weight, position);
      });
}

/// The same at run time.
static Operands foldValues(ImplicitLocOpBuilder &b, Value weight,
                           ShapedType type, Value bias, int64_t inputZeroPoint,
                           int64_t groups, bool named,
                           const std::optional<Phases> &phases) {
  int64_t out = type.getDimSize(0), in = type.getShape().back();
  SmallVector<int64_t> zeroPoints = getChannelZeroPoints(type);
  if (llvm::any_of(zeroPoints, [](int64_t zero) { return zero != 0; })) {
    int64_t rank = type.getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(0));
    Value zeros = constantTensor(
        b, SmallVector<int16_t>(ArrayRef<int64_t>(zeroPoints)), {out});
    Value init = tensor::EmptyOp::create(b, type.getShape(), b.getI16Type());
    weight = parallel(b, {weight, zeros}, init, {identity, channel, identity},
                      [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                        Value wide =
                            arith::ExtSIOp::create(b, b.getI16Type(), args[0]);
                        return arith::SubIOp::create(b, wide, args[1]);
                      });
  }
  TapLayout layout =
      layOutTaps(type.getShape().drop_front().drop_back(), phases);
  int64_t axes = layout.shape.size();
  WeightShape shape(layout.shape, groups, in, layout.phases * out / groups,
                    named);
  if (phases)
    weight = splitPhases(b, weight, *phases);

  // [groups, out, taps and phases..., in] in the order of w', where phases are
  // of the output channels.
  auto split = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> splitShape = {groups, out / groups};
  llvm::append_range(splitShape, split.getShape().drop_front());
  SmallVector<ReassociationIndices> dims = {{0, 1}};
  for (int64_t d = 1; d < split.getRank(); ++d)
    dims.push_back({d + 1});
  weight =
      tensor::ExpandShapeOp::create(b, split.clone(splitShape), weight, dims);
  SmallVector<int64_t> tapDims, columns;
  for (int64_t i = 0; i < axes; ++i) {
    tapDims.push_back(2 + i * (phases ? 2 : 1));
    if (phases)
      columns.push_back(3 + 2 * i);
  }
  columns.push_back(1);
  int64_t inDim = split.getRank();
  SmallVector<int64_t> order;
  SmallVector<ReassociationIndices> merged;
  auto add = [&](SmallVector<int64_t> dims) {
    addMerged(merged, order.size(), order.size() + dims.size());
    llvm::append_range(order, dims);
  };
  if (shape.outFirst) {
    add({0});
    add(columns);
  }
  for (int64_t d : tapDims)
    add({d});
  // One group is no dimension.
  if (shape.outFirst) {
    add({inDim});
  } else if (groups == 1) {
    add({0, inDim});
    add(columns);
  } else {
    add({0});
    add({inDim});
    add(columns);
  }
  SmallVector<int64_t> ordered;
  for (int64_t d : order)
    ordered.push_back(splitShape[d]);
  Value init = tensor::EmptyOp::create(b, ordered, split.getElementType());
  weight = linalg::TransposeOp::create(b, weight, init, order)->getResult(0);
  if (merged.size() != order.size())
    weight = tensor::CollapseShapeOp::create(b, weight, merged);

  if (bias)
    bias = repeatBias(b, bias, groups, layout.phases);
  else
    bias = constantTensor(b, ArrayRef<int32_t>{0}, {layout.phases * out});
  if (inputZeroPoint != 0) {
    // [groups, out], in the places that w' has them.
    bias = splitLast(b, bias, {groups, shape.out});
    Value factors = groups == 1 ? splitLast(b, weight, {1, shape.out}) : weight;
    int64_t rank = cast<RankedTensorType>(factors.getType()).getRank();
    int64_t group = shape.outFirst ? 0 : groups == 1 ? rank - 2 : axes;
    int64_t column = shape.outFirst ? 1 : rank - 1;
    SmallVector<utils::IteratorType> loops(rank,
                                           utils::IteratorType::reduction);
    loops[group] = loops[column] = utils::IteratorType::parallel;
    bias = generic(
        b, factors, bias,
        {b.getMultiDimIdentityMap(rank),
         AffineMap::get(rank, 0,
                        {b.getAffineDimExpr(group), b.getAffineDimExpr(column)},
                        b.getContext())},
        loops, [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value wide = arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
          Value product =
              arith::MulIOp::create(b, wide, i32Constant(b, inputZeroPoint));
          return arith::SubIOp::create(b, args[1], product);
        });
    bias = tensor::CollapseShapeOp::create(
        b, bias, ArrayRef<ReassociationIndices>{{0, 1}});
  }
  return {weight, bias, groups, named};
}

Operands qnnpack::getOperands(ImplicitLocOpBuilder &b, Value weight,
                              ShapedType type, Value bias,
                              int64_t inputZeroPoint, int64_t groups,
                              bool named, const std::optional<Phases> &phases) {
  if (bias && getElementTypeOrSelf(bias.getType()).isInteger(64)) {
    Operands result = getOperands(b, weight, type, /*bias=*/{}, inputZeroPoint,
                                  groups, named, phases);
    int64_t count = cast<ShapedType>(result.bias.getType()).getDimSize(0) /
                    type.getDimSize(0);
    result.bias = repeatBias(b, bias, groups, count);
    return result;
  }
  auto values = ConstantElements<int8_t>::read(weight);
  if (!values || (!values->canExpand() &&
                  !staysSplat(*values, getChannelZeroPoints(type), phases)))
    return foldValues(b, weight, type, bias, inputZeroPoint, groups, named,
                      phases);
  std::optional<ConstantElements<int32_t>> biasValues;
  if (bias)
    biasValues = ConstantElements<int32_t>::read(bias);
  return foldConstants(b, *values, type, biasValues, bias, inputZeroPoint,
                       groups, named, phases);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value qnnpack::convolve(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                        const Operands &operands, RankedTensorType type,
                        ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations) {
  auto inputType = cast<RankedTensorType>(input.getType());
  Value weight = operands.weight;
  auto weightType = cast<RankedTensorType>(weight.getType());
  int64_t outer = type.getRank() - 1, groups = operands.groups;
  int64_t channels = inputType.getShape().back(), out = type.getShape().back();
  bool grouped = groups != 1;
  // One channel each: the channel is the only inner dimension.
  bool depthwise = grouped && groups == channels && groups == out;

  Type sum = inputType.getElementType().isInteger(16) ? b.getI64Type()
                                                      : b.getI32Type();
  Value bias = operands.bias;
  if (getElementTypeOrSelf(bias.getType()) != sum)
    bias = elementwise(b, bias, sum,
                       [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                         return arith::ExtSIOp::create(b, sum, args[0]);
                       });
  Value sums =
      linalg::BroadcastOp::create(b, bias, emptyLike(b, type.clone(sum), input),
                                  llvm::to_vector(llvm::seq<int64_t>(0, outer)))
          ->getResult(0);

  int64_t loopCount = 0;
  std::string kinds;
  using Exprs = SmallVector<AffineExpr>;
  auto addLoops = [&](int64_t count, char kind) {
    Exprs loops;
    for (int64_t i = 0; i < count; ++i)
      loops.push_back(b.getAffineDimExpr(loopCount++));
    kinds.append(count, kind);
    return loops;
  };
  Exprs outerLoops = addLoops(outer, 'p');
  Exprs group = addLoops(grouped && !depthwise, 'p');
  Exprs column = addLoops(operands.named, 'p');
  Exprs taps = addLoops(strides.size(), 'r');
  Exprs in = addLoops(!depthwise, 'r');
  if (!operands.named)
    column = addLoops(1, 'p');

  Exprs inputExprs = outerLoops, weightExprs, sumExprs = outerLoops;
  for (auto [i, stride] : llvm::enumerate(strides))
    inputExprs[1 + i] = outerLoops[1 + i] * stride + taps[i] * dilations[i];
  llvm::append_range(inputExprs, group);
  llvm::append_range(inputExprs, depthwise ? column : in);
  llvm::append_range(sumExprs, group);
  llvm::append_range(sumExprs, column);
  bool outFirst = operands.named && grouped && !depthwise;
  for (ArrayRef<AffineExpr> loops :
       outFirst ? std::array<ArrayRef<AffineExpr>, 4>{group, column, taps, in}
                : std::array<ArrayRef<AffineExpr>, 4>{taps, group, in, column})
    llvm::append_range(weightExprs, loops);

  SmallVector<ReassociationIndices> split = keepDims(outer);
  addMerged(split, outer, outer + 2);
  if (depthwise) {
    // [taps..., groups, 1, 1]
    int64_t rank = weightType.getRank();
    SmallVector<ReassociationIndices> merge = keepDims(rank - 3);
    addMerged(merge, rank - 3, rank);
    weight = tensor::CollapseShapeOp::create(b, weight, merge);
  } else if (grouped) {
    input = splitLast(b, input, {groups, channels / groups});
    sums = splitLast(b, sums, {groups, out / groups});
  }

  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loopCount, 0, exprs, b.getContext());
  };
  sums = generic(
      b, {input, weight}, sums,
      {map(inputExprs), map(weightExprs), map(sumExprs)}, loopKinds(kinds),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value x = isSigned ? Value(arith::ExtSIOp::create(b, sum, args[0]))
                           : Value(arith::ExtUIOp::create(b, sum, args[0]));
        Value w = arith::ExtSIOp::create(b, sum, args[1]);
        return arith::AddIOp::create(b, args[2],
                                     arith::MulIOp::create(b, x, w));
      });
  if (grouped && !depthwise)
    sums = tensor::CollapseShapeOp::create(b, type.clone(sum), sums, split);
  return sums;
}

/// The same by fixed-point multipliers.
static Value requantizeFixed(ImplicitLocOpBuilder &b, Value sums,
                             quant::UniformQuantizedType stored,
                             RequantizationAttr requantization, bool relu) {
  auto sumType = cast<RankedTensorType>(sums.getType());
  int64_t rank = sumType.getRank(), count = requantization.size();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));
  SmallVector<Value> inputs = {sums};
  SmallVector<AffineMap> maps = {identity};
  if (count != 1) {
    inputs.push_back(constantTensor(
        b, requantization.getMultiplier().asArrayRef(), {count}));
    inputs.push_back(
        constantTensor(b, requantization.getShift().asArrayRef(), {count}));
    maps.append(2, channel);
  }
  maps.push_back(identity);
  unsigned bits = stored.getStorageTypeIntegralWidth();
  Value init = emptyLike(b, sumType.clone(b.getIntegerType(bits)), sums);
  return parallel(
      b, inputs, init, maps, [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value multiplier, shift;
        if (count != 1) {
          multiplier = args[1];
          shift = args[2];
        }
        Value integer =
            applyFixedPoint(b, args[0], requantization, multiplier, shift);
        return addZeroPoint(b, integer, stored.getZeroPoint(),
                            getOutputRange(stored, relu), bits);
      });
}

Value qnnpack::requantizeChannels(ImplicitLocOpBuilder &b, Value sums,
                                  Type input, Type weight, Type output,
                                  quant::UniformQuantizedType stored,
                                  RequantizationAttr requantization, bool relu,
                                  bool mathematical) {
  if (requantization)
    return requantizeFixed(b, sums, stored, requantization, relu);
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
  return parallel(
      b, inputs, init, maps, [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value multiplier = perChannel ? args[1]
                           : multipliers.empty()
                               ? f32Constant(b, 1)
                               : f32Constant(b, multipliers[0]);
        bool toHighest = getQuantizedType(output).isSigned() || mathematical;
        return requantize(b, args[0], multiplier, stored.getZeroPoint(),
                          getOutputRange(stored, relu), largest,
                          toHighest ? Overflow::ToHighest : Overflow::ToLowest);
      });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ONNX that add up or take a maximum, on quantized values.

#include "ONNX/GraphBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// What the sums of the node's first two inputs are worth, of which the second
/// one has `outputs` channels.
Expected<GraphBuilder::Sum> GraphBuilder::makeSum(unsigned outputs,
                                                  int64_t axis) {
  const Known &x = getInput(0), &w = getInput(1);
  if (!x.integers || !w.integers || !w.constant ||
      x.integers->scales.size() != 1)
    return fail("has operands that are not between QuantizeLinear and "
                "DequantizeLinear: it adds floats");
  Sum sum;
  sum.axis = axis;
  for (float scale : w.integers->scales)
    sum.scales.push_back(x.integers->scales.front() * scale);
  if (sum.scales.size() != 1 && sum.scales.size() != outputs)
    return fail("has scales that are not those of its outputs");
  return std::move(sum);
}

/// The integers of a bias that counts steps of `sum`, but for roundings of the
/// last places of its scale.
std::optional<SmallVector<int32_t>> GraphBuilder::getBias(const Known &known,
                                                          const Sum &sum) {
  if (!known.integers || !known.constant ||
      known.constant->type != OnnxType::Int32)
    return std::nullopt;
  ArrayRef<float> scales = known.integers->scales;
  if (scales.size() != 1 && scales.size() != sum.scales.size())
    return std::nullopt;
  for (size_t i = 0; i < sum.scales.size(); ++i) {
    float own = scales.size() == 1 ? scales[0] : scales[i];
    if (std::abs(own - sum.scales[i]) > sum.scales[i] * 0x1p-20f)
      return std::nullopt;
  }
  SmallVector<int32_t> bias;
  llvm::append_range(bias, known.constant->getIntegers());
  return bias;
}

/// A relu or a bias behind a sum; false: it is something else.
bool GraphBuilder::addToSum() {
  if (node->kind == "Relu" && getInput(0).sum) {
    Known result = getInput(0);
    result.sum->relu = true;
    set(std::move(result));
    return true;
  }
  if (node->kind != "Add")
    return false;
  Known result = getInput(0);
  if (!result.sum || !result.sum->bias.empty() || result.sum->relu)
    return false;
  auto bias = getBias(getInput(1), *result.sum);
  if (!bias)
    return false;
  result.sum->bias = std::move(*bias);
  set(std::move(result));
  return true;
}

/// Transposed, pixel t * stride + r of the result has of pixel t - j the taps
/// k with k * dilation = j * stride + r: each phase r has taps of its own.
Error GraphBuilder::convolution() {
  const Known &x = getInput(0), &w = getInput(1);
  bool isTransposed = node->kind == "ConvTranspose";
  if (!w.constant)
    return fail("has a weight that is no constant");
  ArrayRef<int64_t> weightShape = w.constant->shape;
  if (weightShape.size() < 3 || !isPositive(weightShape))
    return fail("has a weight of another shape");
  int64_t spatial = weightShape.size() - 2,
          groups = node->attributes.count("group")
                       ? getAttribute("group").integer
                       : 1;
  if (groups < 1 || weightShape[0] % groups != 0)
    return fail("has groups that its weight isn't for");
  int64_t out = isTransposed ? weightShape[1] * groups : weightShape[0],
          in = isTransposed ? weightShape[0] / groups : weightShape[1];
  auto sum = makeSum(out, /*axis=*/1);
  if (!sum)
    return sum.takeError();
  if (!hasRank(x.integers->value, weightShape.size()) ||
      getShape(x.integers->value)[1] != groups * in)
    return fail("has an image, or groups, that its weight isn't for");
  auto getList = [&](StringRef name, int64_t count, int64_t rest) {
    SmallVector<int64_t> list = getAttribute(name).integers;
    if (list.empty())
      list.assign(count, rest);
    return list;
  };
  SmallVector<int64_t> strides = getList("strides", spatial, 1),
                       dilations = getList("dilations", spatial, 1),
                       pads = getList("pads", 2 * spatial, 0),
                       more = getList("output_padding", spatial, 0);
  if (int64_t(strides.size()) != spatial || !isPositive(strides) ||
      int64_t(dilations.size()) != spatial || !isPositive(dilations) ||
      int64_t(pads.size()) != 2 * spatial || int64_t(more.size()) != spatial ||
      llvm::any_of(pads, [](int64_t size) { return size < 0; }))
    return fail("has windows without a meaning here");
  if (node->inputs.size() > 2) {
    auto bias = getBias(getInput(2), *sum);
    if (!bias || int64_t(bias->size()) != out)
      return fail("has a bias with another scale than its sums");
    sum->bias = std::move(*bias);
  }

  // x - zx, around which are zeros.
  const Quantized &q = *x.integers;
  SmallVector<int64_t> shape(getShape(q.value));
  Value image = map(shape, b.getI32Type(), {broadcast(q.value, shape)},
                    [&](ValueRange v) -> Value {
                      Value number = extend(v[0], q.isSigned);
                      Value zero = integer(q.zeroPoints[0]);
                      return arith::SubIOp::create(b, number, zero);
                    });
  SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)),
      high(2, b.getIndexAttr(0));
  SmallVector<int64_t> result = {shape[0], groups, out / groups},
                       phases(spatial, 1), counts(weightShape.drop_front(2)),
                       sizes;
  for (int64_t i = 0; isTransposed && i < spatial; ++i) {
    int64_t reach = dilations[i] * (counts[i] - 1);
    sizes.push_back(strides[i] * (shape[2 + i] - 1) + reach + 1 + more[i] -
                    pads[i] - pads[spatial + i]);
    if (ShapedType::isDynamic(shape[2 + i]) || sizes.back() <= 0)
      return fail("has an image of another size");
    phases[i] = strides[i];
    counts[i] = reach / strides[i] + 1;
    int64_t pixels = std::max<int64_t>(
        llvm::divideCeil(sizes.back() + pads[i], strides[i]), shape[2 + i]);
    low.push_back(b.getIndexAttr(counts[i] - 1));
    high.push_back(b.getIndexAttr(pixels - shape[2 + i]));
    shape[2 + i] = pixels + counts[i] - 1;
    result.append({pixels, phases[i]});
  }
  for (int64_t i = 0; !isTransposed && i < spatial; ++i) {
    low.push_back(b.getIndexAttr(pads[i]));
    high.push_back(b.getIndexAttr(pads[spatial + i]));
    shape[2 + i] += pads[i] + pads[spatial + i];
    result.push_back(
        (shape[2 + i] - dilations[i] * (weightShape[2 + i] - 1) - 1) /
            strides[i] +
        1);
  }
  image = tensor::PadOp::create(b, RankedTensorType::get(shape, b.getI32Type()),
                                image, low, high, integer(0));
  // Channels g * in + i are of group g.
  SmallVector<ReassociationIndices> cut = {{0}, {1, 2}};
  for (int64_t i = 0; i < spatial; ++i)
    cut.push_back({3 + i});
  SmallVector<int64_t> inGroups = {shape[0], groups, in};
  inGroups.append(shape.begin() + 2, shape.end());
  image = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(inGroups, b.getI32Type()), image, cut);

  // w - zw, by group, output, phases, input and taps.
  SmallVector<int64_t> factorShape = {groups, out / groups};
  factorShape.append(phases);
  factorShape.push_back(in);
  factorShape.append(counts);
  SmallVector<int32_t> factors(ShapedType::getNumElements(factorShape), 0);
  ArrayRef<int32_t> zeroPoints = w.integers->zeroPoints;
  for (auto [index, value] : llvm::enumerate(w.constant->getIntegers())) {
    int64_t rest = index, channel = 0, place = 0, step = 1;
    SmallVector<int64_t> phase(spatial), tap(spatial);
    for (int64_t i = spatial; i-- > 0; rest /= weightShape[2 + i]) {
      tap[i] = rest % weightShape[2 + i];
      if (!isTransposed)
        continue;
      phase[i] = tap[i] * dilations[i] % strides[i];
      tap[i] = counts[i] - 1 - tap[i] * dilations[i] / strides[i];
    }
    int64_t second = rest % weightShape[1], first = rest / weightShape[1];
    channel = isTransposed ? first / in * (out / groups) + second : first;
    SmallVector<int64_t> at = {channel};
    at.append(phase);
    at.push_back(isTransposed ? first % in : second);
    at.append(tap);
    for (int64_t d = at.size(); d-- > 0; step *= factorShape[1 + d])
      place += at[d] * step;
    factors[place] = value - zeroPoints[zeroPoints.size() == 1 ? 0 : channel];
  }
  Value weight = arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(RankedTensorType::get(factorShape, b.getI32Type()),
                             ArrayRef<int32_t>(factors)));

  unsigned rank = result.size();
  sum->make = [=](ArrayRef<int32_t> bias) -> Value {
    Operand batch{image, {b.getAffineDimExpr(0)}};
    batch.at.resize(2 + spatial + 1, b.getAffineConstantExpr(0));
    SmallVector<Operand> begin = {batch};
    if (!bias.empty())
      begin.push_back({arith::ConstantOp::create(
                           b, DenseElementsAttr::get(
                                  RankedTensorType::get({groups, out / groups},
                                                        b.getI32Type()),
                                  bias)),
                       dims(2, 1)});
    Value init = map(result, b.getI32Type(), begin, [&](ValueRange v) {
      return bias.empty() ? integer(0) : Value(v[1]);
    });
    // n, g, o, places, of which each has a phase if it is transposed; i, taps.
    Operand read{image, dims(2)}, factor{weight, dims(2, 1)};
    AffineExpr inner = b.getAffineDimExpr(rank);
    read.at.push_back(inner);
    for (int64_t i = 0; i < spatial; ++i) {
      AffineExpr tap = b.getAffineDimExpr(rank + 1 + i),
                 at = b.getAffineDimExpr(3 + (isTransposed ? 2 * i : i));
      read.at.push_back(isTransposed ? at + tap
                                     : at * strides[i] + tap * dilations[i]);
      factor.at.push_back(isTransposed ? b.getAffineDimExpr(4 + 2 * i)
                                       : b.getAffineConstantExpr(0));
    }
    factor.at.push_back(inner);
    factor.at.append(dims(spatial, rank + 1));
    Value all = map(
        result, b.getI32Type(), {read, factor},
        [&](ValueRange v) -> Value {
          Value product = arith::MulIOp::create(b, v[0], v[1]);
          return arith::AddIOp::create(b, v[2], product);
        },
        1 + spatial, init);
    SmallVector<int64_t> joined = {result[0], out};
    SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t d = 3 + (isTransposed ? 2 * i : i);
      groups.push_back({d});
      if (isTransposed)
        groups.back().push_back(d + 1);
      joined.push_back(isTransposed ? result[d] * result[d + 1] : result[d]);
    }
    all = tensor::CollapseShapeOp::create(
        b, RankedTensorType::get(joined, b.getI32Type()), all, groups);
    if (!isTransposed)
      return all;
    // Its padding is what is left out.
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)), extents,
        steps(joined.size(), b.getIndexAttr(1));
    extents.push_back(
        ShapedType::isDynamic(joined[0])
            ? OpFoldResult(tensor::DimOp::create(b, all, 0).getResult())
            : OpFoldResult(b.getIndexAttr(joined[0])));
    extents.push_back(b.getIndexAttr(out));
    for (int64_t i = 0; i < spatial; ++i) {
      offsets.push_back(b.getIndexAttr(pads[i]));
      extents.push_back(b.getIndexAttr(sizes[i]));
    }
    return tensor::ExtractSliceOp::create(b, all, offsets, extents, steps);
  };
  Known known;
  known.sum = std::move(*sum);
  set(std::move(known));
  return Error::success();
}

/// Gemm(x, w, bias) with w as it is or turned, and MatMul(x, w).
Error GraphBuilder::product() {
  const Known &x = getInput(0), &w = getInput(1);
  bool isTurned = getAttribute("transB").integer != 0;
  if (!w.constant || w.constant->shape.size() != 2 ||
      node->attributes.count("alpha") || node->attributes.count("beta") ||
      node->attributes.count("transA"))
    return fail("has a weight that is no constant matrix, or other factors");
  int64_t in = w.constant->shape[isTurned], out = w.constant->shape[!isTurned];
  if (!x.integers || getShape(x.integers->value).empty() ||
      getShape(x.integers->value).back() != in || in == 0)
    return failOperand();
  SmallVector<int64_t> result(getShape(x.integers->value));
  unsigned rank = result.size();
  result.back() = out;
  auto sum = makeSum(out, rank - 1);
  if (!sum)
    return sum.takeError();
  if (node->inputs.size() > 2 && !node->inputs[2].empty()) {
    auto bias = getBias(getInput(2), *sum);
    if (!bias || int64_t(bias->size()) != out)
      return fail("has a bias with another scale than its sums");
    sum->bias = std::move(*bias);
  }
  SmallVector<int32_t> factors;
  for (auto [i, value] : llvm::enumerate(w.constant->getIntegers())) {
    ArrayRef<int32_t> zeroPoints = w.integers->zeroPoints;
    factors.push_back(value - zeroPoints[zeroPoints.size() == 1 ? 0
                                         : isTurned             ? i / in
                                                                : i % out]);
  }
  Value weight = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get(w.constant->shape, b.getI32Type()),
             ArrayRef<int32_t>(factors)));
  Quantized q = *x.integers;
  sum->make = [=](ArrayRef<int32_t> bias) -> Value {
    SmallVector<Operand> begin;
    Operand all{q.value, dims(rank)};
    all.at.back() = b.getAffineConstantExpr(0);
    begin.push_back(all);
    if (!bias.empty())
      begin.push_back(alongAxis<int32_t>(bias, rank - 1));
    Value init = map(result, b.getI32Type(), begin, [&](ValueRange v) {
      return bias.empty() ? integer(0) : Value(v[1]);
    });
    AffineExpr inner = b.getAffineDimExpr(rank),
               outer = b.getAffineDimExpr(rank - 1);
    Operand read = all, factor{weight, {inner, outer}};
    read.at.back() = inner;
    if (isTurned)
      std::swap(factor.at[0], factor.at[1]);
    return map(
        result, b.getI32Type(), {read, factor},
        [&](ValueRange v) -> Value {
          Value number = extend(v[0], q.isSigned);
          Value zero = integer(q.zeroPoints[0]);
          Value less = arith::SubIOp::create(b, number, zero);
          Value product = arith::MulIOp::create(b, less, v[1]);
          return arith::AddIOp::create(b, v[2], product);
        },
        1, init);
  };
  Known known;
  known.sum = std::move(*sum);
  set(std::move(known));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// Of quantized values their integers are in the same order.
Error GraphBuilder::maxPool() {
  const Known &x = getInput(0);
  if (!x.integers || x.integers->scales.size() != 1)
    return failOperand();
  Quantized q = *x.integers;
  ArrayRef<int64_t> kernel = getAttribute("kernel_shape").integers,
                    strides = getAttribute("strides").integers,
                    dilations = getAttribute("dilations").integers,
                    pads = getAttribute("pads").integers;
  unsigned spatial = kernel.size();
  if (!hasRank(q.value, spatial + 2) || !isPositive(kernel) ||
      strides.size() != spatial || !isPositive(strides) ||
      dilations.size() != spatial || !isPositive(dilations) ||
      pads.size() != 2 * spatial ||
      llvm::any_of(pads, [](int64_t size) { return size < 0; }) ||
      getAttribute("ceil_mode").integer != 0)
    return fail("has windows without a meaning here");
  Value least = arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getI8Type(), q.isSigned ? -128 : 0));
  SmallVector<int64_t> shape(getShape(q.value)), result(shape);
  SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)),
      high(2, b.getIndexAttr(0));
  Operand read{Value(), dims(2)}, window;
  unsigned rank = shape.size();
  for (unsigned i = 0; i < spatial; ++i) {
    low.push_back(b.getIndexAttr(pads[i]));
    high.push_back(b.getIndexAttr(pads[spatial + i]));
    shape[2 + i] += pads[i] + pads[spatial + i];
    result[2 + i] =
        (shape[2 + i] - dilations[i] * (kernel[i] - 1) - 1) / strides[i] + 1;
    AffineExpr tap = b.getAffineDimExpr(rank + i);
    read.at.push_back(b.getAffineDimExpr(2 + i) * strides[i] +
                      tap * dilations[i]);
    window.at.push_back(tap);
  }
  Operand batch{q.value, {b.getAffineDimExpr(0)}};
  batch.at.resize(rank, b.getAffineConstantExpr(0));
  Value init =
      map(result, b.getI8Type(), {batch}, [&](ValueRange) { return least; });
  read.value = q.value;
  if (llvm::any_of(pads, [](int64_t size) { return size != 0; }))
    read.value =
        tensor::PadOp::create(b, RankedTensorType::get(shape, b.getI8Type()),
                              q.value, low, high, least);
  window.value = tensor::EmptyOp::create(b, kernel, b.getI8Type());
  q.value = map(
      result, b.getI8Type(), {read, window},
      [&](ValueRange v) -> Value {
        if (q.isSigned)
          return arith::MaxSIOp::create(b, v[0], v[2]);
        return arith::MaxUIOp::create(b, v[0], v[2]);
      },
      spatial, init);
  Known known;
  known.integers = std::move(q);
  set(std::move(known));
  return Error::success();
}

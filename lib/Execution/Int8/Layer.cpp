// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How layers of all kinds are 2-d convolutions.

#include "Layer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// [..., channels] as an image of one row; a batch is part of it if its size is
/// known.
static SmallVector<int64_t> getRow(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t batch = 1;
  if (shape.size() > 1 && type.isDynamicDim(0)) {
    batch = ShapedType::kDynamic;
    shape = shape.drop_front();
  }
  return {batch, 1, ShapedType::getNumElements(shape.drop_back()),
          shape.back()};
}

static SmallVector<int64_t> prepend(ArrayRef<int64_t> values, size_t size,
                                    int64_t value) {
  SmallVector<int64_t> result(size - values.size(), value);
  llvm::append_range(result, values);
  return result;
}

/// Dimensions of size 1 come before the pixels of a line.
static SmallVector<int64_t> extend(ShapedType type, unsigned rank = 4) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, rank - shape.size(), 1);
  return shape;
}

template <typename OpT> void Layer::initialize(OpT op) {
  input = extend(op.getInput().getType());
  weight = extend(op.getWeight().getType());
  output = extend(op.getOutput().getType());
  original = extend(op.getWeight().getType(), 5);
  dilation = prepend(op.getDilation(), 2, 1);
  groups = op.getGroups();
  mathematical = op.getMathematical();
}

template <typename OpT> void Layer::initializeRows(OpT op) {
  ShapedType type = op.getWeight().getType();
  input = getRow(op.getInput().getType());
  output = getRow(op.getOutput().getType());
  weight = {type.getDimSize(0), 1, 1, type.getDimSize(1)};
  // Rows of rows are merged, which takes a static batch.
  valid = op.getInput().getType().hasStaticShape() ||
          op.getInput().getType().getRank() <= 3;
}

Layer::Layer(LinearOp op)
    : relu(op.getRelu()), mathematical(op.getMathematical()) {
  initializeRows(op);
}

Layer::Layer(LinearDynamicOp op) { initializeRows(op); }

template <typename OpT> void Layer::initializeForward(OpT op) {
  initialize(op);
  relu = op.getRelu();
  stride = prepend(op.getStride(), 2, 1);
  padding = prepend(op.getPadding(), 4, 0);
  mergeGroups();
  // Of bytes: a view can begin at any.
  if (input[0] == 1 && groups != 1 && groups == input[3] &&
      groups == output[3] && !isWide(op.getInput().getType())) {
    padded = {padding[0], padding[1]};
    input[1] += padding[0] + padding[1];
    padding[0] = padding[1] = 0;
  }
}

Layer::Layer(Conv1dOp op) { initializeForward(op); }

Layer::Layer(Conv2dOp op) { initializeForward(op); }

Layer::Layer(Conv3dOp op) {
  ShapedType inputType = op.getInput().getType(),
             outputType = op.getOutput().getType();
  original.assign(op.getWeight().getType().getShape());
  relu = op.getRelu();
  mathematical = op.getMathematical();
  groups = op.getGroups();
  depth =
      Depth{original[1],        op.getStride()[0],  op.getDilation()[0],
            op.getPadding()[0], op.getPadding()[1], outputType.getDimSize(1)};
  isSame = original[1] == 1;
  stride.assign(op.getStride().drop_front());
  dilation.assign(op.getDilation().drop_front());
  padding.assign(op.getPadding().drop_front(2));
  int64_t images = ShapedType::isDynamic(inputType.getDimSize(0))
                       ? ShapedType::kDynamic
                       : inputType.getDimSize(0) * depth->images;
  input = {images, inputType.getDimSize(2), inputType.getDimSize(3),
           inputType.getDimSize(4) * depth->taps};
  output = {images, outputType.getDimSize(2), outputType.getDimSize(3),
            outputType.getDimSize(4)};
  weight = {original[0], original[2], original[3], original[4] * depth->taps};
  mergeGroups();
}

Layer::Layer(ConvTranspose1dOp op) {
  initialize(op);
  cutInPhases(op);
}

Layer::Layer(ConvTranspose2dOp op) {
  initialize(op);
  cutInPhases(op);
}

// With p = t * s + r, counted from the padding's start, and k * d = j * s + r,
//
//   y[p] = sum over k of x[(p - k * d) / s] * w[k]
//        = sum over j of x[t - j] * w[j, r]:
//
// a window of x whose taps are read backwards, with an output for each r.
template <typename OpT> void Layer::cutInPhases(OpT op) {
  SmallVector<int64_t> strides = prepend(op.getStride(), 2, 1),
                       cuts = prepend(op.getPadding(), 4, 0);
  double zeros = 1;
  for (unsigned i = 0; i < 2; ++i) {
    int64_t size = input[1 + i], kernel = weight[1 + i];
    int64_t reach = dilation[i] * (kernel - 1);
    int64_t s = strides[i], cut = cuts[2 * i];
    // One pixel has no neighbour that the stride would keep it from.
    if (size == 1)
      s = std::min(s, reach + 1);
    int64_t taps = reach / s + 1, start = cut / s,
            end = llvm::divideCeil(cut + output[1 + i], s);
    Phases phase{s, dilation[i], std::max<int64_t>(0, start - taps + 1),
                 std::min(size, end), cut - start * s};
    valid &= phase.first < phase.last;
    phases.push_back(phase);
    padding[2 * i] = std::max<int64_t>(0, taps - 1 - start);
    padding[2 * i + 1] = std::max<int64_t>(0, end - size);
    input[1 + i] = phase.last - phase.first;
    output[1 + i] = end - start;
    zeros *= static_cast<double>(taps) * s / kernel;
    weight[1 + i] = taps;
    dilation[i] = 1;
  }
  // A window of zeros is slower than one that leaves them out, and phases of
  // few outputs are slower to put in place than what is gained.
  constexpr double mostZeros = 4;
  constexpr int64_t fewestOutputs = 8;
  if (zeros > mostZeros || (groups > 1 && output[3] / groups < fewestOutputs))
    valid = false;
  if (!valid)
    return;
  phaseOutputs = output[3] / groups;
  output[3] *= phases[0].stride * phases[1].stride;
  weight[0] = output[3];
  isSame = false;
  mergeGroups();
}

/// Small groups become larger ones, with weights of 0 in between: vectors of
/// outputs have lanes, and products are added by fours, anyway.
void Layer::mergeGroups() {
  constexpr int64_t lanes = 16, bytes = 4, requantization = 8;
  int64_t in = input[3] / groups, out = output[3] / groups;
  if (groups == 1 || (in == 1 && out == 1))
    return;
  int64_t taps = weight[1] * weight[2], best = 0;
  for (int64_t count = 1; count <= groups && count <= lanes; ++count) {
    if (groups % count != 0)
      continue;
    int64_t cost =
        groups / count * llvm::divideCeil(count * out, lanes) *
        (taps * llvm::divideCeil(count * in, bytes) + requantization);
    if (best != 0 && cost >= best)
      continue;
    best = cost;
    merged = count;
  }
  if (merged == 1)
    return;
  groups /= merged;
  weight[3] *= merged;
  isSame = false;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

int64_t Layer::getOutput(int64_t o) const {
  if (phases.empty())
    return o;
  int64_t inGroup = phaseOutputs * phases[0].stride * phases[1].stride;
  return o / inGroup * phaseOutputs + o % phaseOutputs;
}

SmallVector<int8_t> Layer::arrangeWeight(ArrayRef<int8_t> elements) const {
  // [out, depth, height, width, in / groups] of the layer.
  int64_t inGroup = original[4], outGroup = output[3] / (groups * merged);
  SmallVector<int8_t> result(ShapedType::getNumElements(weight), 0);
  for (int64_t o = 0; o < weight[0]; ++o) {
    // Where the group's channels are among those of the larger one.
    int64_t place = o / outGroup % merged * (weight[3] / merged);
    int64_t phase = phases.empty() ? 0 : o % outGroup / phaseOutputs;
    for (int64_t z = 0; z < original[1]; ++z)
      for (int64_t y = 0; y < original[2]; ++y)
        for (int64_t x = 0; x < original[3]; ++x) {
          int64_t toY = y, toX = x;
          if (!phases.empty()) {
            int64_t atY = y * phases[0].dilation, atX = x * phases[1].dilation;
            if (atY % phases[0].stride != phase / phases[1].stride ||
                atX % phases[1].stride != phase % phases[1].stride)
              continue;
            toY = weight[1] - 1 - atY / phases[0].stride;
            toX = weight[2] - 1 - atX / phases[1].stride;
          }
          int64_t from = (((getOutput(o) * original[1] + z) * original[2] + y) *
                              original[3] +
                          x) *
                         inGroup;
          int64_t to = ((o * weight[1] + toY) * weight[2] + toX) * weight[3] +
                       place + z * inGroup;
          llvm::copy(elements.slice(from, inGroup), result.begin() + to);
        }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// `value` in another shape, whose last dimension is the same.
static Value reshape(ImplicitLocOpBuilder &b, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  RankedTensorType wanted = type.clone(shape);
  std::optional<SmallVector<ReassociationIndices>> groups =
      getReassociationIndicesForReshape(type, wanted);
  if (!groups) {
    int64_t channels = shape.back();
    SmallVector<int64_t> rows = {type.getNumElements() / channels, channels};
    return reshape(b, reshape(b, value, rows), shape);
  }
  if (type.getRank() > wanted.getRank())
    return tensor::CollapseShapeOp::create(b, wanted, value, *groups);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : shape)
    sizes.push_back(b.getIndexAttr(size));
  if (wanted.isDynamicDim(0))
    sizes[0] = tensor::DimOp::create(b, value, 0).getResult();
  return tensor::ExpandShapeOp::create(b, wanted, value, *groups, sizes);
}

/// [batch, depth, ...] as [batch * depth, ...].
static Value mergeBatch(ImplicitLocOpBuilder &b, Value value) {
  return tensor::CollapseShapeOp::create(
      b, value, ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4}});
}

/// An empty tensor with the batch of `like`.
static Value createEmpty(ImplicitLocOpBuilder &b, RankedTensorType type,
                         Value like) {
  SmallVector<Value> batch;
  if (type.isDynamicDim(0))
    batch.push_back(tensor::DimOp::create(b, like, 0));
  return tensor::EmptyOp::create(b, type, batch);
}

/// `value` with several dimensions in the place of its last one.
static Value splitChannels(ImplicitLocOpBuilder &b, Value value,
                           ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  llvm::append_range(shape, dims);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : shape)
    sizes.push_back(b.getIndexAttr(size));
  if (type.isDynamicDim(0))
    sizes[0] = tensor::DimOp::create(b, value, 0).getResult();
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back({i});
  for (int64_t i = type.getRank(); i < int64_t(shape.size()); ++i)
    groups.back().push_back(i);
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, groups,
                                       sizes);
}

Value Layer::takeResidual(ImplicitLocOpBuilder &b, Value bytes) const {
  return depth ? mergeBatch(b, bytes) : reshape(b, bytes, output);
}

/// `bytes` with images of `padding` in front of and behind those of
/// dimension 1.
static Value pad(ImplicitLocOpBuilder &b, Value bytes,
                 std::array<int64_t, 2> counts, int64_t padding) {
  if (counts[0] + counts[1] == 0)
    return bytes;
  auto type = cast<RankedTensorType>(bytes.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[1] += counts[0] + counts[1];
  SmallVector<OpFoldResult> low(shape.size(), b.getIndexAttr(0)), high = low;
  low[1] = b.getIndexAttr(counts[0]);
  high[1] = b.getIndexAttr(counts[1]);
  Value value = arith::ConstantOp::create(
      b, b.getIntegerAttr(type.getElementType(), padding));
  return tensor::PadOp::create(b, type.clone(shape), bytes, low, high, value);
}

Value Layer::takeInput(ImplicitLocOpBuilder &b, Value bytes,
                       int64_t padValue) const {
  auto type = cast<RankedTensorType>(bytes.getType());
  if (!phases.empty()) {
    SmallVector<int64_t> shape = extend(type);
    Value image = reshape(b, bytes, shape);
    if (ArrayRef(shape).slice(1, 2) == ArrayRef(input).slice(1, 2))
      return image;
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(b, b.getLoc(), image),
        steps(4, b.getIndexAttr(1));
    for (unsigned i = 0; i < 2; ++i) {
      offsets[1 + i] = b.getIndexAttr(phases[i].first);
      sizes[1 + i] = b.getIndexAttr(input[1 + i]);
    }
    return tensor::ExtractSliceOp::create(b, image, offsets, sizes, steps);
  }
  if (!depth) {
    SmallVector<int64_t> shape = input;
    shape[1] -= padded[0] + padded[1];
    return pad(b, reshape(b, bytes, shape), padded, padValue);
  }
  bytes = pad(b, bytes, {depth->front, depth->back}, padValue);
  type = cast<RankedTensorType>(bytes.getType());
  if (depth->taps == 1 && depth->stride == 1)
    return mergeBatch(b, bytes);
  // What the taps of the third axis read, side by side for each group.
  int64_t channels = original[4], count = type.getDimSize(4) / channels;
  SmallVector<int64_t> shape = {type.getDimSize(0),
                                depth->images,
                                type.getDimSize(2),
                                type.getDimSize(3),
                                count,
                                depth->taps,
                                channels};
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < shape.size(); ++i)
    d.push_back(b.getAffineDimExpr(i));
  AffineMap from =
      AffineMap::get(7, 0,
                     {d[0], d[1] * depth->stride + d[5] * depth->dilation, d[2],
                      d[3], d[4] * channels + d[6]},
                     b.getContext());
  auto gathered = linalg::GenericOp::create(
      b, TypeRange(resultType), ValueRange(bytes),
      ValueRange(createEmpty(b, resultType, bytes)),
      ArrayRef<AffineMap>{from, b.getMultiDimIdentityMap(7)},
      SmallVector<utils::IteratorType>(7, utils::IteratorType::parallel),
      [](OpBuilder &nested, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc, arguments[0]);
      });
  return tensor::CollapseShapeOp::create(
      b, gathered.getResult(0),
      ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4, 5, 6}});
}

Value Layer::giveResult(ImplicitLocOpBuilder &b, Value bytes,
                        RankedTensorType type) const {
  RankedTensorType resultType =
      cast<RankedTensorType>(bytes.getType()).clone(type.getShape());
  if (depth) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    if (type.isDynamicDim(0)) {
      Value rows = tensor::DimOp::create(b, bytes, 0);
      Value images = arith::ConstantIndexOp::create(b, depth->images);
      sizes[0] = arith::DivUIOp::create(b, rows, images).getResult();
    }
    return tensor::ExpandShapeOp::create(
        b, resultType, bytes,
        ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4}}, sizes);
  }
  if (phases.empty())
    return reshape(b, bytes, type.getShape());
  // Phases are pixels: [batch, y, x, group, r, r, channel] becomes [batch, y,
  // r, x, r, group, channel].
  int64_t rows = phases[0].stride, columns = phases[1].stride,
          all = original[0] / phaseOutputs;
  auto permute = [&](Value value, ArrayRef<int64_t> order) -> Value {
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (int64_t dim : order)
      shape.push_back(from.getDimSize(dim));
    return linalg::TransposeOp::create(
               b, value, createEmpty(b, from.clone(shape), value), order)
        ->getResult(0);
  };
  auto merge = [&](Value value,
                   ArrayRef<ReassociationIndices> groups) -> Value {
    return tensor::CollapseShapeOp::create(b, value, groups);
  };
  Value image = bytes;
  if (all == 1) {
    // Those of a row are one piece.
    image = splitChannels(b, image, {rows, columns * phaseOutputs});
    if (rows != 1)
      image = merge(permute(image, {0, 1, 3, 2, 4}), {{0}, {1, 2}, {3, 4}});
    else
      image = merge(image, {{0}, {1}, {2, 3, 4}});
    image = splitChannels(b, image, {output[2] * columns, phaseOutputs});
  } else {
    image = splitChannels(b, image, {all, rows, columns, phaseOutputs});
    image = merge(permute(image, {0, 1, 4, 2, 5, 3, 6}),
                  {{0}, {1, 2}, {3, 4}, {5, 6}});
  }
  SmallVector<int64_t> shape = extend(type);
  if (cast<RankedTensorType>(image.getType()).getShape() != ArrayRef(shape)) {
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(b, b.getLoc(), image),
        steps(4, b.getIndexAttr(1));
    for (unsigned i = 0; i < 2; ++i) {
      offsets[1 + i] = b.getIndexAttr(phases[i].skip);
      sizes[1 + i] = b.getIndexAttr(shape[1 + i]);
    }
    image = tensor::ExtractSliceOp::create(b, image, offsets, sizes, steps);
  }
  return reshape(b, image, type.getShape());
}

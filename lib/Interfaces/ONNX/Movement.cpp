// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves numbers: concatenation, shapes, slices, padding.

#include "Exporter.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Quantize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

static LogicalResult concatenate(Exporter &exporter, ValueRange inputs,
                                 Value output, int64_t axis, bool relu) {
  Layout layout = exporter.getLayout(inputs);
  SmallVector<Tensor> tensors;
  for (Value input : inputs) {
    tensors.push_back(exporter.getFloat(input, layout));
    if (!tensors.back())
      return failure();
  }
  NodeAttr where("axis", getAxis(axis, layout, getType(output).getRank()));
  return exporter.setFloat(output, layout,
                           exporter.addMain("Concat", tensors, where), relu);
}

static LogicalResult writeCat(qnnpack::CatOp op, Exporter &exporter) {
  return concatenate(exporter, op.getInputs(), op.getOutput(), op.getAxis(),
                     op.getRelu());
}

static LogicalResult writeCatKind(CatAttr kind, OperatorOp op,
                                  Exporter &exporter) {
  return concatenate(exporter, op.getInputs(), op.getOutput(), kind.getAxis(),
                     op.isFused());
}

//===----------------------------------------------------------------------===//
// Transpositions and shapes
//===----------------------------------------------------------------------===//

/// A transposition between the two layouts is another name for a tensor.
static LogicalResult permuteDimensions(Exporter &exporter, Value input,
                                       Value output,
                                       ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> toFirst =
      getPermutation(Layout::ChannelsFirst, permutation.size());
  Layout from = exporter.getLayout(input);
  bool isForth = permutation.size() > 2 && ArrayRef(toFirst) == permutation,
       isBack = permutation.size() > 2 && invertPermutationVector(toFirst) ==
                                              SmallVector<int64_t>(permutation);
  // Of three dimensions it is either.
  if (isForth && !(isBack && from == Layout::AsIs)) {
    Tensor x = exporter.get(input, Layout::ChannelsFirst);
    exporter.set(output, Layout::AsIs, x);
    return success(bool(x));
  }
  if (isBack) {
    Tensor x = exporter.get(input, Layout::AsIs);
    exporter.set(output, Layout::ChannelsFirst, x);
    return success(bool(x));
  }
  // From where it is, so that there is one transposition.
  Tensor x = exporter.getFloat(input, from);
  if (!x)
    return failure();
  auto composed = llvm::map_to_vector(permutation, [&](int64_t axis) {
    return getAxis(axis, from, permutation.size());
  });
  if (llvm::is_sorted(composed))
    return exporter.setFloat(output, Layout::AsIs, x);
  return exporter.setFloat(
      output, Layout::AsIs,
      exporter.addMain("Transpose", x, NodeAttr("perm", composed)));
}

/// Whether the elements of `type` are in the same order in `layout`.
static bool keepsOrder(RankedTensorType type, Layout layout) {
  int64_t last = -1;
  for (int64_t dim : getPermutation(layout, type.getRank())) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

static LogicalResult reshapeTo(Exporter &exporter, Value input, Value output,
                               bool relu = false) {
  Layout from = exporter.getLayout(input);
  if (!keepsOrder(getType(input), from))
    from = Layout::AsIs;
  ArrayRef<int64_t> shape = getType(output).getShape();
  if (llvm::count_if(shape, ShapedType::isDynamic) > 1)
    return exporter.getOp()->emitError()
           << "the result has type " << output.getType()
           << ", and a Reshape finds one dynamic extent at most";
  Tensor x = exporter.getFloat(input, from);
  if (!x)
    return failure();
  SmallVector<int64_t> extents(shape);
  for (int64_t &extent : extents)
    extent = ShapedType::isDynamic(extent) ? -1 : extent;
  return exporter.setFloat(
      output, Layout::AsIs,
      exporter.addMain("Reshape", {x, exporter.addInts(extents)}), relu);
}

static LogicalResult writeTranspose(qnnpack::TransposeOp op,
                                    Exporter &exporter) {
  return permuteDimensions(exporter, op.getInput(), op.getOutput(),
                           op.getPermutation());
}

static LogicalResult writeLayoutChange(TransposeOp op, Exporter &exporter) {
  return permuteDimensions(exporter, op.getInput(), op.getOutput(),
                           op.getPermutation());
}

static LogicalResult writeTransposeKind(TransposeAttr kind, OperatorOp op,
                                        Exporter &exporter) {
  return permuteDimensions(exporter, op.getInputs().front(), op.getOutput(),
                           kind.getPermutation());
}

static LogicalResult writeReshape(qnnpack::ReshapeOp op, Exporter &exporter) {
  return reshapeTo(exporter, op.getInput(), op.getOutput());
}

template <typename KindTy>
static LogicalResult writeReshapeKind(KindTy kind, OperatorOp op,
                                      Exporter &exporter) {
  DenseI64ArrayAttr permutation = kind.getPermutation();
  Value input = op.getInputs().front();
  if (!permutation || llvm::is_sorted(permutation.asArrayRef()))
    return reshapeTo(exporter, input, op.getOutput());
  Layout from = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, from);
  if (!x)
    return failure();
  auto composed =
      llvm::map_to_vector(permutation.asArrayRef(), [&](int64_t axis) {
        return getAxis(axis, from, permutation.size());
      });
  if (!llvm::is_sorted(composed))
    x = exporter.transpose(x, composed);
  return exporter.setFloat(
      op.getOutput(), Layout::AsIs,
      exporter.reshape(x, getType(op.getOutput()).getShape()));
}

/// Another type of the same tensor.
static LogicalResult writeCast(tensor::CastOp op, Exporter &exporter) {
  if (!isa<RankedTensorType>(op.getSource().getType()) ||
      !isa<RankedTensorType>(op.getType()))
    return op.emitError() << "casts " << op.getSource().getType() << " to "
                          << op.getType() << ", expected types with a rank";
  Layout layout = exporter.getLayout(op.getSource());
  Tensor x = exporter.get(op.getSource(), layout);
  exporter.set(op.getDest(), layout, x);
  return success(bool(x));
}

//===----------------------------------------------------------------------===//
// Parts and repetitions
//===----------------------------------------------------------------------===//

static LogicalResult slice(Exporter &exporter, Value input, Value output,
                           ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> strides) {
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  SmallVector<int64_t> starts, ends, axes, steps;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    int64_t size = getType(output).getDimSize(dim);
    if (offset == 0 && strides[dim] == 1 &&
        size == getType(input).getDimSize(dim))
      continue;
    starts.push_back(offset);
    ends.push_back(ShapedType::isDynamic(size)
                       ? std::numeric_limits<int64_t>::max()
                       : offset + (size - 1) * strides[dim] + 1);
    axes.push_back(getAxis(dim, layout, offsets.size()));
    steps.push_back(strides[dim]);
  }
  if (axes.empty())
    return exporter.setFloat(output, layout, x);
  Tensor y = exporter.addMain(
      "Slice", {x, exporter.addInts(starts), exporter.addInts(ends),
                exporter.addInts(axes), exporter.addInts(steps)});
  return exporter.setFloat(output, layout, y);
}

static LogicalResult writeSlice(qnnpack::SliceOp op, Exporter &exporter) {
  return slice(exporter, op.getInput(), op.getOutput(), op.getOffsets(),
               op.getStrides());
}

static LogicalResult writeNarrowKind(NarrowAttr kind, OperatorOp op,
                                     Exporter &exporter) {
  return slice(exporter, op.getInputs().front(), op.getOutput(),
               kind.getOffsets(), kind.getStrides());
}

static LogicalResult pad(Exporter &exporter, Value input, Value output,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         float value) {
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  SmallVector<int64_t> pads = permute(low, layout);
  pads.append(permute(high, layout));
  Tensor y = exporter.addMain(
      "Pad", {x, exporter.addInts(pads), exporter.addFloat(value)});
  return exporter.setFloat(output, layout, y);
}

static LogicalResult writePad(qnnpack::PadOp op, Exporter &exporter) {
  // The float of the integer that is padded with.
  auto type = qnnpack::getQuantizedType(op.getInput().getType());
  int64_t integer =
      qnnpack::quantizeNumber(op.getValue().convertToFloat(), type);
  return pad(
      exporter, op.getInput(), op.getOutput(), op.getLow(), op.getHigh(),
      numerics::dequantize(integer, type.getScale(), type.getZeroPoint()));
}

static LogicalResult writePadKind(PadAttr kind, OperatorOp op,
                                  Exporter &exporter) {
  return pad(exporter, op.getInputs().front(), op.getOutput(), kind.getLow(),
             kind.getHigh(),
             static_cast<float>(kind.getValue().getValueAsDouble()));
}

static LogicalResult repeat(Exporter &exporter, Value input, Value output,
                            ArrayRef<int64_t> multiples) {
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  Tensor y = exporter.addMain(
      "Tile", {x, exporter.addInts(permute(multiples, layout))});
  return exporter.setFloat(output, layout, y);
}

static LogicalResult writeRepeat(qnnpack::RepeatOp op, Exporter &exporter) {
  return repeat(exporter, op.getInput(), op.getOutput(), op.getMultiples());
}

static LogicalResult writeRepeatKind(RepeatAttr kind, OperatorOp op,
                                     Exporter &exporter) {
  return repeat(exporter, op.getInputs().front(), op.getOutput(),
                kind.getMultiples());
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// Channels [groups, n] along `axis` as [n, groups].
static LogicalResult shuffle(Exporter &exporter, Value input, Value output,
                             int64_t axis, int64_t groups) {
  Layout layout = exporter.getLayout(input);
  SmallVector<int64_t> shape = permute(getType(input).getShape(), layout);
  axis = getAxis(axis, layout, shape.size());
  if (llvm::count_if(shape, ShapedType::isDynamic) > 1 ||
      ShapedType::isDynamic(shape[axis]))
    return exporter.getOp()->emitError()
           << "the input has type " << input.getType()
           << ", and a Reshape finds one dynamic extent at most";
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  SmallVector<int64_t> split(shape);
  split[axis] /= groups;
  split.insert(split.begin() + axis, groups);
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(permutation[axis], permutation[axis + 1]);
  Tensor y = exporter.transpose(exporter.reshape(x, split), permutation);
  return exporter.setFloat(output, layout, exporter.reshape(y, shape));
}

static LogicalResult writeChannelShuffle(qnnpack::ChannelShuffleOp op,
                                         Exporter &exporter) {
  return shuffle(exporter, op.getInput(), op.getOutput(),
                 getType(op.getInput()).getRank() - 1, op.getGroups());
}

static LogicalResult writeChannelShuffleKind(ChannelShuffleAttr kind,
                                             OperatorOp op,
                                             Exporter &exporter) {
  return shuffle(exporter, op.getInputs().front(), op.getOutput(),
                 kind.getAxis(), kind.getGroups());
}

/// Channel c * f * f + i * f + j is pixel (i, j) of c: ONNX's mode CRD.
static LogicalResult writePixelShuffleKind(PixelShuffleAttr kind, OperatorOp op,
                                           Exporter &exporter) {
  Tensor x = exporter.getFloat(op.getInputs().front(), Layout::ChannelsFirst);
  if (!x)
    return failure();
  return exporter.setFloat(
      op.getOutput(), Layout::ChannelsFirst,
      exporter.addMain("DepthToSpace", x,
                       {NodeAttr("blocksize", kind.getUpscaleFactor()),
                        NodeAttr("mode", StringRef("CRD"))}));
}

/// [N, C, h f, w f] as [N, C, h, f, w, f], [N, C, f, f, h, w]: ONNX's
/// SpaceToDepth has the channels in another order.
static LogicalResult writePixelUnshuffleKind(PixelUnshuffleAttr kind,
                                             OperatorOp op,
                                             Exporter &exporter) {
  Value input = op.getInputs().front();
  int64_t f = kind.getDownscaleFactor();
  SmallVector<int64_t> shape =
      permute(getType(input).getShape(), Layout::ChannelsFirst);
  if (llvm::any_of(ArrayRef(shape).drop_front(), ShapedType::isDynamic))
    return op.emitError() << "the input has type " << input.getType()
                          << ", expected a static shape but for the batch";
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!x)
    return failure();
  Tensor y = exporter.reshape(
      x, {shape[0], shape[1], shape[2] / f, f, shape[3] / f, f});
  y = exporter.transpose(y, {0, 1, 3, 5, 2, 4});
  return exporter.setFloat(op.getOutput(), Layout::ChannelsFirst,
                           exporter.reshape(y, {shape[0], shape[1] * f * f,
                                                shape[2] / f, shape[3] / f}));
}

void onnx::addMovement(Writers &writers) {
  writers.add(writeCat);
  writers.add(writeTranspose);
  writers.add(writeLayoutChange);
  writers.add(writeReshape);
  writers.add(writeCast);
  writers.add(writeSlice);
  writers.add(writePad);
  writers.add(writeRepeat);
  writers.add(writeChannelShuffle);
  writers.addKind(writeCatKind);
  writers.addKind(writeTransposeKind);
  writers.addKind(writeReshapeKind<FlattenAttr>);
  writers.addKind(writeReshapeKind<ReshapeAttr>);
  writers.addKind(writeNarrowKind);
  writers.addKind(writePadKind);
  writers.addKind(writeRepeatKind);
  writers.addKind(writeChannelShuffleKind);
  writers.addKind(writePixelShuffleKind);
  writers.addKind(writePixelUnshuffleKind);
}

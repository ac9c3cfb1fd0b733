// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms: BatchNormalization, LayerNormalization, InstanceNormalization.

#include "Exporter.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

/// `value`, or a tensor of `shape` full of `other`.
static Tensor getOr(Exporter &exporter, Value value, ArrayRef<int64_t> shape,
                    float other) {
  if (value)
    return exporter.getFloat(value, Layout::AsIs);
  int64_t count = ShapedType::getNumElements(shape);
  return exporter.addFloats(SmallVector<float>(count, other), shape);
}

/// The layout in which dimension `axis`, the channels, is 1, as ONNX has it.
static FailureOr<Layout> getChannelLayout(Exporter &exporter, Value input,
                                          int64_t axis) {
  int64_t rank = getType(input).getRank();
  if (axis == 1)
    return Layout::AsIs;
  if (axis == rank - 1)
    return Layout::ChannelsFirst;
  return exporter.getOp()->emitError()
         << "the channels are dimension " << axis
         << ", and in ONNX they are 1, or the last one here";
}

//===----------------------------------------------------------------------===//
// Over the statistics of a batch
//===----------------------------------------------------------------------===//

static LogicalResult normalizeBatch(Exporter &exporter, Value input,
                                    ArrayRef<Value> parameters, Value output,
                                    int64_t axis, double eps, bool relu) {
  FailureOr<Layout> layout = getChannelLayout(exporter, input, axis);
  if (failed(layout))
    return failure();
  SmallVector<Tensor> inputs = {exporter.getFloat(input, *layout)};
  int64_t channels = getType(input).getDimSize(axis);
  // weight, bias, mean, var
  for (auto [i, value] : llvm::enumerate(parameters))
    inputs.push_back(
        getOr(exporter, value, channels, i == 0 || i == 3 ? 1 : 0));
  if (!llvm::all_of(inputs, [](Tensor tensor) { return bool(tensor); }))
    return failure();
  return exporter.setFloat(
      output, *layout,
      exporter.addMain("BatchNormalization", inputs,
                       NodeAttr("epsilon", static_cast<float>(eps))),
      relu);
}

static LogicalResult writeBatchNorm(qnnpack::BatchNormOp op,
                                    Exporter &exporter) {
  return normalizeBatch(
      exporter, op.getInput(),
      {op.getWeight(), op.getBias(), op.getMean(), op.getVar()}, op.getOutput(),
      getType(op.getInput()).getRank() - 1, op.getEps().convertToDouble(),
      op.getRelu());
}

template <typename KindTy>
static LogicalResult writeBatchNormKind(KindTy kind, OperatorOp op,
                                        Exporter &exporter) {
  return normalizeBatch(
      exporter, op.getInputs().front(),
      {op.getWeight(), op.getBias(), op.getRunningMean(), op.getRunningVar()},
      op.getOutput(), kind.getAxis(), kind.getEps().getValueAsDouble(),
      op.isFused());
}

//===----------------------------------------------------------------------===//
// Over the last dimensions
//===----------------------------------------------------------------------===//

static LogicalResult normalizeTrailing(Exporter &exporter, const Layer &layer,
                                       int64_t axis, double eps) {
  auto [input, weight, bias, output, relu] = layer;
  Tensor x = exporter.getFloat(input, Layout::AsIs);
  Tensor w =
      getOr(exporter, weight, getType(input).getShape().drop_front(axis), 1);
  Tensor b = bias ? exporter.getFloat(bias, Layout::AsIs) : Tensor();
  if (!x || !w || (bias && !b))
    return failure();
  return exporter.setFloat(
      output, Layout::AsIs,
      exporter.addMain("LayerNormalization", {x, w, b},
                       {NodeAttr("axis", axis),
                        NodeAttr("epsilon", static_cast<float>(eps))}),
      relu);
}

static LogicalResult writeLayerNorm(qnnpack::LayerNormOp op,
                                    Exporter &exporter) {
  int64_t axis =
      getType(op.getInput()).getRank() - op.getNormalizedShape().size();
  return normalizeTrailing(exporter, Layer(op), axis,
                           op.getEps().convertToDouble());
}

/// The first of `axes`, which have to be the last dimensions.
static FailureOr<int64_t> getFirst(OperatorOp op, ArrayRef<int64_t> axes) {
  int64_t first = getType(op.getInputs().front()).getRank() - axes.size();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != first + int64_t(i))
      return op.emitError()
             << "normalizes dimension " << axis
             << ", and ONNX the last ones, from " << first << " on";
  if (!getType(op.getInputs().front()).hasStaticShape() &&
      llvm::any_of(getType(op.getInputs().front()).getShape().drop_front(first),
                   ShapedType::isDynamic))
    return op.emitError("normalizes dimensions that are dynamic");
  return first;
}

static LogicalResult writeLayerNormKind(LayerNormAttr kind, OperatorOp op,
                                        Exporter &exporter) {
  FailureOr<int64_t> axis = getFirst(op, kind.getAxes());
  if (failed(axis))
    return failure();
  return normalizeTrailing(exporter, Layer(op), *axis,
                           kind.getEps().getValueAsDouble());
}

// y = x / sqrt(mean(x * x) + eps) * weight
static LogicalResult writeRmsNormKind(RmsNormAttr kind, OperatorOp op,
                                      Exporter &exporter) {
  FailureOr<int64_t> axis = getFirst(op, kind.getAxes());
  Tensor x = exporter.getFloat(op.getInputs().front(), Layout::AsIs);
  if (failed(axis) || !x)
    return failure();
  Tensor mean = exporter.add("ReduceMean", exporter.add("Mul", {x, x}),
                             {NodeAttr("axes", kind.getAxes().asArrayRef()),
                              NodeAttr("keepdims", int64_t(1))});
  auto eps = static_cast<float>(kind.getEps().getValueAsDouble());
  Tensor root =
      exporter.add("Sqrt", exporter.add("Add", {mean, exporter.addFloat(eps)}));
  Tensor y = exporter.addMain("Div", {x, root});
  if (op.getWeight()) {
    Tensor weight = exporter.getFloat(op.getWeight(), Layout::AsIs);
    if (!weight)
      return failure();
    y = exporter.add("Mul", {y, weight});
  }
  return exporter.setFloat(op.getOutput(), Layout::AsIs, y, op.isFused());
}

//===----------------------------------------------------------------------===//
// Over the pixels of channels
//===----------------------------------------------------------------------===//

static LogicalResult normalizeChannels(Exporter &exporter, const Layer &layer,
                                       int64_t axis, double eps) {
  auto [input, weight, bias, output, relu] = layer;
  FailureOr<Layout> layout = getChannelLayout(exporter, input, axis);
  if (failed(layout))
    return failure();
  int64_t channels = getType(input).getDimSize(axis);
  Tensor x = exporter.getFloat(input, *layout);
  Tensor w = getOr(exporter, weight, channels, 1);
  Tensor b = getOr(exporter, bias, channels, 0);
  if (!x || !w || !b)
    return failure();
  return exporter.setFloat(
      output, *layout,
      exporter.addMain("InstanceNormalization", {x, w, b},
                       NodeAttr("epsilon", static_cast<float>(eps))),
      relu);
}

static LogicalResult writeInstanceNorm(qnnpack::InstanceNormOp op,
                                       Exporter &exporter) {
  return normalizeChannels(exporter, Layer(op),
                           getType(op.getInput()).getRank() - 1,
                           op.getEps().convertToDouble());
}

template <typename KindTy>
static LogicalResult writeInstanceNormKind(KindTy kind, OperatorOp op,
                                           Exporter &exporter) {
  return normalizeChannels(exporter, Layer(op), kind.getAxis(),
                           kind.getEps().getValueAsDouble());
}

/// Groups are the channels of [N, groups, -1]; weight and bias come after.
static LogicalResult normalizeGroups(Exporter &exporter, const Layer &layer,
                                     int64_t axis, int64_t groups, double eps) {
  auto [input, weight, bias, output, relu] = layer;
  FailureOr<Layout> layout = getChannelLayout(exporter, input, axis);
  if (failed(layout))
    return failure();
  SmallVector<int64_t> shape = permute(getType(input).getShape(), *layout);
  int64_t rank = shape.size();
  if (llvm::any_of(ArrayRef(shape).drop_front(), ShapedType::isDynamic))
    return exporter.getOp()->emitError()
           << "the input has type " << input.getType()
           << ", expected a static shape but for the batch";
  Tensor x = exporter.getFloat(input, *layout);
  if (!x)
    return failure();
  // 0: as in the input.
  Tensor y = exporter.add("Reshape", {x, exporter.addInts({0, groups, -1})});
  y = exporter.addMain(
      "InstanceNormalization",
      {y, getOr(exporter, {}, groups, 1), getOr(exporter, {}, groups, 0)},
      NodeAttr("epsilon", static_cast<float>(eps)));
  y = exporter.reshape(y, shape);
  SmallVector<int64_t> along(rank, 1);
  along[getAxis(axis, *layout, rank)] = getType(input).getDimSize(axis);
  for (auto [kind, value] :
       {std::pair("Mul", weight), std::pair("Add", bias)}) {
    if (!value)
      continue;
    Tensor numbers = exporter.getFloat(value, Layout::AsIs);
    if (!numbers)
      return failure();
    y = exporter.add(kind, {y, exporter.reshape(numbers, along)});
  }
  return exporter.setFloat(output, *layout, y, relu);
}

static LogicalResult writeGroupNorm(qnnpack::GroupNormOp op,
                                    Exporter &exporter) {
  return normalizeGroups(exporter, Layer(op),
                         getType(op.getInput()).getRank() - 1,
                         op.getNumGroups(), op.getEps().convertToDouble());
}

static LogicalResult writeGroupNormKind(GroupNormAttr kind, OperatorOp op,
                                        Exporter &exporter) {
  return normalizeGroups(exporter, Layer(op), kind.getAxis(),
                         kind.getNumGroups(), kind.getEps().getValueAsDouble());
}

void onnx::addNormalization(Writers &writers) {
  writers.add(writeBatchNorm);
  writers.add(writeLayerNorm);
  writers.add(writeInstanceNorm);
  writers.add(writeGroupNorm);
  writers.addKind(writeBatchNormKind<BatchNorm1dAttr>);
  writers.addKind(writeBatchNormKind<BatchNorm2dAttr>);
  writers.addKind(writeBatchNormKind<BatchNorm3dAttr>);
  writers.addKind(writeLayerNormKind);
  writers.addKind(writeRmsNormKind);
  writers.addKind(writeInstanceNormKind<InstanceNorm1dAttr>);
  writers.addKind(writeInstanceNormKind<InstanceNorm2dAttr>);
  writers.addKind(writeInstanceNormKind<InstanceNorm3dAttr>);
  writers.addKind(writeGroupNormKind);
}

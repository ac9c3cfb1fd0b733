// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers with a weight: Conv, ConvTranspose, Gemm and MatMul between integers.

#include "Exporter.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/Embedding.h"
#include "qbackend/Numerics/Requantize.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

/// f32(sx) * f32(sw) for each channel: what the integers of a bias count.
static SmallVector<float> getBiasScales(Value input, Value weight) {
  auto type = qnnpack::getQuantizedType(input.getType());
  if (!type)
    return {};
  auto scale = static_cast<float>(type.getScale());
  return llvm::map_to_vector(
      qnnpack::getWeightScales(weight.getType()),
      [&](double w) { return scale * static_cast<float>(w); });
}

/// `value` moved by a number of units of its last place.
static float moveBy(float value, int units) {
  for (float end = units < 0 ? 0.0f : std::numeric_limits<float>::infinity();
       units != 0; units += units < 0 ? 1 : -1)
    value = std::nextafter(value, end);
  return value;
}

/// From the nearest one: how far a scale may be moved, in units of its last
/// place.
static constexpr int kMoves[] = {0, -1, 1, -2, 2, -3, 3, -4, 4};

namespace {
/// What the file says of a layer's weight and result; null: what they are.
struct RuntimeTypes {
  quant::QuantizedType weight, output;
};
} // namespace

/// ONNX Runtime multiplies by f32(f32(sx * sw) / sy), QNNPACK by a product with
/// f32(1 / sy), which may differ in the last bit. Scales next to `sw` and `sy`
/// for which the two are the same; of several channels, which share one `sy`,
/// for as many as can be.
static RuntimeTypes getRuntimeTypes(Operation *op, Value input, Value weight,
                                    Value output) {
  auto x = qnnpack::getQuantizedType(input.getType());
  auto y = qnnpack::getQuantizedType(output.getType());
  Type type = getElementTypeOrSelf(weight.getType());
  // The signed kernels, and those of other engines, divide as well.
  if (!isa<qnnpack::QNNPackDialect>(op->getDialect()) || !x || !y ||
      x.isSigned())
    return {};
  double sx = x.getScale(), sy = y.getScale();
  SmallVector<double> scales = qnnpack::getWeightScales(weight.getType()), best;
  size_t mostEqual = 0;
  float result = sy;
  for (int outputMove : kMoves) {
    float written = moveBy(sy, outputMove);
    SmallVector<double> moved = scales;
    size_t equal = 0;
    for (double &sw : moved) {
      float wanted = numerics::convMultiplier(sx, sw, sy);
      const int *move = llvm::find_if(kMoves, [&](int units) {
        return numerics::convMultiplierXnnpack(sx, moveBy(sw, units),
                                               written) == wanted;
      });
      if (move == std::end(kMoves))
        continue;
      sw = moveBy(sw, *move);
      ++equal;
    }
    if (equal > mostEqual) {
      mostEqual = equal;
      best = std::move(moved);
      result = written;
    }
    if (equal == scales.size())
      break;
  }
  if (best.empty())
    return {};
  RuntimeTypes types;
  types.output = quant::UniformQuantizedType::get(
      y.getFlags(), y.getStorageType(), y.getExpressedType(), result,
      y.getZeroPoint(), y.getStorageTypeMin(), y.getStorageTypeMax());
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type))
    types.weight = quant::UniformQuantizedType::get(
        uniform.getFlags(), uniform.getStorageType(),
        uniform.getExpressedType(), best.front(), uniform.getZeroPoint(),
        uniform.getStorageTypeMin(), uniform.getStorageTypeMax());
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    types.weight = quant::UniformQuantizedPerAxisType::get(
        perAxis.getFlags(), perAxis.getStorageType(),
        perAxis.getExpressedType(), best, perAxis.getZeroPoints(),
        perAxis.getQuantizedDimension(), perAxis.getStorageTypeMin(),
        perAxis.getStorageTypeMax());
  return types;
}

SmallVector<float> onnx::getRuntimeMultipliers(Operation *op) {
  Value input = op->getOperand(0), weight = op->getOperand(1),
        output = op->getResult(0);
  RuntimeTypes types = getRuntimeTypes(op, input, weight, output);
  Type y = types.output ? Type(types.output) : output.getType();
  Type w = types.weight ? Type(types.weight) : weight.getType();
  double sx = qnnpack::getQuantizedType(input.getType()).getScale(),
         sy = qnnpack::getQuantizedType(y).getScale();
  return llvm::map_to_vector(qnnpack::getWeightScales(w), [&](double sw) {
    return numerics::convMultiplierXnnpack(sx, sw, sy);
  });
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
struct ConvolutionParameters {
  ArrayRef<int64_t> stride, padding, dilation;
  int64_t groups;
  bool isTransposed = false;
  ArrayRef<int64_t> outputPadding;
};
} // namespace

/// Ours has before and after of each dimension, ONNX all befores, all afters.
static SmallVector<int64_t> getPads(ArrayRef<int64_t> padding) {
  SmallVector<int64_t> pads;
  for (int64_t side : {0, 1})
    for (size_t i = 0; i < padding.size(); i += 2)
      pads.push_back(padding[i + side]);
  return pads;
}

/// [out, taps, in / groups] as [out, in / groups, taps]; transposed as
/// [in, out / groups, taps].
static Exporter::View getKernelView(ArrayRef<int64_t> shape,
                                    const ConvolutionParameters &parameters) {
  int64_t rank = shape.size(), groups = parameters.groups;
  Exporter::View view;
  if (!parameters.isTransposed) {
    view.shape.assign(shape.begin(), shape.end());
    view.permutation = getPermutation(Layout::ChannelsFirst, rank);
    view.result = permute(shape, Layout::ChannelsFirst);
    return view;
  }
  view.shape = {groups, shape[0] / groups};
  view.shape.append(shape.begin() + 1, shape.end());
  view.permutation = {0, rank, 1};
  view.result = {groups * shape.back(), shape[0] / groups};
  for (int64_t i = 2; i < rank; ++i)
    view.permutation.push_back(i);
  view.result.append(shape.begin() + 1, shape.end() - 1);
  return view;
}

static LogicalResult convolve(Exporter &exporter, const Layer &layer,
                              const ConvolutionParameters &parameters) {
  auto [input, weight, bias, output, relu] = layer;
  auto type = cast<RankedTensorType>(weight.getType());
  if (!type.hasStaticShape())
    return exporter.getOp()->emitError() << "the weight has type " << type
                                         << ", and ONNX's has a static shape";
  bool isTransposed = parameters.isTransposed;
  if (isTransposed && parameters.groups > 1 &&
      isa<quant::UniformQuantizedPerAxisType>(type.getElementType()))
    return exporter.getOp()->emitError(
        "a transposed convolution in groups with a scale for each channel has "
        "no form in ONNX; quantize its weight per tensor");
  RuntimeTypes types = getRuntimeTypes(exporter.getOp(), input, weight, output);
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  Tensor w =
      exporter.getWeight(weight, getKernelView(type.getShape(), parameters),
                         /*axis=*/isTransposed ? 1 : 0, types.weight);
  if (!x || !w)
    return failure();
  SmallVector<Tensor> inputs = {x, w};
  if (bias) {
    inputs.push_back(exporter.getBias(bias, getBiasScales(input, weight)));
    if (!inputs.back())
      return failure();
  }
  SmallVector<int64_t> kernel(type.getShape().drop_front().drop_back());
  SmallVector<NodeAttr> attributes = {
      NodeAttr("kernel_shape", kernel), NodeAttr("strides", parameters.stride),
      NodeAttr("pads", getPads(parameters.padding)),
      NodeAttr("dilations", parameters.dilation),
      NodeAttr("group", parameters.groups)};
  if (isTransposed)
    attributes.push_back(NodeAttr("output_padding", parameters.outputPadding));
  Tensor y = exporter.addMain(isTransposed ? "ConvTranspose" : "Conv", inputs,
                              attributes);
  return exporter.setFloat(output, Layout::ChannelsFirst, y, relu,
                           types.output);
}

template <typename OpTy>
static LogicalResult writeConvolution(OpTy op, Exporter &exporter) {
  return convolve(exporter, Layer(op, op.getRelu()),
                  {op.getStride(), op.getPadding(), op.getDilation(),
                   static_cast<int64_t>(op.getGroups())});
}

template <typename OpTy>
static LogicalResult writeTransposedConvolution(OpTy op, Exporter &exporter) {
  return convolve(exporter, Layer(op),
                  {op.getStride(), op.getPadding(), op.getDilation(),
                   static_cast<int64_t>(op.getGroups()), true,
                   op.getOutputPadding()});
}

template <typename KindTy>
static LogicalResult writeConvolutionKind(KindTy kind, OperatorOp op,
                                          Exporter &exporter) {
  auto convolution = cast<ConvolutionKindAttrInterface>(Attribute(kind));
  return convolve(exporter, Layer(op),
                  {convolution.getStrides(), convolution.getPaddings(),
                   convolution.getDilations(), convolution.getGroupCount(),
                   convolution.isTransposed(),
                   convolution.getOutputPaddings()});
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// [out, in] as it is, or the other way round.
static Exporter::View getMatrixView(RankedTensorType type, bool turned) {
  SmallVector<int64_t> shape(type.getShape());
  if (!turned)
    return {shape, {0, 1}, shape};
  return {shape, {1, 0}, {shape[1], shape[0]}};
}

static LogicalResult multiply(Exporter &exporter, const Layer &layer) {
  auto [input, weight, bias, output, relu] = layer;
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return exporter.getOp()->emitError()
           << "the weight has type " << type
           << ", expected [out, in] with a static shape";
  bool isGemm = cast<RankedTensorType>(input.getType()).getRank() == 2;
  RuntimeTypes types = getRuntimeTypes(exporter.getOp(), input, weight, output);
  Tensor x = exporter.getFloat(input, Layout::AsIs);
  Tensor w = exporter.getWeight(weight, getMatrixView(type, !isGemm),
                                /*axis=*/isGemm ? 0 : 1, types.weight);
  Tensor b;
  if (bias && !(b = exporter.getBias(bias, getBiasScales(input, weight))))
    return failure();
  if (!x || !w)
    return failure();
  Tensor y;
  if (isGemm) {
    y = exporter.addMain("Gemm", {x, w, b}, NodeAttr("transB", int64_t(1)));
  } else {
    y = exporter.addMain("MatMul", {x, w});
    if (b)
      y = exporter.add("Add", {y, b});
  }
  return exporter.setFloat(output, Layout::AsIs, y, relu, types.output);
}

static LogicalResult writeLinear(qnnpack::LinearOp op, Exporter &exporter) {
  return multiply(exporter, Layer(op, op.getRelu()));
}

static LogicalResult writeLinearKind(LinearAttr, OperatorOp op,
                                     Exporter &exporter) {
  return multiply(exporter, Layer(op));
}

static LogicalResult writeMatmulKind(MatmulAttr, OperatorOp op,
                                     Exporter &exporter) {
  SmallVector<Tensor> inputs;
  for (Value input : op.getInputs()) {
    inputs.push_back(exporter.getFloat(input, Layout::AsIs));
    if (!inputs.back())
      return failure();
  }
  return exporter.setFloat(op.getOutput(), Layout::AsIs,
                           exporter.addMain("MatMul", inputs), op.isFused());
}

// q, s, z = DynamicQuantizeLinear(x); y = f32(q . w) * (sw * s) + b
static LogicalResult writeDynamicLinear(qnnpack::LinearDynamicOp op,
                                        Exporter &exporter) {
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  Tensor x = exporter.get(op.getInput(), Layout::AsIs);
  Tensor w = exporter.getIntegers(op.getWeight(), getMatrixView(type, true));
  if (!x || !w)
    return failure();
  SmallVector<Tensor> integers = exporter.addAll("DynamicQuantizeLinear", x, 3);
  SmallVector<int64_t> zeroPoints =
      qnnpack::getWeightZeroPoints(op.getWeight().getType());
  SmallVector<int64_t, 1> shape;
  if (zeroPoints.size() > 1)
    shape.push_back(zeroPoints.size());
  Tensor product = exporter.addMain(
      "MatMulInteger",
      {integers[0], w, integers[2],
       exporter.addIntegers(ElementType::Int8, zeroPoints, shape)});
  auto scales = llvm::map_to_vector(
      qnnpack::getWeightScales(op.getWeight().getType()),
      [](double scale) { return static_cast<float>(scale); });
  Tensor factor =
      exporter.add("Mul", {integers[1], exporter.addFloats(scales, shape)});
  Tensor y =
      exporter.add("Cast", product,
                   NodeAttr("to", static_cast<int64_t>(ElementType::Float)));
  y = exporter.add("Mul", {y, factor});
  if (op.getBias()) {
    Tensor bias = exporter.get(op.getBias(), Layout::AsIs);
    if (!bias)
      return failure();
    y = exporter.add("Add", {y, bias});
  }
  return exporter.setFloat(op.getOutput(), Layout::AsIs, y, op.getRelu());
}

//===----------------------------------------------------------------------===//
// Tables of rows
//===----------------------------------------------------------------------===//

static LogicalResult writeEmbeddingKind(EmbeddingAttr, OperatorOp op,
                                        Exporter &exporter) {
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  Tensor indices = exporter.get(op.getInputs().front(), Layout::AsIs);
  Tensor table = exporter.getWeight(op.getWeight(), getMatrixView(type, false),
                                    /*axis=*/0);
  if (!indices || !table)
    return failure();
  return exporter.setFloat(op.getOutput(), Layout::AsIs,
                           exporter.addMain("Gather", {table, indices}));
}

/// y = s * q - z * s with one rounding; in double, where the product is exact
/// and the sum all but that.
static LogicalResult writeRows(Exporter &exporter, Tensor table, Value indices,
                               ArrayRef<float> scales, ArrayRef<float> offsets,
                               Value output) {
  Tensor i = exporter.get(indices, Layout::AsIs);
  if (!i)
    return failure();
  NodeAttr toDouble("to", static_cast<int64_t>(ElementType::Double)),
      toFloat("to", static_cast<int64_t>(ElementType::Float));
  auto column = [&](ArrayRef<float> numbers) {
    Tensor rows = exporter.add(
        "Gather",
        {exporter.addFloats(numbers, {int64_t(numbers.size()), 1}), i});
    return exporter.add("Cast", rows, toDouble);
  };
  Tensor q =
      exporter.add("Cast", exporter.addMain("Gather", {table, i}), toDouble);
  Tensor y = exporter.add(
      "Add", {exporter.add("Mul", {q, column(scales)}), column(offsets)});
  exporter.set(output, Layout::AsIs, exporter.add("Cast", y, toFloat));
  return success();
}

template <typename OpTy>
static LogicalResult writeTableOfRows(OpTy op, Exporter &exporter) {
  DenseElementsAttr table = exporter.getConstant(op.getTable(), op),
                    scaleAttr = exporter.getConstant(op.getScales(), op),
                    zeroAttr = exporter.getConstant(op.getZeroPoints(), op);
  if (!table || !scaleAttr || !zeroAttr)
    return failure();
  constexpr bool isHalf = std::is_same_v<OpTy, qnnpack::Embedding4BitOp>;
  SmallVector<float> scales, offsets;
  for (auto [scale, zeroPoint] :
       llvm::zip(scaleAttr.getValues<float>(), zeroAttr.getValues<float>())) {
    numerics::EmbeddingRow row =
        numerics::embeddingRow(scale, zeroPoint,
                               isHalf ? numerics::EmbeddingBits::Four
                                      : numerics::EmbeddingBits::Eight);
    scales.push_back(row.scale);
    offsets.push_back(row.bias);
  }
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(op.getTable().getType()).getShape());
  SmallVector<int64_t> bytes;
  for (uint8_t byte : table.getValues<uint8_t>()) {
    if (!isHalf) {
      bytes.push_back(byte);
      continue;
    }
    bytes.push_back(byte & 15);
    bytes.push_back(byte >> 4);
  }
  if (isHalf)
    shape.back() *= 2;
  return writeRows(exporter,
                   exporter.addIntegers(ElementType::UInt8, bytes, shape),
                   op.getIndices(), scales, offsets, op.getOutput());
}

void onnx::addLayers(Writers &writers) {
  writers.add(writeConvolution<qnnpack::Conv1dOp>);
  writers.add(writeConvolution<qnnpack::Conv2dOp>);
  writers.add(writeConvolution<qnnpack::Conv3dOp>);
  writers.add(writeTransposedConvolution<qnnpack::ConvTranspose1dOp>);
  writers.add(writeTransposedConvolution<qnnpack::ConvTranspose2dOp>);
  writers.add(writeLinear);
  writers.add(writeDynamicLinear);
  writers.add(writeTableOfRows<qnnpack::EmbeddingByteOp>);
  writers.add(writeTableOfRows<qnnpack::Embedding4BitOp>);
  writers.addKind(writeConvolutionKind<Conv1dAttr>);
  writers.addKind(writeConvolutionKind<Conv2dAttr>);
  writers.addKind(writeConvolutionKind<Conv3dAttr>);
  writers.addKind(writeConvolutionKind<ConvTranspose1dAttr>);
  writers.addKind(writeConvolutionKind<ConvTranspose2dAttr>);
  writers.addKind(writeConvolutionKind<ConvTranspose3dAttr>);
  writers.addKind(writeLinearKind);
  writers.addKind(writeMatmulKind);
  writers.addKind(writeEmbeddingKind);
}

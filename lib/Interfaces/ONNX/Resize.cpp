// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upsampling: Resize, or Gather of rows and columns where its pixels would be
// others.

#include "Exporter.h"

#include "qbackend/Numerics/Resize.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

namespace {
struct Sizes {
  /// Height and width.
  SmallVector<int64_t, 2> input, output;
  /// As many, or none.
  ArrayRef<double> factors;

  std::optional<double> getFactor(int64_t axis) const {
    if (factors.empty())
      return std::nullopt;
    return factors[axis];
  }
};
} // namespace

static FailureOr<Sizes> getSizes(Exporter &exporter, Value input, Value output,
                                 std::optional<ArrayRef<double>> factors) {
  Sizes sizes;
  ArrayRef<int64_t> in = cast<RankedTensorType>(input.getType()).getShape(),
                    out = cast<RankedTensorType>(output.getType()).getShape();
  sizes.input.assign(in.begin() + 1, in.end() - 1);
  sizes.output.assign(out.begin() + 1, out.end() - 1);
  if (llvm::any_of(sizes.input, ShapedType::isDynamic) ||
      llvm::any_of(sizes.output, ShapedType::isDynamic) ||
      sizes.input.size() != 2)
    return exporter.getOp()->emitError()
           << "resizes " << input.getType() << " to " << output.getType()
           << ", expected images of a static size";
  if (factors)
    sizes.factors = *factors;
  return sizes;
}

/// Resize by factors, which are those of the sizes if none are given.
static Tensor resize(Exporter &exporter, Tensor x, const Sizes &sizes,
                     ArrayRef<NodeAttr> attributes) {
  SmallVector<float> scales = {1, 1};
  for (int64_t axis : {0, 1})
    scales.push_back(static_cast<float>(sizes.factors.empty()
                                            ? double(sizes.output[axis]) /
                                                  double(sizes.input[axis])
                                            : sizes.factors[axis]));
  // The result has floor(in * factor) pixels.
  bool fits = true;
  for (int64_t axis : {0, 1})
    fits &= static_cast<int64_t>(
                std::floor(float(sizes.input[axis]) * scales[axis + 2])) ==
            sizes.output[axis];
  if (fits)
    return exporter.addMain(
        "Resize", {x, Tensor(), exporter.addFloats(scales, {4})}, attributes);
  // Batch and channels are those of the input.
  Tensor shape = exporter.add("Shape", x);
  Tensor outer = exporter.add(
      "Slice", {shape, exporter.addInts({0}), exporter.addInts({2})});
  Tensor all = exporter.add("Concat", {outer, exporter.addInts(sizes.output)},
                            NodeAttr("axis", int64_t(0)));
  return exporter.addMain("Resize", {x, Tensor(), Tensor(), all}, attributes);
}

static LogicalResult upsampleNearest(Exporter &exporter, Value input,
                                     Value output,
                                     std::optional<ArrayRef<double>> factors,
                                     bool relu = false) {
  FailureOr<Sizes> sizes = getSizes(exporter, input, output, factors);
  if (failed(sizes))
    return failure();
  Tensor y = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!y)
    return failure();
  // Whole factors copy each pixel as often as they say.
  bool isWhole = true;
  SmallVector<std::vector<int32_t>> sources;
  for (int64_t axis : {0, 1}) {
    int64_t in = sizes->input[axis], out = sizes->output[axis];
    sources.push_back(
        numerics::nearestSources(in, out, sizes->getFactor(axis)));
    isWhole &= out % in == 0;
    for (auto [o, source] : llvm::enumerate(sources.back()))
      isWhole &= source == int64_t(o) * in / out;
  }
  if (isWhole) {
    Sizes whole = *sizes;
    whole.factors = {};
    y = resize(
        exporter, y, whole,
        {NodeAttr("mode", StringRef("nearest")),
         NodeAttr("coordinate_transformation_mode", StringRef("asymmetric")),
         NodeAttr("nearest_mode", StringRef("floor"))});
  } else {
    for (auto [axis, source] : llvm::enumerate(sources)) {
      SmallVector<int64_t> indices(source.begin(), source.end());
      y = exporter.add("Gather", {y, exporter.addInts(indices)},
                       NodeAttr("axis", int64_t(axis) + 2));
    }
  }
  return exporter.setFloat(output, Layout::ChannelsFirst, y, relu);
}

static LogicalResult upsampleLinear(Exporter &exporter, Value input,
                                    Value output,
                                    std::optional<ArrayRef<double>> factors,
                                    bool alignCorners, bool relu = false) {
  FailureOr<Sizes> sizes = getSizes(exporter, input, output, factors);
  if (failed(sizes))
    return failure();
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!x)
    return failure();
  Tensor y = resize(
      exporter, x, *sizes,
      {NodeAttr("mode", StringRef("linear")),
       NodeAttr("coordinate_transformation_mode",
                StringRef(alignCorners ? "align_corners" : "half_pixel"))});
  return exporter.setFloat(output, Layout::ChannelsFirst, y, relu);
}

static LogicalResult writeNearest(qnnpack::UpsampleNearest2dOp op,
                                  Exporter &exporter) {
  return upsampleNearest(exporter, op.getInput(), op.getOutput(),
                         op.getScaleFactors());
}

static LogicalResult writeBilinear(qnnpack::UpsampleBilinear2dOp op,
                                   Exporter &exporter) {
  return upsampleLinear(exporter, op.getInput(), op.getOutput(),
                        op.getScaleFactors(), op.getAlignCorners());
}

static LogicalResult writeInterpolateKind(InterpolateAttr kind, OperatorOp op,
                                          Exporter &exporter) {
  std::optional<ArrayRef<double>> factors;
  if (DenseF64ArrayAttr attribute = kind.getScaleFactors())
    factors = attribute.asArrayRef();
  Value input = op.getInputs().front();
  if (kind.getMode() == InterpolateMode::Nearest)
    return upsampleNearest(exporter, input, op.getOutput(), factors,
                           op.isFused());
  return upsampleLinear(exporter, input, op.getOutput(), factors,
                        kind.getAlignCorners(), op.isFused());
}

void onnx::addResize(Writers &writers) {
  writers.add(writeNearest);
  writers.add(writeBilinear);
  writers.addKind(writeInterpolateKind);
}

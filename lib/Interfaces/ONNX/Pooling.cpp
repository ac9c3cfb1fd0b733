// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools and means. Windows are floor mode with padding that reaches to the last
// one, which needs no rule for windows that begin in the padding.

#include "Exporter.h"

#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
struct Windows {
  /// Sizes of the image and of the result, static.
  SmallVector<int64_t> input, output;
  SmallVector<int64_t> kernel, stride, dilation;
  /// Of each dimension; what the user gave.
  SmallVector<int64_t> before, after;

  /// The padding behind the image that the last window reaches.
  SmallVector<int64_t> getReach() const {
    SmallVector<int64_t> reach;
    for (size_t i = 0; i < kernel.size(); ++i) {
      int64_t end = (output[i] - 1) * stride[i] +
                    (kernel[i] - 1) * dilation[i] + 1 - before[i];
      reach.push_back(std::max<int64_t>(end - input[i], 0));
    }
    return reach;
  }
  /// Befores, then afters.
  SmallVector<int64_t> getPads() const {
    SmallVector<int64_t> pads = before;
    pads.append(getReach());
    return pads;
  }
  /// Pads of a Pad of the whole tensor, channels first.
  SmallVector<int64_t> getAllPads() const {
    SmallVector<int64_t> pads = {0, 0};
    pads.append(before);
    pads.append({0, 0});
    pads.append(getReach());
    return pads;
  }
  SmallVector<NodeAttr> getAttributes() const {
    return {NodeAttr("kernel_shape", kernel), NodeAttr("strides", stride)};
  }
};
} // namespace

static FailureOr<Windows> getWindows(Exporter &exporter, Value input,
                                     Value output, ArrayRef<int64_t> kernel,
                                     ArrayRef<int64_t> stride,
                                     ArrayRef<int64_t> padding,
                                     ArrayRef<int64_t> dilation) {
  Windows windows;
  ArrayRef<int64_t> in = getType(input).getShape(),
                    out = getType(output).getShape();
  windows.input.assign(in.begin() + 1, in.end() - 1);
  windows.output.assign(out.begin() + 1, out.end() - 1);
  if (llvm::any_of(windows.input, ShapedType::isDynamic) ||
      llvm::any_of(windows.output, ShapedType::isDynamic))
    return exporter.getOp()->emitError()
           << "pools from " << input.getType() << " to " << output.getType()
           << ", expected images of a static size";
  windows.kernel.assign(kernel.begin(), kernel.end());
  windows.stride.assign(stride.begin(), stride.end());
  windows.dilation.assign(dilation.begin(), dilation.end());
  if (dilation.empty())
    windows.dilation.assign(kernel.size(), 1);
  for (size_t i = 0; i < kernel.size(); ++i) {
    windows.before.push_back(padding[2 * i]);
    windows.after.push_back(padding[2 * i + 1]);
  }
  return windows;
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// With `nearest`, taps outside of the image are the pixel nearest to them.
static LogicalResult poolMax(Exporter &exporter, Value input, Value output,
                             const Windows &windows, bool nearest,
                             bool relu = false) {
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!x)
    return failure();
  SmallVector<int64_t> pads = windows.getPads();
  bool isPadded = llvm::any_of(pads, [](int64_t n) { return n != 0; });
  if (nearest && isPadded) {
    x = exporter.add("Pad", {x, exporter.addInts(windows.getAllPads())},
                     NodeAttr("mode", StringRef("edge")));
    pads.assign(pads.size(), 0);
  }
  // Readers want less padding than a kernel has elements.
  bool isTooLarge = false;
  for (size_t i = 0; i < pads.size(); ++i)
    isTooLarge |= pads[i] >= windows.kernel[i % windows.kernel.size()];
  if (isTooLarge) {
    Tensor lowest = exporter.addFloat(std::numeric_limits<float>::lowest());
    x = exporter.add("Pad",
                     {x, exporter.addInts(windows.getAllPads()), lowest});
    pads.assign(pads.size(), 0);
  }
  SmallVector<NodeAttr> attributes = windows.getAttributes();
  attributes.push_back(NodeAttr("pads", pads));
  attributes.push_back(NodeAttr("dilations", windows.dilation));
  return exporter.setFloat(output, Layout::ChannelsFirst,
                           exporter.addMain("MaxPool", x, attributes), relu);
}

static LogicalResult writeMaxPool(qnnpack::MaxPool2dOp op, Exporter &exporter) {
  FailureOr<Windows> windows =
      getWindows(exporter, op.getInput(), op.getOutput(), op.getKernel(),
                 op.getStride(), op.getPadding(), op.getDilation());
  if (failed(windows))
    return failure();
  bool isSigned = qnnpack::getQuantizedType(op.getInput().getType()).isSigned();
  // Else the nearest pixel is in the window.
  bool isDilated = false;
  for (int i : {0, 1})
    isDilated |= op.getDilation()[i] != 1 &&
                 (windows->before[i] != 0 || windows->after[i] != 0);
  return poolMax(exporter, op.getInput(), op.getOutput(), *windows,
                 /*nearest=*/isDilated && !isSigned && !op.getCeilMode() &&
                     !op.getMathematical());
}

template <typename KindTy>
static LogicalResult writeMaxPoolKind(KindTy kind, OperatorOp op,
                                      Exporter &exporter) {
  Value input = op.getInputs().front();
  FailureOr<Windows> windows =
      getWindows(exporter, input, op.getOutput(), kind.getKernel(),
                 kind.getStride(), kind.getPadding(), kind.getDilation());
  if (failed(windows))
    return failure();
  return poolMax(exporter, input, op.getOutput(), *windows, false,
                 op.isFused());
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

namespace {
/// What the sum of a window is divided by.
struct Divisors {
  /// Its size, whatever is outside of the image.
  bool isKernel = false;
  /// Padding counts, as far as it was given.
  bool countsPadding = true;
  std::optional<int64_t> number;
};
} // namespace

/// For each window of an axis, its taps in [-before, size + after).
static SmallVector<int64_t> countTaps(const Windows &windows, size_t axis,
                                      bool withPadding) {
  int64_t low = withPadding ? -windows.before[axis] : 0;
  int64_t high = windows.input[axis] + (withPadding ? windows.after[axis] : 0);
  SmallVector<int64_t> counts;
  for (int64_t o = 0; o < windows.output[axis]; ++o) {
    int64_t start = o * windows.stride[axis] - windows.before[axis];
    int64_t end = start + windows.kernel[axis];
    counts.push_back(std::min(end, high) - std::max(start, low));
  }
  return counts;
}

/// The divisor of each window, row-major.
static SmallVector<int64_t> getDivisors(const Windows &windows,
                                        const Divisors &divisors) {
  SmallVector<int64_t> all = {1};
  for (size_t axis = 0; axis < windows.kernel.size(); ++axis) {
    SmallVector<int64_t> next;
    SmallVector<int64_t> counts =
        countTaps(windows, axis, divisors.countsPadding);
    for (int64_t outer : all)
      for (int64_t count : counts)
        next.push_back(outer * count);
    all = std::move(next);
  }
  if (divisors.number)
    all.assign(all.size(), *divisors.number);
  return all;
}

static LogicalResult poolAverage(Exporter &exporter, Value input, Value output,
                                 const Windows &windows,
                                 const Divisors &divisors, bool relu = false) {
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!x)
    return failure();
  int64_t size = llvm::product_of(windows.kernel);
  SmallVector<int64_t> counts;
  if (!divisors.isKernel)
    counts = getDivisors(windows, divisors);
  bool isSize =
      llvm::all_of(counts, [&](int64_t count) { return count == size; });
  bool isInside = !isSize && !divisors.countsPadding && !divisors.number;
  SmallVector<NodeAttr> attributes = windows.getAttributes();
  attributes.push_back(NodeAttr("pads", windows.getPads()));
  attributes.push_back(NodeAttr("count_include_pad", int64_t(!isInside)));
  Tensor y = exporter.addMain("AveragePool", x, attributes);
  if (!isSize && !isInside) {
    SmallVector<float> factors;
    for (int64_t count : counts)
      factors.push_back(float(double(size) / double(count)));
    SmallVector<int64_t> shape = {1, 1};
    shape.append(windows.output);
    y = exporter.add("Mul", {y, exporter.addFloats(factors, shape)});
  }
  return exporter.setFloat(output, Layout::ChannelsFirst, y, relu);
}

static LogicalResult writeAvgPool(qnnpack::AvgPool2dOp op, Exporter &exporter) {
  FailureOr<Windows> windows =
      getWindows(exporter, op.getInput(), op.getOutput(), op.getKernel(),
                 op.getStride(), op.getPadding(), {});
  if (failed(windows))
    return failure();
  bool isSigned = qnnpack::getQuantizedType(op.getInput().getType()).isSigned();
  Divisors divisors;
  divisors.isKernel = !isSigned && !op.getCeilMode() && !op.getMathematical();
  divisors.countsPadding = op.getCountIncludePad();
  divisors.number = op.getDivisorOverride();
  return poolAverage(exporter, op.getInput(), op.getOutput(), *windows,
                     divisors);
}

template <typename KindTy>
static LogicalResult writeAvgPoolKind(KindTy kind, OperatorOp op,
                                      Exporter &exporter) {
  Value input = op.getInputs().front();
  FailureOr<Windows> windows =
      getWindows(exporter, input, op.getOutput(), kind.getKernel(),
                 kind.getStride(), kind.getPadding(), {});
  if (failed(windows))
    return failure();
  Divisors divisors;
  divisors.countsPadding = !kind.getCountExcludePad();
  divisors.number = kind.getDivisorOverride();
  return poolAverage(exporter, input, op.getOutput(), *windows, divisors,
                     op.isFused());
}

//===----------------------------------------------------------------------===//
// To a given size
//===----------------------------------------------------------------------===//

/// The matrix [in, out] that averages windows [floor(i * in / out),
/// ceil((i + 1) * in / out)).
static Tensor getAverages(Exporter &exporter, int64_t in, int64_t out,
                          bool turned) {
  SmallVector<float> matrix(in * out, 0);
  for (int64_t o = 0; o < out; ++o) {
    int64_t start = o * in / out, end = ((o + 1) * in + out - 1) / out;
    for (int64_t i = start; i < end; ++i)
      matrix[turned ? o * in + i : i * out + o] = 1.0f / (end - start);
  }
  return exporter.addFloats(matrix, turned ? ArrayRef<int64_t>{out, in}
                                           : ArrayRef<int64_t>{in, out});
}

static LogicalResult averageTo(Exporter &exporter, Value input, Value output,
                               bool relu = false) {
  ArrayRef<int64_t> in = getType(input).getShape().drop_front().drop_back(),
                    out = getType(output).getShape().drop_front().drop_back();
  if (llvm::any_of(in, ShapedType::isDynamic) ||
      llvm::any_of(out, ShapedType::isDynamic))
    return exporter.getOp()->emitError()
           << "pools from " << input.getType() << " to " << output.getType()
           << ", expected images of a static size";
  Tensor x = exporter.getFloat(input, Layout::ChannelsFirst);
  if (!x)
    return failure();
  Tensor y;
  SmallVector<int64_t> kernel;
  bool divides = true;
  for (auto [i, o] : llvm::zip(in, out)) {
    divides &= i % o == 0;
    kernel.push_back(i / o);
  }
  if (llvm::all_of(out, [](int64_t n) { return n == 1; })) {
    y = exporter.addMain("GlobalAveragePool", x);
  } else if (divides) {
    y = exporter.addMain(
        "AveragePool", x,
        {NodeAttr("kernel_shape", kernel), NodeAttr("strides", kernel)});
  } else if (in.size() == 2) {
    // Windows of several sizes are products with a matrix for each axis.
    y = exporter.add("MatMul",
                     {x, getAverages(exporter, in[1], out[1], false)});
    y = exporter.addMain("MatMul",
                         {getAverages(exporter, in[0], out[0], true), y});
  } else if (in.size() == 1) {
    y = exporter.addMain("MatMul",
                         {x, getAverages(exporter, in[0], out[0], false)});
  } else {
    return exporter.getOp()->emitError()
           << "pools from " << input.getType() << " to " << output.getType()
           << ", whose windows have several sizes";
  }
  return exporter.setFloat(output, Layout::ChannelsFirst, y, relu);
}

static LogicalResult writeAdaptive(qnnpack::AdaptiveAvgPool2dOp op,
                                   Exporter &exporter) {
  return averageTo(exporter, op.getInput(), op.getOutput());
}

template <typename KindTy>
static LogicalResult writeAdaptiveKind(KindTy, OperatorOp op,
                                       Exporter &exporter) {
  return averageTo(exporter, op.getInputs().front(), op.getOutput(),
                   op.isFused());
}

//===----------------------------------------------------------------------===//
// Means, sums and maxima
//===----------------------------------------------------------------------===//

static LogicalResult writeMean(qnnpack::MeanOp op, Exporter &exporter) {
  Tensor x = exporter.getFloat(op.getInput(), Layout::ChannelsFirst);
  if (!x)
    return failure();
  Tensor y = exporter.addMain("GlobalAveragePool", x);
  if (op.getKeepdim())
    return exporter.setFloat(op.getOutput(), Layout::ChannelsFirst, y);
  // 0: as in the input.
  y = exporter.add("Reshape", {y, exporter.addInts({0, -1})});
  return exporter.setFloat(op.getOutput(), Layout::AsIs, y);
}

template <typename KindTy>
static LogicalResult writeReductionKind(KindTy kind, OperatorOp op,
                                        Exporter &exporter) {
  Value input = op.getInputs().front();
  // Where dimensions are dropped, those that stay are in order as they are.
  Layout layout = kind.getKeepdim() ? exporter.getLayout(input) : Layout::AsIs;
  ArrayRef<int64_t> axes = kind.getAxes();
  int64_t rank = getType(input).getRank();
  bool dropsPixels = !kind.getKeepdim() && rank == 4 &&
                     llvm::equal(axes, ArrayRef<int64_t>{1, 2});
  if (dropsPixels)
    layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  auto where = llvm::map_to_vector(
      axes, [&](int64_t axis) { return getAxis(axis, layout, rank); });
  llvm::sort(where);
  NodeAttr keepdims("keepdims", int64_t(kind.getKeepdim()));
  // Axes are an input of a sum, and an attribute of the others, in opset 17.
  StringRef name =
      std::is_same_v<KindTy, MeanAttr> ? "ReduceMean" : "ReduceMax";
  Tensor y =
      std::is_same_v<KindTy, SumAttr>
          ? exporter.addMain("ReduceSum", {x, exporter.addInts(where)},
                             keepdims)
          : exporter.addMain(name, x, {NodeAttr("axes", where), keepdims});
  return exporter.setFloat(op.getOutput(),
                           kind.getKeepdim() ? layout : Layout::AsIs, y,
                           op.isFused());
}

void onnx::addPooling(Writers &writers) {
  writers.add(writeMaxPool);
  writers.add(writeAvgPool);
  writers.add(writeAdaptive);
  writers.add(writeMean);
  writers.addKind(writeMaxPoolKind<MaxPool1dAttr>);
  writers.addKind(writeMaxPoolKind<MaxPool2dAttr>);
  writers.addKind(writeMaxPoolKind<MaxPool3dAttr>);
  writers.addKind(writeAvgPoolKind<AvgPool1dAttr>);
  writers.addKind(writeAvgPoolKind<AvgPool2dAttr>);
  writers.addKind(writeAvgPoolKind<AvgPool3dAttr>);
  writers.addKind(writeAdaptiveKind<AdaptiveAvgPool1dAttr>);
  writers.addKind(writeAdaptiveKind<AdaptiveAvgPool2dAttr>);
  writers.addKind(writeAdaptiveKind<AdaptiveAvgPool3dAttr>);
  writers.addKind(writeReductionKind<MeanAttr>);
  writers.addKind(writeReductionKind<SumAttr>);
  writers.addKind(writeReductionKind<AmaxAttr>);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of pools and means. The engine runs 1-d pools as 2-d ones on images
// of height 1.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "qbackend/Support/Remarks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qbackend;

/// Whether floor mode doesn't give as many windows as `output` has.
static bool needsCeilMode(MaxPool2dAttr kind, RankedTensorType input,
                          RankedTensorType output) {
  for (int i : {0, 1}) {
    // Of an unknown extent it is not known; the kernel refuses that anyway.
    if (input.isDynamicDim(1 + i) || output.isDynamicDim(1 + i))
      return true;
    int64_t extent = (kind.getKernel()[i] - 1) * kind.getDilation()[i] + 1;
    int64_t room = input.getDimSize(1 + i) + kind.getPadding()[2 * i] +
                   kind.getPadding()[2 * i + 1] - extent;
    if (room / kind.getStride()[i] + 1 != output.getDimSize(1 + i))
      return true;
  }
  return false;
}

static Value createMaxPool(KernelBuilder &b, Value input, RankedTensorType type,
                           MaxPool2dAttr kind) {
  // The engine pads both sides alike. Where they differ, as an export of ceil
  // mode has it, there is no kernel of floor mode to follow.
  ArrayRef<int64_t> padding = kind.getPadding();
  bool uneven = padding[0] != padding[1] || padding[2] != padding[3];
  bool dilated = !llvm::all_of(kind.getDilation().asArrayRef(),
                               [](int64_t dilation) { return dilation == 1; });
  bool padded = llvm::any_of(padding, [](int64_t size) { return size != 0; });
  auto inputType = cast<RankedTensorType>(input.getType());
  if (inputType.getRank() != 4 || type.getRank() != 4)
    return {};
  return b.make<qnnpack::MaxPool2dOp>(
      Type(type), input, kind.getKernel(), kind.getStride(), kind.getPadding(),
      kind.getDilation(), b.getFlag(needsCeilMode(kind, inputType, type)),
      /*mathematical=*/
      b.getFlag(dilated && (uneven || (padded && b.isImported()))));
}

/// Where the kernel of an average gives other numbers than the operator:
/// without ceil mode, and of unsigned integers, it divides by the window's
/// size, whatever it was told.
static std::string whyOtherAverage(AvgPool2dAttr kind, RankedTensorType type) {
  auto quantized = qnnpack::getQuantizedType(type);
  int64_t size = kind.getKernel()[0] * kind.getKernel()[1];
  bool isPadded = kind.getCountExcludePad() &&
                  llvm::any_of(kind.getPadding().asArrayRef(),
                               [](int64_t padding) { return padding != 0; });
  if (kind.getCeilMode() || (quantized && quantized.isSigned()))
    return "";
  if (kind.getDivisorOverride() && *kind.getDivisorOverride() != size)
    return llvm::formatv("the kernel divides by {0}, the operator by {1}: all "
                         "numbers are {2} times what they should be",
                         size, *kind.getDivisorOverride(),
                         double(*kind.getDivisorOverride()) / double(size));
  if (isPadded && !kind.getDivisorOverride())
    return llvm::formatv(
        "the kernel divides by {0} at the border, too, where the operator "
        "counts the elements that are there: the border is too small",
        size);
  return "";
}

/// Whether `op` keeps its (first) input's order in memory in PyTorch, and what
/// that input is.
static Value getInSameOrder(Operation *op) {
  if (isa<qnnpack::RequantizeOp, qnnpack::ReluOp, qnnpack::SigmoidOp,
          qnnpack::HardsigmoidOp, qnnpack::HardswishOp, qnnpack::TanhOp,
          qnnpack::LeakyReluOp, qnnpack::EluOp, qnnpack::CeluOp,
          qnnpack::PreluOp, qnnpack::BatchNormOp, qnnpack::AddOp,
          qnnpack::MulOp, qnnpack::AddScalarOp, qnnpack::MulScalarOp,
          qnnpack::MaxPool2dOp, qnnpack::AvgPool2dOp,
          qnnpack::AdaptiveAvgPool2dOp, qnnpack::UpsampleNearest2dOp,
          qnnpack::UpsampleBilinear2dOp>(op))
    return op->getOperand(0);
  // Dimensions of 1 come and go.
  if (auto reshape = dyn_cast<qnnpack::ReshapeOp>(op)) {
    auto getSizes = [](Value value) {
      return llvm::to_vector(llvm::make_filter_range(
          cast<RankedTensorType>(value.getType()).getShape(),
          [](int64_t size) { return size != 1; }));
    };
    if (getSizes(reshape.getInput()) == getSizes(reshape.getOutput()))
      return reshape.getInput();
  }
  return {};
}

/// Whether the engine has the image `value` with its channels last in memory,
/// as its convolutions give it. Looks at a bounded number of ops; arguments are
/// contiguous, and so are results of clamps (docs/Numerics.md).
static bool isChannelsLast(Value value) {
  constexpr size_t maxOps = 256;
  SmallVector<Value> values = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || seen.size() > maxOps)
      return false;
    if (!seen.insert(op).second ||
        isa<qnnpack::Conv1dOp, qnnpack::Conv2dOp, qnnpack::ConvTranspose1dOp,
            qnnpack::ConvTranspose2dOp>(op))
      continue;
    if (Value input = getInSameOrder(op))
      values.push_back(input);
    else if (auto cat = dyn_cast<qnnpack::CatOp>(op))
      llvm::append_range(values, cat.getInputs());
    else
      return false;
  }
  return true;
}

/// Whether the kernel of an average of `input`, if it is one of ATen's, is that
/// for channels last.
static bool averagesChannelsLast(Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  return type.getRank() == 4 && !type.isDynamicDim(3) && isChannelsLast(input);
}

static Value createAvgPool(KernelBuilder &b, Value input, RankedTensorType type,
                           AvgPool2dAttr kind) {
  // A module that came quantized says itself what it divides by, and TOSA's
  // average divides by the elements that are there.
  std::string reason = whyOtherAverage(kind, type);
  bool mathematical = !reason.empty() && (b.isImported() || b.forTosa);
  if (!reason.empty() && !mathematical)
    remarkAnalysis(b.op, "QB122", b.op.getKindName(), reason,
                   "where that matters, give it the qconfig none");
  // Where ATen's formula is taken for the engine's sake.
  auto quantized = qnnpack::getQuantizedType(type);
  bool isATen = kind.getCeilMode() || (quantized && quantized.isSigned());
  IntegerAttr divisor;
  if (kind.getDivisorOverride())
    divisor = b.builder.getI64IntegerAttr(*kind.getDivisorOverride());
  return b.make<qnnpack::AvgPool2dOp>(
      Type(type), input, kind.getKernel(), kind.getStride(), kind.getPadding(),
      b.getFlag(kind.getCeilMode()),
      b.builder.getBoolAttr(!kind.getCountExcludePad()), divisor,
      b.getFlag(mathematical),
      b.getFlag(isATen && !b.isImported() && averagesChannelsLast(input)));
}

/// Whether the engine averages `input` to the size of `type` by ATen's kernel:
/// QNNPACK has one for unsigned integers where sizes divide, and the same size
/// is a copy.
static bool isAveragedByATen(RankedTensorType input, RankedTensorType type) {
  if (input.getRank() != 4 || type.getRank() != 4 ||
      ShapedType::isDynamicShape(input.getShape().slice(1, 2)) ||
      input.getShape().slice(1, 2) == type.getShape().slice(1, 2))
    return false;
  auto quantized = qnnpack::getQuantizedType(type);
  return (quantized && quantized.isSigned()) ||
         input.getDimSize(1) % type.getDimSize(1) != 0 ||
         input.getDimSize(2) % type.getDimSize(2) != 0;
}

static Value createAdaptiveAvgPool(KernelBuilder &b, Value input,
                                   RankedTensorType type) {
  bool isATen = isAveragedByATen(cast<RankedTensorType>(input.getType()), type);
  return b.make<qnnpack::AdaptiveAvgPool2dOp>(
      Type(type), input,
      b.getFlag(isATen && !b.isImported() && averagesChannelsLast(input)));
}

/// A kernel on images of height 1, in the place of one on sequences.
static Value
createOnImage(KernelBuilder &b,
              function_ref<Value(Value, RankedTensorType)> create) {
  auto inputType = cast<RankedTensorType>(b.inputs[0].getType());
  if (inputType.getRank() != 3 || b.type.getRank() != 3)
    return {};
  auto raise = [](RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + 1, 1);
    return type.clone(shape);
  };
  Value image = b.createReshape(b.inputs[0], raise(inputType).getShape());
  Value result = create(image, raise(b.type));
  return result ? b.createReshape(result, b.type.getShape()) : Value();
}

/// The numbers of a 1-d pool as those of a 2-d one.
static DenseI64ArrayAttr withHeight(ArrayRef<int64_t> height,
                                    DenseI64ArrayAttr width) {
  SmallVector<int64_t> both(height);
  llvm::append_range(both, width.asArrayRef());
  return DenseI64ArrayAttr::get(width.getContext(), both);
}

static Value createMaxPool1d(KernelBuilder &b, MaxPool1dAttr kind) {
  auto onImage = MaxPool2dAttr::get(
      kind.getContext(), withHeight(1, kind.getKernel()),
      withHeight(1, kind.getStride()), withHeight({0, 0}, kind.getPadding()),
      withHeight(1, kind.getDilation()));
  return createOnImage(b, [&](Value input, RankedTensorType type) {
    return createMaxPool(b, input, type, onImage);
  });
}

static Value createMaxPool2d(KernelBuilder &b, MaxPool2dAttr kind) {
  return createMaxPool(b, b.inputs[0], b.type, kind);
}

static Value createAvgPool1d(KernelBuilder &b, AvgPool1dAttr kind) {
  auto onImage = AvgPool2dAttr::get(
      kind.getContext(), withHeight(1, kind.getKernel()),
      withHeight(1, kind.getStride()), withHeight({0, 0}, kind.getPadding()),
      kind.getCeilMode(), kind.getCountExcludePad(), kind.getDivisorOverride());
  return createOnImage(b, [&](Value input, RankedTensorType type) {
    return createAvgPool(b, input, type, onImage);
  });
}

static Value createAvgPool2d(KernelBuilder &b, AvgPool2dAttr kind) {
  return createAvgPool(b, b.inputs[0], b.type, kind);
}

static Value createAdaptiveAvgPool1d(KernelBuilder &b, AdaptiveAvgPool1dAttr) {
  return createOnImage(b, [&](Value input, RankedTensorType type) {
    return createAdaptiveAvgPool(b, input, type);
  });
}

static Value createAdaptiveAvgPool2d(KernelBuilder &b, AdaptiveAvgPool2dAttr) {
  return createAdaptiveAvgPool(b, b.inputs[0], b.type);
}

static Value createMean(KernelBuilder &b, MeanAttr kind) {
  auto input = cast<RankedTensorType>(b.inputs[0].getType());
  if (input.getRank() != 4 ||
      kind.getAxes().asArrayRef() != ArrayRef<int64_t>({1, 2}))
    return {};
  return b.make<qnnpack::MeanOp>(b.inputs[0], b.getFlag(kind.getKeepdim()));
}

void qbackend::addPooling(KernelTable &table) {
  table.add(KernelEntry::ofInput(), createMaxPool1d, createMaxPool2d,
            createAvgPool1d, createAvgPool2d, createAdaptiveAvgPool1d,
            createAdaptiveAvgPool2d, createMean);
  table.addMissing<SumAttr, AmaxAttr>("the engine has none");
  table.addMissing<MaxPool3dAttr, AvgPool3dAttr, AdaptiveAvgPool3dAttr>(
      "the engine has none of three dimensions");
}

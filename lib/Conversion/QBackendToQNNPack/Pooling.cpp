// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of pools and means. The engine runs 1-d pools as 2-d ones on images
// of height 1.

#include "KernelBuilder.h"

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

Value KernelBuilder::createMaxPool(Value input, RankedTensorType type,
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
  return make<qnnpack::MaxPool2dOp>(
      Type(type), input, kind.getKernel(), kind.getStride(), kind.getPadding(),
      kind.getDilation(), getFlag(needsCeilMode(kind, inputType, type)),
      /*mathematical=*/
      getFlag(dilated && (uneven || (padded && isImported()))));
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

Value KernelBuilder::createAvgPool(Value input, RankedTensorType type,
                                   AvgPool2dAttr kind) {
  // A module that came quantized says itself what it divides by, and TOSA's
  // average divides by the elements that are there.
  std::string reason = whyOtherAverage(kind, type);
  bool mathematical = !reason.empty() && (isImported() || forTosa);
  if (!reason.empty() && !mathematical)
    remarkAnalysis(op, "QB122", op.getKindName(), reason,
                   "where that matters, give it the qconfig none");
  // Where ATen's formula is taken for the engine's sake.
  auto quantized = qnnpack::getQuantizedType(type);
  bool isATen = kind.getCeilMode() || (quantized && quantized.isSigned());
  IntegerAttr divisor;
  if (kind.getDivisorOverride())
    divisor = builder.getI64IntegerAttr(*kind.getDivisorOverride());
  return make<qnnpack::AvgPool2dOp>(
      Type(type), input, kind.getKernel(), kind.getStride(), kind.getPadding(),
      getFlag(kind.getCeilMode()),
      builder.getBoolAttr(!kind.getCountExcludePad()), divisor,
      getFlag(mathematical),
      getFlag(isATen && !isImported() && averagesChannelsLast(input)));
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

Value KernelBuilder::createAdaptiveAvgPool(Value input, RankedTensorType type) {
  bool isATen = isAveragedByATen(cast<RankedTensorType>(input.getType()), type);
  return make<qnnpack::AdaptiveAvgPool2dOp>(
      Type(type), input,
      getFlag(isATen && !isImported() && averagesChannelsLast(input)));
}

Value KernelBuilder::createOnImage(
    function_ref<Value(Value, RankedTensorType)> create) {
  auto inputType = cast<RankedTensorType>(inputs[0].getType());
  if (inputType.getRank() != 3 || type.getRank() != 3)
    return {};
  auto raise = [](RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + 1, 1);
    return type.clone(shape);
  };
  Value image = createReshape(inputs[0], raise(inputType).getShape());
  Value result = create(image, raise(type));
  return result ? createReshape(result, type.getShape()) : Value();
}

/// The numbers of a 1-d pool as those of a 2-d one.
static DenseI64ArrayAttr withHeight(ArrayRef<int64_t> height,
                                    DenseI64ArrayAttr width) {
  SmallVector<int64_t> both(height);
  llvm::append_range(both, width.asArrayRef());
  return DenseI64ArrayAttr::get(width.getContext(), both);
}

Value KernelBuilder::create(MaxPool1dAttr kind) {
  auto onImage = MaxPool2dAttr::get(
      kind.getContext(), withHeight(1, kind.getKernel()),
      withHeight(1, kind.getStride()), withHeight({0, 0}, kind.getPadding()),
      withHeight(1, kind.getDilation()));
  return createOnImage([&](Value input, RankedTensorType type) {
    return createMaxPool(input, type, onImage);
  });
}

Value KernelBuilder::create(MaxPool2dAttr kind) {
  return createMaxPool(inputs[0], type, kind);
}

Value KernelBuilder::create(AvgPool1dAttr kind) {
  auto onImage = AvgPool2dAttr::get(
      kind.getContext(), withHeight(1, kind.getKernel()),
      withHeight(1, kind.getStride()), withHeight({0, 0}, kind.getPadding()),
      kind.getCeilMode(), kind.getCountExcludePad(), kind.getDivisorOverride());
  return createOnImage([&](Value input, RankedTensorType type) {
    return createAvgPool(input, type, onImage);
  });
}

Value KernelBuilder::create(AvgPool2dAttr kind) {
  return createAvgPool(inputs[0], type, kind);
}

Value KernelBuilder::create(AdaptiveAvgPool1dAttr) {
  return createOnImage([&](Value input, RankedTensorType type) {
    return createAdaptiveAvgPool(input, type);
  });
}

Value KernelBuilder::create(AdaptiveAvgPool2dAttr) {
  return createAdaptiveAvgPool(inputs[0], type);
}

Value KernelBuilder::create(MeanAttr kind) {
  auto input = cast<RankedTensorType>(inputs[0].getType());
  if (input.getRank() != 4 ||
      kind.getAxes().asArrayRef() != ArrayRef<int64_t>({1, 2}))
    return {};
  return make<qnnpack::MeanOp>(inputs[0], getFlag(kind.getKeepdim()));
}

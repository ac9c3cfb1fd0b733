// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-qnnpack-to-int8: an op with a weight and what follows it
// become one kernel.
//
//   sum (x - zx) * (w - zw) + b  =  sum x * w' + (b - zx * sum w'),
//   w' = w - zw, with zx for the taps in the padding.
//
// Sums of a kernel have 32 bits. Of 16-bit activations, whose sums have 48, it
// is proved that they fit: |b| + 2^15 sum |w'| < 2^31.

#include "qbackend/Execution/Int8/Passes.h"

#include "Layer.h"
#include "RuntimeParams.h"

#include "qbackend/Dialect/QNNPack/Addition.h"
#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Execution/Int8/Int8.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQNNPACKTOINT8PASS
#include "qbackend/Execution/Int8/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

namespace {
struct ByteRange {
  int64_t lo, hi;

  void intersect(ByteRange other) {
    lo = std::clamp(lo, other.lo, other.hi);
    hi = std::clamp(hi, other.lo, other.hi);
  }
};

/// An op with a weight and the ops that its kernel does as well.
struct Kernel {
  Operation *last; // whose result the kernel has
  int64_t zeroPoint;
  ByteRange range;
  int64_t overflow;
  Value residual; // null: there is no addition
  int8::AddAttr add;
};
} // namespace

static ByteRange getRange(quant::UniformQuantizedType type, bool relu) {
  return {relu ? type.getZeroPoint() : type.getStorageTypeMin(),
          type.getStorageTypeMax()};
}

/// The only user of the result of `op`; null if there are more, or none, or
/// if it is in another block.
static Operation *getOnlyUser(Operation *op) {
  Value result = op->getResult(0);
  if (!result.hasOneUse())
    return nullptr;
  Operation *user = *result.user_begin();
  return user->getBlock() == op->getBlock() ? user : nullptr;
}

/// The range that `op` clamps to, if that is all it does.
static std::optional<ByteRange> getClamp(Operation *op) {
  auto type = op->getNumResults() == 1
                  ? getQuantizedType(op->getResult(0).getType())
                  : quant::UniformQuantizedType();
  if (isa<ReluOp>(op))
    return getRange(type, /*relu=*/true);
  if (auto clamp = dyn_cast<ClampOp>(op))
    return ByteRange{quantizeNumber(clamp.getMin().convertToFloat(), type),
                     quantizeNumber(clamp.getMax().convertToFloat(), type)};
  return std::nullopt;
}

/// Moves `last` over the clamps behind it.
static void takeClamps(Operation *&last, ByteRange &range) {
  while (Operation *user = getOnlyUser(last)) {
    std::optional<ByteRange> clamp = getClamp(user);
    if (!clamp)
      return;
    range.intersect(*clamp);
    last = user;
  }
}

static Kernel getKernel(Operation *op, double largestMultiplier,
                        const Layer &layer) {
  auto type = getQuantizedType(op->getResult(0).getType());
  Kernel kernel;
  kernel.last = op;
  kernel.zeroPoint = type.getZeroPoint();
  kernel.range = getRange(type, layer.relu);
  // Of the x86 conversion: QNNPACK's products that don't fit are the lowest.
  bool toLowest = !type.isSigned() && !layer.mathematical &&
                  largestMultiplier * 0x1p31 >= 0x1p31;
  takeClamps(kernel.last, kernel.range);
  kernel.overflow = toLowest ? kernel.range.lo : kernel.range.hi;

  auto add = dyn_cast_or_null<AddOp>(getOnlyUser(kernel.last));
  if (!add || !layer.keepsPixels() || add.addsFloatNumbers() ||
      add.getLhs().getType().getShape() != add.getRhs().getType().getShape())
    return kernel;
  auto a = getQuantizedType(add.getLhs().getType()),
       c = getQuantizedType(add.getRhs().getType()),
       y = getQuantizedType(add.getOutput().getType());
  std::optional<Addition> m = getAddition(add);
  if (!m || !Addition::fits(m->lhs, m->rhs, m->shift, m->moved))
    return kernel;
  bool isLhs = add.getLhs() == kernel.last->getResult(0);
  int32_t offset = static_cast<int32_t>(a.getZeroPoint() * m->lhs +
                                        c.getZeroPoint() * m->rhs - m->moved);
  kernel.residual = isLhs ? add.getRhs() : add.getLhs();
  if (!isLhs)
    std::swap(m->lhs, m->rhs);
  kernel.last = add;
  ByteRange range = getRange(y, add.getRelu());
  takeClamps(kernel.last, range);
  kernel.add =
      int8::AddAttr::get(op->getContext(), m->lhs, m->rhs, offset, m->shift,
                         m->halfUp, y.getZeroPoint(), range.lo, range.hi);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// `value`, of a quantized type, as bytes, or as integers of 16 bits.
static Value toBytes(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  type = type.clone(
      b.getIntegerType(getQuantizedType(type).getStorageTypeIntegralWidth()));
  return b.createOrFold<quant::StorageCastOp>(type, value);
}

/// Whether all but the batch is static, and nothing is empty.
static bool hasKnownShape(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() > 1 && type.isDynamicDim(0))
    shape = shape.drop_front();
  return !ShapedType::isDynamicShape(shape) && !llvm::is_contained(shape, 0);
}

namespace {
/// What a kernel has of a weight: w' in bytes, and for each output of the
/// convolution sum w', wrapping, and sum |w'|.
struct ShiftedWeight {
  ElementsAttr elements;
  SmallVector<int32_t> sums;
  SmallVector<int64_t> magnitudes;
};
} // namespace

/// Nothing if the weight is no constant whose w' are bytes.
static std::optional<ShiftedWeight>
shiftWeight(TypedValue<RankedTensorType> value, const Layer &layer) {
  auto weight = ConstantElements<int8_t>::read(value);
  if (!weight)
    return std::nullopt;
  ShapedType type = value.getType();
  int64_t outputs = type.getDimSize(0);
  ArrayRef<int8_t> elements = weight->getStored();
  int64_t perOutput = weight->size() / outputs;
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(type);
  zeroPoints.resize(outputs, zeroPoints.front());
  SmallVector<int8_t> expanded, shifted, arranged;
  // What is the same everywhere stays one element, if w' is, too.
  bool isSplat =
      weight->isSplat() && layer.keepsWeight() && llvm::all_equal(zeroPoints);
  if (weight->isSplat() && !isSplat) {
    if (!weight->canExpand())
      return std::nullopt;
    expanded.assign(weight->size(), elements.front());
    elements = expanded;
  }
  if (llvm::any_of(zeroPoints, [](int64_t z) { return z != 0; })) {
    for (auto [i, element] : llvm::enumerate(elements)) {
      int64_t value = element - zeroPoints[i / perOutput];
      if (value < INT8_MIN || value > INT8_MAX)
        return std::nullopt;
      shifted.push_back(value);
    }
    elements = shifted;
  }
  bool isSame = layer.keepsWeight() && shifted.empty();
  if (!layer.keepsWeight()) {
    arranged = layer.arrangeWeight(elements);
    elements = arranged;
  }
  ShiftedWeight result;
  result.elements =
      isSame ? weight->reshape(layer.weight)
             : cast<ElementsAttr>(DenseElementsAttr::get(
                   RankedTensorType::get(
                       layer.weight, IntegerType::get(value.getContext(), 8)),
                   elements));
  outputs = layer.output[3];
  perOutput = (isSplat ? weight->size() : elements.size()) / outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    uint32_t sum = 0;
    int64_t magnitude = 0;
    if (isSplat) {
      sum = static_cast<uint32_t>(perOutput) *
            static_cast<uint32_t>(int32_t(elements.front()));
      magnitude = perOutput * std::abs(int64_t(elements.front()));
    } else {
      ArrayRef<int8_t> rest = elements.slice(o * perOutput, perOutput);
      while (!rest.empty()) {
        // As many as 32 bits hold the magnitudes of, which vectors of four do.
        ArrayRef<int8_t> part = rest.take_front(1 << 20);
        int32_t partSum = 0, partMagnitude = 0;
        for (int8_t element : part) {
          partSum += element;
          partMagnitude += std::abs(int32_t(element));
        }
        sum += static_cast<uint32_t>(partSum);
        magnitude += partMagnitude;
        rest = rest.drop_front(part.size());
      }
    }
    result.sums.push_back(static_cast<int32_t>(sum));
    result.magnitudes.push_back(magnitude);
  }
  return result;
}

/// Whether there is a kernel for the shapes of `op`.
template <typename OpT> static bool hasKernelShapes(OpT op) {
  ShapedType weightType = op.getWeight().getType();
  return hasKnownShape(op.getInput().getType()) &&
         hasKnownShape(op.getOutput().getType()) &&
         weightType.hasStaticShape() && weightType.getNumElements() != 0;
}

static Value createConstant(ImplicitLocOpBuilder &b, ElementsAttr elements) {
  return arith::ConstantOp::create(b, cast<TypedAttr>(elements));
}

/// An empty result of `layer`, with the batch of `input`.
static Value createResult(ImplicitLocOpBuilder &b, const Layer &layer,
                          Type element, Value input) {
  auto type = RankedTensorType::get(layer.output, element);
  SmallVector<Value> batch;
  if (type.isDynamicDim(0))
    batch.push_back(tensor::DimOp::create(b, input, 0));
  return tensor::EmptyOp::create(b, type, batch);
}

/// The multiplier of each output of `layer`, of one for all, or one for each of
/// `outputs`.
template <typename T>
static Value createMultiplier(ImplicitLocOpBuilder &b, const Layer &layer,
                              SmallVector<T> multipliers, int64_t outputs) {
  multipliers.resize(outputs, multipliers.front());
  multipliers = layer.arrangeOutputs(ArrayRef<T>(multipliers));
  Type element =
      std::is_same_v<T, float> ? Type(b.getF32Type()) : Type(b.getI64Type());
  return createConstant(
      b,
      DenseElementsAttr::get(RankedTensorType::get({layer.output[3]}, element),
                             ArrayRef<T>(multipliers)));
}

/// The multipliers of `requantization` as kernels have them.
static SmallVector<int64_t> packFixedPoint(RequantizationAttr requantization) {
  SmallVector<int64_t> packed;
  for (auto [multiplier, shift] :
       llvm::zip_equal(requantization.getMultiplier().asArrayRef(),
                       requantization.getShift().asArrayRef()))
    packed.push_back(int64_t(shift - 1) << 32 | multiplier);
  return packed;
}

/// The bias of `outputs`; nothing if it is no constant.
static std::optional<SmallVector<int64_t>> readBias(Value bias,
                                                    int64_t outputs) {
  SmallVector<int64_t> integers(outputs, 0);
  auto read = [&](auto values) {
    for (int64_t o = 0; values && o < outputs; ++o)
      integers[o] = (*values)[o];
    return values.has_value();
  };
  if (!bias || read(ConstantElements<int32_t>::read(bias)) ||
      read(ConstantElements<int64_t>::read(bias)))
    return integers;
  return std::nullopt;
}

/// Whether all sums of a layer of 16-bit activations fit 32 bits; else it is
/// said at `op`.
static bool fitSums(Operation *op, const ShiftedWeight &weight,
                    ArrayRef<int64_t> bias) {
  uint64_t most = 0;
  for (auto [magnitude, number] : llvm::zip_equal(weight.magnitudes, bias))
    most = std::max(most, (uint64_t(magnitude) << 15) +
                              (number < 0 ? -uint64_t(number) : number));
  if (most <= INT32_MAX)
    return true;
  remarkMissed(op, "QB148", op->getName().stripDialect(),
               "its sums of 16-bit activations are up to " + Twine(most) +
                   ", which takes more than the 32 bits of a kernel",
               "use smaller weights, fewer input channels, or 8-bit "
               "activations");
  return false;
}

template <typename OpT> static void convert(OpT op) {
  if (!hasKernelShapes(op))
    return;
  ShapedType weightType = op.getWeight().getType();
  auto inputType = getQuantizedType(op.getInput().getType());
  Layer layer(op);
  if (!layer.isValid())
    return;
  std::optional<ShiftedWeight> weight = shiftWeight(op.getWeight(), layer);
  int64_t outputs = weightType.getDimSize(0);
  std::optional<SmallVector<int64_t>> given = readBias(op.getBias(), outputs);
  if (!weight || !given)
    return;
  SmallVector<int64_t> bias = layer.arrangeOutputs(ArrayRef<int64_t>(*given));
  if (isWide(op.getInput().getType()) && !fitSums(op, *weight, bias))
    return;
  SmallVector<int32_t> sums;
  for (auto [number, sum] : llvm::zip_equal(bias, weight->sums))
    sums.push_back(
        static_cast<int32_t>(static_cast<uint32_t>(number) -
                             static_cast<uint32_t>(inputType.getZeroPoint()) *
                                 static_cast<uint32_t>(sum)));
  RequantizationAttr fixed = op.getRequantizationAttr();
  SmallVector<float> multipliers = getRequantizationMultipliers(
      op.getInput().getType(), weightType, op.getOutput().getType());
  // Fixed-point products don't overflow to a number of their own.
  float largest = fixed ? 0 : *llvm::max_element(multipliers);

  Kernel kernel = getKernel(op, largest, layer);
  ImplicitLocOpBuilder b(op.getLoc(), kernel.last);
  Value input =
      layer.takeInput(b, toBytes(b, op.getInput()), inputType.getZeroPoint());
  Value residual = kernel.residual
                       ? layer.takeResidual(b, toBytes(b, kernel.residual))
                       : Value();
  Value init = createResult(
      b, layer, cast<ShapedType>(input.getType()).getElementType(), input);
  bool isSigned = inputType.isSigned();
  auto requantize = int8::RequantizeAttr::get(
      b.getContext(), kernel.zeroPoint, kernel.range.lo, kernel.range.hi,
      kernel.overflow,
      fixed ? fixed.getRounding() : numerics::Rounding::NearestEven);
  Value weights = createConstant(b, weight->elements);
  Value biases = createConstant(b, b.getI32TensorAttr(sums));
  Value multiplier =
      fixed ? createMultiplier(b, layer, packFixedPoint(fixed), outputs)
            : createMultiplier(b, layer, std::move(multipliers), outputs);
  Value result =
      int8::Conv2dOp::create(
          b, init.getType(), input, weights, biases, multiplier, residual, init,
          layer.stride, layer.padding, layer.dilation, layer.groups,
          inputType.getZeroPoint(), isSigned, requantize, kernel.add)
          .getOutput();
  auto type = cast<RankedTensorType>(kernel.last->getResult(0).getType());
  kernel.last->getResult(0).replaceAllUsesWith(
      quant::StorageCastOp::create(b, type, layer.giveResult(b, result, type)));
}

/// The kernel has the sums of products; parameters of the input, its bytes and
/// the result are computed around it.
static void convertDynamic(LinearDynamicOp op) {
  if (!hasKernelShapes(op))
    return;
  Layer layer(op);
  if (!layer.isValid())
    return;
  std::optional<ShiftedWeight> weight = shiftWeight(op.getWeight(), layer);
  if (!weight)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RuntimeParams params = chooseParams(b, op.getInput());
  Value input = layer.takeInput(b, quantizeInput(b, op.getInput(), params),
                                /*padding=*/0);
  Value init = createResult(b, layer, b.getI32Type(), input);
  SmallVector<int32_t> bias(weight->sums.size(), 0);
  Value weights = createConstant(b, weight->elements);
  Value noBias = createConstant(b, b.getI32TensorAttr(bias));
  Value sums =
      int8::Conv2dOp::create(
          b, init.getType(), input, weights, noBias,
          /*multiplier=*/Value(), /*residual=*/Value(), init, layer.stride,
          layer.padding, layer.dilation, layer.groups, /*pad_value=*/0,
          /*is_signed=*/false, int8::RequantizeAttr(), int8::AddAttr())
          .getOutput();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  sums = layer.giveResult(b, sums, type);
  Value result = dequantizeSums(
      b, op, sums, createConstant(b, b.getI32TensorAttr(weight->sums)), params);
  op.replaceAllUsesWith(result);
}

namespace {
struct ConvertQNNPackToInt8
    : qbackend::impl::ConvertQNNPackToInt8PassBase<ConvertQNNPackToInt8> {
  using ConvertQNNPackToInt8PassBase::ConvertQNNPackToInt8PassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<Conv1dOp, Conv2dOp, Conv3dOp, ConvTranspose1dOp,
                ConvTranspose2dOp, LinearOp>([](auto layer) {
            // What another kernel has taken is not used any more.
            if (!layer->use_empty())
              convert(layer);
          })
          .Case<LinearDynamicOp>(convertDynamic);
    });
    getOperation()->walk([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isa_and_nonnull<QNNPackDialect, quant::QuantDialect,
                            arith::ArithDialect>(op.getDialect()) &&
            isOpTriviallyDead(&op))
          op.erase();
    });
  }
};
} // namespace

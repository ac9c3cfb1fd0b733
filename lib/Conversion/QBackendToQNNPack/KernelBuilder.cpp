// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of all kinds have in common.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

KernelBuilder::KernelBuilder(OperatorOp op, OpBuilder &builder,
                             RankedTensorType type, bool forTosa)
    : op(op), builder(builder), loc(op.getLoc()), type(type), forTosa(forTosa) {
  for (Value input : op.getInputs())
    inputs.push_back(getQuantized(input));
  relu = op.getKinds().size() == 2 && isa<ReluAttr>(op.getKind(1));
}

OrRefusal<Value> KernelBuilder::build() {
  switch (getQuantizationMode(*op.getQconfig())) {
  case QuantizationMode::Static:
    if (llvm::is_contained(inputs, Value()))
      return Refusal("not all of its inputs are quantized");
    return createStatic();
  case QuantizationMode::Dynamic:
    return createLinearDynamic();
  case QuantizationMode::WeightOnly:
    return createEmbedding();
  case QuantizationMode::Float16:
    return Refusal("no kernel computes with 16-bit floats");
  }
  llvm_unreachable("unknown mode");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The integers of `type` and their range as those of `storage`. The sign moves
/// all of them, and so the zero point, by one distance: numbers stay the same.
static quant::UniformQuantizedType
withStorage(quant::UniformQuantizedType type,
            quant::UniformQuantizedType storage) {
  int64_t offset = storage.getStorageTypeMin() - type.getStorageTypeMin();
  if (offset == 0 ||
      storage.getStorageTypeMax() - type.getStorageTypeMax() != offset)
    return type;
  return quant::UniformQuantizedType::get(
      storage.getFlags(), storage.getStorageType(), storage.getExpressedType(),
      type.getScale(), type.getZeroPoint() + offset,
      storage.getStorageTypeMin(), storage.getStorageTypeMax());
}

Value KernelBuilder::createRequantize(Value value,
                                      quant::UniformQuantizedType element) {
  auto valueType = cast<RankedTensorType>(value.getType());
  if (valueType.getElementType() == element)
    return value;
  return make<qnnpack::RequantizeOp>(Type(valueType.clone(element)), value);
}

/// The rule of `op` if it is one of fixed-point multipliers.
static RequantizationRuleAttr getFixedPointRule(OperatorOp op) {
  RequantizationRuleAttr rule = getRequantizationRule(op);
  return rule && rule.getMultiplier() == RequantizationMultiplier::FixedPoint
             ? rule
             : RequantizationRuleAttr();
}

/// Whether the kernel of `kind` gives numbers of `own`, which become those of
/// `output`, and might be off by more than a step then.
static bool isCoarse(OperatorKindAttrInterface kind,
                     quant::UniformQuantizedType own,
                     quant::UniformQuantizedType output) {
  // What is not computed is not rounded, and a product only has another scale.
  return !kind.keepsNumbers() && !isa<MulAttr>(kind) &&
         own.getScale() > output.getScale() * (1 + 1e-6);
}

OrRefusal<Value> KernelBuilder::createStatic() {
  Refusal missing("the qnnpack dialect has no op for it in this form");
  auto orMissing = [&](Value kernel) -> OrRefusal<Value> {
    if (!refusal.empty())
      return Refusal(refusal);
    if (kernel)
      return kernel;
    return missing;
  };
  // Kernels take and give one storage; operands of another one get it first.
  auto output = qnnpack::getQuantizedType(type);
  bool known = output && llvm::all_of(inputs, [](Value input) {
                 return bool(qnnpack::getQuantizedType(input.getType()));
               });
  if (!known)
    return orMissing(createKernel());
  for (Value &input : inputs)
    input = createRequantize(
        input, withStorage(qnnpack::getQuantizedType(input.getType()), output));
  // What the kernel can't requantize to itself is a step of its own.
  const KernelEntry *entry = KernelTable::get().lookup(op.getKind());
  if (getFixedPointRule(op) && entry && entry->create &&
      !entry->takesRequantization)
    return Refusal("its pattern requantizes by fixed-point multipliers, its "
                   "kernel doesn't");
  quant::UniformQuantizedType own;
  if (entry && entry->getResultElement)
    own = entry->getResultElement(
        op.getKind(), qnnpack::getQuantizedType(inputs[0].getType()));
  if (own && own != output && isImported()) {
    // The engine rounds the number of such a sum to a step of the input.
    if (isa<AddAttr>(op.getKind()))
      return orMissing(createKernel());
    if (isCoarse(op.getKind(), own, output))
      return Refusal(
          llvm::formatv("its kernel gives steps of {0:e}, the module "
                        "quantizes its result by {1:e}",
                        own.getScale(), output.getScale())
              .str());
  }
  if (own)
    type = type.clone(own);
  Value kernel = createKernel();
  return orMissing(kernel ? createRequantize(kernel, output) : Value());
}

//===----------------------------------------------------------------------===//
// Requantization
//===----------------------------------------------------------------------===//

void KernelBuilder::refuseRequantization(const Twine &reason) {
  refusal = (reason + ", by the " + kRequantizationAttrName + " of its pattern")
                .str();
}

bool KernelBuilder::refusesScalar() {
  if (!getFixedPointRule(op))
    return false;
  refuseRequantization("a number has no scale for fixed-point multipliers");
  return true;
}

/// a * b / c in the steps of `quotient`.
static double divideScales(RequantizationQuotient quotient, float a, float b,
                           float c) {
  switch (quotient) {
  case RequantizationQuotient::F64:
    return double(a) * b / c;
  case RequantizationQuotient::F32Product:
    return double(a * b) / c;
  case RequantizationQuotient::F32:
    return a * b / c;
  }
  llvm_unreachable("unknown quotient");
}

qnnpack::RequantizationAttr
KernelBuilder::createRequantization(ArrayRef<double> values,
                                    int64_t leftShift) {
  SmallVector<int32_t> multipliers;
  SmallVector<int8_t> shifts;
  int bits = qnnpack::isWide(type) ? 15 : 31;
  for (double value : values) {
    std::optional<numerics::FixedPointMultiplier> number =
        numerics::quantizeMultiplier(value, bits);
    if (!number) {
      refuseRequantization(
          llvm::formatv("its multiplier is {0:e}, expected one in (0, 2^{1})",
                        value, bits - 2)
              .str());
      return {};
    }
    multipliers.push_back(number->multiplier);
    shifts.push_back(number->shift);
  }
  MLIRContext *context = op.getContext();
  return qnnpack::RequantizationAttr::get(
      context, getRequantizationRule(op).getRounding(),
      DenseI32ArrayAttr::get(context, multipliers),
      DenseI8ArrayAttr::get(context, shifts), leftShift);
}

/// The largest magnitude of an integer of `type` less its zero point.
static int64_t getLargest(quant::UniformQuantizedType type) {
  return std::max(type.getStorageTypeMax() - type.getZeroPoint(),
                  type.getZeroPoint() - type.getStorageTypeMin());
}

/// The largest magnitude of bias[o] + sum x * weight[o] for x up to `largest`,
/// for each channel; nothing if they are no constants.
static std::optional<SmallVector<int64_t>>
getLargestSums(int64_t largest, Value weight, Value bias) {
  auto integers = qnnpack::ConstantElements<int8_t>::read(weight);
  std::optional<qnnpack::ConstantElements<int32_t>> biases;
  if (bias) {
    biases = qnnpack::ConstantElements<int32_t>::read(bias);
    if (!biases)
      return std::nullopt;
  }
  if (!integers)
    return std::nullopt;
  int64_t channels = cast<ShapedType>(weight.getType()).getDimSize(0);
  SmallVector<int64_t> zeroPoints =
      qnnpack::getWeightZeroPoints(weight.getType());
  SmallVector<int64_t> sums;
  for (int64_t o = 0; o < channels; ++o) {
    int64_t taps = integers->size() / channels, sum = 0;
    for (int64_t i = 0; i < taps; ++i)
      sum += std::abs((*integers)[o * taps + i] -
                      zeroPoints[zeroPoints.size() == 1 ? 0 : o]);
    sums.push_back(sum * largest +
                   (biases ? std::abs(int64_t((*biases)[o])) : 0));
  }
  return sums;
}

qnnpack::RequantizationAttr KernelBuilder::getRequantization(Type lhs,
                                                             Type rhs) {
  RequantizationRuleAttr rule = getFixedPointRule(op);
  if (!rule)
    return {};
  auto input = qnnpack::getQuantizedType(lhs),
       output = qnnpack::getQuantizedType(type);
  SmallVector<double> values;
  for (double scale : qnnpack::getWeightScales(rhs))
    values.push_back(divideScales(rule.getQuotient(), input.getScale(), scale,
                                  output.getScale()));
  // Sources shift a sum to the left before they multiply it by less than 1, or
  // saturate: no sum may get there. One of 16-bit activations has more than 32
  // bits before.
  if (qnnpack::isWide(lhs) ||
      llvm::any_of(values, [](double value) { return value >= 1; })) {
    std::optional<SmallVector<int64_t>> sums;
    if (Value weight = getWeight())
      sums = getLargestSums(getLargest(input), weight, getStoredBias());
    else
      sums = {getLargest(input) *
              getLargest(qnnpack::getQuantizedType(inputs[1].getType()))};
    for (auto [o, sum] : llvm::enumerate(sums.value_or(SmallVector<int64_t>())))
      if (double value = values[values.size() == 1 ? 0 : o];
          std::ldexp(double(sum), std::ilogb(value) + 1) >= 0x1p31 ||
          sum >= int64_t(1) << 47) {
        refuseRequantization(
            llvm::formatv("sums of up to {0} times its multiplier {1:e} don't "
                          "fit 32 bits",
                          sum, value)
                .str());
        return {};
      }
    if (!sums) {
      refuseRequantization("it has a multiplier of 1 or more, or 16-bit "
                           "activations, and a weight or bias that is not "
                           "known");
      return {};
    }
  }
  return createRequantization(values);
}

KernelBuilder::AddRequantizations KernelBuilder::getAddRequantizations() {
  RequantizationRuleAttr rule = getFixedPointRule(op);
  if (!rule)
    return {};
  if (rule.getQuotient() != RequantizationQuotient::F64) {
    refuseRequantization("a sum of two tensors has multipliers of quotients in "
                         "f64 only");
    return {};
  }
  float a = qnnpack::getQuantizedType(inputs[0].getType()).getScale(),
        b = qnnpack::getQuantizedType(inputs[1].getType()).getScale(),
        y = qnnpack::getQuantizedType(type).getScale();
  double twice = 2 * double(std::max(a, b));
  // Both operands are below 2^28 then, and their sum below 2^29.
  if (twice / (0x1p20 * y) >= 4) {
    refuseRequantization(
        llvm::formatv("the scale of its result is {0:e}, less than 2^-21 of "
                      "{1:e}, that of an operand",
                      y, twice / 2)
            .str());
    return {};
  }
  AddRequantizations result;
  // Rounding once, the shift is a part of the multiplier.
  bool isTwice = rule.getRounding() == numerics::Rounding::Double;
  int64_t left = isTwice ? 20 : 0;
  double unit = isTwice ? 1 : 0x1p20;
  result.lhs = createRequantization(a * unit / twice, left);
  result.rhs = createRequantization(b * unit / twice, left);
  result.result = createRequantization(twice / (0x1p20 * y));
  return result;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

Value KernelBuilder::createKernel() {
  const KernelEntry *entry = KernelTable::get().lookup(op.getKind());
  if (!entry || !entry->create)
    return {};
  if (!op.isFused() || (relu && entry->takesRelu))
    return entry->create(*this, op.getKind());
  // quantize(clamp(x)) is the clamp of quantize(x): both are monotone, and
  // bounds are quantized in the same way.
  std::optional<Limits> limits;
  if (op.getKinds().size() == 2 && entry->takesRequantization)
    limits = getLimits(op.getKind(1));
  Value kernel = limits ? entry->create(*this, op.getKind()) : Value();
  if (!kernel)
    return {};
  return relu ? make<qnnpack::ReluOp>(kernel) : createClamp(kernel, *limits);
}

std::optional<Limits> qbackend::getLimits(Attribute kind) {
  if (isa<ReluAttr>(kind))
    return Limits{0, INFINITY};
  if (isa<Relu6Attr>(kind))
    return Limits{0, 6};
  if (auto hardtanh = dyn_cast<HardtanhAttr>(kind))
    return Limits{hardtanh.getMin().getValueAsDouble(),
                  hardtanh.getMax().getValueAsDouble()};
  if (auto clamp = dyn_cast<ClampAttr>(kind))
    return Limits{clamp.getMin().getValueAsDouble(),
                  clamp.getMax().getValueAsDouble()};
  return std::nullopt;
}

/// Bounds beyond what the integers reach are moved to their ends: the engine's
/// quantize turns infinity, and FLT_MAX, into the smallest integer.
Value KernelBuilder::createClamp(Value input, Limits limits) {
  auto element = qnnpack::getQuantizedType(input.getType());
  auto asFloat = [&](int64_t integer) -> double {
    return numerics::dequantize(integer, element.getScale(),
                                element.getZeroPoint());
  };
  double low = asFloat(element.getStorageTypeMin());
  double high = asFloat(element.getStorageTypeMax());
  auto bound = [&](double value) {
    return builder.getF32FloatAttr(std::clamp(value, low, high));
  };
  return make<qnnpack::ClampOp>(input, bound(limits.min), bound(limits.max));
}

UnitAttr KernelBuilder::getFlag(bool value) {
  return value ? builder.getUnitAttr() : UnitAttr();
}
UnitAttr KernelBuilder::getRelu() { return getFlag(relu); }

Value KernelBuilder::createSplat(float value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, value));
}

Value KernelBuilder::getParameter(Value operand, float missing,
                                  ArrayRef<int64_t> shape) {
  return operand ? operand : createSplat(missing, shape);
}

Value KernelBuilder::getWeight() {
  return op.getWeight() ? getQuantized(op.getWeight()) : Value();
}

Value KernelBuilder::getStoredBias() {
  Value quantized = op.getBias() ? getQuantized(op.getBias()) : Value();
  auto cast = quantized ? quantized.getDefiningOp<quant::StorageCastOp>()
                        : quant::StorageCastOp();
  return cast ? cast.getInput() : Value();
}

Value KernelBuilder::getBias() {
  Value bias = getStoredBias();
  if (!bias || !qnnpack::isWide(inputs[0].getType()))
    return bias;
  Type wide = cast<ShapedType>(bias.getType()).clone(builder.getI64Type());
  return builder.createOrFold<arith::ExtSIOp>(loc, wide, bias);
}

bool KernelBuilder::hasKnownBias() {
  return bool(op.getBias()) == bool(getStoredBias());
}

Value KernelBuilder::createReshape(Value input, ArrayRef<int64_t> shape) {
  auto inputType = cast<RankedTensorType>(input.getType());
  return make<qnnpack::ReshapeOp>(Type(inputType.clone(shape)), input);
}

Value KernelBuilder::createTranspose(Value input,
                                     ArrayRef<int64_t> permutation) {
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape, moved;
  for (int64_t dim : permutation) {
    shape.push_back(inputType.getDimSize(dim));
    if (shape.back() != 1)
      moved.push_back(dim);
  }
  // Unit dimensions move without the data.
  if (llvm::is_sorted(moved) && inputType.hasStaticShape())
    return createReshape(input, shape);
  return make<qnnpack::TransposeOp>(Type(inputType.clone(shape)), input,
                                    builder.getDenseI64ArrayAttr(permutation));
}

Value KernelBuilder::createWithLast(
    ArrayRef<int64_t> axes,
    function_ref<Value(Value, RankedTensorType)> create) {
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(axes, dim))
      permutation.push_back(dim);
  llvm::append_range(permutation, axes);
  if (!isPermutationVector(permutation) ||
      int64_t(permutation.size()) != type.getRank())
    return {};
  if (isIdentityPermutation(permutation))
    return create(inputs[0], type);
  Value input = createTranspose(inputs[0], permutation);
  Value result =
      create(input, type.clone(applyPermutation(type.getShape(), permutation)));
  return result ? createTranspose(result, invertPermutationVector(permutation))
                : Value();
}

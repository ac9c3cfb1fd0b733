// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of binary operators and activations, and what all have in common.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "qbackend/Numerics/Quantize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
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
// Kinds
//===----------------------------------------------------------------------===//

Value KernelBuilder::createKernel() {
  const KernelEntry *entry = KernelTable::get().lookup(op.getKind());
  if (!entry || !entry->create || (relu && !entry->takesRelu) ||
      (op.isFused() && !relu))
    return {};
  return entry->create(*this, op.getKind());
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

//===----------------------------------------------------------------------===//
// Binary, concatenation
//===----------------------------------------------------------------------===//

Value KernelBuilder::createQuantizedNumber(double number) {
  // Exactly: it is one step, or none, away from 0.
  auto storage = qnnpack::getQuantizedType(inputs[0].getType());
  float scale = number == 0 ? 1.0f : std::fabs(float(number));
  int64_t sign = number > 0 ? 1 : number < 0 ? -1 : 0;
  int64_t zeroPoint = storage.getStorageTypeMin() + 128;
  auto element = quant::UniformQuantizedType::get(
      storage.getFlags(), storage.getStorageType(), storage.getExpressedType(),
      scale, zeroPoint, storage.getStorageTypeMin(),
      storage.getStorageTypeMax());
  SmallVector<int64_t> shape(type.getRank(), 1);
  auto integers =
      DenseElementsAttr::get(RankedTensorType::get(shape, builder.getI8Type()),
                             static_cast<int8_t>(zeroPoint + sign));
  Value constant = arith::ConstantOp::create(builder, loc, integers);
  return quant::StorageCastOp::create(
      builder, loc, RankedTensorType::get(shape, element), constant);
}

Value KernelBuilder::create(AddAttr kind) {
  if (kind.getScalar() && isImported()) {
    double number = kind.getScalar().getValueAsDouble();
    auto own = qnnpack::getAddScalarResultType(
        qnnpack::getQuantizedType(inputs[0].getType()), number);
    if (own != qnnpack::getQuantizedType(type))
      return make<qnnpack::AddOp>(inputs[0], createQuantizedNumber(number),
                                  getRelu(), /*aten=*/builder.getUnitAttr(),
                                  /*vectorized=*/UnitAttr());
  }
  if (kind.getScalar())
    return make<qnnpack::AddScalarOp>(inputs[0], kind.getScalar(), getRelu());
  if (inputs.size() != 2)
    return {};
  return make<qnnpack::AddOp>(inputs[0], inputs[1], getRelu());
}

Value KernelBuilder::create(MulAttr kind) {
  if (kind.getScalar())
    return make<qnnpack::MulScalarOp>(inputs[0], kind.getScalar(), getRelu());
  if (inputs.size() != 2)
    return {};
  return make<qnnpack::MulOp>(inputs[0], inputs[1], getRelu());
}

Value KernelBuilder::create(CatAttr kind) {
  return make<qnnpack::CatOp>(inputs, builder.getI64IntegerAttr(kind.getAxis()),
                              getRelu());
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Bounds beyond what the integers reach are moved to their ends: the engine's
/// quantize turns infinity, and FLT_MAX, into the smallest integer.
Value KernelBuilder::createClamp(double min, double max) {
  auto element = qnnpack::getQuantizedType(inputs[0].getType());
  auto real = [&](int64_t integer) -> double {
    return numerics::dequantize(integer, element.getScale(),
                                element.getZeroPoint());
  };
  double low = real(element.getStorageTypeMin());
  double high = real(element.getStorageTypeMax());
  min = std::clamp(min, low, high);
  max = std::clamp(max, low, high);
  return make<qnnpack::ClampOp>(inputs[0], builder.getF32FloatAttr(min),
                                builder.getF32FloatAttr(max));
}

Value KernelBuilder::create(ReluAttr) {
  return make<qnnpack::ReluOp>(inputs[0]);
}
Value KernelBuilder::create(Relu6Attr) { return createClamp(0.0, 6.0); }
Value KernelBuilder::create(HardtanhAttr kind) {
  return createClamp(kind.getMin().getValueAsDouble(),
                     kind.getMax().getValueAsDouble());
}
Value KernelBuilder::create(ClampAttr kind) {
  return createClamp(kind.getMin().getValueAsDouble(),
                     kind.getMax().getValueAsDouble());
}
Value KernelBuilder::create(SigmoidAttr) {
  return make<qnnpack::SigmoidOp>(inputs[0]);
}
Value KernelBuilder::create(HardsigmoidAttr) {
  return make<qnnpack::HardsigmoidOp>(inputs[0]);
}
Value KernelBuilder::create(HardswishAttr) {
  return make<qnnpack::HardswishOp>(inputs[0]);
}
Value KernelBuilder::create(TanhAttr) {
  return make<qnnpack::TanhOp>(inputs[0]);
}
Value KernelBuilder::create(LeakyReluAttr kind) {
  return make<qnnpack::LeakyReluOp>(
      inputs[0],
      builder.getF32FloatAttr(kind.getNegativeSlope().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}
Value KernelBuilder::create(EluAttr kind) {
  return make<qnnpack::EluOp>(
      inputs[0], builder.getF32FloatAttr(kind.getAlpha().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}
Value KernelBuilder::create(CeluAttr kind) {
  return make<qnnpack::CeluOp>(
      inputs[0], builder.getF32FloatAttr(kind.getAlpha().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}

Value KernelBuilder::create(PreluAttr kind) {
  Value weight = getWeight();
  if (!weight)
    return {};
  auto create = [&](Value input, RankedTensorType type) {
    return make<qnnpack::PreluOp>(Type(type), input, weight);
  };
  // One slope is for all elements, wherever they are.
  if (cast<RankedTensorType>(weight.getType()).getNumElements() == 1)
    return create(inputs[0], type);
  return createWithLast(kind.getAxis(), create);
}

Value KernelBuilder::create(SoftmaxAttr kind) {
  return make<qnnpack::SoftmaxOp>(inputs[0],
                                  builder.getI64IntegerAttr(kind.getAxis()));
}

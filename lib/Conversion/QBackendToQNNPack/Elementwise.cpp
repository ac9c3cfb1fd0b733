// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of binary operators and activations.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Binary, concatenation
//===----------------------------------------------------------------------===//

static Value createQuantizedNumber(KernelBuilder &b, double number) {
  // Exactly: it is one step, or none, away from 0.
  auto storage = qnnpack::getQuantizedType(b.inputs[0].getType());
  float scale = number == 0 ? 1.0f : std::fabs(float(number));
  int64_t sign = number > 0 ? 1 : number < 0 ? -1 : 0;
  int64_t zeroPoint = storage.getStorageTypeMin() + 128;
  auto element = quant::UniformQuantizedType::get(
      storage.getFlags(), storage.getStorageType(), storage.getExpressedType(),
      scale, zeroPoint, storage.getStorageTypeMin(),
      storage.getStorageTypeMax());
  SmallVector<int64_t> shape(b.type.getRank(), 1);
  auto integers = DenseElementsAttr::get(
      RankedTensorType::get(shape, b.builder.getI8Type()),
      static_cast<int8_t>(zeroPoint + sign));
  Value constant = arith::ConstantOp::create(b.builder, b.loc, integers);
  return quant::StorageCastOp::create(
      b.builder, b.loc, RankedTensorType::get(shape, element), constant);
}

static Value createAdd(KernelBuilder &b, AddAttr kind) {
  if (kind.getScalar() && b.refusesScalar())
    return {};
  if (kind.getScalar() && b.isImported()) {
    double number = kind.getScalar().getValueAsDouble();
    auto own = qnnpack::getAddScalarResultType(
        qnnpack::getQuantizedType(b.inputs[0].getType()), number);
    if (own != qnnpack::getQuantizedType(b.type))
      return b.make<qnnpack::AddOp>(
          b.inputs[0], createQuantizedNumber(b, number),
          /*requantization=*/qnnpack::RequantizationAttr(),
          /*lhs_requantization=*/qnnpack::RequantizationAttr(),
          /*rhs_requantization=*/qnnpack::RequantizationAttr(), b.getRelu(),
          /*aten=*/b.builder.getUnitAttr(),
          /*vectorized=*/UnitAttr());
  }
  if (kind.getScalar())
    return b.make<qnnpack::AddScalarOp>(b.inputs[0], kind.getScalar(),
                                        b.getRelu());
  if (b.inputs.size() != 2)
    return {};
  KernelBuilder::AddRequantizations all = b.getAddRequantizations();
  return b.make<qnnpack::AddOp>(b.inputs[0], b.inputs[1], all.result, all.lhs,
                                all.rhs, b.getRelu(), /*aten=*/UnitAttr(),
                                /*vectorized=*/UnitAttr());
}

static Value createMul(KernelBuilder &b, MulAttr kind) {
  if (kind.getScalar() && b.refusesScalar())
    return {};
  if (kind.getScalar())
    return b.make<qnnpack::MulScalarOp>(b.inputs[0], kind.getScalar(),
                                        b.getRelu());
  if (b.inputs.size() != 2)
    return {};
  return b.make<qnnpack::MulOp>(
      b.inputs[0], b.inputs[1],
      b.getRequantization(b.inputs[0].getType(), b.inputs[1].getType()),
      b.getRelu());
}

static Value createCat(KernelBuilder &b, CatAttr kind) {
  return b.make<qnnpack::CatOp>(
      b.inputs, b.builder.getI64IntegerAttr(kind.getAxis()), b.getRelu());
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

template <typename OpT, typename KindT>
static Value createUnary(KernelBuilder &b, KindT) {
  return b.make<OpT>(b.inputs[0]);
}
template <typename KindT>
static Value createLimits(KernelBuilder &b, KindT kind) {
  return b.createClamp(b.inputs[0], *getLimits(kind));
}
static Value createLeakyRelu(KernelBuilder &b, LeakyReluAttr kind) {
  return b.make<qnnpack::LeakyReluOp>(
      b.inputs[0],
      b.builder.getF32FloatAttr(kind.getNegativeSlope().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}
static Value createElu(KernelBuilder &b, EluAttr kind) {
  return b.make<qnnpack::EluOp>(
      b.inputs[0],
      b.builder.getF32FloatAttr(kind.getAlpha().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}
static Value createCelu(KernelBuilder &b, CeluAttr kind) {
  return b.make<qnnpack::CeluOp>(
      b.inputs[0],
      b.builder.getF32FloatAttr(kind.getAlpha().getValueAsDouble()),
      /*vectorized=*/UnitAttr());
}

static Value createPrelu(KernelBuilder &b, PreluAttr kind) {
  Value weight = b.getWeight();
  if (!weight)
    return {};
  auto create = [&](Value input, RankedTensorType type) {
    return b.make<qnnpack::PreluOp>(Type(type), input, weight);
  };
  // One slope is for all elements, wherever they are.
  if (cast<RankedTensorType>(weight.getType()).getNumElements() == 1)
    return create(b.inputs[0], b.type);
  return b.createWithLast(kind.getAxis(), create);
}

static Value createSoftmax(KernelBuilder &b, SoftmaxAttr kind) {
  return b.make<qnnpack::SoftmaxOp>(
      b.inputs[0], b.builder.getI64IntegerAttr(kind.getAxis()));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using QuantizedElement = quant::UniformQuantizedType;

static QuantizedElement withParameters(QuantizedElement type,
                                       FixedParameters parameters) {
  return QuantizedElement::get(
      type.getFlags(), type.getStorageType(), type.getExpressedType(),
      parameters.scale, type.getStorageTypeMin() + parameters.zeroPointOffset,
      type.getStorageTypeMin(), type.getStorageTypeMax());
}

void qbackend::addBinary(KernelTable &table) {
  KernelEntry add = KernelEntry::withRelu();
  add.takesRequantization = true;
  KernelEntry mul = add;
  add.getResultElement = [](Attribute kind, QuantizedElement input) {
    FloatAttr scalar = cast<AddAttr>(kind).getScalar();
    return scalar ? qnnpack::getAddScalarResultType(input,
                                                    scalar.getValueAsDouble())
                  : QuantizedElement();
  };
  mul.getResultElement = [](Attribute kind, QuantizedElement input) {
    FloatAttr scalar = cast<MulAttr>(kind).getScalar();
    return scalar ? qnnpack::getMulScalarResultType(input,
                                                    scalar.getValueAsDouble())
                  : QuantizedElement();
  };
  table.add(add, createAdd);
  table.add(mul, createMul);
  table.add(KernelEntry::withRelu(), createCat);
  table.addMissing<SubAttr, RsubAttr, DivAttr>("the engine has none");
}

void qbackend::addActivations(KernelTable &table) {
  KernelEntry observed, fixed, softmax;
  fixed.getResultElement = [](Attribute kind, QuantizedElement input) {
    return withParameters(
        input, *cast<OperatorKindAttrInterface>(kind).getFixedParameters());
  };
  // The engine's choice: PyTorch observes a softmax.
  softmax.getResultElement = [](Attribute, QuantizedElement input) {
    return withParameters(input, {0x1p-8, 0});
  };
  table.add(KernelEntry::ofInput(), createUnary<qnnpack::ReluOp, ReluAttr>,
            createLimits<Relu6Attr>, createLimits<HardtanhAttr>,
            createLimits<ClampAttr>);
  table.add(fixed, createUnary<qnnpack::SigmoidOp, SigmoidAttr>,
            createUnary<qnnpack::HardsigmoidOp, HardsigmoidAttr>,
            createUnary<qnnpack::TanhOp, TanhAttr>);
  table.add(observed, createUnary<qnnpack::HardswishOp, HardswishAttr>,
            createLeakyRelu, createElu, createCelu, createPrelu);
  table.add(softmax, createSoftmax);
  table.addMissing<SiluAttr, GeluAttr, LogSoftmaxAttr, SeluAttr, SoftplusAttr,
                   MishAttr, QuickGeluAttr, NegAttr, SinAttr, CosAttr,
                   SquareAttr, RsqrtAttr, PowAttr>("the engine has none");
  table.addMissing<DropoutAttr>("raising drops it");
}

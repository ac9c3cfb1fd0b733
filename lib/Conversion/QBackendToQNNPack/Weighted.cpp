// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of convolutions, linear layers and embeddings.

#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;
using namespace qbackend;

/// The weight as integers; null unless convert has quantized it.
Value KernelBuilder::getWeight() {
  return op.getWeight() ? getQuantized(op.getWeight()) : Value();
}

/// The bias as the int32 constant that convert has made of it; null if there
/// is none.
Value KernelBuilder::getBias() {
  Value quantized = op.getBias() ? getQuantized(op.getBias()) : Value();
  auto cast = quantized ? quantized.getDefiningOp<quant::StorageCastOp>()
                        : quant::StorageCastOp();
  return cast ? cast.getInput() : Value();
}

/// Whether there is no bias, or one that convert has quantized.
bool KernelBuilder::hasKnownBias() {
  return bool(op.getBias()) == bool(getBias());
}

template <typename OpT, typename KindT>
Value KernelBuilder::createConvolution(KindT kind) {
  Value weight = getWeight();
  if (!weight || !hasKnownBias())
    return {};
  return make<OpT>(inputs[0], weight, getBias(), kind.getStride(),
                   kind.getPadding(), kind.getDilation(),
                   builder.getI64IntegerAttr(kind.getGroups()), getRelu(),
                   /*mathematical=*/UnitAttr());
}

template <typename OpT, typename KindT>
Value KernelBuilder::createTransposed(KindT kind) {
  Value weight = getWeight();
  if (!weight || !hasKnownBias())
    return {};
  return make<OpT>(inputs[0], weight, getBias(), kind.getStride(),
                   kind.getPadding(), kind.getOutputPadding(),
                   kind.getDilation(),
                   builder.getI64IntegerAttr(kind.getGroups()),
                   /*mathematical=*/UnitAttr());
}

Value KernelBuilder::create(Conv1dAttr kind) {
  return createConvolution<qnnpack::Conv1dOp>(kind);
}
Value KernelBuilder::create(Conv2dAttr kind) {
  return createConvolution<qnnpack::Conv2dOp>(kind);
}
Value KernelBuilder::create(Conv3dAttr kind) {
  return createConvolution<qnnpack::Conv3dOp>(kind);
}
Value KernelBuilder::create(ConvTranspose1dAttr kind) {
  return createTransposed<qnnpack::ConvTranspose1dOp>(kind);
}
Value KernelBuilder::create(ConvTranspose2dAttr kind) {
  return createTransposed<qnnpack::ConvTranspose2dOp>(kind);
}

Value KernelBuilder::create(LinearAttr) {
  Value weight = getWeight();
  if (!weight || !hasKnownBias())
    return {};
  return make<qnnpack::LinearOp>(inputs[0], weight, getBias(), getRelu(),
                                 /*mathematical=*/UnitAttr());
}

OrRefusal<Value> KernelBuilder::createLinearDynamic() {
  Value weight = getWeight();
  bool single = op.getKinds().size() == 1 || relu;
  if (!weight || !single || !isa<LinearAttr>(op.getKind()))
    return Refusal("only linear layers, with or without a relu, have a kernel "
                   "that quantizes at run time");
  ObserverAttr activation = op.getQconfig()->getActivation();
  if (!activation.getDtype().isUnsignedInteger(8))
    return Refusal("the kernel quantizes its input to ui8");
  return make<qnnpack::LinearDynamicOp>(op.getInputs()[0], weight, op.getBias(),
                                        getRelu());
}

OrRefusal<Value> KernelBuilder::createEmbedding() {
  std::optional<QuantizedTable> table;
  if (isa<EmbeddingAttr>(op.getKind()) && !op.isFused())
    table = getQuantizedTable(op.getWeight());
  if (!table)
    return Refusal("only embeddings have a kernel for real activations");
  DenseElementsAttr entries = table->entries;
  bool packed = op.getQconfig()->getWeight().getDtype().isInteger(4);
  auto type = cast<RankedTensorType>(entries.getType());
  if (packed) {
    // Two columns in a byte, the even one in the low half.
    int64_t columns = type.getDimSize(1);
    if (columns % 2 != 0)
      return Refusal("two columns of a 4-bit table share a byte, and it has " +
                     Twine(columns));
    SmallVector<int8_t> bytes;
    auto values = entries.getValues<int8_t>();
    for (int64_t i = 0, e = type.getNumElements(); i < e; i += 2)
      bytes.push_back(values[i] | values[i + 1] << 4);
    type = type.clone({type.getDimSize(0), columns / 2});
    entries = DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes));
  }
  auto constant = [&](DenseElementsAttr elements) -> Value {
    return arith::ConstantOp::create(builder, loc, elements);
  };
  Value rows = constant(entries), scales = constant(table->scales);
  Value zeroPoints = constant(table->zeroPoints), indices = op.getInputs()[0];
  if (packed)
    return make<qnnpack::Embedding4BitOp>(indices, rows, scales, zeroPoints);
  return make<qnnpack::EmbeddingByteOp>(indices, rows, scales, zeroPoints);
}

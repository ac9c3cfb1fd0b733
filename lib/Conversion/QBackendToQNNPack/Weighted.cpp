// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of convolutions, linear layers and embeddings.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qbackend;

template <typename OpT, typename KindT>
static Value createConvolution(KernelBuilder &b, KindT kind) {
  Value weight = b.getWeight();
  if (!weight || !b.hasKnownBias())
    return {};
  return b.make<OpT>(
      b.inputs[0], weight, b.getBias(), kind.getStride(), kind.getPadding(),
      kind.getDilation(), b.builder.getI64IntegerAttr(kind.getGroups()),
      b.getRequantization(b.inputs[0].getType(), weight.getType()), b.getRelu(),
      /*mathematical=*/UnitAttr());
}

template <typename OpT, typename KindT>
static Value createTransposed(KernelBuilder &b, KindT kind) {
  Value weight = b.getWeight();
  if (!weight || !b.hasKnownBias())
    return {};
  return b.make<OpT>(
      b.inputs[0], weight, b.getBias(), kind.getStride(), kind.getPadding(),
      kind.getOutputPadding(), kind.getDilation(),
      b.builder.getI64IntegerAttr(kind.getGroups()),
      b.getRequantization(b.inputs[0].getType(), weight.getType()),
      /*mathematical=*/UnitAttr());
}

static Value createLinear(KernelBuilder &b, LinearAttr) {
  Value weight = b.getWeight();
  if (!weight || !b.hasKnownBias())
    return {};
  return b.make<qnnpack::LinearOp>(
      b.inputs[0], weight, b.getBias(),
      b.getRequantization(b.inputs[0].getType(), weight.getType()), b.getRelu(),
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
    return Refusal("only embeddings have a kernel for float activations");
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

void qbackend::addWeighted(KernelTable &table) {
  KernelEntry transposed, forward = KernelEntry::withRelu();
  transposed.takesRequantization = forward.takesRequantization = true;
  table.add(forward, createConvolution<qnnpack::Conv1dOp, Conv1dAttr>,
            createConvolution<qnnpack::Conv2dOp, Conv2dAttr>,
            createConvolution<qnnpack::Conv3dOp, Conv3dAttr>, createLinear);
  table.add(transposed,
            createTransposed<qnnpack::ConvTranspose1dOp, ConvTranspose1dAttr>,
            createTransposed<qnnpack::ConvTranspose2dOp, ConvTranspose2dAttr>);
  table.addMissing<ConvTranspose3dAttr>(
      "the engine has none of three dimensions");
  table.addMissing<MatmulAttr>("the engine multiplies by constants only");
  table.addMissing<EmbeddingAttr>(
      "its activations are float: see createEmbedding");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel each operator kind has.

#include "KernelTable.h"
#include "KernelBuilder.h"

#include "qbackend/Conversion/QBackendToQNNPack.h"

using namespace mlir;
using namespace qbackend;
using QuantizedElement = quant::UniformQuantizedType;

//===----------------------------------------------------------------------===//
// Parameters of results
//===----------------------------------------------------------------------===//

static QuantizedElement getInputElement(Attribute, QuantizedElement input) {
  return input;
}

static QuantizedElement withParameters(QuantizedElement type,
                                       FixedParameters parameters) {
  return QuantizedElement::get(
      type.getFlags(), type.getStorageType(), type.getExpressedType(),
      parameters.scale, type.getStorageTypeMin() + parameters.zeroPointOffset,
      type.getStorageTypeMin(), type.getStorageTypeMax());
}

static QuantizedElement getFixedElement(Attribute kind,
                                        QuantizedElement input) {
  return withParameters(
      input, *cast<OperatorKindAttrInterface>(kind).getFixedParameters());
}

/// The engine's choice: PyTorch observes a softmax.
static QuantizedElement getSoftmaxElement(Attribute, QuantizedElement input) {
  return withParameters(input, {0x1p-8, 0});
}

static QuantizedElement getAddElement(Attribute kind, QuantizedElement input) {
  FloatAttr scalar = cast<AddAttr>(kind).getScalar();
  return scalar
             ? qnnpack::getAddScalarResultType(input, scalar.getValueAsDouble())
             : QuantizedElement();
}

static QuantizedElement getMulElement(Attribute kind, QuantizedElement input) {
  FloatAttr scalar = cast<MulAttr>(kind).getScalar();
  return scalar
             ? qnnpack::getMulScalarResultType(input, scalar.getValueAsDouble())
             : QuantizedElement();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename... KindTs> void KernelTable::addKernels(KernelEntry entry) {
  auto addOne = [&](auto *kind) {
    using KindT = std::remove_pointer_t<decltype(kind)>;
    entry.create = [](KernelBuilder &builder, Attribute attr) {
      return builder.create(cast<KindT>(attr));
    };
    add<KindT>(entry);
  };
  (addOne(static_cast<KindTs *>(nullptr)), ...);
}

KernelTable::KernelTable() {
  KernelEntry observed, withRelu, ofInput, fixed, add, mul, softmax;
  withRelu.takesRelu = add.takesRelu = mul.takesRelu = true;
  ofInput.getResultElement = getInputElement;
  fixed.getResultElement = getFixedElement;
  softmax.getResultElement = getSoftmaxElement;
  add.getResultElement = getAddElement;
  mul.getResultElement = getMulElement;

  // Weighted.
  addKernels<Conv1dAttr, Conv2dAttr, Conv3dAttr, LinearAttr>(withRelu);
  addKernels<ConvTranspose1dAttr, ConvTranspose2dAttr>(observed);
  addMissing<ConvTranspose3dAttr>("the engine has none of three dimensions");
  addMissing<MatmulAttr>("the engine multiplies by constants only");
  addMissing<EmbeddingAttr>("its activations are real: see createEmbedding");
  // Normalizations.
  addKernels<BatchNorm1dAttr, BatchNorm2dAttr, BatchNorm3dAttr>(withRelu);
  addKernels<LayerNormAttr, InstanceNorm1dAttr, InstanceNorm2dAttr,
             InstanceNorm3dAttr, GroupNormAttr>(observed);
  addMissing<RmsNormAttr>("the engine has none");
  // Binary, concatenation.
  addKernels<AddAttr>(add);
  addKernels<MulAttr>(mul);
  addKernels<CatAttr>(withRelu);
  addMissing<SubAttr, RsubAttr, DivAttr>("the engine has none");
  // Functions of one tensor.
  addMissing<NegAttr, SinAttr, CosAttr, SquareAttr, RsqrtAttr, PowAttr>(
      "the engine has none");
  // Pooling.
  addKernels<MaxPool1dAttr, MaxPool2dAttr, AvgPool1dAttr, AvgPool2dAttr,
             AdaptiveAvgPool1dAttr, AdaptiveAvgPool2dAttr, MeanAttr>(ofInput);
  addMissing<SumAttr, AmaxAttr>("the engine has none");
  addMissing<MaxPool3dAttr, AvgPool3dAttr, AdaptiveAvgPool3dAttr>(
      "the engine has none of three dimensions");
  // Activations.
  addKernels<ReluAttr, Relu6Attr, HardtanhAttr, ClampAttr>(ofInput);
  addKernels<SigmoidAttr, HardsigmoidAttr, TanhAttr>(fixed);
  addKernels<HardswishAttr, LeakyReluAttr, EluAttr, CeluAttr, PreluAttr>(
      observed);
  addKernels<SoftmaxAttr>(softmax);
  addMissing<SiluAttr, GeluAttr, LogSoftmaxAttr, SeluAttr, SoftplusAttr,
             MishAttr, QuickGeluAttr>("the engine has none");
  addMissing<DropoutAttr>("raising drops it");
  // Movement.
  addKernels<FlattenAttr, ReshapeAttr, TransposeAttr, NarrowAttr, PadAttr,
             RepeatAttr, PixelShuffleAttr, PixelUnshuffleAttr,
             ChannelShuffleAttr, InterpolateAttr>(ofInput);
}

const KernelTable &KernelTable::get() {
  static const KernelTable table;
  return table;
}

std::optional<StringRef> qbackend::whyNoQNNPackKernel(StringRef kindName) {
  const KernelEntry *entry = KernelTable::get().lookup(kindName);
  if (!entry)
    return std::nullopt;
  return entry->reason;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that move integers.

#include "KernelBuilder.h"
#include "KernelTable.h"

using namespace mlir;
using namespace qbackend;

static Value createFlatten(KernelBuilder &b, FlattenAttr kind) {
  Value input = b.inputs[0];
  if (DenseI64ArrayAttr permutation = kind.getPermutation())
    input = b.createTranspose(input, permutation.asArrayRef());
  return b.createReshape(input, b.type.getShape());
}

static Value createReshapeKernel(KernelBuilder &b, ReshapeAttr kind) {
  return createFlatten(
      b, FlattenAttr::get(kind.getContext(), kind.getPermutation()));
}

static Value createTransposeKernel(KernelBuilder &b, TransposeAttr kind) {
  return b.createTranspose(b.inputs[0], kind.getPermutation().asArrayRef());
}

static Value createNarrow(KernelBuilder &b, NarrowAttr kind) {
  return b.make<qnnpack::SliceOp>(b.inputs[0], kind.getOffsets(),
                                  kind.getStrides());
}

static Value createPad(KernelBuilder &b, PadAttr kind) {
  return b.make<qnnpack::PadOp>(
      b.inputs[0], kind.getLow(), kind.getHigh(),
      b.builder.getF32FloatAttr(kind.getValue().getValueAsDouble()));
}

static Value createRepeat(KernelBuilder &b, RepeatAttr kind) {
  return b.make<qnnpack::RepeatOp>(b.inputs[0], kind.getMultiples());
}

/// [n, h, w, c * f * f] -> [n, h, w, c, f, f] -> [n, h, f, w, f, c].
static Value createPixelShuffle(KernelBuilder &b, PixelShuffleAttr kind) {
  auto inputType = cast<RankedTensorType>(b.inputs[0].getType());
  if (inputType.getRank() != 4 || b.type.getRank() != 4)
    return {};
  int64_t factor = kind.getUpscaleFactor();
  ArrayRef<int64_t> shape = inputType.getShape();
  Value split =
      b.createReshape(b.inputs[0], {shape[0], shape[1], shape[2],
                                    b.type.getDimSize(3), factor, factor});
  return b.createReshape(b.createTranspose(split, {0, 1, 4, 2, 5, 3}),
                         b.type.getShape());
}

/// [n, h * f, w * f, c] -> [n, h, f, w, f, c] -> [n, h, w, c, f, f].
static Value createPixelUnshuffle(KernelBuilder &b, PixelUnshuffleAttr kind) {
  auto inputType = cast<RankedTensorType>(b.inputs[0].getType());
  if (inputType.getRank() != 4 || b.type.getRank() != 4)
    return {};
  int64_t factor = kind.getDownscaleFactor();
  ArrayRef<int64_t> shape = b.type.getShape();
  Value split =
      b.createReshape(b.inputs[0], {shape[0], shape[1], factor, shape[2],
                                    factor, inputType.getDimSize(3)});
  return b.createReshape(b.createTranspose(split, {0, 1, 3, 5, 2, 4}),
                         b.type.getShape());
}

static Value createChannelShuffle(KernelBuilder &b, ChannelShuffleAttr kind) {
  return b.createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) {
        return b.make<qnnpack::ChannelShuffleOp>(
            Type(type), input, b.builder.getI64IntegerAttr(kind.getGroups()));
      });
}

static Value createInterpolate(KernelBuilder &b, InterpolateAttr kind) {
  if (kind.getMode() == InterpolateMode::Nearest) {
    // Nearest pixels have no corners to align.
    if (kind.getAlignCorners())
      return {};
    return b.make<qnnpack::UpsampleNearest2dOp>(b.inputs[0],
                                                kind.getScaleFactors());
  }
  return b.make<qnnpack::UpsampleBilinear2dOp>(
      b.inputs[0], b.getFlag(kind.getAlignCorners()), kind.getScaleFactors(),
      /*channels_last=*/UnitAttr());
}

void qbackend::addMovement(KernelTable &table) {
  table.add(KernelEntry::ofInput(), createFlatten, createReshapeKernel,
            createTransposeKernel, createNarrow, createPad, createRepeat,
            createPixelShuffle, createPixelUnshuffle, createChannelShuffle,
            createInterpolate);
}

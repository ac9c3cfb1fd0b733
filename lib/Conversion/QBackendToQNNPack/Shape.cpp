// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that move integers.

#include "KernelBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace qbackend;

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

Value KernelBuilder::create(FlattenAttr kind) {
  Value input = inputs[0];
  if (DenseI64ArrayAttr permutation = kind.getPermutation())
    input = createTranspose(input, permutation.asArrayRef());
  return createReshape(input, type.getShape());
}

Value KernelBuilder::create(ReshapeAttr kind) {
  return create(FlattenAttr::get(kind.getContext(), kind.getPermutation()));
}

Value KernelBuilder::create(TransposeAttr kind) {
  return createTranspose(inputs[0], kind.getPermutation().asArrayRef());
}

Value KernelBuilder::create(NarrowAttr kind) {
  return make<qnnpack::SliceOp>(inputs[0], kind.getOffsets(),
                                kind.getStrides());
}

Value KernelBuilder::create(PadAttr kind) {
  return make<qnnpack::PadOp>(
      inputs[0], kind.getLow(), kind.getHigh(),
      builder.getF32FloatAttr(kind.getValue().getValueAsDouble()));
}

Value KernelBuilder::create(RepeatAttr kind) {
  return make<qnnpack::RepeatOp>(inputs[0], kind.getMultiples());
}

/// [n, h, w, c * f * f] -> [n, h, w, c, f, f] -> [n, h, f, w, f, c].
Value KernelBuilder::create(PixelShuffleAttr kind) {
  auto inputType = cast<RankedTensorType>(inputs[0].getType());
  if (inputType.getRank() != 4 || type.getRank() != 4)
    return {};
  int64_t factor = kind.getUpscaleFactor();
  ArrayRef<int64_t> shape = inputType.getShape();
  Value split = createReshape(inputs[0], {shape[0], shape[1], shape[2],
                                          type.getDimSize(3), factor, factor});
  return createReshape(createTranspose(split, {0, 1, 4, 2, 5, 3}),
                       type.getShape());
}

/// [n, h * f, w * f, c] -> [n, h, f, w, f, c] -> [n, h, w, c, f, f].
Value KernelBuilder::create(PixelUnshuffleAttr kind) {
  auto inputType = cast<RankedTensorType>(inputs[0].getType());
  if (inputType.getRank() != 4 || type.getRank() != 4)
    return {};
  int64_t factor = kind.getDownscaleFactor();
  ArrayRef<int64_t> shape = type.getShape();
  Value split = createReshape(inputs[0], {shape[0], shape[1], factor, shape[2],
                                          factor, inputType.getDimSize(3)});
  return createReshape(createTranspose(split, {0, 1, 3, 5, 2, 4}),
                       type.getShape());
}

Value KernelBuilder::create(ChannelShuffleAttr kind) {
  return createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) {
        return make<qnnpack::ChannelShuffleOp>(
            Type(type), input, builder.getI64IntegerAttr(kind.getGroups()));
      });
}

Value KernelBuilder::create(InterpolateAttr kind) {
  if (kind.getMode() == InterpolateMode::Nearest) {
    // Nearest pixels have no corners to align.
    if (kind.getAlignCorners())
      return {};
    return make<qnnpack::UpsampleNearest2dOp>(inputs[0],
                                              kind.getScaleFactors());
  }
  return make<qnnpack::UpsampleBilinear2dOp>(
      inputs[0], getFlag(kind.getAlignCorners()), kind.getScaleFactors(),
      /*channels_last=*/UnitAttr());
}

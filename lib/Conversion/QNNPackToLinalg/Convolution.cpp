// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and transposed convolutions of one, two and three dimensions.

#include "Weights.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

// conv(x, w, b) -> requantize(b' + sum over taps of x * w'), where the zero
// points are in b' and w' as far as constants allow, and padding is the zero
// point
template <typename OpT>
static Value lowerConvolution(OpT op, typename OpT::Adaptor adaptor,
                              LoweringBuilder &b) {
  auto inputType = b.stored(op.getInput());
  Operands operands = getOperands(
      b, adaptor.getWeight(), op.getWeight().getType(), adaptor.getBias(),
      inputType.getZeroPoint(), op.getGroups(), b.signedBytes);
  Value x = padImage(b, adaptor.getInput(), inputType.getZeroPoint(),
                     op.getPadding());
  Value sums = convolve(b, x, inputType.isSigned(), operands, b.resultType(op),
                        op.getStride(), op.getDilation());
  return requantizeChannels(
      b, sums, op.getInput().getType(), op.getWeight().getType(),
      op.getOutput().getType(), b.stored(op.getOutput()),
      op.getRequantizationAttr(), op.getRelu(), op.getMathematical());
}

/// Cut in phases, a transposed convolution is a convolution of stride 1 for
/// each phase: with p = t * stride + r, counted from the padding's start, and
/// k * dilation = j * stride + r,
///
///   y[p] = sum over k of x[(p - k * dilation) / stride] * w[k]
///        = sum over j of x[t - j] * w[j, r]
///
/// With phases as output channels it is one convolution, whose sums [batch, t,
/// t, group, r, r, channel] become [batch, t, r, t, r, group, channel], which
/// is [batch, p, p, channels].
template <typename OpT>
static Value lowerTransposedConvolution(OpT op, typename OpT::Adaptor adaptor,
                                        LoweringBuilder &b) {
  auto inputType = b.stored(op.getInput());
  ShapedType weightType = op.getWeight().getType();
  RankedTensorType type = b.resultType(op);
  int64_t axes = type.getRank() - 2;
  ShapedType originalType = op.getInput().getType();
  SmallVector<int64_t> strides(op.getStride());
  double spread = static_cast<double>(weightType.getNumElements());
  for (int64_t i = 0; i < axes; ++i) {
    int64_t kernel = weightType.getDimSize(1 + i);
    int64_t extent = op.getDilation()[i] * (kernel - 1) + 1;
    // One pixel has no neighbour that the stride would keep it from.
    if (originalType.getDimSize(1 + i) == 1)
      strides[i] = std::min(strides[i], extent);
    spread *= static_cast<double>(std::max(strides[i], extent)) / kernel;
  }
  if (spread > 0x1p31) {
    op.emitError() << "the zeros of stride and dilation make " << spread
                   << " elements of the weight, more than 2^31; use less of "
                      "them";
    return {};
  }
  Phases phases{strides, op.getDilation()};
  Operands operands = getOperands(b, adaptor.getWeight(), weightType,
                                  adaptor.getBias(), inputType.getZeroPoint(),
                                  op.getGroups(), b.signedBytes, phases);

  // Of each axis, t goes from `start` to `end`, and reads the input from
  // `start` - taps + 1 on; all of the input, even where that is too much.
  int64_t groups = op.getGroups(), out = type.getShape().back();
  SmallVector<int64_t> sumShape = {type.getDimSize(0)}, padding;
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0)};
  SmallVector<int64_t> parts = {groups}, order = {0};
  SmallVector<ReassociationIndices> merge = {{0}};
  SmallVector<int64_t> ones(axes, 1);
  for (int64_t i = 0; i < axes; ++i) {
    int64_t stride = strides[i], cut = op.getPadding()[2 * i];
    int64_t size = originalType.getDimSize(1 + i);
    int64_t taps = phases.countTaps(i, weightType.getDimSize(1 + i));
    int64_t start = std::min(cut / stride, taps - 1);
    int64_t end = std::max<int64_t>(
        llvm::divideCeil(cut + type.getDimSize(1 + i), stride), size);
    padding.append({taps - 1 - start, end - size});
    offsets.push_back(b.getIndexAttr(cut - start * stride));
    sumShape.push_back(end - start);
    parts.push_back(stride);
    order.append({1 + i, 2 + axes + i});
    merge.push_back({1 + 2 * i, 2 + 2 * i});
  }
  offsets.push_back(b.getIndexAttr(0));
  int64_t phaseCount = ShapedType::getNumElements(strides);
  sumShape.push_back(phaseCount * out);
  parts.push_back(out / groups);
  order.append({1 + axes, 2 + 2 * axes});
  merge.push_back({1 + 2 * axes, 2 + 2 * axes});

  Value x = padImage(b, adaptor.getInput(), inputType.getZeroPoint(), padding);
  Value sums =
      convolve(b, x, inputType.isSigned(), operands,
               RankedTensorType::get(sumShape, b.getI32Type()), ones, ones);
  if (phaseCount != 1) {
    sums = splitLast(b, sums, parts);
    auto splitType = cast<RankedTensorType>(sums.getType());
    SmallVector<int64_t> shape;
    for (int64_t d : order)
      shape.push_back(splitType.getDimSize(d));
    Value init = emptyLike(b, splitType.clone(shape), sums);
    sums = linalg::TransposeOp::create(b, sums, init, order)->getResult(0);
    sums = tensor::CollapseShapeOp::create(b, sums, merge);
  }
  if (cast<RankedTensorType>(sums.getType()).getShape() != type.getShape()) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), sums);
    for (int64_t i = 0; i < axes; ++i)
      sizes[1 + i] = b.getIndexAttr(type.getDimSize(1 + i));
    sums = tensor::ExtractSliceOp::create(
        b, sums, offsets, sizes,
        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(1)));
  }
  return requantizeChannels(b, sums, op.getInput().getType(), weightType,
                            op.getOutput().getType(), b.stored(op.getOutput()),
                            op.getRequantizationAttr(), /*relu=*/false,
                            op.getMathematical());
}

void qnnpack::populateConvolutionPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerConvolution<Conv1dOp>,
               lowerConvolution<Conv2dOp>, lowerConvolution<Conv3dOp>,
               lowerTransposedConvolution<ConvTranspose1dOp>,
               lowerTransposedConvolution<ConvTranspose2dOp>);
}

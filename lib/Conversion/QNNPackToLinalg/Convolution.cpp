// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and transposed convolutions of one, two and three dimensions.

#include "Weights.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

namespace {
// conv(x, w, b) -> requantize(b' + sum over taps of x * w'), where the zero
// points are in b' and w' as far as constants allow, and padding is the zero
// point
template <typename OpT> struct LowerConvolution : Lowering<OpT> {
  using Lowering<OpT>::Lowering;

  Value rewrite(OpT op, typename Lowering<OpT>::Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    auto inputType = getQuantizedType(op.getInput().getType());
    RankedTensorType type = this->resultType(op);
    int64_t axes = type.getRank() - 2;
    Operands operands = getOperands(b, adaptor.getWeight(),
                                    op.getWeight().getType(), adaptor.getBias(),
                                    inputType.getZeroPoint(), op.getGroups());
    Value x = padImage(b, adaptor.getInput(), inputType.getZeroPoint(),
                       op.getPadding());
    Value sums =
        broadcastBias(b, operands.bias, type, x,
                      llvm::to_vector(llvm::seq<int64_t>(0, axes + 1)));
    sums = addProducts(
        b, x, inputType.isSigned(), operands, sums, op.getGroups(), axes,
        [&](ArrayRef<AffineExpr> loops, ArrayRef<AffineExpr> taps, Exprs &input,
            Exprs &weight) {
          input.push_back(loops[0]);
          for (int64_t i = 0; i < axes; ++i)
            input.push_back(loops[1 + i] * op.getStride()[i] +
                            taps[i] * op.getDilation()[i]);
          weight.assign(taps.begin(), taps.end());
        });
    return requantizeChannels(
        b, sums, op.getInput().getType(), op.getWeight().getType(),
        op.getOutput().getType(), op.getRelu(), op.getMathematical());
  }
};

/// Cut in phases, a transposed convolution is a convolution of stride 1 for
/// each phase: with p = t * stride + r, counted from the padding's start, and
/// k * dilation = j * stride + r,
///
///   y[p] = sum over k of x[(p - k * dilation) / stride] * w[k]
///        = sum over j of x[t - j] * w[j, r]
///
/// The sums are [batch, t, r, t, r, channels], which is [batch, p, p,
/// channels].
template <typename OpT> struct LowerTransposedConvolution : Lowering<OpT> {
  using Lowering<OpT>::Lowering;

  Value rewrite(OpT op, typename Lowering<OpT>::Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    auto inputType = getQuantizedType(op.getInput().getType());
    ShapedType weightType = op.getWeight().getType();
    RankedTensorType type = this->resultType(op);
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
    Operands operands =
        getOperands(b, adaptor.getWeight(), weightType, adaptor.getBias(),
                    inputType.getZeroPoint(), op.getGroups(), phases);

    // Of each axis, t goes from `start` to `end`; `first` is where the padded
    // input has x[start].
    SmallVector<int64_t> sumShape = {type.getDimSize(0)}, padding, first,
                         added = {0};
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0)};
    SmallVector<ReassociationIndices> merge = {{0}};
    for (int64_t i = 0; i < axes; ++i) {
      int64_t stride = strides[i], cut = op.getPadding()[2 * i];
      int64_t taps = phases.countTaps(i, weightType.getDimSize(1 + i));
      int64_t start = cut / stride;
      int64_t end = llvm::divideCeil(cut + type.getDimSize(1 + i), stride);
      int64_t before = std::max<int64_t>(0, taps - 1 - start);
      padding.push_back(before);
      padding.push_back(
          std::max<int64_t>(0, end - originalType.getDimSize(1 + i)));
      first.push_back(start + before);
      offsets.push_back(b.getIndexAttr(cut - start * stride));
      added.push_back(1 + 2 * i);
      sumShape.append({end - start, stride});
      merge.push_back({1 + 2 * i, 2 + 2 * i});
    }
    offsets.push_back(b.getIndexAttr(0));
    sumShape.push_back(type.getShape().back());
    merge.push_back({1 + 2 * axes});

    Value x =
        padImage(b, adaptor.getInput(), inputType.getZeroPoint(), padding);
    Value sums = broadcastBias(b, operands.bias,
                               RankedTensorType::get(sumShape, b.getI32Type()),
                               x, added);
    sums = addProducts(
        b, x, inputType.isSigned(), operands, sums, op.getGroups(), axes,
        [&](ArrayRef<AffineExpr> loops, ArrayRef<AffineExpr> taps, Exprs &input,
            Exprs &weight) {
          input.push_back(loops[0]);
          for (int64_t i = 0; i < axes; ++i) {
            input.push_back(loops[1 + 2 * i] - taps[i] + first[i]);
            weight.append({taps[i], loops[2 + 2 * i]});
          }
        });
    sums = tensor::CollapseShapeOp::create(b, sums, merge);
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
                              op.getOutput().getType(), /*relu=*/false,
                              op.getMathematical());
  }
};
} // namespace

void qnnpack::populateConvolutionPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerConvolution<Conv1dOp>, LowerConvolution<Conv2dOp>,
               LowerConvolution<Conv3dOp>,
               LowerTransposedConvolution<ConvTranspose1dOp>,
               LowerTransposedConvolution<ConvTranspose2dOp>>(
      converter, patterns.getContext());
}

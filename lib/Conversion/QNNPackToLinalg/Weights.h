// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops with a weight share: a weight and a bias free of zero points,
// the sum of products, and the requantization of the sums.
//
//   sum (x - zx) * (w - zw) + b  =  sum x * w' + (b - zx * sum w'),  w' = w -
//   zw
//
// Padding with zx makes this hold at the borders, too. If the weight is a
// constant, w' and the new bias are computed here.
//
// Two orders of loops: upstream's, parallel loops first, in which each is one
// of linalg's named ops; or the output channel innermost, where the innermost
// loop adds one input times a row of w' to a row of accumulators, without a
// reduction.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H

#include "Scalars.h"

namespace qbackend::qnnpack {

/// Each axis of the kernel of a transposed convolution cut in phases: tap `k`
/// goes to [k * dilation / stride] of phase k * dilation % stride. The taps of
/// one phase are those that reach one in `stride` pixels of the output, and are
/// neighbours in the input, the last one first: from here on they are in the
/// order of the input, and the phases are output channels of a convolution.
struct Phases {
  llvm::ArrayRef<int64_t> stride;
  llvm::ArrayRef<int64_t> dilation;

  /// The number of taps of each phase of axis `i`, of `kernel` taps.
  int64_t countTaps(int64_t i, int64_t kernel) const {
    return (dilation[i] * (kernel - 1) + stride[i]) / stride[i];
  }
};

/// Operands of the sum of products, free of zero points.
struct Operands {
  // i8 or i16, [taps..., groups if not 1, in, out]; if `named`, and grouped but
  // not depthwise, [groups, out, taps..., in]. Both of one group.
  Value weight;
  Value bias; // [groups * out], i32, or i64 for 16-bit activations
  int64_t groups;
  bool named; // loops are in upstream's order
};

/// w' and b - inputZeroPoint * sum w'. `weight` is the storage of a tensor of
/// `type`, [out, taps..., in / groups]; `bias` may be null, and stays as it is
/// if it is of i64, for inputs whose zero point is 0. Given `phases`, `out` of
/// a group is [phases..., out], with zeros where a phase has no tap, and the
/// sum is taken for each phase.
Operands getOperands(ImplicitLocOpBuilder &b, Value weight,
                     mlir::ShapedType type, Value bias, int64_t inputZeroPoint,
                     int64_t groups, bool named,
                     const std::optional<Phases> &phases = std::nullopt);

/// The last dimension of `value` in parts of the sizes `parts`.
Value splitLast(ImplicitLocOpBuilder &b, Value value,
                llvm::ArrayRef<int64_t> parts);

/// The convolution of the padded `input`, channels last, in i32, or in i64 if
/// that is of i16, and of the shape of `type`: the bias and the sums of
/// products. Without `strides` and `dilations` it is a product of matrices.
Value convolve(ImplicitLocOpBuilder &b, Value input, bool isSigned,
               const Operands &operands, mlir::RankedTensorType type,
               llvm::ArrayRef<int64_t> strides = {},
               llvm::ArrayRef<int64_t> dilations = {});

/// The integers of `output`, in its stored type `stored`, from `sums`, channels
/// last, with the scales of the types of the operands, or by `requantization`
/// if there is one. `mathematical` saturates overflow upwards.
Value requantizeChannels(ImplicitLocOpBuilder &b, Value sums, mlir::Type input,
                         mlir::Type weight, mlir::Type output,
                         mlir::quant::UniformQuantizedType stored,
                         RequantizationAttr requantization, bool relu,
                         bool mathematical);

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H

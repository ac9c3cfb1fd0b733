// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops with a weight share: a weight and a bias free of zero points,
// the sum of products, and the requantization of the sums.
//
//   sum (x - zx) * (w - zw) + b  =  sum x * w' + (b - zx * sum w'),  w' = w -
//   zw
//
// Padding with zx makes this hold at the borders, too. If the weight is a
// constant, w' and the new bias are computed here, and the output channel
// becomes the innermost dimension of w': the innermost loop then adds one
// input times a row of w' to a row of accumulators, without a reduction.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H

#include "Scalars.h"

namespace qbackend::qnnpack {

/// Each axis of the kernel of a transposed convolution cut in phases: tap `k`
/// goes to [k * dilation / stride, k * dilation % stride]. The taps of one
/// phase are those that reach one in `stride` pixels of the output, and are
/// neighbours in the input.
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
  Value weight; // i8 or i16, in the layout that `rows` says
  Value bias;   // [phases..., out], i32
  bool rows;    // [taps..., groups if not 1, in, out], else [out, taps..., in]
};

/// w' and b - inputZeroPoint * sum w'. `weight` is the storage of a tensor of
/// `type`, [out, taps..., in / groups]; `bias`, i32, may be null. Given
/// `phases`, each axis of taps becomes the two dimensions of these, with zeros
/// where there is no tap, and the sum is taken for each phase.
Operands getOperands(ImplicitLocOpBuilder &b, Value weight,
                     mlir::ShapedType type, Value bias, int64_t inputZeroPoint,
                     int64_t groups,
                     const std::optional<Phases> &phases = std::nullopt);

/// `bias`, of the dimensions of `type` but `added`, in an i32 tensor of the
/// shape of `type`.
Value broadcastBias(ImplicitLocOpBuilder &b, Value bias,
                    mlir::RankedTensorType type, Value like,
                    llvm::ArrayRef<int64_t> added);

using Exprs = llvm::SmallVector<mlir::AffineExpr>;
/// From the loops over all dimensions of the sums but the channels, and the
/// loops over taps, to the positions in the input (all but the channel) and in
/// the dimensions of the weight between its channels.
using Positions = llvm::function_ref<void(llvm::ArrayRef<mlir::AffineExpr> sums,
                                          llvm::ArrayRef<mlir::AffineExpr> taps,
                                          Exprs &input, Exprs &weight)>;

/// `sums` plus the products of `input` and of the weight, in i32. The last
/// dimension of both is the channel. `taps` is the number of loops over taps.
Value addProducts(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                  const Operands &operands, Value sums, int64_t groups,
                  int64_t taps, Positions positions);

/// The integers of `output` from `sums`, channels last, with the scales of the
/// types of the operands. `mathematical` saturates overflow upwards.
Value requantizeChannels(ImplicitLocOpBuilder &b, Value sums, mlir::Type input,
                         mlir::Type weight, mlir::Type output, bool relu,
                         bool mathematical);

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_WEIGHTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds batch norm into the weighted operator before it.

#ifndef QBACKEND_LIB_TRANSFORMS_FUSE_FOLDBATCHNORM_H
#define QBACKEND_LIB_TRANSFORMS_FUSE_FOLDBATCHNORM_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// norm(root(x, weight, bias)) -> root(x, weight', bias'), in the place of
/// both, as the pattern or backend at `place` asks for, for a convolution,
/// transposed or not, or a linear `root`. Null, with a remark, if the
/// parameters are not constants, or of another dimension than the channels of
/// the weight.
OperatorOp foldBatchNorm(OperatorOp root, OperatorOp norm,
                         mlir::Location place);

/// norm(root(x, weight) / d + b) -> root(x, weight, bias'), if the weight came
/// as integers and all that multiplies a channel is 1: networks trained with
/// fake quantization (PyTorch's ConvBn2d) quantize weight * gamma / deviation
/// and divide the result by that. Each of the two in between may be missing.
/// Null if that isn't so.
OperatorOp foldCancelledBatchNorm(OperatorOp norm);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_FUSE_FOLDBATCHNORM_H

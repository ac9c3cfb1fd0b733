// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers: each adds the operators of its kind that end at the root.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H

#include "Kinds/Recognition.h"

namespace qbackend::forms {

// What each of them takes for its kind, in one of the spellings that it knows;
// docs/Operators.md has them all, test/Operators a case of each. Types are left
// out, and `generic` is a linalg.generic with this body.

/// %n = generic(%x) { negf, exp, addf 1.0, divf 1.0 by it }
///   -> operator [sigmoid] inputs(%x)
void recognizeActivation(Recognition &recognition);

/// %c = tensor.concat dim(1) %a, %b
///   -> operator [cat<axis = 1>] inputs(%a, %b)
void recognizeConcatenation(const Recognition &recognition);

/// %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] { yield 0.0 }
/// %b = linalg.broadcast ins(%bias) dimensions = [0, 2, 3]
/// %y = linalg.conv_2d_nchw_fchw ins(%p, %w) outs(%b)
///   -> %t = transpose %x [0, 2, 3, 1]
///      operator [conv2d<padding = [1, 1, 1, 1]>] inputs(%t) weight(%w)
///      bias(%bias), with a transpose back
void recognizeConvolution(Recognition &recognition);

/// %s = arith.addf %a, %b                   (neither is a parameter)
///   -> operator [add] inputs(%a, %b)
void recognizeElementwise(Recognition &recognition);

/// %m = sum(%x) over the last dimension / n, %v = sum((%x - %m)^2) / n
/// %y = generic(%x, %m, %v) { (x - m) * rsqrt(v + 1e-5) }
///   -> operator [layer_norm<axes = [2], eps = 1e-5>] inputs(%x)
void recognizeLayerNorm(Recognition &recognition);

/// %y = generic(%indices) { tensor.extract %table[index, linalg.index 2] }
///   -> operator [embedding] inputs(%indices) weight(%table)
void recognizeLinalgEmbedding(const Recognition &recognition);

/// %y = linalg.pooling_nchw_max ins(%x, %window) outs(the least number)
///   -> operator [max_pool2d<kernel = [2, 2]>] between transposes
void recognizeLinalgPooling(Recognition &recognition);

/// %y = generic() { tensor.extract %x[n, h / 2, w / 2, c] by linalg.index }
///   -> operator [interpolate<mode = nearest>] inputs(%x)
void recognizeLinalgResize(const Recognition &recognition);

/// Whether `op` reads an image that was none before, and all that read its
/// result make it none again.
bool isBetweenReshapes(mlir::Operation *op);

/// %t = linalg.transpose ins(%w) permutation = [1, 0]
/// %m = linalg.matmul ins(%x, %t), %y = generic(%m, %bias) { addf }
///   -> operator [linear] inputs(%x) weight(%w) bias(%bias)
void recognizeLinear(Recognition &recognition);

/// %e = expand_shape %conv [.., [c, d]], %y = generic(%e, %bias[c, d]) { addf }
///   -> operator [conv2d] inputs(%x) weight(%w) bias(%bias), operator [reshape]
void recognizeSplitBias(Recognition &recognition);

/// %y = linalg.batch_matmul ins(%a, %b)     (neither is a parameter)
///   -> operator [matmul] inputs(%a, %b)
void recognizeMatmul(Recognition &recognition);

/// %s = linalg.reduce { addf } ins(%x) dimensions = [2, 3]
/// %y = generic(%s) { divf 49.0 }
///   -> operator [mean<axes = [2, 3]>] inputs(%x)
void recognizeMean(Recognition &recognition);

/// %m = tosa.reduce_max %x {axis = 1}
/// %y = tosa.reduce_max %m {axis = 2}
///   -> operator [amax<axes = [1, 2], keepdim>] inputs(%x)
void recognizeMaximum(Recognition &recognition);

/// What ends in one op that moves elements, or in a row of them: reshapes,
/// transposes, slices, repetitions, shuffles, identities.
///
/// %e = tensor.expand_shape %x, %t = linalg.transpose ins(%e)
/// %y = tensor.collapse_shape %t            ([n, g, c, h, w] -> [n, c, g, h,
/// w])
///   -> operator [channel_shuffle<axis = 3, groups = g>] between transposes
void recognizeMovement(const Recognition &recognition);

/// %y = generic(%x, %mean, %var, %w, %b) { (x - mean) * rsqrt(var + 1e-5) * w
///                                         + b }
///   -> operator [batch_norm2d<axis = 1, eps = 1e-5>] inputs(%x) weight(%w) ...
void recognizeNormalization(Recognition &recognition);

/// %y = tosa.pad %x, %amounts, %number      (no window takes it in)
///   -> operator [pad<low, high, value>] inputs(%x)
void recognizePad(const Recognition &recognition);

/// %m = max(%x), %e = generic(%x, %m) { exp(x - m) }, %s = sum(%e)
/// %y = generic(%e, %s) { divf }
///   -> operator [softmax<axis = 1>] inputs(%x)
void recognizeSoftmax(Recognition &recognition);

/// %y = tosa.gather %table, %indices
///   -> operator [embedding] inputs(%indices) weight(%table)
void recognizeTosaEmbedding(const Recognition &recognition);

/// %y = tosa.avg_pool2d %x {kernel = 2, 2, stride = 2, 2}
///   -> operator [avg_pool2d<kernel = [2, 2]>] inputs(%x)
void recognizeTosaPooling(const Recognition &recognition);

/// %y = tosa.resize %x {mode = BILINEAR, scale = 4, 2, 4, 2}
///   -> operator [interpolate<mode = bilinear>] inputs(%x)
void recognizeTosaResize(const Recognition &recognition);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding of weights and correction of biases by what layers read.

#ifndef QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTLAYERS_H
#define QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTLAYERS_H

#include "qbackend/Pipelines/Corrector.h"

namespace qbackend {

/// Changes the weights and biases of the layers of a calibrated `module` that
/// are quantized by parameters from calibration, by a run on the samples of
/// `options`. With x what a layer reads in the float network, x' the same
/// quantized, w its weight and w' the same quantized:
///
/// - `round`: each number of w' is one of the two integers beside w, such that
///   d H d^T is least for each row d = w - w', where H = E[x' x'^T] over the
///   pixels that the row meets; found by going through the numbers one by one
///   until nothing changes. The objective is that of Nagel et al., "Up or
///   Down? Adaptive Rounding for Post-Training Quantization", 2020, (10). The
///   weight becomes floats that are quantized to these, at the same
///   scales.
/// - `correct`: b += w E[x] - w' E[x'], after Nagel et al., 2019, section 4.2,
///   with x clamped to the range of its integers, and x' either x quantized or
///   what the quantized network has there, with the biases before corrected; H
///   is the covariance then.
///
/// Each is kept only if the results on the samples are nearer to those of the
/// float network, and QB152 says so if not. Fails, and says so, if the
/// network doesn't run.
///
/// With `lookup`, H is that of a table for the layers that it has: x' is x, and
/// H has the products within blocks of a row. If there are no samples then,
/// nothing runs: E[x] is the table's, too, and nobody can say what is better in
/// the whole: both are kept.
mlir::LogicalResult correctLayers(mlir::ModuleOp module,
                                  const CalibrateOptions &options, bool round,
                                  bool correct, PatchLookup lookup);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTLAYERS_H

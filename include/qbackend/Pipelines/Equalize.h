// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalization of inputs and weights, between observing and calibration.

#ifndef QBACKEND_PIPELINES_EQUALIZE_H
#define QBACKEND_PIPELINES_EQUALIZE_H

#include "qbackend/Calibration/Table.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Gives `op` its range and its parameters.
void setParameters(ObserverOp op, const calibration::Statistics &stats,
                   numerics::QuantParams params);

/// What was recorded of the tensor behind a value; null if nothing was.
using StatisticsLookup =
    llvm::function_ref<const calibration::Statistics *(mlir::Value)>;

/// Equalizes the columns of the layers of the observed `module` that `mapping`
/// has a qconfig for, as PyTorch's FX does (fx/_equalize.py). For a linear
/// layer or a convolution with a constant weight, with or without a relu, whose
/// input nothing else that is quantized reads, with ranges x of the input's and
/// w of the weight's column c:
///
///   s[c] = sqrt((max w - min w) / (max x - min x)), 1 where that is 0,
///   infinite
///          or NaN
///   weight[.., c] *= 1 / s[c]
///   the input is multiplied by s: in the weight and bias of the layer before,
///   if that is one of these and nothing else reads it, else by code in front
///   of the input's observer, which stays float the input's observer has the
///   range of all columns after scaling
///
/// All is in f32. Layers that can't be equalized get a missed remark. Fails,
/// and says so, if `mapping` has a selector that fits nothing.
mlir::LogicalResult equalize(mlir::ModuleOp module, QConfigMappingOp mapping,
                             StatisticsLookup lookup);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_EQUALIZE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes and kinds as text that doesn't depend on the dimensions of size 1,
// which come and go from one spelling of a network to the next.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_OPERATORTEXT_H
#define QBACKEND_TRANSFORMS_ANALYSIS_OPERATORTEXT_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The sizes of `type` that are not 1.
llvm::SmallVector<int64_t> getOtherSizes(mlir::Type type);

/// All sizes of a parameter, such as `[8, 3, 3, 4]`, and its element type if it
/// isn't f32.
std::string getShapeText(mlir::RankedTensorType type);

/// The sizes of an activation that are not 1.
std::string getActivationText(mlir::RankedTensorType type);

/// Kind, weight and bias of an operator; of a fused one, its kinds joined by +.
/// Axes count the dimensions that getActivationText shows, and what spellings
/// fold into the parameters of a batch norm is not part of it.
std::string getOperatorText(OperatorOp op);

/// Whether `op` changes nothing but the shape, by dimensions of size 1.
bool isUnitReshape(OperatorOp op);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OPERATORTEXT_H

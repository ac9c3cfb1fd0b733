// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers of what is known by its arithmetic, in whatever dialect.

#ifndef QBACKEND_LIB_OPERATORS_FUNCTIONS_FUNCTIONS_H
#define QBACKEND_LIB_OPERATORS_FUNCTIONS_FUNCTIONS_H

#include "Layout.h"
#include "Recognition.h"

namespace qbackend::forms {

void recognizeActivation(Recognition &recognition);
void recognizeConvolution(Recognition &recognition);
void recognizeElementwise(Recognition &recognition);
void recognizeLayerNorm(Recognition &recognition);
/// Whether `op` reads an image that was none before, and all that read its
/// result make it none again.
bool isBetweenReshapes(mlir::Operation *op);
void recognizeLinear(Recognition &recognition);
void recognizeMatmul(Recognition &recognition);
void recognizeMean(Recognition &recognition);
void recognizeNormalization(Recognition &recognition);
void recognizeSoftmax(Recognition &recognition);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_FUNCTIONS_FUNCTIONS_H

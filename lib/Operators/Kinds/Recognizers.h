// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers: each adds the operators of its kind that end at the root.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H

#include "Kinds/Recognition.h"

namespace qbackend::forms {

void recognizeActivation(Recognition &recognition);
void recognizeConcatenation(const Recognition &recognition);
void recognizeConvolution(Recognition &recognition);
void recognizeElementwise(Recognition &recognition);
void recognizeLayerNorm(Recognition &recognition);
void recognizeLinalgEmbedding(const Recognition &recognition);
void recognizeLinalgPooling(Recognition &recognition);
void recognizeLinalgResize(const Recognition &recognition);
/// Whether `op` reads an image that was none before, and all that read its
/// result make it none again.
bool isBetweenReshapes(mlir::Operation *op);
void recognizeLinear(Recognition &recognition);
void recognizeMatmul(Recognition &recognition);
void recognizeMean(Recognition &recognition);
/// What ends in one op that moves elements, or in a row of them: reshapes,
/// transposes, slices, repetitions, shuffles, identities.
void recognizeMovement(const Recognition &recognition);
void recognizeNormalization(Recognition &recognition);
void recognizePad(const Recognition &recognition);
void recognizeSoftmax(Recognition &recognition);
void recognizeTosaEmbedding(const Recognition &recognition);
void recognizeTosaPooling(const Recognition &recognition);
void recognizeTosaResize(const Recognition &recognition);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_RECOGNIZERS_H

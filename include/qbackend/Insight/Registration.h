// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Insight brings.

#ifndef QBACKEND_INSIGHT_REGISTRATION_H
#define QBACKEND_INSIGHT_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace qbackend {

/// Registers what changes the parameters of layers where `corrections` of a
/// calibration ask for it.
void registerInsight(mlir::DialectRegistry &registry);
/// Registers the passes that print what is known of a network.
void registerInsightPasses();

} // namespace qbackend

#endif // QBACKEND_INSIGHT_REGISTRATION_H

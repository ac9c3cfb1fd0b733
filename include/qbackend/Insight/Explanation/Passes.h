// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that print what is known of a network: creation and registration.

#ifndef QBACKEND_INSIGHT_EXPLANATION_PASSES_H
#define QBACKEND_INSIGHT_EXPLANATION_PASSES_H

#include "qbackend/Transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace qbackend {

/// The form that PrintObserversPass prints.
enum class GraphFormat { Text, Dot };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Insight/Explanation/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_PASSES_H

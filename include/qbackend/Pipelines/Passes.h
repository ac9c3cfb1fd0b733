// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that run networks, and the one that runs all others.

#ifndef QBACKEND_PIPELINES_PASSES_H
#define QBACKEND_PIPELINES_PASSES_H

#include "qbackend/Transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace qbackend {

/// The form that PrintObserversPass prints.
enum class GraphFormat { Text, Dot };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Pipelines/Passes.h.inc"

/// Registers the dialects, recognisers and passes of this project.
void registerAllDialects(mlir::DialectRegistry &registry);
void registerAllPasses();

} // namespace qbackend

#endif // QBACKEND_PIPELINES_PASSES_H

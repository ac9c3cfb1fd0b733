// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration, the last lowering, and the pass that runs all others: creation
// and registration.

#ifndef QBACKEND_PIPELINES_PASSES_H
#define QBACKEND_PIPELINES_PASSES_H

#include "qbackend/Transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Pipelines/Passes.h.inc"

/// Registers the dialects, recognisers, engine, passes and pipelines of the
/// wing Core: all that a compiler needs which runs networks itself, or not at
/// all.
void registerCoreDialects(mlir::DialectRegistry &registry);
void registerCorePasses();

} // namespace qbackend

#endif // QBACKEND_PIPELINES_PASSES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything this project brings, registered at once: what programs and plugins
// call. A compiler that takes some of the wings calls theirs instead.

#ifndef QBACKEND_INTERFACES_REGISTRATION_H
#define QBACKEND_INTERFACES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace qbackend {

/// Registers dialects, recognisers, engines, and what runs and corrects
/// networks.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Registers all passes and pipelines.
void registerAllPasses();

} // namespace qbackend

#endif // QBACKEND_INTERFACES_REGISTRATION_H

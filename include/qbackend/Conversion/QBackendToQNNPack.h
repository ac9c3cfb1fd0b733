// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From quantized operators to the kernels of QNNPACK.

#ifndef QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H
#define QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQBACKENDTOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"

/// Why integers of the kind `kindName` of the qbackend dialect have no kernel;
/// empty if they have one, nullopt if nobody has said.
std::optional<llvm::StringRef> whyNoQNNPackKernel(llvm::StringRef kindName);

/// Has contexts of `registry` bring QNNPACK as an engine.
void registerQNNPackEngine(mlir::DialectRegistry &registry);

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H

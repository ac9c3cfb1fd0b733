// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the qnnpack dialect to kernels on bytes: creation and registration.

#ifndef QBACKEND_EXECUTION_INT8_PASSES_H
#define QBACKEND_EXECUTION_INT8_PASSES_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Execution/Int8/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_EXECUTION_INT8_PASSES_H

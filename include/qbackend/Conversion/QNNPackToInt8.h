// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the qnnpack dialect to kernels on bytes.

#ifndef QBACKEND_CONVERSION_QNNPACKTOINT8_H
#define QBACKEND_CONVERSION_QNNPACKTOINT8_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQNNPACKTOINT8PASS
#include "qbackend/Conversion/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QNNPACKTOINT8_H

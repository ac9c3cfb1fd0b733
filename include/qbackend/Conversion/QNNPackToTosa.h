// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the qnnpack dialect to integer TOSA.

#ifndef QBACKEND_CONVERSION_QNNPACKTOTOSA_H
#define QBACKEND_CONVERSION_QNNPACKTOTOSA_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQNNPACKTOTOSAPASS
#include "qbackend/Conversion/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QNNPACKTOTOSA_H

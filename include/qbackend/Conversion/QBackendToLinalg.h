// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the reference form to float linalg.

#ifndef QBACKEND_CONVERSION_QBACKENDTOLINALG_H
#define QBACKEND_CONVERSION_QBACKENDTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQBACKENDTOLINALGPASS
#include "qbackend/Conversion/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QBACKENDTOLINALG_H

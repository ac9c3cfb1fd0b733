// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From quantized operators to the kernels of QNNPACK.

#ifndef QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H
#define QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQBACKENDTOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QBACKENDTOQNNPACK_H

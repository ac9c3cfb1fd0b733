// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization parameters that are computed from a tensor at run time.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend::qnnpack {

struct RuntimeParams {
  mlir::Value scale;     // f32
  mlir::Value inverse;   // f32, 1 / scale
  mlir::Value zeroPoint; // i32
};

/// numerics::dynamicLinearParams of the range of `input`, step by step.
RuntimeParams chooseParams(mlir::ImplicitLocOpBuilder &b, mlir::Value input);

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H

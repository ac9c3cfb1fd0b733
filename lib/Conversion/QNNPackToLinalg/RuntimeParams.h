// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization parameters that are computed from a tensor at run time, and the
// two sides of the products of linear_dynamic.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend::qnnpack {

struct RuntimeParams {
  mlir::Value scale;     // f32
  mlir::Value inverse;   // f32, 1 / scale
  mlir::Value zeroPoint; // i32
};

/// numerics::chooseQParams of the range of `input`, in 0 to 255, step by step.
RuntimeParams chooseParams(mlir::ImplicitLocOpBuilder &b, mlir::Value input);

/// q = quantize(x), as a tensor of i8. Its 256 integers are those from `lowest`
/// on, which the zero point is one of.
mlir::Value quantizeInput(mlir::ImplicitLocOpBuilder &b, mlir::Value input,
                          const RuntimeParams &params, int64_t lowest = 0);

/// The result of `op`, f32 of the shape of `sums`, which are sum q * w', with
/// `weightSums`, which are sum w', i32 [out]:
///   f32(f32(sum q * w' - z * sum w') * f32(sw * s)) + b
mlir::Value dequantizeSums(mlir::ImplicitLocOpBuilder &b, LinearDynamicOp op,
                           mlir::Value sums, mlir::Value weightSums,
                           const RuntimeParams &params);

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_RUNTIMEPARAMS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of math on vectors, which libm has for numbers only.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORMATH_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORMATH_H

#include "mlir/IR/Builders.h"

namespace qbackend::codegen {

/// Returns what `op`, a `math.exp`, `math.tanh` or `math.erf` of f32, is of a
/// vector; null for other ops. The result is rounded once, from a double that
/// is within 1e-12 of the exact value: one in 100,000 may be the other
/// neighbour. Only additions, products and the like, so the same on every
/// processor.
mlir::Value emitVectorMath(mlir::OpBuilder &builder, mlir::Operation *op,
                           mlir::Value vector);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORMATH_H

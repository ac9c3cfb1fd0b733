// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much arithmetic code does that is no operator.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_OPERATIONCOUNT_H
#define QBACKEND_TRANSFORMS_ANALYSIS_OPERATIONCOUNT_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include <string>

namespace qbackend {

/// The floating-point operations of one op that is no operator: of a structured
/// op, its arithmetic times its loops; of others on f32 tensors, one for each
/// element of the result. 0 for what moves or makes data, and for constants.
int64_t countOperations(mlir::Operation *op);

/// The multiplications that are summed up, of one op that is no operator: a
/// structured op whose body multiplies and adds along a reduction, or a matmul
/// or convolution of tosa; 0 for others.
int64_t countMultiplyAccumulates(mlir::Operation *op);

/// The same of integers.
int64_t countIntegerMultiplyAccumulates(mlir::Operation *op);

/// What keeps `op`, which computes on reals, from being an operator: the type
/// of its elements ("f16"), which is not f32, or "memref" if it works on
/// buffers; empty if nothing does.
std::string getForeignType(mlir::Operation *op);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OPERATIONCOUNT_H

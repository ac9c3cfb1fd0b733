// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is no operator: how much arithmetic it does, and what keeps it from
// being one.

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

/// What keeps `op`, which computes on floats, from being an operator: the type
/// of its elements ("f16"), which is not f32, or "memref" if it works on
/// buffers; empty if nothing does.
std::string getForeignType(mlir::Operation *op);

/// Whether no pass enters the regions of `op`, which is in the module that is
/// `root`: what is inside has symbols of its own, or the op, which isn't
/// registered, may have some, so that it can't name the module's observers.
bool isForeign(mlir::Operation *op, mlir::Operation *root);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OPERATIONCOUNT_H

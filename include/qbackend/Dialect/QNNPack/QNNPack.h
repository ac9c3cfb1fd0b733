// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qnnpack dialect: one op per kernel of PyTorch's QNNPACK engine.

#ifndef QBACKEND_DIALECT_QNNPACK_QNNPACK_H
#define QBACKEND_DIALECT_QNNPACK_QNNPACK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "qbackend/Dialect/QBackend/Rounding.h"
#include "qbackend/Numerics/Tables.h"

#include "qbackend/Dialect/QNNPack/QNNPackDialect.h.inc"

namespace qbackend::qnnpack::detail {
/// Type constraints of the ops: see their descriptions in QNNPackOps.td.
bool isActivationElement(mlir::Type type);
bool isLayerElement(mlir::Type type);
bool isWeightElement(mlir::Type type);
} // namespace qbackend::qnnpack::detail

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QNNPack/QNNPackAttrs.h.inc"

#include "qbackend/Dialect/QNNPack/QNNPackInterfaces.h.inc"

#define GET_OP_CLASSES
#include "qbackend/Dialect/QNNPack/QNNPackOps.h.inc"

namespace qbackend::qnnpack {

/// The per-tensor quantized element type of the tensor type `type`, or null.
mlir::quant::UniformQuantizedType getQuantizedType(mlir::Type type);

/// Whether the tensor type `type` is of 16-bit activations, whose sums have
/// more than 32 bits.
bool isWide(mlir::Type type);

/// Scale and zero point that the engine gives the result of adding (or
/// multiplying by) the number `scalar`; the result keeps the storage of `type`.
/// Formulas: ATen's quantized add_scalar and mul_scalar.
mlir::quant::UniformQuantizedType
getAddScalarResultType(mlir::quant::UniformQuantizedType type, double scalar);
mlir::quant::UniformQuantizedType
getMulScalarResultType(mlir::quant::UniformQuantizedType type, double scalar);

} // namespace qbackend::qnnpack

#endif // QBACKEND_DIALECT_QNNPACK_QNNPACK_H

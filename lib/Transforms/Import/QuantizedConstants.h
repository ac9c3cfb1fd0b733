// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows quantized constants through ops that only move values.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZEDCONSTANTS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZEDCONSTANTS_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/IR/Builders.h"

namespace qbackend {

/// The dequantize of constant integers that `value` comes from; null if there
/// is none, or several.
DequantizeOp findQuantized(mlir::Value value);

/// The integers of `source` in the order in which `arrange` puts the elements
/// of `value`, which comes from it; dequantized. Scales for channels are along
/// the first dimension, if `perChannel` allows any. Refused if `value` has
/// other numbers than `source`, or the channels are elsewhere.
OrRefusal<mlir::Value> moveQuantized(
    mlir::OpBuilder &builder, mlir::Location loc, DequantizeOp source,
    mlir::Value value,
    llvm::function_ref<mlir::DenseElementsAttr(mlir::DenseElementsAttr)>
        arrange,
    ConstantEvaluator &constants, bool perChannel);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZEDCONSTANTS_H

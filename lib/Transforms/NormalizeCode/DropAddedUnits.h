// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds reshapes that add unit dims to one op and drop them again.

#ifndef QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPADDEDUNITS_H
#define QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPADDEDUNITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend {

/// A generic op that reads a tensor to which `expand_shape` has added a
/// dimension of 1, and whose result loses that dimension again, computes
/// without it: so a tensor is read in one shape, as fusion finds it, which
/// moves changes of shape. Nothing else is changed, and the leading dimension,
/// the batch, is left alone.
void dropAddedUnits(mlir::func::FuncOp function);

/// `value` as `type`, which differs in dimensions of 1; null if no change of
/// shape gives that.
mlir::Value createUnitReshape(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::RankedTensorType type);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPADDEDUNITS_H

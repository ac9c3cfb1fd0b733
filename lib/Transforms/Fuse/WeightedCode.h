// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of convolutions and linear layers that reads their operands.

#ifndef QBACKEND_LIB_TRANSFORMS_FUSE_WEIGHTEDCODE_H
#define QBACKEND_LIB_TRANSFORMS_FUSE_WEIGHTEDCODE_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend {

/// A convolution, transposed or not, or a linear layer, in the layouts of
/// `kind`; `type` is that of the result.
mlir::Value createWeightedCode(mlir::ImplicitLocOpBuilder &b,
                               mlir::Attribute kind,
                               mlir::RankedTensorType type, mlir::Value input,
                               mlir::Value weight, mlir::Value bias);

/// Code of `op` may have constants of its own in the place of the weight or
/// bias, such as a filter that is stored in reverse. Then it gets code that
/// reads the operands, so that another weight or bias makes a difference.
void readOperands(OperatorOp op);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_FUSE_WEIGHTEDCODE_H

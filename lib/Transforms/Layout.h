// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes that fold as they are made.

#ifndef QBACKEND_LIB_TRANSFORMS_LAYOUT_H
#define QBACKEND_LIB_TRANSFORMS_LAYOUT_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"

namespace qbackend {

/// transpose(value, permutation), without transposes that `value` is itself.
mlir::Value createComposedTranspose(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value value,
                                    llvm::ArrayRef<int64_t> permutation);

/// transpose(value, permutation), folded into what `value` is: other
/// transposes, a constant with data, or nothing to do.
mlir::Value createFoldedTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value value,
                                  llvm::ArrayRef<int64_t> permutation);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_LAYOUT_H

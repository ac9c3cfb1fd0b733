// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op is asserted to stay within its tensors.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_ASSERTIONS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_ASSERTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend::codegen {

/// Builds assertions in front of an op, and what they compare.
class Assertions {
public:
  explicit Assertions(mlir::Operation *op) : op(op), b(op->getLoc(), op) {}

protected:
  mlir::Value get(mlir::OpFoldResult number);

  mlir::OpFoldResult getDim(mlir::Value tensor, int64_t dim);

  mlir::Value compare(mlir::arith::CmpIPredicate predicate,
                      mlir::OpFoldResult x, mlir::OpFoldResult y) {
    mlir::Value lhs = get(x), rhs = get(y);
    return mlir::arith::CmpIOp::create(b, predicate, lhs, rhs);
  }

  /// Ends the sample where `condition` is false, and says that `op` `message`.
  void require(mlir::Value condition, const llvm::Twine &message);

  static std::string getText(mlir::Type type);

  mlir::Operation *op;
  mlir::ImplicitLocOpBuilder b;
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_BOUNDS_ASSERTIONS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementwiseCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool qbackend::codegen::isSlow(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    if (isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::CeilOp,
            math::FloorOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp>(
            inner))
      return false;
    return isa_and_nonnull<math::MathDialect>(inner.getDialect()) ||
           isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
               arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
               arith::CeilDivUIOp, arith::FloorDivSIOp>(inner);
  });
}

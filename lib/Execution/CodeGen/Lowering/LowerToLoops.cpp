// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vectorizer left of linalg to loops: upstream's pass for it folds and
// simplifies all of the function besides.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_LOWERTOLOOPSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct LowerToLoopsPass
    : qbackend::codegen::impl::LowerToLoopsPassBase<LowerToLoopsPass> {
  void runOnOperation() final {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      // What has no loops stays, and is an error later.
      if (succeeded(linalg::linalgOpToLoops(rewriter, op)))
        rewriter.eraseOp(op);
    }
  }
};
} // namespace

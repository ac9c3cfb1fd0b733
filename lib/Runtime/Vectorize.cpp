// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers linalg ops on buffers to tiled loops over vectors. A better kernel for
// an op goes here, before its nest is scheduled.

#include "Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qbackend::runtime;

namespace {
struct VectorizePass : PassWrapper<VectorizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VectorizePass)

  VectorizePass(const VectorUnit &unit, ConstantStore &store)
      : unit(unit), store(&store) {}

  StringRef getArgument() const final { return "qbackend-vectorize"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry
        .insert<arith::ArithDialect, math::MathDialect, memref::MemRefDialect,
                scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      OpBuilder builder(op);
      std::optional<LoopNest> nest = LoopNest::analyze(builder, op, symbols);
      if (!nest)
        continue;
      std::optional<Schedule> schedule = chooseSchedule(*nest, unit);
      if (!schedule)
        continue;
      emitLoops(builder, op.getLoc(), getOperation(), std::move(*nest),
                *schedule, *store);
      op.erase();
    }
  }

  VectorUnit unit;
  ConstantStore *store;
};
} // namespace

std::unique_ptr<Pass>
qbackend::runtime::createVectorizePass(const VectorUnit &unit,
                                       ConstantStore &store) {
  return std::make_unique<VectorizePass>(unit, store);
}

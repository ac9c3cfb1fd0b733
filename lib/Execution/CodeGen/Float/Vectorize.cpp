// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers linalg ops on buffers to tiled loops over vectors. A better kernel for
// an op goes here, before its nest is scheduled.

#include "Vectorize.h"

#include "Lowering/LowerToLLVM.h"

#include "Lowering/Subtarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

static VectorUnit getVectorUnit(const llvm::MCSubtargetInfo &subtarget) {
  ByteLookup lookup = getByteLookup(subtarget);
  if (!subtarget.getTargetTriple().isX86())
    return VectorUnit{16, 32, lookup};
  if (subtarget.checkFeatures("+avx512f"))
    return VectorUnit{64, 32, lookup};
  if (subtarget.checkFeatures("+avx2"))
    return VectorUnit{32, 16, lookup};
  return VectorUnit{16, 16, lookup};
}

/// Says that the products of a convolution or a matrix product need no rounding
/// of their own. Other sums may be of kernels whose integers depend on it.
static void contractProducts(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return;
  auto isFree = arith::FastMathFlagsAttr::get(op.getContext(),
                                              arith::FastMathFlags::contract);
  Block &body = *op.getBlock();
  for (auto sum : body.getOps<arith::AddFOp>())
    for (Value term : sum->getOperands()) {
      auto product = term.getDefiningOp<arith::MulFOp>();
      if (!product || !product->hasOneUse())
        continue;
      product.setFastmathAttr(isFree);
      sum.setFastmathAttr(isFree);
    }
}

namespace {
struct VectorizePass
    : qbackend::codegen::impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;
  VectorizePass(const VectorizePassOptions &options, ConstantStore *store)
      : VectorizePassBase(options), store(store) {}

  LogicalResult initialize(MLIRContext *context) final {
    auto subtarget =
        getSubtarget(context, getArgument(), triple, cpu, features);
    if (!subtarget)
      return failure();
    unit = getVectorUnit(*subtarget);
    return success();
  }

  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    // Sums first: what stands around them may become a part of their loops.
    llvm::SmallPtrSet<Operation *, 16> erased;
    for (linalg::LinalgOp op : ops) {
      if (erased.contains(op) || op.getNumReductionLoops() == 0)
        continue;
      SumStages stages = findSumStages(op);
      bool isDone = vectorize(op, stages, symbols);
      if (!isDone && stages.start && stages.finish) {
        stages.finish = nullptr;
        isDone = vectorize(op, stages, symbols);
      }
      if (!isDone)
        continue;
      for (linalg::LinalgOp stage : {stages.start, stages.finish})
        if (stage) {
          erased.insert(stage);
          stage.erase();
        }
      erased.insert(op);
      op.erase();
    }
    for (linalg::LinalgOp op : ops)
      if (!erased.contains(op) && vectorize(op, SumStages(), symbols))
        op.erase();
  }

  /// Builds the loops of `op` and of the stages around it, in front of the last
  /// of them. False if there are none on vectors.
  bool vectorize(linalg::LinalgOp op, SumStages stages, SymbolTable &symbols) {
    OpBuilder builder(stages.finish ? stages.finish : op);
    if (contract)
      contractProducts(op);
    std::optional<LoopNest> nest =
        LoopNest::analyze(builder, op, stages, unit.lookup, symbols);
    if (!nest)
      return false;
    std::optional<Schedule> schedule = chooseSchedule(*nest, unit);
    if (!schedule)
      return false;
    emitLoops(builder, op.getLoc(), symbols, std::move(*nest), *schedule,
              store);
    return true;
  }

  VectorUnit unit;
  ConstantStore *store = nullptr;
};
} // namespace

std::unique_ptr<Pass>
qbackend::codegen::createVectorizePass(const VectorizePassOptions &options,
                                       ConstantStore *store) {
  return std::make_unique<VectorizePass>(options, store);
}

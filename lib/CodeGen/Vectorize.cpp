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
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

namespace qbackend::codegen {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "qbackend/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// Returns what vectors a target has; the options are those of the pass.
static llvm::Expected<VectorUnit>
getVectorUnit(StringRef tripleName, StringRef cpu, StringRef features) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
  });
  llvm::Triple triple(tripleName.empty() ? llvm::sys::getProcessTriple()
                                         : llvm::Triple::normalize(tripleName));
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("target-triple '" + triple.str() +
                                   "' is not known: " + error);
  llvm::SubtargetFeatures all;
  if (cpu == "native" || (cpu.empty() && tripleName.empty())) {
    cpu = llvm::sys::getHostCPUName();
    for (auto &[name, isEnabled] : llvm::sys::getHostCPUFeatures())
      all.AddFeature(name, isEnabled);
  }
  SmallVector<StringRef> names;
  features.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    all.AddFeature(name);
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!cpu.empty() && !subtarget->isCPUStringValid(cpu))
    return llvm::createStringError(
        "target-cpu '" + cpu + "' is not one of " + triple.getArchName() +
        "; 'llc -mtriple=" + triple.str() + " -mcpu=help' lists them");
  subtarget.reset(target->createMCSubtargetInfo(triple, cpu, all.getString()));
  if (!triple.isX86())
    return VectorUnit{16, 32};
  if (subtarget->checkFeatures("+avx512f"))
    return VectorUnit{64, 32};
  if (subtarget->checkFeatures("+avx2"))
    return VectorUnit{32, 16};
  return VectorUnit{16, 16};
}

namespace {
struct VectorizePass
    : qbackend::codegen::impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;
  VectorizePass(const VectorizePassOptions &options, ConstantStore *store)
      : VectorizePassBase(options), store(store) {}

  LogicalResult initialize(MLIRContext *context) final {
    llvm::Expected<VectorUnit> found = getVectorUnit(triple, cpu, features);
    if (!found)
      return emitError(UnknownLoc::get(context))
             << "qbackend-vectorize: " << llvm::toString(found.takeError());
    unit = *found;
    return success();
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
      emitLoops(builder, op.getLoc(), symbols, std::move(*nest), *schedule,
                store);
      op.erase();
    }
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

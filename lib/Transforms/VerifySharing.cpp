// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that value-preserving operators have one observer.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Passes.h"

namespace qbackend {
#define GEN_PASS_DEF_VERIFYSHARINGPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// What observes the result of `op`; null if nothing does.
static ObserveOp getResultObserve(OperatorOp op) {
  for (Operation *user : op.getOutput().getUsers())
    if (auto observe = dyn_cast<ObserveOp>(user))
      return observe;
  return {};
}

/// Whether the module came with the parameters of both: they are kept, and the
/// numbers are requantized where they differ.
static bool areGiven(ObserveOp a, ObserveOp b, SymbolTableCollection &symbols) {
  auto isGiven = [&](ObserveOp op) {
    auto observer =
        symbols.lookupNearestSymbolFrom<ObserverOp>(op, op.getObserverAttr());
    return observer &&
           observer.getConfig().getKind() == ObserverKind::FixedQParams;
  };
  return isGiven(a) && isGiven(b);
}

static LogicalResult verify(OperatorOp op, SymbolTableCollection &symbols) {
  ObserveOp result = getResultObserve(op);
  if (!result)
    return op.emitOpError() << "shares the observer of its input by its "
                               "pattern, but its result is not observed";
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto observe = input.getDefiningOp<ObserveOp>();
    if (observe && (observe.getObserver() == result.getObserver() ||
                    areGiven(observe, result, symbols)))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "shares the observer of its input by its pattern, "
                            "but its result is observed by @"
                         << result.getObserver() << " and its input " << i
                         << " by ";
    if (!observe)
      return diag << "nothing";
    diag << "@" << observe.getObserver() << "; one observer is expected";
    diag.attachNote(observe.getLoc()) << "the input is observed here";
    return diag;
  }
  return success();
}

namespace {
struct VerifySharingPass
    : qbackend::impl::VerifySharingPassBase<VerifySharingPass> {
  using VerifySharingPassBase::VerifySharingPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    bool ok = true;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.sharesObserver())
        ok &= succeeded(verify(op, symbols));
      return WalkResult::skip();
    });
    if (!ok)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime does before it compiles a module, as a pass.

#include "qbackend/Execution/Runtime/IsolateNetwork.h"

#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Transforms/Analysis/Entry.h"

namespace qbackend {
#define GEN_PASS_DEF_ISOLATENETWORKPASS
#include "qbackend/Execution/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct IsolateNetworkPass
    : qbackend::impl::IsolateNetworkPassBase<IsolateNetworkPass> {
  using IsolateNetworkPassBase::IsolateNetworkPassBase;

  void runOnOperation() override {
    llvm::Expected<func::FuncOp> function = findEntry(getOperation(), entry);
    if (!function) {
      getOperation().emitError(llvm::toString(function.takeError()));
      return signalPassFailure();
    }
    if (failed(runtime::isolateNetwork(getOperation(), *function)))
      signalPassFailure();
  }
};
} // namespace

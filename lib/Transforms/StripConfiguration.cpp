// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes what has been used up, and would stop a compiler that doesn't know
// this dialect.

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Analysis/SignatureAttrs.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace qbackend {
#define GEN_PASS_DEF_STRIPCONFIGURATIONPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct StripConfigurationPass
    : qbackend::impl::StripConfigurationPassBase<StripConfigurationPass> {
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<BackendConfigOp, QConfigMappingOp>(op))
        op.erase();
    for (StringRef name : {kModuleTypesAttrName, kTorchNamesAttrName})
      getOperation()->removeAttr(name);
    for (auto function : getOperation().getOps<func::FuncOp>())
      eraseSignatureAttrs(function, {kNameAttrName, kRangeAttrName,
                                     kRoleAttrName, kUnsignedAttrName});
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes what has been used up, and would stop a compiler that doesn't know
// this dialect.

#include "qbackend/Dialect/QBackend/QBackend.h"
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
    for (auto function : getOperation().getOps<func::FuncOp>())
      stripSignature(function);
  }

  static void strip(SmallVectorImpl<DictionaryAttr> &all) {
    for (DictionaryAttr &attributes : all) {
      NamedAttrList kept(attributes);
      for (StringRef name :
           {kNameAttrName, kRangeAttrName, kRoleAttrName, kUnsignedAttrName})
        kept.erase(name);
      attributes = kept.getDictionary(attributes.getContext());
    }
  }

  /// All at once: the attributes of a function's arguments are one array.
  static void stripSignature(func::FuncOp function) {
    SmallVector<DictionaryAttr> arguments, results;
    function.getAllArgAttrs(arguments);
    function.getAllResultAttrs(results);
    strip(arguments);
    strip(results);
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes big constants out of a module.

#include "Lowering/LowerToLLVM.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_PLACECONSTANTSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// Smaller ones may become part of the code.
static constexpr int64_t minElements = 256;

/// Makes each `memref.global` of many elements a declaration whose data is in
/// `store`.
static void externalizeConstants(ModuleOp module, ConstantStore &store) {
  for (auto global : module.getOps<memref::GlobalOp>()) {
    if (!global.getConstant() || !global.getInitialValue())
      continue;
    auto constant = dyn_cast<ElementsAttr>(*global.getInitialValue());
    if (!constant || constant.getNumElements() < minElements)
      continue;
    llvm::ArrayRef<char> bytes = getElementBytes(constant);
    if (bytes.empty())
      continue;
    store.symbols.emplace_back(global.getSymName().str(), bytes.data());
    // A private one would be defined, with any value.
    global.setPublic();
    global.removeInitialValueAttr();
    global.removeConstantAttr();
    // Attributes are aligned to their elements, no further.
    global.removeAlignmentAttr();
  }
}

namespace {
struct PlaceConstantsPass
    : qbackend::codegen::impl::PlaceConstantsPassBase<PlaceConstantsPass> {
  using PlaceConstantsPassBase::PlaceConstantsPassBase;
  explicit PlaceConstantsPass(ConstantStore *store) : store(store) {}

  void runOnOperation() final {
    // Those that only packed copies were made of are gone.
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      if (users.useEmpty(global))
        global.erase();
    if (store)
      externalizeConstants(getOperation(), *store);
  }

  ConstantStore *store = nullptr;
};
} // namespace

std::unique_ptr<Pass>
qbackend::codegen::createPlaceConstantsPass(ConstantStore *store) {
  return std::make_unique<PlaceConstantsPass>(store);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loop nests to functions of their own, which equal nests share: passes
// of LLVM take more than linear time for one giant function.

#include "qbackend/CodeGen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "qbackend/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;

namespace {
struct OutlineLoopsPass
    : qbackend::codegen::impl::OutlineLoopsPassBase<OutlineLoopsPass> {
  using OutlineLoopsPassBase::OutlineLoopsPassBase;

  void runOnOperation() final;

  void outline(scf::ForOp loop, SymbolTable &symbols);

  /// The functions so far, by their text.
  llvm::StringMap<func::FuncOp> functions;
};
} // namespace

/// Whether a value can be an argument in any calling convention: of a buffer, a
/// pointer has to say it all.
static bool canPass(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer)
    return type.isIntOrIndexOrFloat();
  SmallVector<int64_t> strides;
  int64_t offset;
  return buffer.hasStaticShape() &&
         succeeded(buffer.getStridesAndOffset(strides, offset)) &&
         offset == 0 && !ShapedType::isDynamicShape(strides);
}

namespace {
/// What a function needs for the values that it reads: arguments, and ops that
/// are cloned into it, in order.
struct Captured {
  SetVector<Value> arguments;
  SetVector<Operation *> cloned;

  /// Constants and views are made in the function. False if `value` can't be
  /// had there.
  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    bool isView = op && isa<ViewLikeOpInterface>(op) && isPure(op);
    if (!matchPattern(value, m_Constant()) && !isView) {
      if (canPass(value.getType()))
        arguments.insert(value);
      return canPass(value.getType());
    }
    for (Value operand : op->getOperands())
      if (!add(operand))
        return false;
    cloned.insert(op);
    return true;
  }
};
} // namespace

void OutlineLoopsPass::outline(scf::ForOp loop, SymbolTable &symbols) {
  if (loop.getNumResults() != 0)
    return;
  // Which constant a nest reads doesn't make it another one.
  loop.walk([&](memref::GetGlobalOp get) { get->moveBefore(loop); });
  SetVector<Value> captured(loop->operand_begin(), loop->operand_end());
  getUsedValuesDefinedAbove(loop->getRegions(), captured);
  Captured needed;
  for (Value value : captured)
    if (!needed.add(value))
      return;
  ArrayRef<Value> arguments = needed.arguments.getArrayRef();

  ImplicitLocOpBuilder b(loop.getLoc(), loop.getContext());
  auto function = func::FuncOp::create(
      b, "loops",
      b.getFunctionType(ValueRange(arguments).getTypes(), TypeRange()));
  function.setPrivate();
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(arguments, function.getArguments());
  for (Operation *op : needed.cloned)
    b.clone(*op, mapping);
  b.clone(*loop, mapping);
  func::ReturnOp::create(b);

  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, OpPrintingFlags().useLocalScope());
  auto [entry, isNew] = functions.try_emplace(text, function);
  if (isNew)
    symbols.insert(function);
  else
    function.erase();
  b.setInsertionPoint(loop);
  func::CallOp::create(b, entry->second, arguments);
  loop.erase();
}

void OutlineLoopsPass::runOnOperation() {
  functions.clear();
  SymbolTable symbols(getOperation());
  SmallVector<scf::ForOp> loops;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    // One that was made for its loops already.
    if (function.isPrivate() && function->hasAttr("passthrough"))
      continue;
    for (Block &block : function.getBody())
      llvm::append_range(loops, block.getOps<scf::ForOp>());
  }
  for (scf::ForOp loop : loops)
    outline(loop, symbols);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of globals that never change become constants: `ml_program.global` with
// elements is how torch-mlir and StableHLO's exporters keep weights.

#include "qbackend/Transforms/ConstantGlobals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace qbackend;

void qbackend::inlineConstantGlobal(ml_program::GlobalOp global) {
  auto elements = dyn_cast_or_null<ElementsAttr>(global.getValueAttr());
  Operation *table = SymbolTable::getNearestSymbolTable(global);
  auto uses = SymbolTable::getSymbolUses(global, table);
  if (!elements || global.getIsMutable() || !uses)
    return;
  for (const SymbolTable::SymbolUse &use : *uses) {
    Operation *load = use.getUser();
    if (!isa<ml_program::GlobalLoadConstOp, ml_program::GlobalLoadOp>(load) ||
        load->getResult(0).getType() != global.getType())
      continue;
    OpBuilder builder(load);
    Value value = arith::ConstantOp::create(builder, load->getLoc(), elements);
    Type type = load->getResult(0).getType();
    if (value.getType() != type)
      value = tensor::CastOp::create(builder, load->getLoc(), type, value);
    load->replaceAllUsesWith(ValueRange(value));
    load->erase();
  }
  if (global.isPrivate() && SymbolTable::symbolKnownUseEmpty(global, table))
    global.erase();
}

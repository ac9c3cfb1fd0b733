// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes variables values of one call.

#include "InitialState.h"
#include "PrepareModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;
using namespace qbackend;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::StringAttr;
using mlir::Value;

/// The variable that `op` reads; null if it reads none.
static StringAttr getRead(Operation *op) {
  if (auto read = dyn_cast<mlir::tosa::VariableReadOp>(op))
    return read.getNameAttr();
  if (auto load = dyn_cast<mlir::ml_program::GlobalLoadOp>(op))
    return load.getGlobal().getLeafReference();
  return {};
}

/// The variable that `op` writes, and what; null if it writes none.
static std::pair<StringAttr, Value> getWrite(Operation *op) {
  if (auto write = dyn_cast<mlir::tosa::VariableWriteOp>(op))
    return {write.getNameAttr(), write.getInput1()};
  if (auto store = dyn_cast<mlir::ml_program::GlobalStoreOp>(op))
    return {store.getGlobal().getLeafReference(), store.getValue()};
  return {};
}

static Error makeError(Operation *op, StringAttr variable,
                       const Twine &message) {
  return runtime::makeErrorAt(op->getLoc(), "variable '" + variable.getValue() +
                                                "' " + message);
}

namespace {
class State {
public:
  explicit State(ModuleOp module) : module(module) {}

  Error run(mlir::func::FuncOp entry);

private:
  Error visit(Operation *op, Operation *outer, bool isEntry);
  Expected<Value> getValue(Operation *read, StringAttr name, Operation *before);

  ModuleOp module;
  /// Variables that are written anywhere.
  DenseSet<StringAttr> written;
  /// What they are, where the entry's code is read.
  DenseMap<StringAttr, Value> current;
};
} // namespace

/// What `read` gives if it is `before` what is visited next.
Expected<Value> State::getValue(Operation *read, StringAttr name,
                                Operation *before) {
  mlir::Type type = read->getResult(0).getType();
  mlir::OpBuilder builder(before);
  Value value = current.lookup(name);
  if (!value) {
    Operation *declared = module.lookupSymbol(name);
    mlir::Attribute initial;
    if (auto variable = dyn_cast_or_null<mlir::tosa::VariableOp>(declared))
      initial = variable.getInitialValueAttr();
    else if (auto global =
                 dyn_cast_or_null<mlir::ml_program::GlobalOp>(declared))
      initial = global.getValueAttr();
    auto constant = dyn_cast_or_null<mlir::TypedAttr>(initial);
    if (!constant)
      return makeError(read, name,
                       "has no initial value, so that nothing is known of "
                       "it; give it one, or pass it as an argument");
    value = mlir::arith::ConstantOp::create(builder, read->getLoc(), constant);
  }
  if (value.getType() == type)
    return value;
  if (!mlir::tensor::CastOp::areCastCompatible(value.getType(), type))
    return makeError(read, name, "is read as another type than it has");
  return mlir::tensor::CastOp::create(builder, read->getLoc(), type, value)
      .getResult();
}

/// Takes the reads in `op` away, and `op` if it is a write. `outer` is the op
/// of the function's own block that it is in.
Error State::visit(Operation *op, Operation *outer, bool isEntry) {
  auto [target, value] = getWrite(op);
  if (target) {
    if (!isEntry || op != outer)
      return makeError(op, target,
                       "is written in a branch, a loop or another function, "
                       "which cannot be run for samples on their own; pass "
                       "the state as an argument");
    current[target] = value;
    op->erase();
    return Error::success();
  }
  StringAttr name = getRead(op);
  // Bufferization makes one buffer of a global that nobody writes.
  if (!name || (isa<mlir::ml_program::GlobalLoadOp>(op) &&
                isa<mlir::TensorType>(op->getResult(0).getType()) &&
                !written.contains(name)))
    return Error::success();
  if (!isEntry && written.contains(name))
    return makeError(op, name,
                     "is read by another function than the one that is run; "
                     "pass the state as an argument");
  Expected<Value> read = getValue(op, name, outer);
  if (!read)
    return read.takeError();
  op->getResult(0).replaceAllUsesWith(*read);
  op->erase();
  return Error::success();
}

Error State::run(mlir::func::FuncOp entry) {
  module.walk([&](Operation *op) {
    if (StringAttr name = getWrite(op).first)
      written.insert(name);
  });
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    // The order of several blocks is that of a run.
    bool isEntry = function == entry && function.getBody().hasOneBlock();
    for (mlir::Block &block : function.getBody())
      for (Operation &outer : make_early_inc_range(block)) {
        SmallVector<Operation *> inside;
        outer.walk([&](Operation *op) {
          if (getRead(op) || getWrite(op).first)
            inside.push_back(op);
        });
        for (Operation *op : inside)
          if (Error error = visit(op, &outer, isEntry))
            return error;
      }
  }
  for (auto variable :
       make_early_inc_range(module.getOps<mlir::tosa::VariableOp>()))
    variable.erase();
  return Error::success();
}

Error runtime::startFromInitialState(ModuleOp module,
                                     mlir::func::FuncOp entry) {
  return State(module).run(entry);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the `edges` of a pattern say of values, and ask of the neighbours.

#include "EdgeSpecs.h"

#include "qbackend/Transforms/Analysis/QConfigTable.h"

using namespace mlir;
using namespace qbackend;

bool qbackend::haveSameNumbers(ObserverAttr a, ObserverAttr b) {
  auto getRange = [](ObserverAttr observer) {
    return isa<IntegerType>(observer.getDtype())
               ? getQuantRange(observer)
               : std::pair<int64_t, int64_t>();
  };
  return a.getDtype() == b.getDtype() && a.getScheme() == b.getScheme() &&
         a.getIsDynamic() == b.getIsDynamic() &&
         a.getChAxis().value_or(0) == b.getChAxis().value_or(0) &&
         a.getScale() == b.getScale() && a.getZeroPoint() == b.getZeroPoint() &&
         getRange(a) == getRange(b);
}

/// Whether `value` is read by one of these, seen through changes of layout.
static bool isReadBy(Value value, llvm::function_ref<bool(Operation *)> isOne) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto transpose = dyn_cast<TransposeOp>(user))
      return isReadBy(transpose.getOutput(), isOne);
    return isOne(user);
  });
}

std::string
qbackend::whyConditionFails(OperatorOp op, EdgesAttr edges,
                            llvm::function_ref<bool(OperatorOp)> isQuantized,
                            llvm::function_ref<bool(Operation *)> hasPattern) {
  if (edges.has(EdgeCondition::InputsQuantized))
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      Value value = input;
      while (Operation *op = value.getDefiningOp()) {
        if (!isa<TransposeOp, ObserveOp>(op))
          break;
        value = op->getOperand(0);
      }
      auto producer = value.getDefiningOp<OperatorOp>();
      if (!producer || !isQuantized(producer))
        return "its input " + std::to_string(i) +
               " is not the result of a quantized operator";
    }
  if (edges.has(EdgeCondition::UserQuantized) &&
      !isReadBy(op.getOutput(), hasPattern))
    return "no operator that the backend has a pattern for reads its result";
  return "";
}

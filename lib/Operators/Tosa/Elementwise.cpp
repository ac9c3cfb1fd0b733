// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products of two activations or of one and a number, and
// concatenation.

#include "TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_forms;

/// torch.add multiplies by alpha, which is 1 nearly always.
static Value skipUnitScale(const Recognition &recognition, Value value) {
  Value inner = matchScalar<tosa::MulOp>(recognition, value, 1);
  return inner && value.hasOneUse() && inner.getType() == value.getType()
             ? inner
             : value;
}

template <typename KindT>
static void recognizeBinary(const Recognition &recognition) {
  Value first = recognition.root->getOperand(0);
  Value second = recognition.root->getOperand(1);
  bool isSub = isa<tosa::SubOp>(recognition.root);
  auto *context = recognition.context();
  if (auto operands = splitConstant(recognition, recognition.root)) {
    if (isSub && operands->second != second)
      return;
    auto number = recognition.constants.getSplat(operands->second);
    if (number && operands->first.getType() == recognition.result().getType())
      recognition.add(
          KindT::get(context, recognition.real(isSub ? -*number : *number)),
          {operands->first});
    return;
  }
  auto type = getFloatType(first), secondType = getFloatType(second);
  if (isSub || recognition.isConstant(first) || !type || !secondType ||
      type.getRank() != secondType.getRank())
    return;
  auto kind = KindT::get(context, FloatAttr());
  if (isa<tosa::AddOp>(recognition.root)) {
    Value left = skipUnitScale(recognition, first);
    Value right = skipUnitScale(recognition, second);
    if (left != first || right != second)
      recognition.add(kind, {left, right});
  }
  recognition.add(kind, {first, second});
}

static void recognizeConcat(const Recognition &recognition,
                            tosa::ConcatOp concat) {
  if (concat->getNumOperands() < 2 ||
      llvm::any_of(concat->getOperands(), [&](Value operand) {
        return !getFloatType(operand) || recognition.isConstant(operand);
      }))
    return;
  recognition.add(CatAttr::get(recognition.context(), concat.getAxis()),
                  SmallVector<Value>(concat->getOperands()));
}

void tosa_forms::recognizeElementwise(const Recognition &recognition) {
  if (isa<tosa::AddOp, tosa::SubOp>(recognition.root))
    recognizeBinary<AddAttr>(recognition);
  else if (isa<tosa::MulOp>(recognition.root))
    recognizeBinary<MulAttr>(recognition);
  else if (auto concat = dyn_cast<tosa::ConcatOp>(recognition.root))
    recognizeConcat(recognition, concat);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenation.

#include "Tosa/TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

void forms::recognizeTosaConcatenation(const Recognition &recognition) {
  auto concat = dyn_cast<tosa::ConcatOp>(recognition.root);
  if (!concat || concat->getNumOperands() < 2 ||
      llvm::any_of(concat->getOperands(), [&](Value operand) {
        return !getFloatType(operand) || recognition.isConstant(operand);
      }))
    return;
  recognition.add(CatAttr::get(recognition.context(), concat.getAxis()),
                  SmallVector<Value>(concat->getOperands()));
}

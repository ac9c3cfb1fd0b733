// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tosa.reshape and tosa.transpose.

#include "Tosa/TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

void forms::recognizeTosaShape(const Recognition &recognition) {
  auto *context = recognition.context();
  auto type = getFloatType(recognition.result());
  auto inputType = getFloatType(recognition.root->getOperand(0));
  if (!inputType)
    return;
  if (auto transpose = dyn_cast<tosa::TransposeOp>(recognition.root)) {
    SmallVector<int64_t> permutation(transpose.getPerms());
    recognition.add(TransposeAttr::get(context, recognition.ints(permutation)),
                    {transpose.getInput1()});
    return;
  }
  auto reshape = dyn_cast<tosa::ReshapeOp>(recognition.root);
  if (!reshape)
    return;
  bool isFlatten = type.getRank() == 2 && inputType.getRank() > 2 &&
                   type.getDimSize(0) == inputType.getDimSize(0);
  if (isFlatten)
    recognition.add(FlattenAttr::get(context, DenseI64ArrayAttr()),
                    {reshape.getInput1()});
  else
    recognition.add(ReshapeAttr::get(context, DenseI64ArrayAttr()),
                    {reshape.getInput1()});
}

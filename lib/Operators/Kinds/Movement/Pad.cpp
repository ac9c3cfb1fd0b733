// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises padding with a number that stays when no window takes it in.

#include "Kinds/Movement/Movement.h"

#include "Reading/Layout.h"
#include "Reading/TosaOperands.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
struct Padding {
  Value input;
  SmallVector<int64_t> low, high;
  std::optional<double> number;
};
} // namespace

static std::optional<Padding> getPadding(tensor::PadOp pad,
                                         ConstantEvaluator &constants) {
  Value number = pad.getConstantPaddingValue();
  if (!number)
    return std::nullopt;
  Padding padding{pad.getSource(), {}, {}, constants.getSplat(number)};
  auto read = [](OpFoldResult amount) {
    return getConstantIntValue(amount).value_or(ShapedType::kDynamic);
  };
  padding.low = llvm::map_to_vector(pad.getMixedLowPad(), read);
  padding.high = llvm::map_to_vector(pad.getMixedHighPad(), read);
  return padding;
}

static std::optional<Padding> getPadding(tosa::PadOp pad,
                                         ConstantEvaluator &constants) {
  auto amounts = readShape(pad.getPadding());
  if (!amounts)
    return std::nullopt;
  Padding padding{
      pad.getInput1(), {}, {}, constants.getSplat(pad.getPadConst())};
  for (size_t i = 0; i + 1 < amounts->size(); i += 2) {
    padding.low.push_back((*amounts)[i]);
    padding.high.push_back((*amounts)[i + 1]);
  }
  return padding;
}

/// A tensor inserted into a larger one that holds one number.
static std::optional<Padding> getPadding(tensor::InsertSliceOp insert,
                                         ConstantEvaluator &constants) {
  std::optional<InsertedPart> part = getInsertedPart(insert);
  if (!part)
    return std::nullopt;
  return Padding{insert.getSource(), std::move(part->low),
                 std::move(part->high), getFill(insert.getDest(), constants)};
}

void forms::recognizePad(const Recognition &recognition) {
  ConstantEvaluator &constants = recognition.constants();
  std::optional<Padding> padding;
  if (auto pad = dyn_cast<tensor::PadOp>(recognition.root))
    padding = getPadding(pad, constants);
  else if (auto pad = dyn_cast<tosa::PadOp>(recognition.root))
    padding = getPadding(pad, constants);
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(recognition.root))
    padding = getPadding(insert, constants);
  // Infinities belong to maxima; no activation is in their range.
  if (!padding || !padding->number ||
      !(std::fabs(*padding->number) < FLT_MAX) ||
      !isActivation(padding->input, constants))
    return;
  int64_t rank = getFloatType(padding->input).getRank();
  bool isPadded = false;
  for (ArrayRef<int64_t> amounts :
       {ArrayRef(padding->low), ArrayRef(padding->high)}) {
    if (int64_t(amounts.size()) != rank)
      return;
    for (int64_t amount : amounts) {
      if (ShapedType::isDynamic(amount) || amount < 0)
        return;
      isPadded |= amount != 0;
    }
  }
  if (isPadded)
    recognition.add(PadAttr::get(recognition.context(),
                                 recognition.ints(padding->low),
                                 recognition.ints(padding->high),
                                 recognition.asFloat(*padding->number)),
                    {padding->input});
  else if (padding->input.getType() == recognition.result().getType())
    recognition.add(DropoutAttr::get(recognition.context()), {padding->input});
}

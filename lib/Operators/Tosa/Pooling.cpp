// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling, and means as sums times a number.

#include "Tosa/TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static void recognizeMaxPool(const Recognition &recognition,
                             tosa::MaxPool2dOp pool) {
  if (!getFloatType(pool.getInput()))
    return;
  auto kind = MaxPool2dAttr::get(
      recognition.context(), recognition.ints(pool.getKernel()),
      recognition.ints(pool.getStride()), recognition.ints(pool.getPad()),
      recognition.ints({1, 1}));
  Value whole = skipTrim(pool.getInput(), pool.getStride(), pool.getPad());
  if (whole != pool.getInput())
    recognition.add(kind, {whole});
  recognition.add(kind, {pool.getInput()});
}

static void recognizeAvgPool(const Recognition &recognition,
                             tosa::AvgPool2dOp pool) {
  auto type = getFloatType(pool.getInput());
  auto resultType = getFloatType(pool.getOutput());
  if (!type || type.getRank() != 4 || resultType.getRank() != 4 ||
      pool.getPad().size() != 4 || pool.getKernel().size() != 2 ||
      !recognition.isSplat(pool.getInputZp(), 0) ||
      !recognition.isSplat(pool.getOutputZp(), 0))
    return;
  auto *context = recognition.context();
  bool isPadded =
      llvm::any_of(pool.getPad(), [](int64_t amount) { return amount != 0; });
  if (!isPadded && pool.getKernel() == type.getShape().slice(1, 2)) {
    recognition.add(
        AdaptiveAvgPool2dAttr::get(context, recognition.ints({1, 1})),
        {pool.getInput()});
    return;
  }
  // TOSA never counts its padding: zeros that count are a pad in front.
  auto pad = matchZeroPad(recognition, pool.getInput());
  if (pad && !isPadded)
    recognition.add(
        AvgPool2dAttr::get(
            context, recognition.ints(pool.getKernel()),
            recognition.ints(pool.getStride()), recognition.ints(pad->amounts),
            /*ceil_mode=*/false, /*count_exclude_pad=*/false, std::nullopt),
        {pad->input});
  recognition.add(
      AvgPool2dAttr::get(context, recognition.ints(pool.getKernel()),
                         recognition.ints(pool.getStride()),
                         recognition.ints(pool.getPad()), /*ceil_mode=*/false,
                         /*count_exclude_pad=*/isPadded, std::nullopt),
      {pool.getInput()});
}

namespace {
/// reduce_sum ops in a row.
struct Sum {
  Value input;
  SmallVector<int64_t> axes;
};
} // namespace

static std::optional<Sum> matchSum(Value value) {
  Sum sum;
  auto type = getFloatType(value);
  for (int64_t i = 0; type && i < type.getRank(); ++i) {
    auto reduce = value.getDefiningOp<tosa::ReduceSumOp>();
    if (!reduce || llvm::is_contained(sum.axes, int64_t(reduce.getAxis())))
      break;
    sum.axes.push_back(reduce.getAxis());
    value = reduce.getInput();
  }
  if (sum.axes.empty())
    return std::nullopt;
  llvm::sort(sum.axes);
  sum.input = value;
  return sum;
}

/// A product with 1 / (number of elements), with at most one reshape that drops
/// the reduced dimensions, before or after.
static void recognizeMean(const Recognition &recognition) {
  Value value = recognition.result();
  bool isReshaped = false, isScaled = false;
  double scale = 0;
  for (int i = 0; i < 2; ++i) {
    auto reshape = value.getDefiningOp<tosa::ReshapeOp>();
    if (reshape && !isReshaped) {
      isReshaped = true;
      value = reshape.getInput1();
      continue;
    }
    auto mul = value.getDefiningOp<tosa::MulOp>();
    if (!mul || isScaled)
      break;
    auto operands = splitConstant(recognition, mul);
    auto number = operands ? recognition.constants().getSplat(operands->second)
                           : std::nullopt;
    if (!number)
      return;
    isScaled = true;
    scale = *number;
    value = operands->first;
  }
  auto sum = matchSum(value);
  if (!sum || !isScaled)
    return;
  auto type = getFloatType(sum->input);
  if (!type)
    return;
  int64_t count = 1;
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!llvm::is_contained(sum->axes, int64_t(i)))
      kept.push_back(size);
    else if (ShapedType::isDynamic(size))
      return;
    else
      count *= size;
  }
  auto resultType = getFloatType(recognition.result());
  // (1 / n) * n is 1 up to the rounding of 1 / n.
  if (scale * count < 1 - 1e-6 || scale * count > 1 + 1e-6 ||
      (isReshaped ? resultType.getShape() != ArrayRef(kept)
                  : resultType.getRank() != type.getRank()))
    return;
  recognition.add(MeanAttr::get(recognition.context(),
                                recognition.ints(sum->axes),
                                /*keepdim=*/!isReshaped),
                  {sum->input});
}

void forms::recognizeTosaPooling(const Recognition &recognition) {
  if (auto pool = dyn_cast<tosa::MaxPool2dOp>(recognition.root))
    recognizeMaxPool(recognition, pool);
  else if (auto pool = dyn_cast<tosa::AvgPool2dOp>(recognition.root))
    recognizeAvgPool(recognition, pool);
  else if (isa<tosa::MulOp, tosa::ReshapeOp>(recognition.root))
    recognizeMean(recognition);
}

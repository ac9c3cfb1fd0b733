// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices in TOSA: matmul, and 1x1 convolutions of images of one
// pixel, which is how TFLite's fully connected layers arrive.

#include "Reading/Contraction.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static AffineMap getMap(ArrayRef<int64_t> loops, unsigned numLoops,
                        MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (int64_t loop : loops)
    exprs.push_back(loop < 0 ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(loop, context));
  return AffineMap::get(numLoops, 0, exprs, context);
}

static bool isZero(Value value, ConstantEvaluator &constants) {
  return constants.getSplat(value) == 0.0;
}

static std::optional<Contraction> readMatMul(tosa::MatMulOp op,
                                             ConstantEvaluator &constants) {
  auto lhs = getFloatType(op.getA()), rhs = getFloatType(op.getB());
  auto result = getFloatType(op.getOutput());
  if (!lhs || !rhs || !result || lhs.getRank() != 3 || rhs.getRank() != 3 ||
      result.getRank() != 3 || lhs.getDimSize(0) != rhs.getDimSize(0) ||
      !isZero(op.getAZp(), constants) || !isZero(op.getBZp(), constants))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  Contraction found;
  found.op = op;
  found.lhs = op.getA();
  found.rhs = op.getB();
  found.lhsMap = getMap({0, 1, 3}, 4, context);
  found.rhsMap = getMap({0, 3, 2}, 4, context);
  found.resultMap = getMap({0, 1, 2}, 4, context);
  found.sizes = {lhs.getDimSize(0), lhs.getDimSize(1), rhs.getDimSize(2),
                 lhs.getDimSize(2)};
  return found;
}

static std::optional<Contraction>
readConvolution(tosa::Conv2DOp op, ConstantEvaluator &constants) {
  auto input = getFloatType(op.getInput());
  auto weight = getFloatType(op.getWeight());
  auto result = getFloatType(op.getOutput());
  auto bias = getFloatType(op.getBias());
  if (!input || !weight || !result || !bias || bias.getRank() != 1 ||
      !isZero(op.getInputZp(), constants) ||
      !isZero(op.getWeightZp(), constants))
    return std::nullopt;
  for (RankedTensorType type : {input, weight, result})
    if (type.getRank() != 4)
      return std::nullopt;
  for (int64_t dim : {1, 2})
    if (input.getDimSize(dim) != 1 || weight.getDimSize(dim) != 1 ||
        result.getDimSize(dim) != 1)
      return std::nullopt;
  if (llvm::any_of(op.getPad(), [](int64_t pad) { return pad != 0; }))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  Contraction found;
  found.op = op;
  found.isConvolution = true;
  found.lhs = op.getInput();
  found.rhs = op.getWeight();
  found.lhsMap = getMap({0, -1, -1, 2}, 3, context);
  found.rhsMap = getMap({1, -1, -1, 2}, 3, context);
  found.resultMap = getMap({0, -1, -1, 1}, 3, context);
  found.sizes = {input.getDimSize(0), weight.getDimSize(0),
                 input.getDimSize(3)};
  if (!isZero(op.getBias(), constants))
    found.bias = op.getBias();
  return found;
}

std::optional<Contraction>
forms::readTosaContraction(Operation *op, ConstantEvaluator &constants) {
  if (auto matmul = dyn_cast<tosa::MatMulOp>(op))
    return readMatMul(matmul, constants);
  if (auto conv = dyn_cast<tosa::Conv2DOp>(op))
    return readConvolution(conv, constants);
  return std::nullopt;
}

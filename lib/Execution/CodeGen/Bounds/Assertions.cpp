// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op is asserted to stay within its tensors.

#include "Assertions.h"

#include "qbackend/Support/Places.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend::codegen;

Value Assertions::get(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return value;
  return arith::ConstantIndexOp::create(b, *getConstantIntValue(number));
}

OpFoldResult Assertions::getDim(Value tensor, int64_t dim) {
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent))
    return b.getIndexAttr(extent);
  return tensor::DimOp::create(b, tensor, dim).getResult();
}

void Assertions::require(Value condition, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isa<UnknownLoc>(op->getLoc()))
    os << spellPlace(op->getLoc()) << ": ";
  os << "'" << op->getName() << "' op " << message;
  cf::AssertOp::create(b, condition, text);
}

std::string Assertions::getText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

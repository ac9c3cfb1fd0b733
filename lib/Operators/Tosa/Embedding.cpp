// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tosa.gather of the rows of a parameter.

#include "Layout.h"
#include "Tosa/TosaRecognizers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Indices and what they were before conversions and changes of shape, the
/// first one first.
static SmallVector<Value> getOrigins(Value indices) {
  SmallVector<Value> origins = {indices};
  while (origins.size() < 6) {
    Operation *op = origins.back().getDefiningOp();
    Value before = getReshaped(op);
    if (!before && isa_and_nonnull<tosa::CastOp, arith::TruncIOp,
                                   arith::ExtSIOp, tensor::CastOp>(op))
      before = op->getOperand(0);
    auto type = before ? dyn_cast<RankedTensorType>(before.getType())
                       : RankedTensorType();
    if (!type || !type.getElementType().isSignlessInteger())
      break;
    origins.push_back(before);
  }
  std::reverse(origins.begin(), origins.end());
  return origins;
}

void forms::recognizeTosaEmbedding(const Recognition &recognition) {
  Operation *root = recognition.root;
  if (Value before = getReshaped(root))
    root = before.getDefiningOp();
  auto gather = dyn_cast_or_null<tosa::GatherOp>(root);
  if (!gather || !isParameter(gather.getValues(), recognition.constants()))
    return;
  auto table = getFloatType(gather.getValues());
  auto type = getFloatType(recognition.result());
  if (!table || table.getRank() != 3 || !table.hasStaticShape() ||
      table.getDimSize(0) != 1 || type.getRank() < 1 ||
      type.getShape().back() != table.getDimSize(2))
    return;
  int64_t rows = table.getDimSize(1), columns = table.getDimSize(2);
  auto weight =
      RecognizedOperand::reshaped(gather.getValues(), {rows, columns});
  Value flat = getReshaped(gather.getValues().getDefiningOp());
  auto flatType = flat ? getFloatType(flat) : RankedTensorType();
  // An argument of more dimensions may as well be an image.
  if (flatType && flatType.getShape() == ArrayRef<int64_t>{rows, columns})
    weight = RecognizedOperand::of(flat);
  else if (!recognition.isConstant(gather.getValues()))
    return;
  for (Value origin : getOrigins(gather.getIndices())) {
    auto indices = cast<RankedTensorType>(origin.getType());
    if (indices.getShape() != type.getShape().drop_back())
      continue;
    RecognizedOperator op;
    op.kind = EmbeddingAttr::get(recognition.context());
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(origin)};
    op.weight = weight;
    recognition.found.push_back(std::move(op));
  }
}

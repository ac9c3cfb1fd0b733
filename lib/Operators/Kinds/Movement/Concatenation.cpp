// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises concatenations, and slices that are inserted one after the other.

#include "Kinds/Movement/Movement.h"

#include "Reading/Layout.h"

#include "qbackend/Operators/Extent.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No concatenation has more inputs than this.
static constexpr size_t kMaxInputs = 256;

namespace {
/// A slice inserted along one dimension, and where.
struct Insertion {
  int64_t start, size;
  Value value;
  /// Of the slice, with all dimensions of the destination.
  SmallVector<int64_t> shape;
};
} // namespace

/// The insertions from `last` back to what is not one, all of which are along
/// one dimension; `axis` is that dimension.
static std::optional<SmallVector<Insertion>>
getInsertions(tensor::InsertSliceOp last, std::optional<int64_t> &axis,
              ConstantEvaluator &constants) {
  RankedTensorType type = last.getDestType();
  SmallVector<tensor::InsertSliceOp> inserts;
  Operation *op = last;
  while (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op)) {
    if (insert.getDestType().getRank() != type.getRank() ||
        inserts.size() == kMaxInputs)
      return std::nullopt;
    inserts.push_back(insert);
    op = getProducer(insert.getDest());
  }
  // What they are inserted into isn't read, once they cover it.
  Value init = inserts.back().getDest();
  if (!isa_and_nonnull<tensor::EmptyOp>(op) && !getFill(init, constants) &&
      !(op && op->hasTrait<OpTrait::ConstantLike>()))
    return std::nullopt;

  SmallVector<Insertion> insertions;
  for (auto insert : inserts) {
    if (!insert.hasUnitStride())
      return std::nullopt;
    std::optional<int64_t> part;
    Insertion insertion{0, 0, insert.getSource(), {}};
    SmallVector<OpFoldResult> offsets = insert.getMixedOffsets();
    for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
      std::optional<int64_t> number = getConstantIntValue(size);
      std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
      insertion.shape.push_back(number.value_or(ShapedType::kDynamic));
      if (offset == 0 && isExtent(size, insert.getDest(), dim))
        continue;
      if (!number || !offset || part)
        return std::nullopt;
      part = dim;
      insertion.start = *offset;
    }
    if (!part || (axis && axis != part) || type.isDynamicDim(*part))
      return std::nullopt;
    axis = part;
    insertion.size = insertion.shape[*part];
    insertions.push_back(std::move(insertion));
  }
  return insertions;
}

/// Insertions in any order that cover a tensor along one dimension.
static std::optional<Concatenation>
joinInsertions(tensor::InsertSliceOp last, ConstantEvaluator &constants) {
  std::optional<int64_t> axis;
  auto insertions = getInsertions(last, axis, constants);
  if (!insertions || insertions->size() < 2)
    return std::nullopt;
  llvm::sort(*insertions, [](const Insertion &lhs, const Insertion &rhs) {
    return lhs.start < rhs.start;
  });
  Concatenation concatenation;
  concatenation.axis = *axis;
  int64_t position = 0;
  for (const Insertion &insertion : *insertions) {
    if (insertion.start != position)
      return std::nullopt;
    position += insertion.size;
    auto type = cast<RankedTensorType>(insertion.value.getType());
    auto operand = RecognizedOperand::of(insertion.value);
    if (type.getRank() != int64_t(insertion.shape.size()))
      operand.shape = insertion.shape;
    concatenation.inputs.push_back(std::move(operand));
  }
  if (position != last.getDestType().getDimSize(*axis))
    return std::nullopt;
  return concatenation;
}

std::optional<Concatenation>
forms::getConcatenation(Operation *root, ConstantEvaluator &constants) {
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(root))
    return joinInsertions(insert, constants);
  if (!isa_and_nonnull<tensor::ConcatOp, tosa::ConcatOp>(root))
    return std::nullopt;
  Concatenation concatenation;
  for (Value input : root->getOperands())
    concatenation.inputs.push_back(RecognizedOperand::of(input));
  auto concat = dyn_cast<tensor::ConcatOp>(root);
  concatenation.axis =
      concat ? concat.getDim() : cast<tosa::ConcatOp>(root).getAxis();
  return concatenation;
}

void forms::recognizeConcatenation(const Recognition &recognition) {
  auto concatenation =
      getConcatenation(recognition.root, recognition.constants());
  if (!concatenation || concatenation->inputs.empty())
    return;
  for (const RecognizedOperand &input : concatenation->inputs)
    if (!getFloatType(input.value))
      return;
  // Weights that are put together are no activation.
  if (llvm::none_of(concatenation->inputs, [&](const auto &input) {
        return isActivation(input.value, recognition.constants());
      }))
    return;
  MLIRContext *context = recognition.context();
  Value first = concatenation->inputs.front().value;
  if (concatenation->inputs.size() == 1) {
    if (first.getType() == recognition.result().getType())
      recognition.add(DropoutAttr::get(context), {first});
    return;
  }
  RecognizedOperator op;
  op.kind = CatAttr::get(context, concatenation->axis);
  op.result = recognition.result();
  op.inputs.append(concatenation->inputs);
  recognition.found.push_back(std::move(op));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises changes of shape and layout, concatenations and identities.

#include "Linalg/LinalgRecognizers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Changes of parameters are no operators: constants, and slices of an argument
/// that holds all weights.
static bool isActivation(Value value, ConstantEvaluator &constants) {
  if (!getFloatType(value) || constants.isConstant(value))
    return false;
  auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(getProducer(value));
  return !slice || slice.getSourceType().getRank() != 1 ||
         !isParameter(value, constants);
}

static void append(Recognition &recognition, Attribute kind, Value input) {
  RecognizedOperator op;
  op.kind = kind;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(input)};
  recognition.found.push_back(std::move(op));
}

static bool isFlatten(ArrayRef<ReassociationIndices> reassociation) {
  return reassociation.size() == 2 && reassociation[0].size() == 1;
}

void forms::recognizeLinalgShape(Recognition &recognition) {
  ConstantEvaluator &constants = recognition.constants();
  MLIRContext *context = recognition.context();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(recognition.root)) {
    if (!isActivation(collapse.getSrc(), constants))
      return;
    Attribute kind = isFlatten(collapse.getReassociationIndices())
                         ? Attribute(FlattenAttr::get(context, {}))
                         : ReshapeAttr::get(context, {});
    append(recognition, kind, collapse.getSrc());
    return;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(recognition.root)) {
    if (isActivation(expand.getSrc(), constants))
      append(recognition, ReshapeAttr::get(context, {}), expand.getSrc());
    return;
  }
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(recognition.root)) {
    if (isActivation(reshape.getSource(), constants) &&
        getFloatType(recognition.result()))
      append(recognition, ReshapeAttr::get(context, {}), reshape.getSource());
    return;
  }
  Value source;
  std::optional<AffineMap> map = getCopyMap(recognition.root, source);
  if (!map || !isActivation(source, constants))
    return;
  auto sourceType = getFloatType(source);
  auto resultType = getFloatType(recognition.result());
  if (!resultType || sourceType.getRank() != resultType.getRank())
    return;
  if (map->isPermutation() && !map->isIdentity()) {
    // Dimension j of the source is dimension map(j) of the result.
    SmallVector<int64_t> permutation(map->getNumResults());
    for (unsigned dim = 0; dim < map->getNumResults(); ++dim)
      permutation[map->getDimPosition(dim)] = dim;
    append(recognition,
           TransposeAttr::get(context, recognition.ints(permutation)), source);
    return;
  }
  for (auto [index, expr] : llvm::enumerate(map->getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim ? dim.getPosition() != index : sourceType.getDimSize(index) != 1)
      return;
  }
  if (sourceType == resultType)
    append(recognition, DropoutAttr::get(context), source);
}

/// Slices one after the other into an uninitialised tensor that cover it along
/// one dimension: the slices in order, and the dimension.
static std::optional<std::pair<SmallVector<Value>, int64_t>>
getInsertedSlices(tensor::InsertSliceOp last, ConstantEvaluator &constants) {
  RankedTensorType type = last.getDestType();
  if (!type.hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> axis;
  SmallVector<std::pair<int64_t, Value>> slices;
  Operation *op = last;
  int64_t covered = 0;
  for (auto insert = last; insert;
       insert = dyn_cast_or_null<tensor::InsertSliceOp>(op)) {
    RankedTensorType source = insert.getSourceType();
    if (source.getRank() != type.getRank() || !source.hasStaticShape() ||
        !insert.hasUnitStride() || slices.size() >= 256)
      return std::nullopt;
    int64_t start = 0;
    for (auto [dim, offset] : llvm::enumerate(insert.getMixedOffsets())) {
      std::optional<int64_t> position = getConstantIntValue(offset);
      if (!position)
        return std::nullopt;
      if (source.getDimSize(dim) == type.getDimSize(dim) && *position == 0)
        continue;
      if (axis && *axis != int64_t(dim))
        return std::nullopt;
      axis = dim;
      start = *position;
    }
    if (!axis)
      return std::nullopt;
    slices.emplace_back(start, insert.getSource());
    covered += source.getDimSize(*axis);
    op = getProducer(insert.getDest());
  }
  if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op) || !axis ||
      covered != type.getDimSize(*axis) || slices.size() < 2)
    return std::nullopt;
  llvm::sort(slices, llvm::less_first());
  SmallVector<Value> values;
  int64_t position = 0;
  for (auto [start, value] : slices) {
    if (start != position)
      return std::nullopt;
    position += cast<RankedTensorType>(value.getType()).getDimSize(*axis);
    values.push_back(value);
  }
  return std::pair(values, *axis);
}

void forms::recognizeLinalgConcatenation(Recognition &recognition) {
  SmallVector<Value> inputs;
  int64_t axis = 0;
  if (auto concat = dyn_cast<tensor::ConcatOp>(recognition.root)) {
    llvm::append_range(inputs, concat.getInputs());
    axis = concat.getDim();
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(recognition.root)) {
    auto slices = getInsertedSlices(insert, recognition.constants());
    if (!slices)
      return;
    std::tie(inputs, axis) = *slices;
  }
  if (inputs.size() < 2 || llvm::any_of(inputs, [&](Value input) {
        return !isActivation(input, recognition.constants());
      }))
    return;
  RecognizedOperator op;
  op.kind = CatAttr::get(recognition.context(), axis);
  op.result = recognition.result();
  for (Value input : inputs)
    op.inputs.push_back(RecognizedOperand::of(input));
  recognition.found.push_back(std::move(op));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises changes of shape and order, slices, repetitions and identities.

#include "Kinds/Movement/Movement.h"
#include "Kinds/Recognizers.h"

#include "Reading/Layout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No operator is more moves in a row than this.
static constexpr size_t kMaxMoves = 8;

bool forms::isActivation(Value value, ConstantEvaluator &constants) {
  if (!getFloatType(value) || constants.isConstant(value))
    return false;
  for (size_t i = 0; i < kMaxMoves; ++i) {
    Operation *op = getProducer(value);
    Value source = op ? getMoved(op) : Value();
    auto type = source ? getFloatType(source) : RankedTensorType();
    if (!type)
      return true;
    bool isSlice = isa<tensor::ExtractSliceOp, tosa::SliceOp>(op);
    if (isSlice && type.getRank() == 1 && isParameter(source, constants))
      return false;
    value = source;
  }
  return true;
}

/// Biases and the like, which are broadcast or cut for what reads them.
static bool isVector(Value value, ConstantEvaluator &constants) {
  if (!isParameter(value, constants))
    return false;
  for (Operation *op = getProducer(value); op; op = getProducer(value)) {
    Value source = getMoved(op);
    if (!source)
      break;
    value = source;
  }
  auto type = dyn_cast<RankedTensorType>(skipCasts(value).getType());
  return !type || type.getRank() < 2;
}

/// The permutation that only moves dimensions of size 1 and makes `to` of
/// `from`; empty if there is none. Upstream canonicalizes such transposes, as
/// of the layout of one channel, to reshapes.
static SmallVector<int64_t> getUnitPermutation(RankedTensorType from,
                                               RankedTensorType to) {
  const int64_t rank = from.getRank();
  if (to.getRank() != rank)
    return {};
  if (from.getNumDynamicDims() > 1)
    return {}; // which is which can't be told
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto isUnit = [&](int64_t dim) { return from.getDimSize(dim) == 1; };
  // Units to where `to` has some, and the rest in its order.
  SmallVector<int64_t> units, others, inOrder;
  for (int64_t dim : dims)
    (isUnit(dim) ? units : others).push_back(dim);
  if (llvm::count(to.getShape(), 1) != int64_t(units.size()))
    return {};
  const int64_t *unit = units.begin(), *other = others.begin();
  for (int64_t size : to.getShape())
    inOrder.push_back(size == 1 ? *unit++ : *other++);
  // Which unit is which can't be told: channels move to the front or the back.
  SmallVector<int64_t> toFront(dims), toBack(dims);
  if (rank > 2) {
    std::rotate(toFront.begin() + 1, toFront.end() - 1, toFront.end());
    std::rotate(toBack.begin() + 1, toBack.begin() + 2, toBack.end());
  }
  for (const SmallVector<int64_t> &permutation : {toFront, toBack, inOrder}) {
    SmallVector<int64_t> moved;
    llvm::copy_if(permutation, std::back_inserter(moved),
                  [&](int64_t dim) { return !isUnit(dim); });
    if (moved == others &&
        applyPermutation(from.getShape(), permutation) == to.getShape())
      return permutation;
  }
  return {};
}

static bool addReshape(const Recognition &recognition, Value source) {
  auto from = getFloatType(source), to = getFloatType(recognition.result());
  MLIRContext *context = recognition.context();
  if (from == to && from.getNumDynamicDims() < 2) {
    recognition.add(DropoutAttr::get(context), {source});
    return true;
  }
  if (SmallVector<int64_t> permutation = getUnitPermutation(from, to);
      !permutation.empty()) {
    recognition.add(TransposeAttr::get(context, recognition.ints(permutation)),
                    {source});
    return true;
  }
  // Two sizes that aren't known are equal if the rest has one size.
  auto getRest = [](RankedTensorType type) {
    ArrayRef<int64_t> rest = type.getShape().drop_front();
    return ShapedType::isDynamicShape(rest) ? ShapedType::kDynamic
                                            : ShapedType::getNumElements(rest);
  };
  bool isFlatten = to.getRank() == 2 && from.getRank() > 2 &&
                   to.getDimSize(0) == from.getDimSize(0) &&
                   (!to.isDynamicDim(0) || getRest(to) == getRest(from));
  recognition.add(isFlatten ? Attribute(FlattenAttr::get(context, {}))
                            : ReshapeAttr::get(context, {}),
                  {source});
  return true;
}

static bool addTranspose(const Recognition &recognition, Value source) {
  Value copied;
  std::optional<AffineMap> map = getCopyMap(recognition.root, copied);
  if (!map || !map->isPermutation() || map->isIdentity())
    return false;
  // Dimension j of the source is dimension map(j) of the result.
  SmallVector<int64_t> permutation(map->getNumResults());
  for (unsigned dim = 0; dim < map->getNumResults(); ++dim)
    permutation[map->getDimPosition(dim)] = dim;
  recognition.add(
      TransposeAttr::get(recognition.context(), recognition.ints(permutation)),
      {source});
  return true;
}

/// A part of each dimension. Unless `anyRank`, the result has that shape.
static bool addNarrow(const Recognition &recognition, Value source,
                      const ElementMap &map, bool anyRank) {
  RankedTensorType type = map.getSourceType();
  SmallVector<int64_t> sizes(type.getRank(), 1), strides(type.getRank(), 1);
  SmallVector<int64_t> offsets(map.getOffsets());
  int64_t last = -1;
  for (const Runs &runs : map.getDims()) {
    if (runs.empty())
      continue;
    const Run &run = runs.front();
    if (runs.size() != 1 || !run.dim || int64_t(*run.dim) <= last ||
        run.step < 1)
      return false;
    last = *run.dim;
    sizes[last] = run.size;
    strides[last] = run.step;
  }
  bool isWhole = true;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool whole = sizes[dim] == size && offsets[dim] == 0 && strides[dim] == 1;
    isWhole &= whole;
    if (whole || ShapedType::isDynamic(size))
      continue;
    if (offsets[dim] < 0 || sizes[dim] < 1 ||
        offsets[dim] + (sizes[dim] - 1) * strides[dim] >= size)
      return false;
  }
  if (isWhole)
    return false;
  RecognizedOperator op;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(source)};
  if (getFloatType(op.result).getShape() != ArrayRef<int64_t>(sizes)) {
    if (!anyRank)
      return false;
    op.outputShape = sizes;
  }
  // A dimension of which the size isn't known is taken whole.
  llvm::replace(sizes, ShapedType::kDynamic, int64_t(-1));
  op.kind = NarrowAttr::get(recognition.context(), recognition.ints(offsets),
                            recognition.ints(sizes), recognition.ints(strides));
  recognition.found.push_back(std::move(op));
  return true;
}

/// The whole source again and again along some dimensions.
static bool addRepeat(const Recognition &recognition, Value source,
                      const ElementMap &map) {
  if (map.hasOffsets())
    return false;
  RankedTensorType type = map.getSourceType();
  SmallVector<int64_t> multiples, shape, permutation;
  for (const Runs &runs : map.getDims()) {
    ArrayRef<Run> rest = runs;
    int64_t multiple = 1;
    if (!rest.empty() && !rest.front().dim) {
      multiple = rest.front().size;
      rest = rest.drop_front();
    }
    if (multiple < 1 || rest.size() > 1)
      return false;
    multiples.push_back(multiple);
    shape.push_back(1);
    if (rest.empty())
      continue;
    unsigned dim = rest.front().dim.value_or(type.getRank());
    if (dim >= type.getRank() || getWholeDim(type, dim) != rest)
      return false;
    shape.back() = type.getDimSize(dim);
    permutation.push_back(dim);
  }
  if (llvm::all_of(multiples, [](int64_t multiple) { return multiple == 1; }))
    return false;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (llvm::is_contained(permutation, dim))
      continue;
    if (type.getDimSize(dim) != 1)
      return false;
    // Where a unit dimension is doesn't matter: keep the order, if it is one.
    auto *after = llvm::find_if(
        permutation, [&](int64_t other) { return other > int64_t(dim); });
    permutation.insert(after, dim);
  }
  auto operand = RecognizedOperand::of(source);
  if (!llvm::is_sorted(permutation))
    operand.permutation = permutation;
  SmallVector<int64_t> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(type.getDimSize(dim));
  if (permuted != shape)
    operand.shape = shape;
  RecognizedOperator op;
  op.kind = RepeatAttr::get(recognition.context(), recognition.ints(multiples));
  op.result = recognition.result();
  op.inputs = {operand};
  recognition.found.push_back(std::move(op));
  return true;
}

/// What the last `moves` ops up to the root make of `source`.
static bool addMovement(const Recognition &recognition,
                        ArrayRef<Operation *> moves, Value source) {
  ConstantEvaluator &constants = recognition.constants();
  auto type = getFloatType(source);
  if (!type || !isActivation(source, constants))
    return false;
  if (llvm::all_of(moves, [](Operation *op) { return bool(getReshaped(op)); }))
    return addReshape(recognition, source);
  ElementMap map(type);
  for (Operation *op : llvm::reverse(moves))
    if (!map.apply(op))
      return false;
  bool isSingle = moves.size() == 1;
  if (source.getType() == recognition.result().getType() && map.isReshape()) {
    recognition.add(DropoutAttr::get(recognition.context()), {source});
    return true;
  }
  if (isSingle && addTranspose(recognition, source))
    return true;
  if (!isSingle && recognizeShuffle(recognition, source, map))
    return true;
  if (isVector(source, constants))
    return false;
  return addNarrow(recognition, source, map, /*anyRank=*/isSingle) ||
         addRepeat(recognition, source, map);
}

/// Whether `op` is the change of shape that ends a linear layer.
static bool isLinear(Operation *op, ScalarExpressions &expressions) {
  if (!getReshaped(op))
    return false;
  SmallVector<RecognizedOperator, 1> found;
  Recognition recognition{op, expressions, found};
  recognizeLinear(recognition);
  return !found.empty();
}

void forms::recognizeMovement(const Recognition &recognition) {
  SmallVector<Operation *> moves;
  SmallVector<Value> sources;
  for (Operation *op = recognition.root; op && moves.size() < kMaxMoves;
       op = getProducer(sources.back())) {
    Value source = getMoved(op);
    if (!source || !getFloatType(source) ||
        op->getBlock() != recognition.root->getBlock() ||
        (!moves.empty() && isLinear(op, recognition.expressions)))
      break;
    moves.push_back(op);
    sources.push_back(source);
  }
  for (size_t count = moves.size(); count > 0; --count)
    addMovement(recognition, ArrayRef(moves).take_front(count),
                sources[count - 1]);
}

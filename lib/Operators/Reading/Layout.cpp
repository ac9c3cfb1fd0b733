// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recognisers share: layout ops, parameters and biases.

#include "Reading/Layout.h"
#include "Reading/Contraction.h"
#include "Reading/Expressions/Formula.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

//===----------------------------------------------------------------------===//
// Layout ops
//===----------------------------------------------------------------------===//

std::optional<AffineMap> forms::getCopyMap(Operation *op, Value &source) {
  if (auto transpose = dyn_cast_or_null<tosa::TransposeOp>(op)) {
    source = transpose.getInput1();
    SmallVector<int64_t> permutation(transpose.getPerms());
    return AffineMap::getPermutationMap(invertPermutationVector(permutation),
                                        op->getContext());
  }
  if (auto identity = dyn_cast_or_null<tosa::IdentityOp>(op)) {
    source = identity.getInput1();
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type)
      return std::nullopt;
    return AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  }
  if (auto tile = dyn_cast_or_null<tosa::TileOp>(op)) {
    source = tile.getInput1();
    auto type = dyn_cast<RankedTensorType>(source.getType());
    auto resultType = dyn_cast<RankedTensorType>(tile.getType());
    if (!type || !resultType || type.getRank() != resultType.getRank() ||
        !type.hasStaticShape() || !resultType.hasStaticShape())
      return std::nullopt;
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool same = type.getDimSize(dim) == resultType.getDimSize(dim);
      if (!same && type.getDimSize(dim) != 1)
        return std::nullopt;
      exprs.push_back(same ? getAffineDimExpr(dim, op->getContext())
                           : getAffineConstantExpr(0, op->getContext()));
    }
    return AffineMap::get(type.getRank(), 0, exprs, op->getContext());
  }
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || op->getNumResults() != 1 || linalgOp.getNumDpsInits() != 1 ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops())
    return std::nullopt;
  Block *body = linalgOp.getBlock();
  if (!body || body->empty() || !body->without_terminator().empty() ||
      body->getTerminator()->getNumOperands() != 1)
    return std::nullopt;
  Value yielded = body->getTerminator()->getOperand(0);
  AffineMap output =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  if (!output.isPermutation())
    return std::nullopt;
  for (OpOperand *input : linalgOp.getDpsInputOperands()) {
    if (linalgOp.getMatchingBlockArgument(input) != yielded ||
        !isa<RankedTensorType>(input->get().getType()))
      continue;
    source = input->get();
    return linalgOp.getMatchingIndexingMap(input).compose(
        inversePermutation(output));
  }
  return std::nullopt;
}

Value forms::getReshaped(Operation *op) {
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return collapse.getSrc();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return expand.getSrc();
  if (auto reshape = dyn_cast_or_null<tensor::ReshapeOp>(op))
    return reshape.getSource();
  if (auto reshape = dyn_cast_or_null<tosa::ReshapeOp>(op))
    return reshape.getInput1();
  return {};
}

/// Goes back over changes of shape that add or drop dimensions of 1, if what is
/// before them is a copy: a bias that was broadcast to a whole image, and has
/// lost its batch since.
static void skipUnitDimsOfCopy(LayoutView &view) {
  LayoutView found = view;
  Value copied;
  while (Value before = getReshaped(getProducer(found.source))) {
    auto from = getFloatType(before), to = getFloatType(found.source);
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
        !differsInUnitDims(from, to))
      return;
    SmallVector<std::optional<unsigned>> loops(from.getRank());
    for (auto [dim, other] :
         llvm::zip_equal(getProperDims(from), getProperDims(to)))
      loops[dim] = found.loops[other];
    found.source = before;
    found.loops = std::move(loops);
  }
  if (found.source != view.source &&
      getCopyMap(getProducer(found.source), copied))
    view = std::move(found);
}

/// Goes back over a change of shape that merges dimensions of a copy, if each
/// merged dimension is one of what was copied, or varies along nothing: a bias
/// that was cut into the heads of attention, and broadcast.
static void skipMergedCopy(LayoutView &view) {
  auto collapse = view.source.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return;
  // By the dimensions that are merged.
  LayoutView whole{collapse.getSrc(), {}, {}};
  for (int64_t dim = 0; dim < collapse.getSrcType().getRank(); ++dim)
    whole.loops.push_back(dim);
  skipUnitDimsOfCopy(whole);
  Value source;
  auto copied = getCopyMap(getProducer(whole.source), source);
  auto type = copied ? getFloatType(source) : RankedTensorType();
  if (!type || !type.hasStaticShape() || !view.shape.empty() ||
      !collapse.getSrcType().hasStaticShape())
    return;
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  SmallVector<unsigned> groupOf(collapse.getSrcType().getRank());
  for (auto [index, group] : llvm::enumerate(groups))
    for (int64_t dim : group)
      groupOf[dim] = index;
  LayoutView found{source, {}, {}};
  SmallVector<unsigned> used;
  int64_t last = -1;
  for (auto [expr, size] :
       llvm::zip_equal(copied->getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (size == 1)
      continue;
    std::optional<unsigned> place =
        dim ? whole.loops[dim.getPosition()] : std::nullopt;
    if (!place || int64_t(*place) <= last)
      return;
    last = *place;
    unsigned group = groupOf[last];
    if (used.empty() || used.back() != group) {
      used.push_back(group);
      found.shape.push_back(1);
      found.loops.push_back(view.loops[group]);
    }
    found.shape.back() *= size;
  }
  for (auto [group, size] : llvm::zip_equal(used, found.shape))
    if (size != collapse.getResultType().getDimSize(group))
      return;
  view = std::move(found);
}

std::optional<LayoutView> forms::viewThroughLayout(Value value, AffineMap map,
                                                   bool reshapes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  LayoutView view{value, {}, {}};
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      view.loops.push_back(dim.getPosition());
    else if (size == 1)
      view.loops.push_back(std::nullopt);
    else
      return std::nullopt;
  }
  if (reshapes)
    skipUnitDimsOfCopy(view);
  Value source;
  while (auto copied = getCopyMap(getProducer(view.source), source)) {
    if (copied->getNumDims() != view.loops.size())
      return view;
    SmallVector<std::optional<unsigned>> loops;
    for (auto [expr, size] :
         llvm::zip_equal(copied->getResults(),
                         cast<RankedTensorType>(source.getType()).getShape())) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        loops.push_back(view.loops[dim.getPosition()]);
      else if (size == 1)
        loops.push_back(std::nullopt);
      else
        return view;
    }
    view.source = source;
    view.loops = std::move(loops);
  }
  if (reshapes)
    skipMergedCopy(view);
  while (reshapes) {
    Value before = getReshaped(getProducer(view.source));
    auto beforeType = before ? getFloatType(before) : nullptr;
    auto afterType = cast<RankedTensorType>(view.source.getType());
    if (!beforeType || !beforeType.hasStaticShape() ||
        !afterType.hasStaticShape())
      break;
    if (view.shape.empty())
      llvm::append_range(view.shape, afterType.getShape());
    view.source = before;
  }
  return view;
}

RecognizedOperand forms::arrange(const LayoutView &view,
                                 ArrayRef<unsigned> loops,
                                 ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(view.source.getType());
  ArrayRef<int64_t> sizes = type.getShape();
  if (!view.shape.empty())
    sizes = view.shape;
  // The dimensions that stay, and where they go.
  SmallVector<int64_t> kept;
  SmallVector<unsigned> keptLoops;
  for (auto [loop, size] : llvm::zip_equal(view.loops, sizes)) {
    if (loop && llvm::is_contained(loops, *loop)) {
      kept.push_back(size);
      keptLoops.push_back(*loop);
    } else if (size != 1) {
      return {};
    }
  }
  SmallVector<int64_t> permutation, arranged;
  for (auto [index, loop] : llvm::enumerate(loops)) {
    auto it = llvm::find(keptLoops, loop);
    if (it == keptLoops.end() && shape.size() == loops.size() &&
        shape[index] == 1)
      continue;
    if (it == keptLoops.end())
      return {};
    permutation.push_back(it - keptLoops.begin());
    arranged.push_back(kept[permutation.back()]);
  }
  if (kept.size() != permutation.size())
    return {};
  RecognizedOperand operand = RecognizedOperand::of(view.source);
  if (ArrayRef<int64_t>(kept) != type.getShape()) {
    if (llvm::is_contained(kept, ShapedType::kDynamic))
      return {};
    operand.sourceShape = kept;
  }
  if (!llvm::is_sorted(permutation))
    operand.permutation = permutation;
  if (!shape.empty() && shape != ArrayRef<int64_t>(arranged))
    operand.shape.assign(shape.begin(), shape.end());
  return operand;
}

//===----------------------------------------------------------------------===//
// Fills and biases
//===----------------------------------------------------------------------===//

Value forms::createPaddingValue(OpBuilder &builder, tensor::PadOp pad) {
  Value number = pad.getConstantPaddingValue();
  Operation *op = number.getDefiningOp();
  return op && pad->isProperAncestor(op) ? builder.clone(*op)->getResult(0)
                                         : number;
}

std::optional<double> forms::getFill(Value value,
                                     ConstantEvaluator &constants) {
  value = skipCasts(value);
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    if (fill.getInputs().size() != 1)
      return std::nullopt;
    Value number = fill.getInputs()[0];
    if (auto extract = number.getDefiningOp<tensor::ExtractOp>())
      number = extract.getTensor();
    return constants.getSplat(number);
  }
  // Generalised, with the number as an operand or in the region.
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (op && op->getNumResults() == 1 &&
      op.getNumLoops() == op.getNumParallelLoops() && op.getBlock() &&
      !op.getBlock()->empty()) {
    Value yielded = op.getBlock()->getTerminator()->getOperand(0);
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingBlockArgument(input) == yielded)
        yielded = input->get();
    if (std::optional<double> number = constants.getSplat(yielded))
      return number;
  }
  return constants.getSplat(value);
}

bool forms::isFilledWith(Value init, double number,
                         ConstantEvaluator &constants) {
  std::optional<double> fill = getFill(init, constants);
  return fill && *fill == number;
}

std::optional<SmallVector<float>>
forms::getChannelNumbers(Value value, unsigned channel,
                         ConstantEvaluator &constants) {
  auto type = getFloatType(value);
  if (!type || channel >= type.getRank() || !type.hasStaticShape() ||
      type.getNumElements() == 0)
    return std::nullopt;
  DenseElementsAttr elements = constants.evaluate(value);
  if (!elements || elements.getElementType() != type.getElementType())
    return std::nullopt;
  int64_t size = type.getDimSize(channel), inner = 1;
  for (int64_t dim : type.getShape().drop_front(channel + 1))
    inner *= dim;
  SmallVector<float> numbers(size);
  for (auto [index, number] : llvm::enumerate(elements.getValues<float>())) {
    int64_t position = (int64_t(index) / inner) % size;
    // The first of each channel comes before any other of it.
    if (int64_t(index) < size * inner && int64_t(index) % inner == 0)
      numbers[position] = number;
    else if (numbers[position] != number)
      return std::nullopt;
  }
  return numbers;
}

static RecognizedOperand getConstantOperand(ArrayRef<float> numbers,
                                            MLIRContext *context) {
  auto type = RankedTensorType::get({int64_t(numbers.size())},
                                    Float32Type::get(context));
  return RecognizedOperand::ofConstant(DenseElementsAttr::get(type, numbers));
}

RecognizedOperand forms::getChannelOperand(const Scalar *scalar,
                                           unsigned channel,
                                           RankedTensorType resultType,
                                           ScalarExpressions &expressions) {
  ConstantEvaluator &constants = expressions.constants;
  if (scalar->kind != ScalarKind::Operand || !getFloatType(scalar->value) ||
      channel >= resultType.getRank() || resultType.isDynamicDim(channel))
    return {};
  auto view = viewThroughLayout(scalar->value, scalar->map, /*reshapes=*/true);
  Origin origin = view ? getOrigin(view->source, constants) : Origin();
  // An argument with all the dimensions of the result is added to it.
  bool isActivation =
      origin.kind == Origin::Activation ||
      (origin.kind == Origin::Argument && resultType.getRank() > 1 &&
       view->shape.empty() &&
       getFloatType(view->source).getShape() == resultType.getShape());
  if (!isActivation) {
    // A constant that holds one number for each position is dealt with below.
    int64_t size = resultType.getDimSize(channel);
    if (RecognizedOperand operand = arrange(*view, {channel}, {size}))
      return operand;
  }
  if (!constants.isConstant(scalar->value))
    return {};
  // The dimension of the constant that is the channels; it may lack the batch.
  unsigned position = channel;
  if (!scalar->full) {
    auto *expr = llvm::find(scalar->map.getResults(),
                            getAffineDimExpr(channel, resultType.getContext()));
    position = expr - scalar->map.getResults().begin();
  }
  auto numbers = getChannelNumbers(scalar->value, position, constants);
  if (!numbers || int64_t(numbers->size()) != resultType.getDimSize(channel))
    return {};
  return getConstantOperand(*numbers, resultType.getContext());
}

RecognizedOperand forms::getSplitChannelOperand(const Scalar &scalar,
                                                ArrayRef<unsigned> channels,
                                                RankedTensorType resultType,
                                                ConstantEvaluator &constants) {
  auto type = scalar.kind == ScalarKind::Operand ? getFloatType(scalar.value)
                                                 : RankedTensorType();
  if (!type || !type.hasStaticShape() || !resultType.hasStaticShape() ||
      !constants.isConstant(scalar.value))
    return {};
  // How far apart in the channels the neighbours along a dimension are.
  int64_t size = 1, covered = 1;
  SmallVector<int64_t> resultStrides(resultType.getRank(), 0);
  for (unsigned dim : llvm::reverse(channels)) {
    resultStrides[dim] = size;
    size *= resultType.getDimSize(dim);
  }
  SmallVector<int64_t> strides(type.getRank(), 0);
  SmallVector<unsigned> seen;
  for (unsigned i = 0; i < strides.size(); ++i) {
    if (type.getDimSize(i) == 1)
      continue;
    std::optional<unsigned> dim =
        scalar.full ? i + resultType.getRank() - type.getRank()
                    : getLoop(scalar.map.getResult(i));
    if (!dim || llvm::is_contained(seen, *dim))
      return {};
    seen.push_back(*dim);
    strides[i] = resultStrides[*dim];
    if (strides[i] != 0)
      covered *= type.getDimSize(i);
  }
  if (covered != size)
    return {};
  DenseElementsAttr elements = constants.evaluate(scalar.value);
  if (!elements || !elements.getElementType().isF32())
    return {};
  auto resultShape = RankedTensorType::get({size}, type.getElementType());
  if (elements.isSplat())
    return RecognizedOperand::ofConstant(elements.resizeSplat(resultShape));
  // One number for each channel, whatever the other coordinates are.
  SmallVector<float> numbers(size);
  BitVector isKnown(size);
  SmallVector<int64_t> position(type.getRank(), 0);
  for (float number : elements.getValues<float>()) {
    int64_t channel = 0;
    for (auto [coordinate, stride] : llvm::zip_equal(position, strides))
      channel += coordinate * stride;
    if (isKnown[channel] && llvm::bit_cast<uint32_t>(numbers[channel]) !=
                                llvm::bit_cast<uint32_t>(number))
      return {};
    numbers[channel] = number;
    isKnown.set(channel);
    for (unsigned dim = position.size(); dim-- > 0;) {
      if (++position[dim] < type.getDimSize(dim))
        break;
      position[dim] = 0;
    }
  }
  return RecognizedOperand::ofConstant(
      DenseElementsAttr::get(resultShape, ArrayRef<float>(numbers)));
}

LogicalResult forms::getInitialBias(Value init, unsigned channel,
                                    ScalarExpressions &expressions,
                                    RecognizedOperand &bias) {
  bias = {};
  auto type = getFloatType(init);
  if (!type || channel >= type.getRank() || type.isDynamicDim(channel))
    return failure();
  if (std::optional<double> fill = getFill(init, expressions.constants)) {
    if (*fill != 0)
      bias = getConstantOperand(
          SmallVector<float>(type.getDimSize(channel), float(*fill)),
          type.getContext());
    return success();
  }
  Scalar scalar;
  scalar.kind = ScalarKind::Operand;
  scalar.value = init;
  scalar.map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
  scalar.full = true;
  bias = getChannelOperand(&scalar, channel, type, expressions);
  return success(bool(bias));
}

Value forms::getUnchanged(Operation *op, ScalarExpressions &expressions) {
  const Scalar *scalar = expressions.readElementwise(op);
  if (!scalar)
    return {};
  bool isSum = scalar->kind == ScalarKind::Add;
  if (isSum || scalar->kind == ScalarKind::Mul) {
    const Scalar *value = scalar->a, *number = scalar->b;
    if (expressions.getNumber(value))
      std::swap(value, number);
    if (expressions.getNumber(number) != (isSum ? 0.0 : 1.0))
      return {};
    scalar = value;
  }
  return scalar->kind == ScalarKind::Operand && scalar->full ? scalar->value
                                                             : Value();
}

std::optional<BiasAddition>
forms::getBiasAddition(Operation *root, ScalarExpressions &expressions) {
  const Scalar *sum = expressions.readElementwise(root);
  if (!sum || sum->kind != ScalarKind::Add)
    return std::nullopt;
  for (auto [value, parameter] :
       {std::pair(sum->a, sum->b), std::pair(sum->b, sum->a)}) {
    value = expressions.skipIdentities(value);
    parameter = expressions.skipMoves(parameter);
    if (expressions.isActivation(value) && value->full &&
        parameter->kind == ScalarKind::Operand && getProducer(value->value) &&
        hasOneReader(value->value) &&
        isParameter(parameter->value, expressions.constants))
      return BiasAddition{value->value, parameter};
  }
  return std::nullopt;
}

std::optional<unsigned> forms::getDirectLoop(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

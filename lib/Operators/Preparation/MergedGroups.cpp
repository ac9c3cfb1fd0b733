// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The channels of a convolution in groups are two dimensions, groups and the
// channels of each, between changes of shape. Fusion puts what follows or comes
// before into that shape; here it goes back to the shape of an image:
// merge(op(x)) -> op(merge(x)), until the change of shape stands at the
// convolution.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Between a convolution and a change of shape there are no more ops than this.
static constexpr unsigned kMaxDepth = 8;

using Groups = SmallVector<ReassociationIndices>;

static bool isTrivial(ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups, [](auto &group) { return group.size() == 1; });
}

/// Those of `rank` dimensions, of which `first` and the next one are merged.
static Groups mergeTwo(int64_t rank, int64_t first) {
  Groups groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == first + 1)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  return groups;
}

/// The type of a tensor of `type` whose dimensions are merged; null if a
/// dynamic one is among them.
static RankedTensorType getMergedType(RankedTensorType type,
                                      ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    int64_t size = 1;
    for (int64_t dim : group) {
      if (group.size() > 1 && type.isDynamicDim(dim))
        return {};
      size =
          group.size() > 1 ? size * type.getDimSize(dim) : type.getDimSize(dim);
    }
    shape.push_back(size);
  }
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
/// How an elementwise op reads an operand once its loops are merged.
struct MergedOperand {
  /// Of the dimensions of the operand.
  Groups groups;
  AffineMap map;
};
} // namespace

/// How `value`, read by `map`, is read by the merged `loops`; nullopt if it
/// holds a part of them only, or in another order. Loops of one step may be
/// anywhere, and are merged with the others if the value `isWhole`.
static std::optional<MergedOperand>
mergeOperand(Value value, AffineMap map, ArrayRef<int64_t> sizes,
             ArrayRef<ReassociationIndices> loops, bool isWhole) {
  MLIRContext *context = map.getContext();
  SmallVector<unsigned> mergedOf(sizes.size());
  for (auto [merged, group] : llvm::enumerate(loops))
    for (int64_t loop : group)
      mergedOf[loop] = merged;
  MergedOperand operand;
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> isRead(loops.size(), false);
  ArrayRef<AffineExpr> dims = map.getResults();
  auto getLoop = [&](unsigned dim) -> std::optional<int64_t> {
    auto loop = dyn_cast<AffineDimExpr>(dims[dim]);
    return loop ? std::optional<int64_t>(loop.getPosition()) : std::nullopt;
  };
  for (unsigned dim = 0; dim < dims.size();) {
    std::optional<int64_t> loop = getLoop(dim);
    ReassociationIndices &group = operand.groups.emplace_back();
    group.push_back(dim++);
    if (!loop) {
      if (!isa<AffineConstantExpr>(dims[dim - 1]))
        return std::nullopt;
      exprs.push_back(dims[dim - 1]);
      continue;
    }
    unsigned merged = mergedOf[*loop];
    if (loops[merged].size() == 1) {
      exprs.push_back(getAffineDimExpr(merged, context));
      continue;
    }
    // All that follows of this group, from outer to inner.
    int64_t count = sizes[*loop] != 1;
    for (int64_t last = *loop; dim < dims.size(); ++dim) {
      std::optional<int64_t> next = getLoop(dim);
      if (!next || mergedOf[*next] != merged || *next <= last)
        break;
      last = *next;
      count += sizes[last] != 1;
      group.push_back(dim);
    }
    int64_t wanted = llvm::count_if(
        loops[merged], [&](int64_t each) { return sizes[each] != 1; });
    bool isFirst = !isRead[merged];
    if (count != 0 && (count != wanted || !isFirst))
      return std::nullopt;
    auto isUnit = [&](int64_t each) { return sizes[*getLoop(each)] == 1; };
    // Dimensions of 1 that don't belong to the others are read at their one
    // place.
    if (count == 0 ? wanted != 0 || !isFirst
                   : !isWhole && isUnit(group.front())) {
      dim = group.front() + 1;
      group.resize(1);
      exprs.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    while (!isWhole && group.size() > 1 && isUnit(group.back()))
      dim = group.pop_back_val();
    isRead[merged] = true;
    exprs.push_back(getAffineDimExpr(merged, context));
  }
  operand.map = AffineMap::get(loops.size(), 0, exprs, context);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !getMergedType(type, operand.groups))
    return std::nullopt;
  return operand;
}

static std::optional<SmallVector<MergedOperand>>
mergeOperands(linalg::GenericOp op, ArrayRef<ReassociationIndices> groups,
              ConstantEvaluator &constants) {
  SmallVector<MergedOperand> operands;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [input, map] :
       llvm::zip(op.getInputs(), op.getIndexingMapsArray())) {
    bool isWhole =
        map.getNumResults() == map.getNumDims() || constants.isConstant(input);
    auto operand = mergeOperand(input, map, sizes, groups, isWhole);
    if (!operand)
      return std::nullopt;
    operands.push_back(std::move(*operand));
  }
  return operands;
}

/// The groups of what `transpose` reads; nullopt if they don't follow each
/// other there.
static std::optional<Groups>
getSourceGroups(ArrayRef<int64_t> permutation,
                ArrayRef<ReassociationIndices> groups) {
  Groups source;
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices &from = source.emplace_back();
    for (int64_t dim : group) {
      if (!from.empty() && permutation[dim] != from.back() + 1)
        return std::nullopt;
      from.push_back(permutation[dim]);
    }
  }
  llvm::sort(source, [](auto &a, auto &b) { return a.front() < b.front(); });
  return source;
}

/// The groups of the source of `expand` that together are `groups` of its
/// result; nullopt if these are parts of one of its dimensions.
static std::optional<Groups>
getSourceGroups(tensor::ExpandShapeOp expand,
                ArrayRef<ReassociationIndices> groups) {
  Groups source(groups.size()), pieces = expand.getReassociationIndices();
  SmallVector<unsigned> groupOf(
      cast<RankedTensorType>(expand.getType()).getRank());
  for (auto [index, group] : llvm::enumerate(groups))
    for (int64_t dim : group)
      groupOf[dim] = index;
  for (auto [dim, piece] : llvm::enumerate(pieces)) {
    if (groupOf[piece.front()] != groupOf[piece.back()])
      return std::nullopt;
    source[groupOf[piece.front()]].push_back(dim);
  }
  if (llvm::any_of(source, [](auto &group) { return group.empty(); }))
    return std::nullopt;
  return source;
}

/// `groups` of the result of `collapse`, of its source.
static Groups getSourceGroups(tensor::CollapseShapeOp collapse,
                              ArrayRef<ReassociationIndices> groups) {
  Groups source, pieces = collapse.getReassociationIndices();
  for (const ReassociationIndices &group : groups) {
    ReassociationIndices &from = source.emplace_back();
    for (int64_t dim : group)
      llvm::append_range(from, pieces[dim]);
  }
  return source;
}

/// Whether `op` convolves by groups and what `groups` merges are these and the
/// channels of each.
static bool isConvolutionOf(linalg::LinalgOp op,
                            ArrayRef<ReassociationIndices> groups,
                            ConstantEvaluator &constants) {
  std::optional<unsigned> weight = getWeightInput(op, constants);
  if (!weight)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap input = maps[1 - *weight], filter = maps[*weight];
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool found = false;
  for (const ReassociationIndices &group : groups) {
    if (group.size() == 1)
      continue;
    bool isGroup = false, ofFilter = true;
    for (int64_t dim : group) {
      auto loop = dyn_cast<AffineDimExpr>(maps.back().getResult(dim));
      if (!loop)
        return false;
      bool inInput = input.isFunctionOfDim(loop.getPosition());
      bool inFilter = filter.isFunctionOfDim(loop.getPosition());
      isGroup |= inInput && inFilter;
      ofFilter &= inFilter || sizes[loop.getPosition()] == 1;
    }
    if (isGroup && !ofFilter)
      return false;
    found |= isGroup;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {
class GroupMerger {
public:
  GroupMerger(PreparationRewriter &builder) : builder(builder) {}

  /// Whether `merge` can do it. Sets `found` if there is a convolution behind,
  /// and `moved` if something that computes is put into another shape.
  bool canMerge(Value value, ArrayRef<ReassociationIndices> groups,
                unsigned depth = 0);
  /// `value` with its dimensions merged. What else reads an op that is changed
  /// reads it through a change of shape.
  Value merge(Value value, ArrayRef<ReassociationIndices> groups);

  /// Erases what nobody reads any more.
  void clean();

  bool found = false, moved = false;

private:
  bool leadsToConvolution(Value value) const;
  Value mergeElementwise(linalg::GenericOp op,
                         ArrayRef<ReassociationIndices> groups);

  PreparationRewriter &builder;
  /// The groups by which `canMerge` was asked for a value.
  llvm::DenseMap<Value, Groups> asked;
  /// What may have no reader now.
  llvm::SetVector<Operation *> replaced;
};
} // namespace

/// Whether `value` is that of a convolution whose groups were merged already.
bool GroupMerger::leadsToConvolution(Value value) const {
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    Operation *op = value.getDefiningOp();
    Value source;
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
      value = collapse.getSrc();
      if (isConvolutionOf(value.getDefiningOp<linalg::LinalgOp>(),
                          collapse.getReassociationIndices(),
                          builder.constants))
        return true;
    } else if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
               generic && isPlainElementwise(generic)) {
      value = generic.getInputs()[0];
    } else if (getTransposition(op, source)) {
      value = source;
    } else {
      return false;
    }
  }
  return false;
}

bool GroupMerger::canMerge(Value value, ArrayRef<ReassociationIndices> groups,
                           unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !getMergedType(type, groups))
    return false;
  if (isTrivial(groups) || builder.constants.isConstant(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == kMaxDepth)
    return false;
  // Once changed, it can't be read by other groups. What fails once fails all.
  auto [known, isNew] =
      asked.try_emplace(value, Groups(groups.begin(), groups.end()));
  if (!isNew)
    return ArrayRef(known->second) == groups;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto source = getSourceGroups(expand, groups);
    found |= leadsToConvolution(expand.getSrc());
    return source && canMerge(expand.getSrc(), *source, depth + 1);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return canMerge(collapse.getSrc(), getSourceGroups(collapse, groups),
                    depth + 1);
  Value source;
  if (auto permutation = getTransposition(op, source)) {
    auto from = getSourceGroups(*permutation, groups);
    moved = true;
    return from && canMerge(source, *from, depth + 1);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    if (!pad.getConstantPaddingValue())
      return false;
    for (const ReassociationIndices &group : groups)
      for (int64_t dim : group)
        if (group.size() > 1 &&
            (!isConstantIntValue(pad.getMixedLowPad()[dim], 0) ||
             !isConstantIntValue(pad.getMixedHighPad()[dim], 0)))
          return false;
    moved = true;
    return canMerge(pad.getSource(), groups, depth + 1);
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (isConvolutionOf(structured, groups, builder.constants))
    return found = true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isPlainElementwise(generic))
    return false;
  auto operands = mergeOperands(generic, groups, builder.constants);
  if (!operands)
    return false;
  for (auto [input, operand] : llvm::zip(generic.getInputs(), *operands))
    if (isa<RankedTensorType>(input.getType()) &&
        !canMerge(input, operand.groups, depth + 1))
      return false;
  return moved = true;
}

Value GroupMerger::merge(Value value, ArrayRef<ReassociationIndices> groups) {
  if (isTrivial(groups))
    return value;
  Operation *op = value.getDefiningOp();
  auto type = getMergedType(cast<RankedTensorType>(value.getType()), groups);
  bool isConstant = builder.constants.isConstant(value);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
      expand && !isConstant) {
    replaced.insert(op);
    return merge(expand.getSrc(), *getSourceGroups(expand, groups));
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
      collapse && !isConstant) {
    replaced.insert(op);
    return merge(collapse.getSrc(), getSourceGroups(collapse, groups));
  }
  Value source;
  if (auto permutation = getTransposition(op, source);
      permutation && !isConstant) {
    replaced.insert(op);
    Groups from = *getSourceGroups(*permutation, groups);
    source = merge(source, from);
    SmallVector<int64_t> order;
    for (const ReassociationIndices &group : groups)
      for (auto [index, each] : llvm::enumerate(from))
        if (each.front() == (*permutation)[group.front()])
          order.push_back(index);
    builder.setInsertionPoint(op);
    return createTranspose(builder, op->getLoc(), source, order);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op); pad && !isConstant) {
    replaced.insert(op);
    source = merge(pad.getSource(), groups);
    SmallVector<OpFoldResult> low, high;
    for (const ReassociationIndices &group : groups) {
      low.push_back(pad.getMixedLowPad()[group.front()]);
      high.push_back(pad.getMixedHighPad()[group.front()]);
    }
    builder.setInsertionPoint(op);
    return tensor::PadOp::create(builder, op->getLoc(), type, source, low, high,
                                 createPaddingValue(builder, pad),
                                 pad.getNofold());
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op);
      generic && !isConstant && isPlainElementwise(generic))
    return mergeElementwise(generic, groups);
  builder.setInsertionPointAfter(op);
  return tensor::CollapseShapeOp::create(builder, op->getLoc(), type, value,
                                         groups);
}

Value GroupMerger::mergeElementwise(linalg::GenericOp op,
                                    ArrayRef<ReassociationIndices> groups) {
  SmallVector<MergedOperand> operands =
      *mergeOperands(op, groups, builder.constants);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    // Of two inputs with one producer, the second one was changed already.
    Value input = op.getInputs()[index];
    inputs.push_back(isa<RankedTensorType>(input.getType())
                         ? merge(input, operand.groups)
                         : input);
    maps.push_back(operand.map);
  }
  maps.push_back(
      AffineMap::getMultiDimIdentityMap(groups.size(), op.getContext()));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  RankedTensorType merged = getMergedType(type, groups);
  builder.setInsertionPoint(op);
  auto empty = op.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  Value init = tensor::EmptyOp::create(builder, op.getLoc(), merged,
                                       empty.getDynamicSizes());
  auto lowered = linalg::GenericOp::create(
      builder, op.getLoc(), merged, inputs, init, maps,
      SmallVector<utils::IteratorType>(groups.size(),
                                       utils::IteratorType::parallel));
  lowered.getRegion().takeBody(op.getRegion());
  Value expanded = tensor::ExpandShapeOp::create(builder, op.getLoc(), type,
                                                 lowered.getResult(0), groups);
  builder.replaceAllUsesWith(op.getResult(0), expanded);
  replaced.insert(expanded.getDefiningOp());
  builder.recordReshaped(cast<linalg::LinalgOp>(op.getOperation()),
                         cast<linalg::LinalgOp>(lowered.getOperation()));
  return lowered.getResult(0);
}

void GroupMerger::clean() {
  // What is erased may have been the last reader of another one.
  while (replaced.remove_if([&](Operation *op) {
    if (!op->use_empty())
      return false;
    builder.eraseOp(op);
    return true;
  }))
    ;
}

/// Whether `expr` reads an image of `op` by the channels of each group
/// (`ofReduced`), or by the groups.
static bool isChannelDim(linalg::LinalgOp op, unsigned image, AffineExpr expr,
                         bool ofReduced) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto loop = dyn_cast<AffineDimExpr>(expr);
  return loop && maps[1 - image].isFunctionOfDim(loop.getPosition()) &&
         maps.back().isFunctionOfDim(loop.getPosition()) != ofReduced;
}

/// The dimension of an image of `op` that holds the groups, if the channels of
/// each come right behind it; with `isReversed` that of the channels, if the
/// groups do.
static std::optional<int64_t> findGroups(linalg::LinalgOp op, unsigned image,
                                         bool isReversed) {
  AffineMap map = op.getIndexingMapsArray()[image];
  for (unsigned dim = 0; dim + 1 < map.getNumResults(); ++dim)
    if (isChannelDim(op, image, map.getResult(dim), isReversed) &&
        isChannelDim(op, image, map.getResult(dim + 1), !isReversed))
      return dim;
  return std::nullopt;
}

/// Makes `op` read its image with the groups in front of the channels of each,
/// where fusion has put a transposition of the two into it.
static void putGroupsFirst(linalg::GenericOp op, unsigned image,
                           PreparationRewriter &builder) {
  OpOperand *input = op.getDpsInputOperand(image);
  auto type = cast<RankedTensorType>(input->get().getType());
  std::optional<int64_t> channels = findGroups(op, image, /*isReversed=*/true);
  if (!channels || findGroups(op, image, /*isReversed=*/false) ||
      !type.hasStaticShape() || type.getRank() < 5)
    return;
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation[*channels], permutation[*channels + 1]);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> exprs(maps[image].getResults());
  std::swap(exprs[*channels], exprs[*channels + 1]);
  maps[image] =
      AffineMap::get(maps[image].getNumDims(), 0, exprs, op.getContext());
  builder.setInsertionPoint(op);
  input->set(createTranspose(builder, op.getLoc(), input->get(), permutation));
  SmallVector<SmallVector<int64_t>> permutations(op.getNumDpsInputs());
  permutations[image] = permutation;
  builder.recordTransposes(op, op.getIndexingMaps(), permutations);
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
}

void forms::expandGroups(Operation *root, PreparationRewriter &builder) {
  auto op = dyn_cast<linalg::LinalgOp>(root);
  std::optional<unsigned> weight = getWeightInput(op, builder.constants);
  if (!weight)
    return;
  unsigned image = 1 - *weight;
  OpOperand *input = op.getDpsInputOperand(image);
  if (!isa<RankedTensorType>(input->get().getType()))
    return;
  if (auto generic = dyn_cast<linalg::GenericOp>(root))
    putGroupsFirst(generic, image, builder);
  auto type = cast<RankedTensorType>(input->get().getType());
  std::optional<int64_t> first = findGroups(op, image, /*isReversed=*/false);
  if (!first)
    return;
  Groups groups = mergeTwo(type.getRank(), *first);
  if (!getMergedType(type, groups))
    return;
  GroupMerger merger(builder);
  builder.setInsertionPoint(op);
  if (merger.canMerge(input->get(), groups)) {
    if (!merger.moved)
      return;
    Value merged = merger.merge(input->get(), groups);
    builder.setInsertionPoint(op);
    input->set(tensor::ExpandShapeOp::create(builder, op.getLoc(), type, merged,
                                             groups));
    merger.clean();
    return;
  }
  // What merged channels, in another order, and what cut them have cancelled
  // each other.
  if (type.getRank() < 5)
    return;
  auto collapse = tensor::CollapseShapeOp::create(
      builder, op.getLoc(), getMergedType(type, groups), input->get(), groups);
  input->set(tensor::ExpandShapeOp::create(builder, op.getLoc(), type, collapse,
                                           groups));
  builder.recordUndo(
      op.getOperation(), op.getOperation(),
      [=](PreparationRewriter &rewriter) -> Operation * {
        linalg::LinalgOp from = op;
        OpOperand *operand = from.getDpsInputOperand(image);
        auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
        auto merged =
            expand ? expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>()
                   : tensor::CollapseShapeOp();
        if (!merged || merged.getSrcType() != type)
          return nullptr;
        operand->set(merged.getSrc());
        for (Operation *each : {expand.getOperation(), merged.getOperation()})
          if (each->use_empty())
            rewriter.eraseOp(each);
        return from;
      });
  takeOutOfShuffle(collapse, builder);
  mergeGroups(collapse, builder);
}

Operation *forms::mergeGroups(tensor::CollapseShapeOp collapse,
                              PreparationRewriter &builder) {
  Groups groups = collapse.getReassociationIndices();
  GroupMerger merger(builder);
  if (builder.constants.isConstant(collapse.getSrc()) ||
      !merger.canMerge(collapse.getSrc(), groups) || !merger.found ||
      !merger.moved)
    return nullptr;
  Value merged = merger.merge(collapse.getSrc(), groups);
  builder.replaceOp(collapse, merged);
  merger.clean();
  return merged.getDefiningOp();
}

bool forms::mergeDims(Value value, ArrayRef<ReassociationIndices> groups,
                      PreparationRewriter &builder) {
  GroupMerger merger(builder);
  if (!merger.canMerge(value, groups))
    return false;
  merger.merge(value, groups);
  merger.clean();
  return true;
}

std::optional<SmallVector<ReassociationIndices>>
forms::getChannelGroups(linalg::LinalgOp op, ConstantEvaluator &constants) {
  if (!op || op.getNumDpsInits() != 1)
    return std::nullopt;
  int64_t rank =
      cast<RankedTensorType>(op.getDpsInits()[0].getType()).getRank();
  for (int64_t first = 1; first + 1 < rank; ++first) {
    Groups groups = mergeTwo(rank, first);
    if (isConvolutionOf(op, groups, constants))
      return groups;
  }
  return std::nullopt;
}

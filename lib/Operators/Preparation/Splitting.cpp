// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits structured ops that fusion has made of several: at a value of the
// body, what computes it becomes an op of its own.
//
// More than 600 lines: the search for a cut and what a cut makes are one class,
// whose attempts undo each other.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Bodies with more ops are left as they are, so that the time stays linear.
static constexpr size_t kMaxBodySize = 128;
/// Ways to cut that are tried for one op, those of its pieces among them: seven
/// times what any operator took. The search is exponential where nothing is
/// one.
static constexpr unsigned kMaxAttempts = 64;

namespace {
/// What values of a body are computed from.
struct BodySlice {
  llvm::DenseSet<Operation *> ops;
  /// Numbers of the inputs, ascending.
  SmallVector<unsigned> inputs;
  bool readsInit = false;
  /// True if an input isn't constant, or an element of a tensor that isn't is
  /// taken by its position.
  bool active = false;
  bool extracts = false;
};

/// The loops of a part: those over a tensor that the whole reads by `map`.
struct Space {
  AffineMap map;
  RankedTensorType type;
  /// Where dynamic sizes come from: a tensor of that shape.
  Value like;
};

/// The ops that a generic op becomes.
struct Pieces {
  SmallVector<linalg::GenericOp> parts;
  linalg::GenericOp rest;
};

class Splitter {
public:
  using IsOperator = llvm::function_ref<bool(Operation *)>;

  /// `attempts` are those that are left, for this op and its pieces.
  Splitter(linalg::GenericOp op, PreparationRewriter &rewriter,
           unsigned &attempts)
      : op(op), rewriter(rewriter), attempts(attempts),
        constants(rewriter.constants), body(*op.getBody()) {}

  Operation *split(IsOperator isOperator);
  Operation *splitPrologue();

private:
  BodySlice getSlice(ArrayRef<Value> values);
  AffineMap getMap(unsigned input);
  std::optional<Space> getIndexedSpace(const BodySlice &slice);
  std::optional<Space> getSpace(const BodySlice &slice);
  linalg::GenericOp createPart(Value cut, AffineMap &readBy);
  bool createRest(ArrayRef<Value> cuts, ArrayRef<AffineMap> readBy,
                  Pieces &pieces);
  std::optional<Pieces> splitAt(ArrayRef<Value> cuts);
  SmallVector<SmallVector<Value>> getCandidates();
  std::optional<Pieces> search(IsOperator isOperator);
  bool isKnown(IsOperator isOperator);
  bool isOfOneTensor(Operation *product);
  bool isOneFunction(const Pieces &pieces, IsOperator isOperator);
  void erase(Pieces &pieces);
  Operation *commit(const Pieces &pieces, bool restDecides);

  linalg::GenericOp op;
  PreparationRewriter &rewriter;
  unsigned &attempts;
  ConstantEvaluator &constants;
  Block &body;
};
} // namespace

BodySlice Splitter::getSlice(ArrayRef<Value> values) {
  BodySlice slice;
  llvm::SmallSetVector<unsigned, 4> inputs;
  SmallVector<Value> stack(values);
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      Operation *inner = value.getDefiningOp();
      if (inner->getBlock() == &body && slice.ops.insert(inner).second) {
        llvm::append_range(stack, inner->getOperands());
        if (auto extract = dyn_cast<tensor::ExtractOp>(inner);
            extract && getFloatType(extract.getTensor()) &&
            !constants.isConstant(extract.getTensor()))
          slice.active = slice.extracts = true;
      }
      continue;
    }
    if (argument.getOwner() != &body)
      continue;
    unsigned number = argument.getArgNumber();
    slice.readsInit |= number >= op.getInputs().size();
    if (number < op.getInputs().size() && inputs.insert(number))
      slice.active |= !constants.isConstant(op.getInputs()[number]);
  }
  slice.inputs = inputs.takeVector();
  llvm::sort(slice.inputs);
  return slice;
}

/// The map of an input; a dimension of size 1 that is read at 0 has the loop of
/// its position, if that has one step, too.
AffineMap Splitter::getMap(unsigned input) {
  AffineMap map = op.getIndexingMapsArray()[input];
  auto type = dyn_cast<RankedTensorType>(op.getInputs()[input].getType());
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  if (!type || type.getRank() != int64_t(loops.size()))
    return map;
  SmallVector<AffineExpr> exprs(map.getResults());
  for (auto [dim, expr] : llvm::enumerate(exprs))
    if (isa<AffineConstantExpr>(expr) && type.getDimSize(dim) == 1 &&
        loops[dim] == 1)
      expr = getAffineDimExpr(dim, op.getContext());
  return AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
}

/// The loops in which a lookup by integers in a table, which reads positions,
/// is computed: those of all that it reads, and the positions. Nullopt for
/// other code (a pool may compute positions, too), and for that with guards,
/// which would be lost.
std::optional<Space> Splitter::getIndexedSpace(const BodySlice &slice) {
  llvm::SmallBitVector loops(op.getNumLoops());
  bool readsPosition = false;
  for (Operation *inner : slice.ops)
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      readsPosition = true;
      loops.set(index.getDim());
    }
  if (!readsPosition ||
      !llvm::all_of(body, [](Operation &inner) { return isPure(&inner); }))
    return std::nullopt;
  bool isLookup = llvm::any_of(slice.inputs, [&](unsigned input) {
    return body.getArgument(input).getType().isSignlessInteger();
  });
  if (!isLookup)
    return std::nullopt;
  for (unsigned input : slice.inputs)
    for (AffineExpr expr : getMap(input).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        loops.set(dim.getPosition());
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), shape;
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops.set_bits()) {
    if (ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
    shape.push_back(ranges[loop]);
    exprs.push_back(getAffineDimExpr(loop, op.getContext()));
  }
  return Space{AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext()),
               RankedTensorType::get(shape, Float32Type::get(op.getContext())),
               Value()};
}

/// The loops in which what `slice` reads is computed: those of a tensor that it
/// reads, if the others are read by no other loops, or all loops.
std::optional<Space> Splitter::getSpace(const BodySlice &slice) {
  SmallVector<Space> spaces;
  if (std::optional<Space> indexed = getIndexedSpace(slice))
    return indexed;
  for (unsigned input : slice.inputs) {
    Value value = op.getInputs()[input];
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!constants.isConstant(value) && type)
      spaces.push_back({getMap(input), type, value});
  }
  if (spaces.empty() && !slice.extracts)
    return std::nullopt;
  // Each element once: no dimension twice, and 0 only where there is no other.
  auto isUsable = [](const Space &space) {
    llvm::SmallDenseSet<AffineExpr> seen;
    for (auto [expr, size] :
         llvm::zip_equal(space.map.getResults(), space.type.getShape()))
      if (isa<AffineConstantExpr>(expr) ? size != 1 : !seen.insert(expr).second)
        return false;
    return true;
  };
  // By whichever loop a dimension of 1 is read.
  auto covers = [](const Space &space, const Space &other) {
    return llvm::all_of(
        llvm::zip_equal(other.map.getResults(), other.type.getShape()),
        [&](auto dim) {
          return std::get<1>(dim) == 1 ||
                 llvm::is_contained(space.map.getResults(), std::get<0>(dim));
        });
  };
  // Of several, one with dimensions of 1: a batch that a bias has not.
  const Space *best = nullptr;
  for (const Space &space : spaces)
    if (!slice.extracts && isUsable(space) &&
        (!best || space.type.getRank() > best->type.getRank()) &&
        llvm::all_of(spaces,
                     [&](const Space &other) { return covers(space, other); }))
      best = &space;
  if (best)
    return *best;
  AffineMap output = op.getIndexingMapsArray().back();
  auto type = dyn_cast<RankedTensorType>(op.getOutputs()[0].getType());
  if (op.getNumLoops() != op.getNumParallelLoops() || !output.isIdentity() ||
      !type)
    return std::nullopt;
  return Space{output, type, op.getOutputs()[0]};
}

/// The op that computes `cut`, and the map by which the rest reads its result.
linalg::GenericOp Splitter::createPart(Value cut, AffineMap &readBy) {
  BodySlice slice = getSlice(cut);
  std::optional<Space> space = getSpace(slice);
  if (!space || slice.readsInit || !cut.getType().isF32())
    return {};
  MLIRContext *context = op.getContext();
  int64_t rank = space->type.getRank();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned input : slice.inputs) {
    SmallVector<AffineExpr> exprs;
    auto type = dyn_cast<RankedTensorType>(op.getInputs()[input].getType());
    for (auto [dim, expr] : llvm::enumerate(getMap(input).getResults())) {
      auto *it = llvm::find(space->map.getResults(), expr);
      bool sameShape = type && type.getShape() == space->type.getShape();
      if (sameShape &&
          (isa<AffineConstantExpr>(expr) || type.getDimSize(dim) == 1))
        exprs.push_back(getAffineDimExpr(dim, context));
      else if (isa<AffineConstantExpr>(expr))
        exprs.push_back(expr);
      else if (it != space->map.getResults().end())
        exprs.push_back(
            getAffineDimExpr(it - space->map.getResults().begin(), context));
      else if (type && type.getDimSize(dim) == 1)
        exprs.push_back(getAffineConstantExpr(0, context));
      else
        return {};
    }
    inputs.push_back(op.getInputs()[input]);
    maps.push_back(AffineMap::get(rank, 0, exprs, context));
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));

  // The number of a loop is that of the dimension it reads.
  llvm::SmallDenseMap<unsigned, unsigned> loops;
  for (auto [position, expr] : llvm::enumerate(space->map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = position;
  for (Operation *inner : slice.ops)
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      if (!loops.contains(index.getDim()))
        return {};

  OpBuilder builder(op);
  Location loc = cut.getLoc();
  auto type = RankedTensorType::get(space->type.getShape(), cut.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, space->like, dim));
  Value init = tensor::EmptyOp::create(builder, loc, type, sizes);
  readBy = space->map;
  auto part = linalg::GenericOp::create(
      builder, loc, type, inputs, init, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        IRMapping mapping;
        for (auto [i, input] : llvm::enumerate(slice.inputs))
          mapping.map(body.getArgument(input), arguments[i]);
        for (Operation &each : body)
          if (slice.ops.contains(&each))
            inner.clone(each, mapping);
        linalg::YieldOp::create(inner, loc, mapping.lookup(cut));
      });
  part.walk([&](linalg::IndexOp index) {
    index.setDim(loops.lookup(index.getDim()));
  });
  return part;
}

/// What is left of the op when it reads `pieces.parts`. False, with nothing
/// created, if it would compute again what a part computes.
bool Splitter::createRest(ArrayRef<Value> cuts, ArrayRef<AffineMap> readBy,
                          Pieces &pieces) {
  llvm::DenseSet<Operation *> needed;
  llvm::SmallSetVector<unsigned, 8> arguments;
  SmallVector<Value> stack(body.getTerminator()->getOperands());
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (llvm::is_contained(cuts, value))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &body)
        arguments.insert(argument.getArgNumber());
      continue;
    }
    Operation *inner = value.getDefiningOp();
    if (inner->getBlock() == &body && needed.insert(inner).second)
      llvm::append_range(stack, inner->getOperands());
  }
  for (Operation *inner : getSlice(cuts).ops)
    if (needed.contains(inner) &&
        getSlice(SmallVector<Value>(inner->getResults())).active)
      return false;

  unsigned numInputs = op.getInputs().size();
  SmallVector<unsigned> kept;
  for (unsigned input = 0; input < numInputs; ++input)
    // What no one reads says how far loops go.
    if (arguments.contains(input) || body.getArgument(input).use_empty())
      kept.push_back(input);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  // Parts first: what a chain goes through is its first operand.
  for (auto [part, map] : llvm::zip_equal(pieces.parts, readBy)) {
    inputs.push_back(part.getResult(0));
    maps.push_back(map);
  }
  for (unsigned input : kept) {
    inputs.push_back(op.getInputs()[input]);
    maps.push_back(op.getIndexingMapsArray()[input]);
  }
  llvm::append_range(maps,
                     ArrayRef(op.getIndexingMapsArray()).drop_front(numInputs));
  // What a part has taken along may have been all that says how far a loop
  // goes.
  if (!mlir::inversePermutation(concatAffineMaps(maps, op.getContext())))
    return false;
  OpBuilder builder(op);
  pieces.rest = linalg::GenericOp::create(
      builder, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        IRMapping mapping;
        for (auto [i, cut] : llvm::enumerate(cuts))
          mapping.map(cut, values[i]);
        for (auto [i, input] : llvm::enumerate(kept))
          mapping.map(body.getArgument(input), values[cuts.size() + i]);
        for (unsigned i = 0; i < op.getOutputs().size(); ++i)
          mapping.map(body.getArgument(numInputs + i),
                      values[inputs.size() + i]);
        for (Operation &each : body.without_terminator())
          if (needed.contains(&each))
            inner.clone(each, mapping);
        SmallVector<Value> results;
        for (Value result : body.getTerminator()->getOperands())
          results.push_back(mapping.lookupOrDefault(result));
        linalg::YieldOp::create(inner, loc, results);
      });
  return true;
}

void Splitter::erase(Pieces &pieces) {
  auto eraseOp = [&](Operation *piece) {
    SmallVector<Value> operands(piece->getOperands());
    rewriter.eraseOp(piece);
    // The empty tensors and sizes that were made for it.
    for (Value operand : operands)
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->use_empty() &&
          isa<tensor::EmptyOp, tensor::DimOp>(producer))
        rewriter.eraseOp(producer);
  };
  if (pieces.rest)
    eraseOp(pieces.rest);
  for (linalg::GenericOp part : llvm::reverse(pieces.parts))
    eraseOp(part);
}

std::optional<Pieces> Splitter::splitAt(ArrayRef<Value> cuts) {
  if (attempts == 0)
    return std::nullopt;
  --attempts;
  Pieces pieces;
  SmallVector<AffineMap> readBy;
  for (Value cut : cuts) {
    AffineMap map;
    linalg::GenericOp part = createPart(cut, map);
    if (!part) {
      erase(pieces);
      return std::nullopt;
    }
    pieces.parts.push_back(part);
    readBy.push_back(map);
  }
  if (createRest(cuts, readBy, pieces))
    return pieces;
  erase(pieces);
  return std::nullopt;
}

/// Where to cut, so that the rest is as much as possible.
SmallVector<SmallVector<Value>> Splitter::getCandidates() {
  SmallVector<SmallVector<Value>> candidates;
  Value yielded = body.getTerminator()->getOperand(0);
  // What only a single input goes into before it meets others.
  llvm::SmallMapVector<unsigned, Value, 4> prologues;
  for (Operation &inner : body.without_terminator()) {
    if (inner.getNumResults() != 1 || !inner.getResult(0).getType().isF32() ||
        inner.getResult(0) == yielded)
      continue;
    BodySlice slice = getSlice(inner.getResult(0));
    if (!slice.active || slice.readsInit)
      continue;
    candidates.push_back({inner.getResult(0)});
    SmallVector<unsigned> activeInputs =
        llvm::filter_to_vector(slice.inputs, [&](unsigned input) {
          return !constants.isConstant(op.getInputs()[input]);
        });
    if (activeInputs.size() == 1)
      prologues[activeInputs.front()] = inner.getResult(0);
  }
  SmallVector<Value> operands;
  if (Operation *last = yielded.getDefiningOp();
      last && last->getBlock() == &body)
    for (Value operand : last->getOperands())
      if (Operation *inner = operand.getDefiningOp();
          inner && inner->getBlock() == &body && getSlice(operand).active &&
          !llvm::is_contained(operands, operand))
        operands.push_back(operand);
  if (operands.size() > 1)
    candidates.push_back(operands);
  if (prologues.size() > 1)
    candidates.push_back(llvm::to_vector(llvm::make_second_range(prologues)));
  return candidates;
}

/// Whether the op is an operator, or can be taken apart into operators.
bool Splitter::isKnown(IsOperator isOperator) {
  if (isOperator(op))
    return true;
  auto pieces = search(isOperator);
  if (!pieces)
    return false;
  bool isKnown =
      Splitter(pieces->rest, rewriter, attempts).isKnown(isOperator) &&
      llvm::all_of(pieces->parts, [&](linalg::GenericOp part) {
        return Splitter(part, rewriter, attempts).isKnown(isOperator);
      });
  erase(*pieces);
  return isKnown;
}

/// Whether the pieces are one function that nobody knows, of a value that two
/// of them read, and not several that fusion has joined: one of the two is not
/// known.
bool Splitter::isOneFunction(const Pieces &pieces, IsOperator isOperator) {
  SmallVector<linalg::GenericOp> all(pieces.parts);
  all.push_back(pieces.rest);
  // Tensors are read as a whole, or at positions that the body computes.
  auto reads = [](linalg::GenericOp piece, Value value) {
    return llvm::is_contained(piece.getInputs(), value) ||
           llvm::any_of(piece.getBody()->getOps<tensor::ExtractOp>(),
                        [&](tensor::ExtractOp extract) {
                          return extract.getTensor() == value;
                        });
  };
  auto isShared = [&](Value value) {
    return !constants.isConstant(value) &&
           llvm::count_if(all, [&](linalg::GenericOp piece) {
             return reads(piece, value);
           }) > 1;
  };
  return llvm::any_of(all, [&](linalg::GenericOp piece) {
    bool isPart = llvm::any_of(piece.getInputs(), isShared) ||
                  llvm::any_of(piece.getBody()->getOps<tensor::ExtractOp>(),
                               [&](tensor::ExtractOp extract) {
                                 return isShared(extract.getTensor());
                               });
    return isPart && !Splitter(piece, rewriter, attempts).isKnown(isOperator);
  });
}

std::optional<Pieces> Splitter::search(IsOperator isOperator) {
  SmallVector<SmallVector<Value>> candidates = getCandidates();
  for (ArrayRef<Value> cuts : candidates)
    if (auto pieces = splitAt(cuts)) {
      if (isOperator(pieces->rest) && !isOneFunction(*pieces, isOperator))
        return pieces;
      erase(*pieces);
    }
  // The end is no operator, but what comes before it may be. A reduction is not
  // taken apart for that: what it reduces is part of what it is.
  if (op.getNumReductionLoops() != 0)
    return std::nullopt;
  for (ArrayRef<Value> cuts : llvm::reverse(candidates)) {
    auto pieces = cuts.size() == 1 ? splitAt(cuts) : std::nullopt;
    if (!pieces)
      continue;
    linalg::GenericOp part = pieces->parts.front();
    if (isOperator(part)) {
      if (!isOneFunction(*pieces, isOperator))
        return pieces;
      erase(*pieces);
      continue;
    }
    Splitter inner(part, rewriter, attempts);
    if (auto found = inner.search(isOperator)) {
      inner.erase(*found);
      if (!isOneFunction(*pieces, isOperator))
        return pieces;
    }
    erase(*pieces);
  }
  return std::nullopt;
}

Operation *Splitter::split(IsOperator isOperator) {
  if (op.getNumResults() > 1)
    return separateResults(op, rewriter);
  std::optional<Pieces> pieces = search(isOperator);
  return pieces ? commit(*pieces, /*restDecides=*/false) : nullptr;
}

/// Puts the pieces in the place of the op, for good if the rest, or one of
/// them, is recognised.
Operation *Splitter::commit(const Pieces &pieces, bool restDecides) {
  linalg::GenericOp rest = pieces.rest;
  SmallVector<Operation *> all(pieces.parts.begin(), pieces.parts.end());
  all.push_back(rest);
  rewriter.replaceByPieces(op, rest->getResults(), all,
                           restDecides ? ArrayRef(all).take_back()
                                       : ArrayRef(all));
  for (linalg::GenericOp part : pieces.parts) {
    takeOutTransposes(part, rewriter);
    liftElementwise(part, rewriter);
  }
  return rest;
}

/// Whether a sum of `element` belongs to a mean, a norm or a softmax: squares,
/// exponentials, and what is scaled by a number.
static bool isStatistic(Value element) {
  Operation *last = element.getDefiningOp();
  if (!last ||
      isa<math::ExpOp, math::PowFOp, math::FPowIOp, math::AbsFOp>(last))
    return true;
  if (!isa<arith::MulFOp, arith::DivFOp>(last))
    return false;
  Value a = last->getOperand(0), b = last->getOperand(1);
  auto isNumber = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op ? op->getBlock() != last->getBlock() ||
                    op->hasTrait<OpTrait::ConstantLike>()
              : cast<BlockArgument>(value).getOwner() != last->getBlock();
  };
  return a == b || isNumber(a) || isNumber(b);
}

/// Whether the factors of `product` are computed from one tensor, as in a sum
/// of x * f(x): those of a contraction are not.
bool Splitter::isOfOneTensor(Operation *product) {
  BodySlice first = getSlice(product->getOperand(0)),
            second = getSlice(product->getOperand(1));
  return llvm::any_of(first.inputs, [&](unsigned input) {
    return llvm::is_contained(second.inputs, input) &&
           !constants.isConstant(op.getInputs()[input]);
  });
}

Operation *Splitter::splitPrologue() {
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0 || !last ||
      last->getBlock() != &body || last->getNumOperands() != 2)
    return nullptr;
  BlockArgument init = op.getRegionOutputArgs()[0];
  Value element =
      last->getOperand(0) == init ? last->getOperand(1) : last->getOperand(0);
  bool isProduct = op.getInputs().size() > 1 &&
                   isa_and_nonnull<arith::MulFOp>(element.getDefiningOp()) &&
                   !isOfOneTensor(element.getDefiningOp());
  bool isPool = op.getInputs().size() > 1 &&
                llvm::any_of(op.getRegionInputArgs(),
                             [](BlockArgument arg) { return arg.use_empty(); });
  bool isSum = isa<arith::AddFOp>(last) && !isStatistic(element);
  if (!llvm::is_contained(last->getOperands(), init) ||
      (!isProduct && !isPool && !isSum))
    return nullptr;
  auto splitBefore = [&](ValueRange values) -> Operation * {
    SmallVector<Value> cuts;
    for (Value value : values)
      if (Operation *inner = value.getDefiningOp();
          inner && inner->getBlock() == &body && getSlice(value).active &&
          !llvm::is_contained(cuts, value))
        cuts.push_back(value);
    auto pieces = cuts.empty() ? std::nullopt : splitAt(cuts);
    return pieces ? commit(*pieces, /*restDecides=*/true) : nullptr;
  };
  // The product in a pool of a product (a gate) is the pool's element.
  if (isPool || !isProduct)
    if (Operation *rest = splitBefore(element))
      return rest;
  return isProduct ? splitBefore(element.getDefiningOp()->getOperands())
                   : nullptr;
}

/// Whether the body of `op` can be taken apart at all.
static bool isSplittable(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() &&
         op.getBody()->getOperations().size() <= kMaxBodySize &&
         llvm::none_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.getNumSymbols() != 0; }) &&
         llvm::none_of(*op.getBody(), [](Operation &inner) {
           return inner.getNumRegions() != 0;
         });
}

Operation *forms::splitPrologue(Operation *op, PreparationRewriter &rewriter) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  unsigned attempts = kMaxAttempts;
  Operation *rest = generic && isSplittable(generic)
                        ? Splitter(generic, rewriter, attempts).splitPrologue()
                        : nullptr;
  return rest ? rest : op;
}

Operation *forms::splitFused(Operation *op, PreparationRewriter &rewriter,
                             llvm::function_ref<bool(Operation *)> isOperator) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isSplittable(generic))
    return nullptr;
  unsigned attempts = kMaxAttempts;
  return Splitter(generic, rewriter, attempts).split(isOperator);
}

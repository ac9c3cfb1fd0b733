// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes ops of parts of the region of a structured op. The law of each: who
// inlines the parts again has the op that came.

#include "ElementSlices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

bool qbackend::isElementwise(linalg::LinalgOp op) {
  if (!op || !op.hasPureTensorSemantics() || !op.getBlock() ||
      op.getNumLoops() != op.getNumParallelLoops())
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isIdentity();
  });
}

bool qbackend::canBeSliced(linalg::LinalgOp op) {
  return isElementwise(op) &&
         llvm::none_of(op.getRegionOutputArgs(),
                       [](Value argument) { return !argument.use_empty(); }) &&
         llvm::none_of(*op.getBlock(), [](Operation &inner) {
           return inner.getNumRegions() != 0;
         });
}

namespace {
/// What an op for a part of another one looks like.
struct Part {
  SmallVector<Value> scalars, inits;
  SmallVector<AffineMap> initMaps;
  SmallVector<utils::IteratorType> loops;
  /// Which of the destinations it has.
  SmallVector<unsigned> results;
  bool isReduction = false;
};
} // namespace

/// Creates `part` of `op`, whose inputs are read by `getMap`.
static linalg::GenericOp
createPart(RewriterBase &rewriter, linalg::LinalgOp op, const Part &part,
           ArrayRef<ScalarTensor> replaced,
           llvm::function_ref<AffineMap(OpOperand *)> getMap) {
  Block *body = op.getBlock();
  llvm::SetVector<Value> needed(part.scalars.begin(), part.scalars.end());
  auto isReplaced = [&](Value value) {
    return llvm::any_of(replaced, [&](const ScalarTensor &each) {
      return each.scalar == value;
    });
  };
  for (size_t i = 0; i < needed.size(); ++i)
    if (Operation *inner = needed[i].getDefiningOp();
        inner && inner->getBlock() == body && !isReplaced(needed[i]))
      needed.insert(inner->operand_begin(), inner->operand_end());
  SmallVector<Value> arguments, inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value argument = op.getMatchingBlockArgument(input);
    if (!needed.contains(argument) || isReplaced(argument))
      continue;
    arguments.push_back(argument);
    inputs.push_back(input->get());
    maps.push_back(getMap(input));
  }
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(part.loops.size(), op.getContext());
  for (const ScalarTensor &each : replaced)
    if (needed.contains(each.scalar)) {
      arguments.push_back(each.scalar);
      inputs.push_back(each.tensor);
      maps.push_back(each.map ? each.map : identity);
    }
  // The window of a pool is read for its shape alone.
  for (OpOperand *input : op.getDpsInputOperands())
    if (Value argument = op.getMatchingBlockArgument(input);
        part.isReduction && argument.use_empty()) {
      arguments.push_back(argument);
      inputs.push_back(input->get());
      maps.push_back(getMap(input));
    }
  maps.append(part.initMaps);
  for (unsigned result : part.results)
    arguments.push_back(op.getRegionOutputArgs()[result]);
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), ValueRange(part.inits).getTypes(), inputs,
      part.inits, maps, part.loops,
      [&](OpBuilder &builder, Location loc, ValueRange blockArguments) {
        IRMapping mapping;
        mapping.map(arguments, blockArguments.take_front(arguments.size()));
        for (Operation &inner : body->without_terminator())
          if (llvm::any_of(inner.getResults(), [&](Value result) {
                return needed.contains(result) && !isReplaced(result);
              }))
            builder.clone(inner, mapping);
        SmallVector<Value> yielded;
        for (Value scalar : part.scalars)
          yielded.push_back(mapping.lookupOrDefault(scalar));
        linalg::YieldOp::create(builder, loc, yielded);
      });
}

/// A tensor of the shape of `like` for elements of `type`.
static Value createEmpty(RewriterBase &rewriter, Location loc, Value like,
                         Type type) {
  return tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, like), type);
}

linalg::GenericOp qbackend::createSlice(RewriterBase &rewriter,
                                        linalg::LinalgOp op, Value scalar) {
  rewriter.setInsertionPoint(op);
  Part part;
  part.scalars = {scalar};
  part.inits = {createEmpty(rewriter, op.getLoc(), op.getDpsInits().front(),
                            scalar.getType())};
  part.initMaps = {
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())};
  part.loops = op.getIteratorTypesArray();
  return createPart(rewriter, op, part, {}, [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input);
  });
}

linalg::GenericOp qbackend::createRest(RewriterBase &rewriter,
                                       linalg::LinalgOp op,
                                       ArrayRef<unsigned> results,
                                       ArrayRef<ScalarTensor> replaced) {
  rewriter.setInsertionPoint(op);
  Part part;
  for (unsigned result : results) {
    OpOperand *init = op.getDpsInitOperand(result);
    part.scalars.push_back(op.getBlock()->getTerminator()->getOperand(result));
    part.inits.push_back(init->get());
    part.initMaps.push_back(op.getMatchingIndexingMap(init));
    part.results.push_back(result);
  }
  part.loops = op.getIteratorTypesArray();
  part.isReduction = op.getNumReductionLoops() != 0;
  return createPart(rewriter, op, part, replaced, [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input);
  });
}

//===----------------------------------------------------------------------===//
// Prologues
//===----------------------------------------------------------------------===//

namespace {
/// Finds the scalars of a region that one of its inputs alone says.
class PrologueFinder {
public:
  PrologueFinder(linalg::LinalgOp op, ConstantEvaluator &constants,
                 llvm::function_ref<bool(Operation *)> isWanted)
      : op(op), constants(constants), isWanted(isWanted),
        inputs(op.getDpsInputOperands()) {}

  /// A scalar that is used by what isn't said by the same input, and that
  /// input.
  SmallVector<std::pair<Value, OpOperand *>> find();

  /// By which map over the elements of `main` `input` is read; null if there is
  /// none.
  AffineMap getMap(OpOperand *input, OpOperand *main);

private:
  struct Origin {
    llvm::SmallBitVector inputs;
    /// Depends on more than inputs: on a sum, a position, other values.
    bool isMixed = false, isWanted = false;
  };
  Origin getOrigin(Value value);
  OpOperand *getMain(const Origin &origin);

  linalg::LinalgOp op;
  ConstantEvaluator &constants;
  llvm::function_ref<bool(Operation *)> isWanted;
  SmallVector<OpOperand *> inputs;
  llvm::DenseMap<Value, Origin> origins;
};
} // namespace

PrologueFinder::Origin PrologueFinder::getOrigin(Value value) {
  if (auto it = origins.find(value); it != origins.end())
    return it->second;
  Origin origin;
  origin.inputs.resize(inputs.size());
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBlock()) {
    if (argument.getArgNumber() < inputs.size())
      origin.inputs.set(argument.getArgNumber());
    else
      origin.isMixed = true;
  } else {
    // From outside.
    origin.isMixed = !constants.isConstant(value);
  }
  return origin;
}

AffineMap PrologueFinder::getMap(OpOperand *input, OpOperand *main) {
  AffineMap mainMap = op.getMatchingIndexingMap(main);
  unsigned rank = mainMap.getNumResults();
  MLIRContext *context = op.getContext();
  if (input == main)
    return AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
    std::optional<unsigned> position;
    for (auto [i, mainExpr] : llvm::enumerate(mainMap.getResults()))
      if (mainExpr == expr)
        position = i;
    if (isa<AffineConstantExpr>(expr))
      exprs.push_back(expr);
    else if (position && isa<AffineDimExpr>(expr))
      exprs.push_back(getAffineDimExpr(*position, context));
    else
      return {};
  }
  return AffineMap::get(rank, 0, exprs, context);
}

OpOperand *PrologueFinder::getMain(const Origin &origin) {
  if (origin.isMixed || origin.inputs.none())
    return nullptr;
  // What isn't constant, or else what is read at most positions.
  OpOperand *main = nullptr;
  auto getRank = [&](OpOperand *input) {
    return (constants.isConstant(input->get()) ? 0 : 1 << 16) +
           int(op.getMatchingIndexingMap(input).getNumResults());
  };
  for (unsigned i : origin.inputs.set_bits())
    if (!main || getRank(inputs[i]) > getRank(main))
      main = inputs[i];
  for (unsigned i : origin.inputs.set_bits())
    if (!getMap(inputs[i], main))
      return nullptr;
  return isa<RankedTensorType>(main->get().getType()) ? main : nullptr;
}

SmallVector<std::pair<Value, OpOperand *>> PrologueFinder::find() {
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator()) {
    Origin origin;
    origin.inputs.resize(inputs.size());
    origin.isWanted = isWanted(&inner);
    origin.isMixed = isa<linalg::IndexOp>(inner) || !isPure(&inner);
    // Where two meet that were wanted, the prologues of both are over.
    unsigned wanted = 0;
    for (Value operand : inner.getOperands()) {
      Origin each = getOrigin(operand);
      bool isOther = each.inputs != origin.inputs;
      origin.inputs |= each.inputs;
      origin.isMixed |= each.isMixed;
      wanted += each.isWanted && isOther;
    }
    origin.isWanted |= wanted == 1;
    for (Value result : inner.getResults())
      origins[result] = origin;
  }
  SmallVector<std::pair<Value, OpOperand *>> found;
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumResults() != 1)
      continue;
    Value result = inner.getResult(0);
    Origin origin = getOrigin(result);
    OpOperand *main = origin.isWanted ? getMain(origin) : nullptr;
    bool isLast = llvm::any_of(result.getUsers(), [&](Operation *user) {
      if (user == body->getTerminator() || user->getNumResults() != 1)
        return true;
      Origin next = getOrigin(user->getResult(0));
      return !next.isWanted || getMain(next) != main;
    });
    if (main && isLast)
      found.push_back({result, main});
  }
  return found;
}

SmallVector<ScalarTensor>
qbackend::createPrologues(RewriterBase &rewriter, linalg::LinalgOp op,
                          ConstantEvaluator &constants,
                          llvm::function_ref<bool(Operation *)> isWanted) {
  SmallVector<ScalarTensor> prologues;
  if (!op.hasPureTensorSemantics() || !op.getBlock() ||
      llvm::any_of(
          *op.getBlock(),
          [](Operation &inner) { return inner.getNumRegions() != 0; }) ||
      llvm::none_of(*op.getBlock(),
                    [&](Operation &inner) { return isWanted(&inner); }))
    return prologues;
  PrologueFinder finder(op, constants, isWanted);
  for (auto [scalar, main] : finder.find()) {
    rewriter.setInsertionPoint(op);
    int64_t rank = cast<RankedTensorType>(main->get().getType()).getRank();
    Part part;
    part.scalars = {scalar};
    part.inits = {
        createEmpty(rewriter, op.getLoc(), main->get(), scalar.getType())};
    part.initMaps = {AffineMap::getMultiDimIdentityMap(rank, op.getContext())};
    part.loops.assign(rank, utils::IteratorType::parallel);
    auto prologue =
        createPart(rewriter, op, part, {}, [&, main = main](OpOperand *input) {
          return finder.getMap(input, main);
        });
    prologues.push_back(
        {scalar, prologue->getResult(0), op.getMatchingIndexingMap(main)});
  }
  return prologues;
}

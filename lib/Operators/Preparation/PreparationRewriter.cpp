// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a journal of what prepares code for recognition.

#include "qbackend/Operators/PreparationRewriter.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// DetachedOp
//===----------------------------------------------------------------------===//

DetachedOp::DetachedOp(Operation *op, ConstantEvaluator &constants)
    : op(op), constants(constants) {
  if (op->getBlock())
    op->remove();
  // A use by an op that isn't there would count as a reader.
  for (OpOperand &operand : op->getOpOperands())
    operand.drop();
}

DetachedOp::~DetachedOp() {
  if (isAttached)
    return;
  constants.notifyOperationErased(op);
  op->erase();
}

Operation *DetachedOp::attach(Operation *before, ValueRange operands) {
  isAttached = true;
  op->setOperands(operands);
  before->getBlock()->getOperations().insert(Block::iterator(before), op);
  return op;
}

//===----------------------------------------------------------------------===//
// PreparationRewriter
//===----------------------------------------------------------------------===//

PreparationRewriter::PreparationRewriter(ConstantEvaluator &constants,
                                         MLIRContext *context)
    : IRRewriter(context), constants(constants), listener(*this) {
  setListener(&listener);
}

void PreparationRewriter::EraseListener::notifyOperationErased(Operation *op) {
  rewriter.constants.notifyOperationErased(op);
  op->walk([&](Operation *inner) { rewriter.forget(inner); });
}

void PreparationRewriter::forget(Operation *op) {
  unrecognized.remove(op);
  restored.erase(op);
  detached.erase(op);
  auto it = recordsOf.find(op);
  if (it == recordsOf.end())
    return;
  SmallVector<Record *, 1> of = std::move(it->second);
  recordsOf.erase(it);
  for (Record *record : of) {
    // What it has detached goes with it.
    Operation *original = std::exchange(record->detached, nullptr);
    record->undo = nullptr;
    if (original)
      forget(original);
  }
}

void PreparationRewriter::noteDetached(Operation *op) {
  records.back().detached = op;
  detached.insert(op);
}

void PreparationRewriter::recordUndo(ArrayRef<Operation *> pieces,
                                     ArrayRef<Operation *> deciding,
                                     Undo undo) {
  records.push_back({SmallVector<Operation *>(pieces), {}, std::move(undo)});
  records.back().waiting.insert(deciding.begin(), deciding.end());
  for (Operation *piece : pieces)
    recordsOf[piece].push_back(&records.back());
}

void PreparationRewriter::replaceByPieces(Operation *original,
                                          ValueRange results,
                                          ArrayRef<Operation *> pieces,
                                          ArrayRef<Operation *> deciding) {
  // Where each operand is read from now on: its producer may be replaced.
  SmallVector<std::pair<Operation *, unsigned>> sources;
  for (Value operand : original->getOperands())
    for (Operation *piece : pieces) {
      auto operands = piece->getOperands();
      auto it = llvm::find(operands, operand);
      if (it == operands.end())
        continue;
      sources.push_back({piece, unsigned(it - operands.begin())});
      break;
    }
  // A result that nobody reads has none.
  for (auto [before, after] : llvm::zip_equal(original->getResults(), results))
    if (after)
      replaceAllUsesWith(before, after);
  if (sources.size() != original->getNumOperands()) {
    eraseOp(original);
    return;
  }
  auto detached = std::make_shared<DetachedOp>(original, constants);
  SmallVector<Value> after(results);
  SmallVector<Operation *> made(pieces);
  recordUndo(pieces, deciding, [=](PreparationRewriter &rewriter) {
    SmallVector<Value> operands;
    for (auto [piece, index] : sources)
      operands.push_back(piece->getOperand(index));
    Operation *restored = detached->attach(made.back(), operands);
    for (auto [before, value] : llvm::zip_equal(restored->getResults(), after))
      if (value)
        rewriter.replaceAllUsesWith(value, before);
    for (Operation *piece : llvm::reverse(made))
      if (piece->use_empty())
        rewriter.eraseOp(piece);
    return restored;
  });
  noteDetached(original);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// `value` as `type`, which has the same elements; destinations are made anew.
static Value createReshape(OpBuilder &builder, Location loc, Value value,
                           RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, loc, type, empty.getDynamicSizes());
  if (auto fill = value.getDefiningOp<linalg::FillOp>();
      fill && fill->getNumResults() == 1) {
    Value init = createReshape(builder, loc, fill.getOutputs()[0], type);
    return linalg::FillOp::create(builder, loc, fill.getInputs()[0], init)
        .getResult(0);
  }
  Operation *producer = value.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          producer) &&
      producer->getOperand(0).getType() == type)
    return producer->getOperand(0);
  auto groups = getReassociationIndicesForReshape(from, type);
  if (from.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, type, value, *groups);
  return tensor::ExpandShapeOp::create(builder, loc, type, value, *groups);
}

/// Whether `createReshape` can be undone by another.
static bool isReshapable(Type from, Type to) {
  auto before = dyn_cast<RankedTensorType>(from);
  auto after = dyn_cast<RankedTensorType>(to);
  if (from == to)
    return true;
  // A dynamic extent follows from the others where nothing is cut.
  auto dynamicDims = [](RankedTensorType type) {
    return llvm::count_if(type.getShape(), ShapedType::isDynamic);
  };
  return before && after &&
         getReassociationIndicesForReshape(before, after).has_value() &&
         dynamicDims(before) <= 1 && dynamicDims(after) <= 1;
}

/// Whether `op` does nothing but change a shape: as code, or raised.
static bool isChangeOfShape(Operation *op) {
  if (auto raised = dyn_cast<OperatorOp>(op))
    return raised.getKinds().size() == 1 &&
           isa<ReshapeAttr, FlattenAttr>(raised.getKind());
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

void PreparationRewriter::recordReshaped(linalg::LinalgOp original,
                                         linalg::LinalgOp changed) {
  auto isReshaped = [](ValueRange before, ValueRange after) {
    return before.size() == after.size() &&
           llvm::all_of(llvm::zip(before, after), [](auto pair) {
             return isReshapable(std::get<1>(pair).getType(),
                                 std::get<0>(pair).getType());
           });
  };
  if (!isReshaped(original->getOperands(), changed->getOperands()) ||
      !isReshaped(original->getResults(), changed->getResults())) {
    eraseOp(original);
    return;
  }
  SmallVector<Type> types(original->getOperandTypes());
  int64_t loops = changed.getNumLoops() - original.getNumLoops();
  auto detached = std::make_shared<DetachedOp>(original, constants);
  recordUndo(
      changed.getOperation(), changed.getOperation(),
      [=](PreparationRewriter &rewriter) {
        auto from = changed;
        Location loc = from.getLoc();
        rewriter.setInsertionPoint(from);
        SmallVector<Value> operands;
        for (auto [value, type] : llvm::zip_equal(from->getOperands(), types)) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          operands.push_back(
              tensor ? createReshape(rewriter, loc, value, tensor) : value);
        }
        Operation *restored = detached->attach(from, operands);
        restored->getRegion(0).takeBody(from->getRegion(0));
        if (loops > 0)
          restored->walk([&](linalg::IndexOp index) {
            index.setDim(index.getDim() - loops);
          });
        Operation *last = restored;
        for (auto [before, after] :
             llvm::zip_equal(restored->getResults(), from->getResults())) {
          // What made the shape that was there before is not needed any more.
          for (Operation *user : llvm::to_vector(after.getUsers()))
            if (isChangeOfShape(user) &&
                user->getResult(0).getType() == before.getType())
              rewriter.replaceOp(user, before);
          if (after.use_empty() || before.getType() == after.getType()) {
            rewriter.replaceAllUsesWith(after, before);
            continue;
          }
          Value reshaped = createReshape(
              rewriter, loc, before, cast<RankedTensorType>(after.getType()));
          rewriter.replaceAllUsesWith(after, reshaped);
          last = reshaped.getDefiningOp();
        }
        rewriter.eraseOp(from);
        return last;
      });
  noteDetached(original);
}

void PreparationRewriter::recordTransposes(
    linalg::GenericOp op, ArrayAttr maps,
    ArrayRef<SmallVector<int64_t>> permutations) {
  SmallVector<SmallVector<int64_t>> all(permutations);
  recordUndo(
      op.getOperation(), op.getOperation(), [=](PreparationRewriter &rewriter) {
        linalg::GenericOp from = op;
        rewriter.setInsertionPoint(from);
        for (auto [i, permutation] : llvm::enumerate(all)) {
          if (permutation.empty())
            continue;
          OpOperand &input = from.getInputsMutable()[i];
          Operation *producer = input.get().getDefiningOp();
          if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(producer);
              transpose &&
              transpose.getPermutation() == ArrayRef(permutation)) {
            input.set(transpose.getInput());
            continue;
          }
          input.set(TransposeOp::create(rewriter, from.getLoc(), input.get(),
                                        invertPermutationVector(permutation)));
        }
        from.setIndexingMapsAttr(maps);
        return from.getOperation();
      });
}

//===----------------------------------------------------------------------===//
// Undoing
//===----------------------------------------------------------------------===//

Operation *PreparationRewriter::noteUnrecognized(Operation *op) {
  unrecognized.insert(op);
  auto it = recordsOf.find(op);
  if (it == recordsOf.end())
    return nullptr;
  Record *record = it->second.back();
  record->waiting.erase(op);
  // A piece that was rewritten since is taken back first.
  if (!record->undo || !record->waiting.empty() ||
      llvm::any_of(record->pieces, [&](Operation *piece) {
        return detached.contains(piece) ||
               recordsOf.lookup(piece).back() != record;
      }))
    return nullptr;
  for (Operation *piece : record->pieces) {
    SmallVector<Record *, 1> &of = recordsOf[piece];
    llvm::erase(of, record);
    if (of.empty())
      recordsOf.erase(piece);
  }
  Undo undo = std::move(record->undo);
  record->undo = nullptr;
  if (Operation *original = std::exchange(record->detached, nullptr))
    detached.erase(original);
  Operation *last = undo(*this);
  if (!last)
    return noteUnrecognized(op);
  restored.insert(last);
  // What was rewritten several times goes back to the first form.
  Operation *further = noteUnrecognized(last);
  return further ? further : last;
}

void PreparationRewriter::clear() {
  recordsOf.clear();
  unrecognized.clear();
  restored.clear();
  detached.clear();
  records.clear();
}

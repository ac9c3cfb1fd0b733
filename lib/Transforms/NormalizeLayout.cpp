// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves transposes through operators, down to the module's edges.

#include "Layout.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace qbackend {
#define GEN_PASS_DEF_NORMALIZELAYOUTPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// Gives `op` the operand `value` in place of activation `i`, which is
/// transpose(value, permutation); its body does that transpose now.
static void absorbTranspose(OperatorOp op, unsigned i, Value value,
                            ArrayRef<int64_t> permutation) {
  BlockArgument argument = op.getBody().front().getArgument(i);
  argument.setType(cast<RankedTensorType>(value.getType()));
  OpBuilder builder = OpBuilder::atBlockBegin(&op.getBody().front());
  auto transpose =
      TransposeOp::create(builder, op.getLoc(), argument, permutation);
  argument.replaceAllUsesExcept(transpose.getOutput(), transpose);
  op.getInputsMutable()[i].set(value);
  // What was transpose(argument, inverse) in the body is the argument again.
  for (Operation *user : llvm::make_early_inc_range(transpose->getUsers()))
    if (auto second = dyn_cast<TransposeOp>(user)) {
      SmallVector<int64_t> composed =
          applyPermutation(permutation, second.getPermutation());
      if (llvm::is_sorted(composed)) {
        second.replaceAllUsesWith(Value(argument));
      } else {
        builder.setInsertionPoint(second);
        second.replaceAllUsesWith(
            TransposeOp::create(builder, second.getLoc(), argument, composed)
                .getOutput());
      }
      second.erase();
    }
  if (transpose->use_empty())
    transpose.erase();
}

/// The permutation by which most of the inputs of `op` come; nullopt if there
/// is none. Constants and broadcast operands don't vote.
/// With `inner`, transposes of what no operator gives don't count.
static std::optional<SmallVector<int64_t>>
getInputPermutation(OperatorOp op, bool inner = false) {
  for (Value input : op.getInputs())
    if (auto transpose = input.getDefiningOp<TransposeOp>();
        transpose &&
        (!inner || transpose.getInput().getDefiningOp<OperatorOp>()))
      return SmallVector<int64_t>(transpose.getPermutation());
  return std::nullopt;
}

/// operator(transpose(x, p)...) -> transpose(operator'(x...), p)
static void sinkTranspose(OperatorOp op, bool inner = false) {
  auto resultType = cast<RankedTensorType>(op.getOutput().getType());
  std::optional<SmallVector<int64_t>> permutation =
      getInputPermutation(op, inner);
  if (!permutation)
    return;
  SmallVector<int64_t> inverse = invertPermutationVector(*permutation);
  for (Value input : op.getInputs())
    if (cast<RankedTensorType>(input.getType()).getRank() !=
        int64_t(permutation->size()))
      return;

  // The new dimension i was dimension inverse[i].
  SmallVector<Attribute> kinds;
  for (OperatorKindAttrInterface kind : op.getOperatorKinds()) {
    Attribute permuted = kind.permute(inverse);
    if (!permuted)
      return;
    kinds.push_back(permuted);
  }

  OpBuilder builder(op);
  for (auto [i, input] : llvm::enumerate(SmallVector<Value>(op.getInputs())))
    absorbTranspose(op, i,
                    createFoldedTranspose(builder, op.getLoc(), input, inverse),
                    *permutation);
  op.setKindsAttr(builder.getArrayAttr(kinds));

  // Reshapes give what they gave; and so do a mean and a sum that drop
  // dimensions, since their kinds only permute if the rest keeps its order.
  bool dropsDimensions = cast<RankedTensorType>(resultType).getRank() !=
                         int64_t(permutation->size());
  if (op.getKind().isShapeOnly() || dropsDimensions)
    return;
  Operation *yield = op.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  Value yielded =
      createFoldedTranspose(builder, op.getLoc(), op.getYielded(), inverse);
  yield->setOperand(0, yielded);
  builder.setInsertionPointAfter(op);
  op.getOutput().setType(cast<RankedTensorType>(yielded.getType()));
  auto back =
      TransposeOp::create(builder, op.getLoc(), op.getOutput(), *permutation);
  op.getOutput().replaceAllUsesExcept(back.getOutput(), back);
  assert(back.getOutput().getType() == resultType);
  (void)resultType;
}

/// transpose(reshape(transpose(x, p)), q) -> reshape(x), where the reshape
/// merges dimensions and what it merges is in the order of `x` then: the
/// patches of an image as rows. False if it isn't.
static bool foldIntoReshape(TransposeOp op) {
  auto reshape = op.getInput().getDefiningOp<OperatorOp>();
  if (!reshape || reshape.isFused() || !reshape.getOutput().hasOneUse())
    return false;
  auto kind = dyn_cast<ReshapeAttr>(reshape.getKind());
  if (!kind || !kind.getPermutation())
    return false;
  ArrayRef<int64_t> permutation = kind.getPermutation();
  auto type = cast<RankedTensorType>(reshape.getInputs().front().getType());
  auto merged = cast<RankedTensorType>(reshape.getOutput().getType());
  if (type.getRank() <= merged.getRank())
    return false;
  auto groups = getReassociationIndicesForReshape(
      type.clone(applyPermutation(type.getShape(), permutation)), merged);
  if (!groups)
    return false;
  SmallVector<int64_t> order;
  for (int64_t dim : op.getPermutation())
    for (int64_t part : (*groups)[dim])
      order.push_back(permutation[part]);
  if (!llvm::is_sorted(order))
    return false;
  Operation *yield = reshape.getBody().front().getTerminator();
  OpBuilder builder(yield);
  yield->setOperand(0, createFoldedTranspose(builder, op.getLoc(),
                                             reshape.getYielded(),
                                             op.getPermutation()));
  reshape.setKindsAttr(builder.getArrayAttr(
      ReshapeAttr::get(op.getContext(), DenseI64ArrayAttr())));
  reshape.getOutput().setType(op.getOutput().getType());
  op.replaceAllUsesWith(reshape.getOutput());
  op.erase();
  return true;
}

/// Why `op` doesn't take in the transpose of its input by `permutation`; empty
/// if it does.
static std::string getObstacle(OperatorOp op, ArrayRef<int64_t> permutation) {
  std::string name = op.getKindName();
  for (Value input : op.getInputs())
    if (cast<RankedTensorType>(input.getType()).getRank() !=
        int64_t(permutation.size()))
      return "'" + name + "' reads tensors of other ranks, too";
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  for (OperatorKindAttrInterface kind : op.getOperatorKinds())
    if (!kind.permute(inverse))
      return "'" + kind.getKindName().str() +
             "' can't be computed in the layout before it";
  return {};
}

/// Says which readers keep a transpose where it is.
static void remarkKept(TransposeOp op) {
  SmallVector<std::string> reasons;
  for (Operation *user : op->getUsers())
    if (auto reader = dyn_cast<OperatorOp>(user))
      if (std::string reason = getObstacle(reader, op.getPermutation());
          !reason.empty() && !llvm::is_contained(reasons, reason))
        reasons.push_back(reason);
  if (!reasons.empty())
    remarkMissed(op, "QB003", "transpose", llvm::join(reasons, "; "),
                 "nothing, if the copy is acceptable; else compute in one "
                 "layout before and after it");
}

/// dequantize(quantize(value)) by the parameters of `quantize`. One scale is
/// for all elements, wherever they are; null if there are several.
static Value createPair(OpBuilder &builder, QuantizeOp quantize, Value value) {
  Type element = quantize.getOutput().getType().getElementType();
  if (!isa<quant::UniformQuantizedType>(element))
    return {};
  Location loc = quantize.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value quantized =
      QuantizeOp::create(builder, loc, type.clone(element), value);
  return DequantizeOp::create(builder, loc, type, quantized);
}

static QuantizeOp getQuantize(Value asFloat) {
  auto dequantize = asFloat.getDefiningOp<DequantizeOp>();
  return dequantize ? dequantize.getInput().getDefiningOp<QuantizeOp>()
                    : QuantizeOp();
}

static void eraseDeadPair(DequantizeOp op) {
  Operation *quantize = op.getInput().getDefiningOp();
  if (op.use_empty())
    op.erase();
  if (quantize->use_empty())
    quantize->erase();
}

/// dequantize(quantize(transpose(x, p))) -> transpose(dequantize(quantize(x)),
/// p)
static void sinkTranspose(DequantizeOp op) {
  QuantizeOp quantize = getQuantize(op);
  auto transpose = quantize ? quantize.getInput().getDefiningOp<TransposeOp>()
                            : TransposeOp();
  if (!transpose)
    return;
  OpBuilder builder(op);
  Value asFloat = createPair(builder, quantize, transpose.getInput());
  if (!asFloat)
    return;
  op.replaceAllUsesWith(TransposeOp::create(builder, op.getLoc(), asFloat,
                                            transpose.getPermutation())
                            .getOutput());
  eraseDeadPair(op);
}

/// transpose(dequantize(quantize(x)), p) -> dequantize(quantize(transpose(x,
/// p))) at the edge of the module, where `x` is no operator's.
static bool hoistTranspose(TransposeOp op) {
  QuantizeOp quantize = getQuantize(op.getInput());
  if (!quantize || quantize.getInput().getDefiningOp<OperatorOp>())
    return false;
  OpBuilder builder(op);
  auto pair = op.getInput().getDefiningOp<DequantizeOp>();
  Value moved = createFoldedTranspose(builder, op.getLoc(), quantize.getInput(),
                                      op.getPermutation());
  Value asFloat = createPair(builder, quantize, moved);
  if (!asFloat)
    return false;
  op.replaceAllUsesWith(asFloat);
  op.erase();
  eraseDeadPair(pair);
  return true;
}

/// cast(transpose(x, p)) -> transpose(cast(x), p)
static void sinkTranspose(tensor::CastOp op) {
  auto transpose = op.getSource().getDefiningOp<TransposeOp>();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!transpose || !type)
    return;
  OpBuilder builder(op);
  SmallVector<int64_t> shape;
  for (int64_t dim : invertPermutationVector(transpose.getPermutation()))
    shape.push_back(type.getDimSize(dim));
  Value source = transpose.getInput();
  // Two casts, of which the second gives back what the first one took.
  auto inner = source.getDefiningOp<tensor::CastOp>();
  if (inner && inner.getSource().getType() == type.clone(shape))
    source = inner.getSource();
  else
    source =
        tensor::CastOp::create(builder, op.getLoc(), type.clone(shape), source);
  op.replaceAllUsesWith(createFoldedTranspose(builder, op.getLoc(), source,
                                              transpose.getPermutation()));
  op.erase();
}

/// A transpose between operators is data movement: an operator. What it gives
/// is its input, or counts there, if it is a value of the network.
static void createOperator(TransposeOp op) {
  remarkKept(op);
  OpBuilder builder(op);
  auto kind = TransposeAttr::get(op.getContext(), op.getPermutationAttr());
  // The name is that of the operator whose layout it is for.
  Location loc = op.getLoc();
  if (std::string name = getLocationName(loc); !name.empty())
    loc = NameLoc::get(builder.getStringAttr(name + ".transpose"), loc);
  auto wrapped = OperatorOp::create(
      builder, loc, op.getOutput().getType(), builder.getArrayAttr(kind),
      ValueRange(op.getInput()), Value(), Value(), Value(), Value(),
      QConfigAttr(), Attribute());
  setSourceValues(wrapped, 0);
  Block &body = wrapped.getBody().emplaceBlock();
  Value argument = body.addArgument(op.getInput().getType(), op.getLoc());
  builder.setInsertionPointToStart(&body);
  Value result =
      TransposeOp::create(builder, op.getLoc(), argument, op.getPermutation());
  YieldOp::create(builder, op.getLoc(), result);
  op.replaceAllUsesWith(wrapped.getOutput());
  op.erase();
}

/// Two transposes of one value by one permutation become one: what reads them
/// reads, and observes, the same value.
static void mergeEqual(ArrayRef<TransposeOp> transposes) {
  llvm::DenseMap<std::pair<Value, Attribute>, TransposeOp> first;
  for (TransposeOp op : transposes) {
    auto [it, isNew] =
        first.try_emplace({op.getInput(), op.getPermutationAttr()}, op);
    if (!isNew && it->second->getBlock() == op->getBlock())
      op.replaceAllUsesWith(it->second.getOutput());
  }
}

/// Whether `op` is the same operator in the layout by `permutation`.
static bool canPermute(OperatorOp op, ArrayRef<int64_t> permutation) {
  return getObstacle(op, invertPermutationVector(permutation)).empty();
}

/// Where what no operator gives (an argument, say) is read in two layouts,
/// gives its operators that can take it the layout of the others: it is one
/// value, and has one observer. False if nothing changed.
static bool unifyLayouts(Operation *root) {
  llvm::MapVector<Value, TransposeOp> layouts;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<OperatorOp>(op))
      return WalkResult::skip();
    auto transpose = dyn_cast<TransposeOp>(op);
    if (transpose &&
        !isa_and_nonnull<OperatorOp, TransposeOp, DequantizeOp>(
            transpose.getInput().getDefiningOp()) &&
        llvm::any_of(transpose->getUsers(), llvm::IsaPred<OperatorOp>))
      layouts.insert({transpose.getInput(), transpose});
    return WalkResult::advance();
  });
  bool changed = false;
  for (auto [value, transpose] : layouts) {
    SmallVector<int64_t> permutation(transpose.getPermutation());
    SmallVector<int64_t> inverse = invertPermutationVector(permutation);
    // In the order of the code, which that of the uses is not.
    SmallVector<OperatorOp> readers;
    for (OpOperand &use : value.getUses())
      if (auto reader = dyn_cast<OperatorOp>(use.getOwner());
          reader && use.getOperandNumber() < reader.getInputs().size() &&
          reader->getBlock() == transpose->getBlock() &&
          canPermute(reader, permutation) &&
          !llvm::is_contained(readers, reader))
        readers.push_back(reader);
    llvm::sort(readers, [](OperatorOp a, OperatorOp b) {
      return a->isBeforeInBlock(b);
    });
    for (OperatorOp reader : readers) {
      OpBuilder builder(reader);
      Value there =
          TransposeOp::create(builder, transpose.getLoc(), value, permutation);
      for (OpOperand &input : reader.getInputsMutable())
        if (input.get() == value)
          input.set(
              TransposeOp::create(builder, transpose.getLoc(), there, inverse));
      sinkTranspose(reader);
      changed = true;
    }
  }
  return changed;
}

namespace {
struct NormalizeLayoutPass
    : qbackend::impl::NormalizeLayoutPassBase<NormalizeLayoutPass> {
  void runOnOperation() override {
    sinkTransposes(/*inner=*/false);
    // What took another layout may pass it on to readers of another argument.
    constexpr unsigned kMaxRounds = 4;
    for (unsigned round = 0; round < kMaxRounds && unifyLayouts(getOperation());
         ++round)
      sinkTransposes(/*inner=*/true);

    SmallVector<TransposeOp> transposes;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<OperatorOp>(op))
        return WalkResult::skip();
      if (auto transpose = dyn_cast<TransposeOp>(op))
        transposes.push_back(transpose);
      return WalkResult::advance();
    });
    mergeEqual(transposes);
    for (TransposeOp op : llvm::reverse(transposes)) {
      if (op->use_empty())
        op.erase();
      else if (hoistTranspose(op))
        continue;
      else if (isa_and_nonnull<OperatorOp, DequantizeOp>(
                   op.getInput().getDefiningOp()) &&
               llvm::any_of(op->getUsers(), llvm::IsaPred<OperatorOp>))
        createOperator(op);
    }
  }

  void sinkTransposes(bool inner) {
    // Forward, so that a transpose sinks through a whole chain in one walk.
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<OperatorOp>(op)) {
        ops.push_back(op);
        return WalkResult::skip();
      }
      if (isa<TransposeOp, DequantizeOp, tensor::CastOp>(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : ops) {
      if (auto operation = dyn_cast<OperatorOp>(op)) {
        sinkTranspose(operation, inner);
        continue;
      }
      if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
        sinkTranspose(dequantize);
        continue;
      }
      if (auto cast = dyn_cast<tensor::CastOp>(op)) {
        sinkTranspose(cast);
        continue;
      }
      auto transpose = cast<TransposeOp>(op);
      // A weight stays in the layout of the file until it is quantized.
      DenseResourceElementsAttr resource;
      if (foldIntoReshape(transpose) ||
          matchPattern(transpose.getInput(), m_Constant(&resource)))
        continue;
      OpBuilder builder(op);
      Value folded =
          createFoldedTranspose(builder, op->getLoc(), transpose.getInput(),
                                transpose.getPermutation());
      transpose.replaceAllUsesWith(folded);
    }
  }
};
} // namespace

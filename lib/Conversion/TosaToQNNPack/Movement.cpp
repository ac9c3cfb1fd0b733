// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Movement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_to_qnnpack;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Uses that read elements, at most `most`.
static unsigned countReads(Value value, unsigned most = 2) {
  unsigned reads = 0;
  for (Operation *user : value.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    // To ask for a size.
    bool isReshape =
        isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) &&
        countReads(user->getResult(0), 1) == 0;
    reads += !isReshape;
    if (reads == most)
      break;
  }
  return reads;
}

bool tosa_to_qnnpack::isReadOnce(Value value) { return countReads(value) == 1; }

bool tosa_to_qnnpack::isNarrowed(Value sums) {
  SmallVector<Value> worklist = {sums};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers())
      for (Value result : user->getResults()) {
        Type element = getElementTypeOrSelf(result.getType());
        if (element.isSignlessInteger(8) || element.isSignlessInteger(16))
          return true;
        if (element.isSignlessInteger() && isa<TensorType>(result.getType()) &&
            seen.insert(user).second)
          worklist.push_back(result);
      }
  return false;
}

/// Whether `slice` has all of dimension `i`.
static bool isWhole(tensor::ExtractSliceOp slice, unsigned i) {
  OpFoldResult size = slice.getMixedSizes()[i];
  if (!isConstantIntValue(slice.getMixedOffsets()[i], 0) ||
      !isConstantIntValue(slice.getMixedStrides()[i], 1))
    return false;
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constant == slice.getSourceType().getDimSize(i);
  auto dim = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  return dim && dim.getSource() == slice.getSource() &&
         dim.getConstantIndex() == i;
}

/// Whether `slice` is of constant places, or of all, and keeps the channels.
static bool isSlice(tensor::ExtractSliceOp slice) {
  unsigned rank = slice.getSourceType().getRank();
  if (slice.getType().getRank() != rank || !isWhole(slice, rank - 1))
    return false;
  return llvm::all_of(llvm::seq(rank), [&](unsigned i) {
    return isWhole(slice, i) ||
           (getConstantIntValue(slice.getMixedOffsets()[i]) &&
            getConstantIntValue(slice.getMixedSizes()[i]) &&
            getConstantIntValue(slice.getMixedStrides()[i]));
  });
}

/// Whether what isn't known of the result's shape is that of the operand.
static bool isExpansion(tensor::ExpandShapeOp expand) {
  for (const ReassociationIndices &group : expand.getReassociationIndices())
    if (group.size() != 1 && llvm::any_of(group, [&](int64_t i) {
          return expand.getResultType().isDynamicDim(i);
        }))
      return false;
  return true;
}

/// Whether `op` moves the channels of `moved`, the last dimension, in groups of
/// `channels` as they are.
static bool keepsChannels(Operation *op, int64_t channels) {
  Value moved = op->getOperand(0), result = op->getResult(0);
  if (getType(result).getRank() == 0 || getType(moved).getRank() == 0)
    return false;
  int64_t after = getType(result).getShape().back(),
          before = getType(moved).getShape().back();
  if (ShapedType::isDynamic(after) || ShapedType::isDynamic(before) ||
      after == 0 || after % channels != 0 || before % after != 0)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](tensor::ExpandShapeOp expand) { return isExpansion(expand); })
      .Case([&](tensor::CollapseShapeOp) { return before == after; })
      .Case([](tensor::ExtractSliceOp slice) { return isSlice(slice); })
      .Case([](linalg::TransposeOp transpose) {
        ArrayRef<int64_t> order = transpose.getPermutation();
        return order.back() == int64_t(order.size()) - 1;
      });
}

bool Movement::read(Value sums, int64_t channels) {
  ops.clear();
  source = sums;
  bool isMovement = true;
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::ExtractSliceOp, linalg::TransposeOp>(
      source.getDefiningOp())) {
    Operation *op = source.getDefiningOp();
    isMovement &= keepsChannels(op, channels) && isReadOnce(source);
    ops.push_back(op);
    source = op->getOperand(0);
  }
  std::reverse(ops.begin(), ops.end());
  return isMovement;
}

/// Asks `to` for the sizes that what follows asks `from` for.
static void moveSizes(RewriterBase &rewriter, Value from, Value to) {
  for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    if (!dim)
      continue;
    Value moved =
        tensor::DimOp::create(rewriter, dim.getLoc(), to, dim.getIndex());
    rewriter.replaceUsesWithIf(dim, moved, [&](OpOperand &use) {
      Operation *reader =
          moved.getParentBlock()->findAncestorOpInBlock(*use.getOwner());
      return reader && moved.getDefiningOp()->isBeforeInBlock(reader);
    });
  }
}

Value Movement::apply(RewriterBase &rewriter, Value value) const {
  Type element = getElementTypeOrSelf(value.getType());
  for (Operation *op : ops) {
    Location loc = op->getLoc();
    auto type = getType(op->getResult(0)).clone(element);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, value);
    value = llvm::TypeSwitch<Operation *, Value>(op)
                .Case([&](tensor::ExpandShapeOp expand) {
                  auto groups = expand.getReassociationIndices();
                  SmallVector<OpFoldResult> shape(type.getRank());
                  for (auto [i, group] : llvm::enumerate(groups))
                    for (int64_t j : group)
                      shape[j] = group.size() == 1
                                     ? sizes[i]
                                     : OpFoldResult(rewriter.getIndexAttr(
                                           type.getDimSize(j)));
                  return tensor::ExpandShapeOp::create(rewriter, loc, type,
                                                       value, groups, shape);
                })
                .Case([&](tensor::CollapseShapeOp collapse) {
                  return tensor::CollapseShapeOp::create(
                      rewriter, loc, type, value,
                      collapse.getReassociationIndices());
                })
                .Case([&](tensor::ExtractSliceOp slice) {
                  SmallVector<OpFoldResult> shape = slice.getMixedSizes();
                  for (auto [i, size] : llvm::enumerate(shape))
                    if (isWhole(slice, i))
                      size = sizes[i];
                  return tensor::ExtractSliceOp::create(
                      rewriter, loc, type, value, slice.getMixedOffsets(),
                      shape, slice.getMixedStrides());
                })
                .Case([&](linalg::TransposeOp transpose) {
                  SmallVector<OpFoldResult> shape;
                  for (int64_t i : transpose.getPermutation())
                    shape.push_back(sizes[i]);
                  Value init =
                      tensor::EmptyOp::create(rewriter, loc, shape, element);
                  return linalg::TransposeOp::create(rewriter, loc, value, init,
                                                     transpose.getPermutation())
                      ->getResult(0);
                });
    moveSizes(rewriter, op->getResult(0), value);
  }
  return value;
}

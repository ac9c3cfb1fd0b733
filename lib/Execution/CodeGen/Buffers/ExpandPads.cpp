// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A padded image is written by who computes the image, between borders that are
// filled before: no copy.

#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_EXPANDPADSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Returns the operand that is a `tensor.empty` in which `image` is computed,
/// by ops of one use and one block. Others may read the image itself.
static OpOperand *findEmpty(Value image, Block *block) {
  Value value = image;
  while (auto op = value.getDefiningOp<DestinationStyleOpInterface>()) {
    if (!isa<linalg::LinalgOp, qbackend::int8::Conv2dOp>(op.getOperation()) ||
        op.getNumDpsInits() != 1 || op->getBlock() != block ||
        (value != image && !op->hasOneUse()))
      return nullptr;
    OpOperand *init = op.getDpsInitOperand(0);
    if (init->get().getDefiningOp<tensor::EmptyOp>())
      return init;
    value = init->get();
  }
  return nullptr;
}

/// Fewer elements in a row between borders are computed in one piece without
/// them and copied: vectors don't go on from row to row.
static constexpr int64_t shortestRow = 24;

namespace {
/// A pad of known extents.
class Pad {
public:
  Pad(tensor::PadOp op, Value padding)
      : op(op), padding(padding), low(op.getStaticLow()),
        extents(op.getResultType().getShape()),
        inside(op.getSourceType().getShape()) {}

  void expand();

private:
  /// The part of the result from `begin` on.
  struct Part {
    SmallVector<OpFoldResult> begin, size, stride;
  };
  Part getPart(OpBuilder &b, ArrayRef<int64_t> begin, ArrayRef<int64_t> size) {
    auto get = [&](ArrayRef<int64_t> numbers) {
      return getAsIndexOpFoldResult(b.getContext(), numbers);
    };
    return {get(begin), get(size),
            SmallVector<OpFoldResult>(begin.size(), b.getIndexAttr(1))};
  }

  /// Returns `image` with the padding in that part.
  Value fill(OpBuilder &b, Value image, ArrayRef<int64_t> begin,
             ArrayRef<int64_t> size) {
    Location loc = op.getLoc();
    Part part = getPart(b, begin, size);
    Value slice = tensor::ExtractSliceOp::create(b, loc, image, part.begin,
                                                 part.size, part.stride);
    Value filled = linalg::FillOp::create(b, loc, padding, slice).getResult(0);
    return tensor::InsertSliceOp::create(b, loc, filled, image, part.begin,
                                         part.size, part.stride);
  }

  tensor::PadOp op;
  Value padding;
  ArrayRef<int64_t> low, extents, inside;
};
} // namespace

void Pad::expand() {
  Location loc = op.getLoc();
  OpBuilder b(op);
  int64_t row = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    row *= inside[i];
    if (inside[i] != extents[i])
      break;
  }
  // Several images may be computed from one; that is then a copy.
  OpOperand *destination =
      row < shortestRow ? nullptr : findEmpty(op.getSource(), op->getBlock());
  Operation *made = padding.getDefiningOp();
  bool isConstant = made && made->hasTrait<OpTrait::ConstantLike>();
  if (destination && !isConstant && made &&
      made->getBlock() == op->getBlock() &&
      !made->isBeforeInBlock(destination->getOwner()))
    destination = nullptr;
  if (destination)
    b.setInsertionPoint(destination->getOwner());
  // It may stand behind, or in the region of the pad.
  if (isConstant)
    padding = b.clone(*made)->getResult(0);

  // One buffer, of which parts are read and written in turns.
  Value image = bufferization::AllocTensorOp::create(
      b, loc, op.getResultType(), /*dynamicSizes=*/ValueRange());
  // Of each dimension all that the borders before haven't.
  SmallVector<int64_t> begin(extents.size(), 0);
  SmallVector<int64_t> size(extents);
  for (size_t i = 0; i < extents.size(); ++i) {
    for (bool isHigh : {false, true}) {
      begin[i] = isHigh ? low[i] + inside[i] : 0;
      size[i] = isHigh ? extents[i] - begin[i] : low[i];
      if (size[i] != 0)
        image = fill(b, image, begin, size);
    }
    begin[i] = low[i];
    size[i] = inside[i];
  }
  Part part = getPart(b, begin, size);
  if (destination)
    destination->set(tensor::ExtractSliceOp::create(
        b, loc, op.getSourceType(), image, part.begin, part.size, part.stride));
  b.setInsertionPoint(op);
  op.replaceAllUsesWith(tensor::InsertSliceOp::create(b, loc, op.getSource(),
                                                      image, part.begin,
                                                      part.size, part.stride)
                            .getResult());
  op.erase();
}

namespace {
struct ExpandPadsPass
    : qbackend::codegen::impl::ExpandPadsPassBase<ExpandPadsPass> {
  void runOnOperation() final {
    SmallVector<tensor::PadOp> ops;
    getOperation()->walk([&](tensor::PadOp op) { ops.push_back(op); });
    for (tensor::PadOp op : ops) {
      Value padding = op.getConstantPaddingValue();
      auto isKnown = [](ArrayRef<int64_t> numbers) {
        return llvm::all_of(numbers, [](int64_t number) {
          return !ShapedType::isDynamic(number) && number >= 0;
        });
      };
      // What holds nothing has no first element to begin with.
      if (padding && op.getSourceType().hasStaticShape() &&
          op.getResultType().hasStaticShape() &&
          op.getSourceType().getNumElements() != 0 &&
          isKnown(op.getStaticLow()) && isKnown(op.getStaticHigh()))
        Pad(op, padding).expand();
    }
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites ops on vectors of one dimension and a fixed length to ops on
// scalars, one for each lane.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_SCALARIZEVECTORSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// A vector that becomes scalars.
static bool isFixed(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}

namespace {
/// Rewrites one op to an op for each lane of its operands and its result.
class ScalarizeOp : public ConversionPattern {
public:
  ScalarizeOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (isa<vector::ToElementsOp>(op)) {
      rewriter.replaceOp(op, operands[0]);
      return success();
    }
    std::optional<SmallVector<Value>> lanes = scalarize(op, operands, rewriter);
    if (!lanes)
      return rewriter.notifyMatchFailure(op, "no op on scalars does the same");
    if (op->getNumResults() == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOpWithMultiple(op, {*lanes});
    return success();
  }

private:
  using Lanes = std::optional<SmallVector<Value>>;

  /// The position of lane `lane` of what begins at `indices`.
  static SmallVector<Value> advance(OpBuilder &b, Location loc,
                                    ArrayRef<ValueRange> indices,
                                    int64_t lane) {
    SmallVector<Value> position;
    for (ValueRange index : indices)
      position.push_back(index.front());
    if (lane == 0)
      return position;
    Value step = arith::ConstantIndexOp::create(b, loc, lane);
    position.back() = b.createOrFold<arith::AddIOp>(loc, position.back(), step);
    return position;
  }

  static Lanes load(vector::LoadOp op, ArrayRef<ValueRange> operands,
                    OpBuilder &b) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < op.getVectorType().getNumElements(); ++i)
      lanes.push_back(memref::LoadOp::create(
          b, op.getLoc(), operands[0].front(),
          advance(b, op.getLoc(), operands.drop_front(), i)));
    return lanes;
  }

  static Lanes store(vector::StoreOp op, ArrayRef<ValueRange> operands,
                     OpBuilder &b) {
    for (auto [i, lane] : llvm::enumerate(operands[0]))
      memref::StoreOp::create(
          b, op.getLoc(), lane, operands[1].front(),
          advance(b, op.getLoc(), operands.drop_front(2), i));
    return SmallVector<Value>();
  }

  static Lanes insertSlice(vector::InsertStridedSliceOp op,
                           ArrayRef<ValueRange> operands) {
    SmallVector<Value> lanes(operands[1]);
    int64_t first = cast<IntegerAttr>(op.getOffsets()[0]).getInt();
    for (auto [i, lane] : llvm::enumerate(operands[0]))
      lanes[first + i] = lane;
    return lanes;
  }

  static Lanes elementwise(Operation *op, ArrayRef<ValueRange> operands,
                           OpBuilder &b) {
    if (op->getNumResults() != 1 || !isFixed(op->getResult(0).getType()))
      return std::nullopt;
    auto type = cast<VectorType>(op->getResult(0).getType());
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      OperationState state(op->getLoc(), op->getName());
      for (auto [operand, given] : llvm::zip(op->getOperands(), operands))
        state.operands.push_back(isFixed(operand.getType()) ? given[i]
                                                            : given.front());
      state.addTypes(type.getElementType());
      state.addAttributes(op->getAttrs());
      lanes.push_back(b.create(state)->getResult(0));
    }
    return lanes;
  }

  static Lanes scalarize(Operation *op, ArrayRef<ValueRange> operands,
                         OpBuilder &b) {
    return llvm::TypeSwitch<Operation *, Lanes>(op)
        .Case([&](arith::ConstantOp op) -> Lanes {
          auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
          if (!elements)
            return std::nullopt;
          SmallVector<Value> lanes;
          for (Attribute element : elements.getValues<Attribute>())
            lanes.push_back(arith::ConstantOp::create(
                b, op.getLoc(), cast<TypedAttr>(element)));
          return lanes;
        })
        .Case([&](vector::LoadOp op) { return load(op, operands, b); })
        .Case([&](vector::StoreOp op) { return store(op, operands, b); })
        .Case([&](vector::BroadcastOp op) -> Lanes {
          if (operands[0].size() != 1 &&
              op.getSource().getType() != op.getType())
            return std::nullopt;
          if (op.getSource().getType() == op.getType())
            return SmallVector<Value>(operands[0]);
          return SmallVector<Value>(op.getType().getNumElements(),
                                    operands[0].front());
        })
        .Case([&](vector::FromElementsOp) -> Lanes {
          SmallVector<Value> lanes;
          for (ValueRange element : operands)
            lanes.push_back(element.front());
          return lanes;
        })
        .Case([&](vector::ExtractOp op) -> Lanes {
          if (op.getStaticPosition().size() != 1 ||
              ShapedType::isDynamic(op.getStaticPosition()[0]))
            return std::nullopt;
          return SmallVector<Value>{operands[0][op.getStaticPosition()[0]]};
        })
        .Case([&](vector::InsertOp op) -> Lanes {
          if (op.getStaticPosition().size() != 1 ||
              ShapedType::isDynamic(op.getStaticPosition()[0]))
            return std::nullopt;
          SmallVector<Value> lanes(operands[1]);
          lanes[op.getStaticPosition()[0]] = operands[0].front();
          return lanes;
        })
        .Case([&](vector::ExtractStridedSliceOp op) -> Lanes {
          return SmallVector<Value>(
              operands[0].slice(cast<IntegerAttr>(op.getOffsets()[0]).getInt(),
                                cast<IntegerAttr>(op.getSizes()[0]).getInt()));
        })
        .Case([&](vector::InsertStridedSliceOp op) {
          return insertSlice(op, operands);
        })
        .Case([&](vector::ShuffleOp op) -> Lanes {
          SmallVector<Value> all(operands[0]), lanes;
          llvm::append_range(all, operands[1]);
          for (int64_t from : op.getMask())
            lanes.push_back(all[from < 0 ? 0 : from]);
          return lanes;
        })
        .Default([&](Operation *op) -> Lanes {
          if (!op->hasTrait<OpTrait::Elementwise>())
            return std::nullopt;
          return elementwise(op, operands, b);
        });
  }
};

struct ScalarizeVectorsPass
    : qbackend::codegen::impl::ScalarizeVectorsPassBase<ScalarizeVectorsPass> {
  void runOnOperation() final {
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(
        [](VectorType type, SmallVectorImpl<Type> &lanes) -> LogicalResult {
          if (!isFixed(type))
            return failure();
          lanes.append(type.getNumElements(), type.getElementType());
          return success();
        });
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *op) {
      auto isVector = llvm::IsaPred<VectorType>;
      return llvm::none_of(op->getOperandTypes(), isVector) &&
             llvm::none_of(op->getResultTypes(), isVector);
    });
    RewritePatternSet patterns(&getContext());
    scf::populateSCFStructuralTypeConversions(converter, patterns,
                                              /*benefit=*/2);
    patterns.add<ScalarizeOp>(converter, &getContext());
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

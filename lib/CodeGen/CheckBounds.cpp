// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts that ops on tensors stay within them.

#include "qbackend/CodeGen/Passes.h"
#include "qbackend/Dialect/Int8/Int8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "qbackend/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
/// Builds the checks of one op, in front of it.
class Checker {
public:
  explicit Checker(Operation *op) : op(op), b(op->getLoc(), op) {}

  /// Fails, and says so at the op, if it is known to leave a tensor.
  LogicalResult check() {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      checkElement(extract.getTensor(), extract.getIndices());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      checkElement(insert.getDest(), insert.getIndices());
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      checkSlice(slice.getSource(), slice);
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      checkSlice(slice.getDest(), slice);
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      checkCast(cast);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      checkExpandShape(expand);
    else if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
      return checkLoops(linalg);
    else if (auto kernel = dyn_cast<qbackend::int8::Conv2dOp>(op))
      checkBatch(kernel);
    return success();
  }

private:
  Value get(OpFoldResult number) {
    if (auto value = dyn_cast<Value>(number))
      return value;
    return arith::ConstantIndexOp::create(b, *getConstantIntValue(number));
  }

  OpFoldResult getDim(Value tensor, int64_t dim) {
    int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(extent))
      return b.getIndexAttr(extent);
    return tensor::DimOp::create(b, tensor, dim).getResult();
  }

  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }

  void require(Value condition, const Twine &message) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!isa<UnknownLoc>(op->getLoc()))
      os << op->getLoc() << ": ";
    os << "'" << op->getName() << "' op " << message;
    cf::AssertOp::create(b, condition, text);
  }

  /// Whether `index` is known to be less than `extent`.
  static bool isInside(OpFoldResult index, OpFoldResult extent) {
    std::optional<int64_t> limit = getConstantIntValue(extent);
    if (!limit)
      return false;
    if (std::optional<int64_t> value = getConstantIntValue(index))
      return 0 <= *value && *value < *limit;
    auto loop = cast<Value>(index).getDefiningOp<linalg::IndexOp>();
    auto nest =
        loop ? loop->getParentOfType<linalg::LinalgOp>() : linalg::LinalgOp();
    if (!nest)
      return false;
    int64_t range = nest.getStaticLoopRanges()[loop.getDim()];
    return !ShapedType::isDynamic(range) && range <= *limit;
  }

  void checkElement(Value tensor, ValueRange indices) {
    for (auto [dim, index] : llvm::enumerate(indices)) {
      OpFoldResult extent = getDim(tensor, dim);
      // A negative index is a large one here.
      if (!isInside(getAsOpFoldResult(index), extent))
        require(compare(arith::CmpIPredicate::ult, index, get(extent)),
                "has an index outside of dimension " + Twine(dim) + " of " +
                    getText(tensor.getType()));
    }
  }

  /// Elements offset, offset + stride, ..., `size` of them.
  void checkSlice(Value tensor, OffsetSizeAndStrideOpInterface slice) {
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes(),
                              strides = slice.getMixedStrides();
    for (unsigned dim = 0, e = offsets.size(); dim != e; ++dim) {
      OpFoldResult extent = getDim(tensor, dim);
      // The verifier has seen those of constants.
      if (getConstantIntValue(offsets[dim]) &&
          getConstantIntValue(sizes[dim]) &&
          getConstantIntValue(strides[dim]) && getConstantIntValue(extent))
        continue;
      Value one = arith::ConstantIndexOp::create(b, 1);
      Value size = get(sizes[dim]), offset = get(offsets[dim]);
      Value stride = arith::MaxSIOp::create(b, get(strides[dim]), one);
      Value last = arith::SubIOp::create(b, size, one);
      Value room = arith::SubIOp::create(
          b, arith::SubIOp::create(b, get(extent), one), offset);
      Value fits = arith::AndIOp::create(
          b, compare(arith::CmpIPredicate::ult, offset, get(extent)),
          compare(arith::CmpIPredicate::ule, last,
                  arith::DivUIOp::create(b, room, stride)));
      Value isEmpty = compare(arith::CmpIPredicate::eq, size,
                              arith::ConstantIndexOp::create(b, 0));
      require(arith::OrIOp::create(b, isEmpty, fits),
              "is outside of dimension " + Twine(dim) + " of " +
                  getText(tensor.getType()));
    }
  }

  void checkCast(tensor::CastOp cast) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from || !to)
      return;
    for (int64_t dim = 0; dim < to.getRank(); ++dim)
      if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
        require(compare(arith::CmpIPredicate::eq,
                        get(getDim(cast.getSource(), dim)),
                        get(b.getIndexAttr(to.getDimSize(dim)))),
                "has another extent than " + Twine(to.getDimSize(dim)) +
                    " in dimension " + Twine(dim));
  }

  void checkExpandShape(tensor::ExpandShapeOp expand) {
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      OpFoldResult extent = getDim(expand.getSrc(), dim);
      if (group.size() < 2 &&
          getConstantIntValue(sizes[group[0]]) == getConstantIntValue(extent) &&
          getConstantIntValue(extent))
        continue;
      if (getConstantIntValue(extent) && llvm::all_of(group, [&](int64_t to) {
            return getConstantIntValue(sizes[to]).has_value();
          }))
        continue;
      Value product = get(sizes[group[0]]);
      for (int64_t to : ArrayRef(group).drop_front())
        product = arith::MulIOp::create(b, product, get(sizes[to]));
      require(compare(arith::CmpIPredicate::eq, product, get(extent)),
              "has other than the elements of dimension " + Twine(dim));
    }
  }

  /// Operands that a loop walks have the same extent, and sums of loops stay
  /// within the dimension that they walk.
  LogicalResult checkLoops(linalg::LinalgOp linalg) {
    SmallVector<OpFoldResult> extents(linalg.getNumLoops());
    for (OpOperand &operand : linalg->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop)
          continue;
        OpFoldResult extent = getDim(operand.get(), dim);
        OpFoldResult &first = extents[loop.getPosition()];
        if (!first) {
          first = extent;
          continue;
        }
        if (getConstantIntValue(first) && getConstantIntValue(extent))
          continue;
        require(compare(arith::CmpIPredicate::eq, get(first), get(extent)),
                "has operands of different extents along loop " +
                    Twine(loop.getPosition()));
      }
    }
    for (OpOperand &operand : linalg->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dim, expr] : llvm::enumerate(
                 linalg.getMatchingIndexingMap(&operand).getResults()))
          if (!isa<AffineDimExpr>(expr) &&
              failed(checkSum(operand.get(), dim, expr, extents)))
            return failure();
    return success();
  }

  /// Products of loops with numbers, by the sign of the number, and their sum.
  struct Sum {
    SmallVector<std::pair<unsigned, int64_t>> loops;
    int64_t constant = 0;
  };

  /// `expr * factor`; false if it is no such sum, or too large for one.
  static bool addTerms(AffineExpr expr, int64_t factor, Sum &sum) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      sum.loops.push_back({loop.getPosition(), factor});
      return true;
    }
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      int64_t product;
      return !llvm::MulOverflow(number.getValue(), factor, product) &&
             !llvm::AddOverflow(sum.constant, product, sum.constant);
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (binary.getKind() == AffineExprKind::Add)
      return addTerms(binary.getLHS(), factor, sum) &&
             addTerms(binary.getRHS(), factor, sum);
    auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && number &&
           !llvm::MulOverflow(number.getValue(), factor, factor) &&
           addTerms(binary.getLHS(), factor, sum);
  }

  /// The smallest or largest number of `sum` in loops of `extents`; nullopt if
  /// one of them is dynamic, or the number too large.
  static std::optional<int64_t>
  getLimit(const Sum &sum, ArrayRef<OpFoldResult> extents, bool isLargest) {
    int64_t limit = sum.constant;
    for (auto [loop, factor] : sum.loops) {
      if ((factor > 0) != isLargest)
        continue;
      std::optional<int64_t> extent = getConstantIntValue(extents[loop]);
      int64_t product;
      if (!extent || llvm::MulOverflow(*extent - 1, factor, product) ||
          llvm::AddOverflow(limit, product, limit))
        return std::nullopt;
    }
    return limit;
  }

  /// The same at run time.
  Value createLimit(const Sum &sum, ArrayRef<OpFoldResult> extents,
                    bool isLargest) {
    Value limit = arith::ConstantIndexOp::create(b, sum.constant);
    Value one = arith::ConstantIndexOp::create(b, 1);
    for (auto [loop, factor] : sum.loops)
      if ((factor > 0) == isLargest)
        limit = arith::AddIOp::create(
            b, limit,
            arith::MulIOp::create(
                b, arith::SubIOp::create(b, get(extents[loop]), one),
                arith::ConstantIndexOp::create(b, factor)));
    return limit;
  }

  /// Upstream's verifier looks at the first and the last element alone, and at
  /// none if anything is dynamic.
  LogicalResult checkSum(Value tensor, unsigned dim, AffineExpr expr,
                         ArrayRef<OpFoldResult> extents) {
    Sum sum;
    if (!addTerms(expr, 1, sum))
      return success();
    for (auto [loop, factor] : sum.loops)
      if (!extents[loop] || getConstantIntValue(extents[loop]) == 0)
        return success();
    OpFoldResult extent = getDim(tensor, dim);
    std::optional<int64_t> first = getLimit(sum, extents, /*isLargest=*/false),
                           last = getLimit(sum, extents, /*isLargest=*/true),
                           size = getConstantIntValue(extent);
    if ((first && *first < 0) || (last && size && *last >= *size)) {
      auto error = op->emitOpError("reads element ");
      error << (first && *first < 0 ? *first : *last) << " of dimension " << dim
            << " of " << tensor.getType();
      return error << "; its strides or dilations have to stay within that";
    }
    Value inside;
    if (!first)
      inside = compare(arith::CmpIPredicate::sge,
                       createLimit(sum, extents, /*isLargest=*/false),
                       arith::ConstantIndexOp::create(b, 0));
    if (!last || !size) {
      Value isLess =
          compare(arith::CmpIPredicate::slt,
                  createLimit(sum, extents, /*isLargest=*/true), get(extent));
      inside = inside ? arith::AndIOp::create(b, inside, isLess) : isLess;
    }
    if (inside)
      require(inside, "leaves dimension " + Twine(dim) + " of " +
                          getText(tensor.getType()));
    return success();
  }

  void checkBatch(qbackend::int8::Conv2dOp kernel) {
    OpFoldResult batch = getDim(kernel.getInput(), 0);
    for (Value image : {kernel.getInit(), kernel.getResidual()})
      if (image && !getConstantIntValue(batch))
        require(compare(arith::CmpIPredicate::eq, get(batch),
                        get(getDim(image, 0))),
                "has operands of different batches");
  }

  static std::string getText(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  Operation *op;
  ImplicitLocOpBuilder b;
};

struct CheckBoundsPass
    : qbackend::codegen::impl::CheckBoundsPassBase<CheckBoundsPass> {
  void runOnOperation() final {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      // What passes make of constants that the verifier of tosa doesn't compare
      // with the types, such as the size of a slice, isn't verified in between.
      if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) &&
          failed(verify(op, /*verifyRecursively=*/false)))
        return signalPassFailure();
      if (failed(Checker(op).check()))
        return signalPassFailure();
    }
  }
};
} // namespace

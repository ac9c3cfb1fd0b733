// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts that ops on tensors stay within them.

#include "qbackend/CodeGen/Passes.h"
#include "qbackend/Dialect/Int8/Int8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
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
      checkInsertion(slice, slice.getSourceType(), slice.getSource(),
                     slice.getDest());
    else if (auto slice = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      // Nothing else may be between these ops.
      b.setInsertionPoint(op->getParentOp());
      checkInsertion(slice, slice.getSourceType(), slice.getSource(),
                     slice.getDest());
    } else if (auto cast = dyn_cast<tensor::CastOp>(op))
      return checkCast(cast);
    else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      checkConcat(concat);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      checkExpandShape(expand);
    else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      checkReshape(reshape);
    else if (auto dim = dyn_cast<tensor::DimOp>(op))
      checkDim(dim);
    else if (auto pad = dyn_cast<tensor::PadOp>(op))
      checkPad(pad);
    else if (isa<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp>(op))
      checkExtents(mix(llvm::cast<RankedTensorType>(op->getResult(0).getType()),
                       isa<tensor::SplatOp>(op) ? op->getOperands().drop_front()
                                                : op->getOperands()));
    else if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp,
                 arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                 index::DivSOp, index::RemSOp, index::DivUOp, index::RemUOp,
                 index::CeilDivSOp, index::CeilDivUOp, index::FloorDivSOp>(op))
      checkDivision(
          /*isSigned=*/!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
                            index::DivUOp, index::RemUOp, index::CeilDivUOp>(
              op));
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

  /// Whether a slice is known to be inside. The verifier has seen attributes,
  /// but not constants that are operands.
  static bool isSliceInside(OpFoldResult offsetOf, OpFoldResult sizeOf,
                            OpFoldResult strideOf, OpFoldResult extentOf) {
    auto offset = getConstantIntValue(offsetOf),
         size = getConstantIntValue(sizeOf),
         stride = getConstantIntValue(strideOf),
         extent = getConstantIntValue(extentOf);
    if (!offset || !size || !stride || !extent)
      return false;
    return *size == 0 ||
           (0 <= *offset && *offset < *extent && 0 < *size && 0 <= *stride &&
            *size - 1 <=
                (*extent - 1 - *offset) / std::max(*stride, int64_t(1)));
  }

  /// Elements offset, offset + stride, ..., `size` of them. Negative strides
  /// are large ones here: with them, a slice is at most one element.
  void checkSlice(Value tensor, OffsetSizeAndStrideOpInterface slice) {
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes(),
                              strides = slice.getMixedStrides();
    for (unsigned dim = 0, e = offsets.size(); dim != e; ++dim) {
      OpFoldResult extent = getDim(tensor, dim);
      if (isSliceInside(offsets[dim], sizes[dim], strides[dim], extent))
        continue;
      Value one = arith::ConstantIndexOp::create(b, 1);
      Value size = get(sizes[dim]), offset = get(offsets[dim]);
      Value stride = arith::MaxUIOp::create(b, get(strides[dim]), one);
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

  LogicalResult checkCast(tensor::CastOp cast) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from)
      return op->emitOpError("is of a tensor whose rank isn't known; give it "
                             "the type that it has");
    if (!to)
      return success();
    for (int64_t dim = 0; dim < to.getRank(); ++dim)
      if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
        require(compare(arith::CmpIPredicate::eq,
                        get(getDim(cast.getSource(), dim)),
                        get(b.getIndexAttr(to.getDimSize(dim)))),
                "has another extent than " + Twine(to.getDimSize(dim)) +
                    " in dimension " + Twine(dim));
    return success();
  }

  /// Requires that `extent` is that of dimension `dim` of the result, if that
  /// is static: the verifier takes anything for what it doesn't know.
  void checkResult(OpFoldResult extent, int64_t dim) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.isDynamicDim(dim) &&
        getConstantIntValue(extent) != type.getDimSize(dim))
      require(compare(arith::CmpIPredicate::eq, get(extent),
                      get(b.getIndexAttr(type.getDimSize(dim)))),
              "has another extent than " + Twine(type.getDimSize(dim)) +
                  " in dimension " + Twine(dim));
  }

  void checkConcat(tensor::ConcatOp concat) {
    int64_t along = concat.getDim();
    ValueRange inputs = concat.getInputs();
    for (int64_t dim = 0, e = concat.getType().getRank(); dim < e; ++dim) {
      OpFoldResult first = getDim(inputs[0], dim);
      OpFoldResult sum = first;
      for (Value input : inputs.drop_front()) {
        OpFoldResult extent = getDim(input, dim);
        auto known = getConstantIntValue(extent),
             other = getConstantIntValue(dim == along ? sum : first);
        if (dim != along) {
          if (!known || known != other)
            require(compare(arith::CmpIPredicate::eq, get(extent), get(first)),
                    "has operands of different extents in dimension " +
                        Twine(dim));
        } else if (known && other) {
          sum = b.getIndexAttr(*known + *other);
        } else {
          sum = arith::AddIOp::create(b, get(sum), get(extent)).getResult();
        }
      }
      checkResult(sum, dim);
    }
  }

  /// How the product of `factors` compares with `whole`, by `eq` or `ule`, also
  /// where it has more than 64 bits or a negative factor.
  Value compareProduct(arith::CmpIPredicate predicate,
                       ArrayRef<OpFoldResult> factors, Value whole) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value product = one, fits = arith::ConstantIntOp::create(b, 1, 1),
          isEmpty = arith::ConstantIntOp::create(b, 0, 1), isPositive = fits;
    for (OpFoldResult factor : factors) {
      Value size = get(factor);
      // Each is at most what is left of the others.
      Value most = arith::DivUIOp::create(b, whole,
                                          arith::MaxUIOp::create(b, size, one));
      fits = arith::AndIOp::create(
          b, fits, compare(arith::CmpIPredicate::ule, product, most));
      isEmpty = arith::OrIOp::create(
          b, isEmpty, compare(arith::CmpIPredicate::eq, size, zero));
      isPositive = arith::AndIOp::create(
          b, isPositive, compare(arith::CmpIPredicate::sge, size, zero));
      product = arith::MulIOp::create(b, product, size);
    }
    fits = arith::AndIOp::create(b, fits, compare(predicate, product, whole));
    if (predicate == arith::CmpIPredicate::ule)
      fits = arith::OrIOp::create(b, isEmpty, fits);
    else
      fits = arith::SelectOp::create(
          b, compare(arith::CmpIPredicate::eq, whole, zero), isEmpty, fits);
    return arith::AndIOp::create(b, isPositive, fits);
  }

  /// Static extents of `type`, and `dynamic` ones for the others.
  static SmallVector<OpFoldResult> mix(RankedTensorType type,
                                       ValueRange dynamic) {
    SmallVector<OpFoldResult> extents;
    Builder builder(type.getContext());
    for (int64_t extent : type.getShape()) {
      if (ShapedType::isDynamic(extent)) {
        extents.push_back(getAsOpFoldResult(dynamic.front()));
        dynamic = dynamic.drop_front();
      } else {
        extents.push_back(builder.getIndexAttr(extent));
      }
    }
    return extents;
  }

  /// A buffer is as large as its extents say: their product is a number.
  void checkExtents(ArrayRef<OpFoldResult> extents) {
    int64_t product = 1;
    bool isKnown = llvm::all_of(extents, [&](OpFoldResult extent) {
      std::optional<int64_t> size = getConstantIntValue(extent);
      return size && *size >= 0 && !llvm::MulOverflow(product, *size, product);
    });
    if (isKnown && product <= qbackend::codegen::kMaxElements)
      return;
    require(compareProduct(arith::CmpIPredicate::ule, extents,
                           arith::ConstantIndexOp::create(
                               b, qbackend::codegen::kMaxElements)),
            "makes a tensor with a negative extent, or of more than " +
                Twine(qbackend::codegen::kMaxElements) + " elements");
  }

  void checkPad(tensor::PadOp pad) {
    SmallVector<OpFoldResult> extents;
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              high = pad.getMixedHighPad();
    bool isDynamic = false;
    for (auto [dim, sides] : llvm::enumerate(llvm::zip_equal(low, high))) {
      OpFoldResult extent = getDim(pad.getSource(), dim);
      Value sum = get(extent);
      std::optional<int64_t> total = getConstantIntValue(extent);
      isDynamic |= !total;
      for (OpFoldResult side : {std::get<0>(sides), std::get<1>(sides)}) {
        std::optional<int64_t> known = getConstantIntValue(side);
        isDynamic |= !known;
        total = total && known ? std::optional(*total + *known) : std::nullopt;
        // Two of those are no number that wraps.
        if (!known || *known < 0 || *known > qbackend::codegen::kMaxElements)
          require(compare(arith::CmpIPredicate::ule, get(side),
                          arith::ConstantIndexOp::create(
                              b, qbackend::codegen::kMaxElements)),
                  "has a negative padding, or one of more than " +
                      Twine(qbackend::codegen::kMaxElements) +
                      ", in dimension " + Twine(dim));
        sum = arith::AddIOp::create(b, sum, get(side));
      }
      extents.push_back(sum);
      checkResult(total ? OpFoldResult(b.getIndexAttr(*total)) : sum, dim);
    }
    if (isDynamic)
      checkExtents(extents);
  }

  void checkDim(tensor::DimOp dim) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || (index && 0 <= *index && *index < type.getRank()))
      return;
    require(compare(arith::CmpIPredicate::ult, dim.getIndex(),
                    arith::ConstantIndexOp::create(b, type.getRank())),
            "has no such dimension in " + getText(type));
  }

  void checkReshape(tensor::ReshapeOp reshape) {
    auto from = dyn_cast<RankedTensorType>(reshape.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(reshape.getType());
    if (!from || !to)
      return;
    Value whole = arith::ConstantIndexOp::create(b, 1);
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      whole = arith::MulIOp::create(b, whole,
                                    get(getDim(reshape.getSource(), dim)));
    SmallVector<OpFoldResult> factors;
    for (int64_t dim = 0; dim < to.getRank(); ++dim) {
      Value index = arith::ConstantIndexOp::create(b, dim);
      Value size = tensor::ExtractOp::create(b, reshape.getShape(), index);
      if (!size.getType().isIndex())
        size = arith::IndexCastOp::create(b, b.getIndexType(), size);
      factors.push_back(size);
      if (!to.isDynamicDim(dim))
        require(compare(arith::CmpIPredicate::eq, size,
                        get(b.getIndexAttr(to.getDimSize(dim)))),
                "has another extent than " + Twine(to.getDimSize(dim)) +
                    " in dimension " + Twine(dim));
    }
    require(compareProduct(arith::CmpIPredicate::eq, factors, whole),
            "has other than the elements of " + getText(from));
  }

  /// Processors end a program that divides by zero, and where the quotient is
  /// no number of its type.
  void checkDivision(bool isSigned) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    Type type = y.getType();
    if (!type.isIntOrIndex())
      return;
    std::optional<int64_t> divisor = getConstantIntValue(getAsOpFoldResult(y));
    if (divisor && *divisor != 0 && (*divisor != -1 || !isSigned))
      return;
    auto number = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    if (!divisor || *divisor == 0)
      require(compare(arith::CmpIPredicate::ne, y, number(APInt(width, 0))),
              "divides by zero");
    if (isSigned && (!divisor || *divisor == -1))
      require(arith::OrIOp::create(
                  b,
                  compare(arith::CmpIPredicate::ne, y,
                          number(APInt::getAllOnes(width))),
                  compare(arith::CmpIPredicate::ne, x,
                          number(APInt::getSignedMinValue(width)))),
              "divides the smallest number by -1");
  }

  /// The slice is inside of `tensor`, and as large as what is put there.
  void checkInsertion(OffsetSizeAndStrideOpInterface slice,
                      RankedTensorType type, Value source, Value tensor) {
    checkSlice(tensor, slice);
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    // Dimensions of one element may be left out.
    size_t dim = 0;
    for (int64_t i = 0; i < type.getRank(); ++i, ++dim) {
      int64_t missing = int64_t(sizes.size() - dim) - (type.getRank() - i);
      while (missing > 0 && shape[dim] == 1 && type.getDimSize(i) != 1) {
        ++dim;
        --missing;
      }
      OpFoldResult extent = getDim(source, i);
      std::optional<int64_t> known = getConstantIntValue(extent);
      if (known && *known == shape[dim])
        continue;
      require(compare(arith::CmpIPredicate::eq, get(extent), get(sizes[dim])),
              "has another extent than its source in dimension " + Twine(dim));
    }
  }

  /// Whether the sizes of `group` are known to be those of `extent` elements.
  static bool isExpandedWhole(ArrayRef<int64_t> group,
                              ArrayRef<OpFoldResult> sizes,
                              OpFoldResult extent) {
    int64_t product = 1;
    for (int64_t to : group) {
      std::optional<int64_t> size = getConstantIntValue(sizes[to]);
      if (!size || *size < 0 || llvm::MulOverflow(product, *size, product))
        return false;
    }
    return getConstantIntValue(extent) == product;
  }

  void checkExpandShape(tensor::ExpandShapeOp expand) {
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      OpFoldResult extent = getDim(expand.getSrc(), dim);
      if (isExpandedWhole(group, sizes, extent))
        continue;
      SmallVector<OpFoldResult> factors;
      for (int64_t to : group)
        factors.push_back(sizes[to]);
      require(compareProduct(arith::CmpIPredicate::eq, factors, get(extent)),
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

  /// The smallest and the largest number that `expr` can be, with quotients and
  /// remainders; nullopt if that isn't known.
  static std::optional<std::pair<int64_t, int64_t>>
  getRange(AffineExpr expr, ArrayRef<OpFoldResult> extents) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      OpFoldResult extent = extents[loop.getPosition()];
      std::optional<int64_t> size =
          extent ? getConstantIntValue(extent) : std::nullopt;
      if (!size || *size < 1)
        return std::nullopt;
      return std::pair(int64_t(0), *size - 1);
    }
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return std::pair(number.getValue(), number.getValue());
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return std::nullopt;
    auto x = getRange(binary.getLHS(), extents),
         y = getRange(binary.getRHS(), extents);
    int64_t first, last;
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      if (!x || !y || llvm::AddOverflow(x->first, y->first, first) ||
          llvm::AddOverflow(x->second, y->second, last))
        return std::nullopt;
      return std::pair(first, last);
    case AffineExprKind::Mul:
      if (!x || !y || y->first != y->second ||
          llvm::MulOverflow(x->first, y->first, first) ||
          llvm::MulOverflow(x->second, y->first, last))
        return std::nullopt;
      return std::pair(std::min(first, last), std::max(first, last));
    case AffineExprKind::Mod:
      if (!y || y->first != y->second || y->first < 1)
        return std::nullopt;
      if (x && 0 <= x->first && x->second < y->first)
        return x;
      return std::pair(int64_t(0), y->first - 1);
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv: {
      if (!x || !y || y->first != y->second || y->first < 1)
        return std::nullopt;
      bool isFloor = binary.getKind() == AffineExprKind::FloorDiv;
      auto divide = [&](int64_t number) {
        return isFloor ? llvm::divideFloorSigned(number, y->first)
                       : llvm::divideCeilSigned(number, y->first);
      };
      return std::pair(divide(x->first), divide(x->second));
    }
    default:
      return std::nullopt;
    }
  }

  /// What divides loops is inside by its range, or refused.
  LogicalResult checkRange(Value tensor, unsigned dim, AffineExpr expr,
                           ArrayRef<OpFoldResult> extents) {
    auto range = getRange(expr, extents);
    std::optional<int64_t> size = getConstantIntValue(getDim(tensor, dim));
    if (range && size && 0 <= range->first && range->second < *size)
      return success();
    for (OpFoldResult extent : extents)
      if (extent && getConstantIntValue(extent) == 0)
        return success();
    if (range && (range->first < 0 || size))
      return op->emitOpError("may read element ")
             << (range->first < 0 ? range->first : range->second)
             << " of dimension " << dim << " of " << tensor.getType()
             << "; its strides or dilations have to stay within that";
    return op->emitOpError("reads dimension ")
           << dim << " of " << tensor.getType()
           << " by quotients of loops; their extents have to be known";
  }

  /// Upstream's verifier looks at the first and the last element alone, and at
  /// none if anything is dynamic.
  LogicalResult checkSum(Value tensor, unsigned dim, AffineExpr expr,
                         ArrayRef<OpFoldResult> extents) {
    Sum sum;
    if (!addTerms(expr, 1, sum))
      return checkRange(tensor, dim, expr, extents);
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
    // So that a sum of 128 terms has 64 bits where extents have 31.
    constexpr int64_t largest = 1 << 24;
    if (!first || !last || !size) {
      bool isLarge = std::abs(sum.constant) > largest;
      for (auto [loop, factor] : sum.loops)
        isLarge |= std::abs(factor) > largest;
      if (isLarge)
        return op->emitOpError("has strides or offsets of more than ")
               << largest << " in dimension " << dim << " of "
               << tensor.getType() << ", whose extents aren't known";
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
      if (isa_and_nonnull<tensor::TensorDialect, linalg::LinalgDialect>(
              op->getDialect()) &&
          failed(verify(op, /*verifyRecursively=*/false)))
        return signalPassFailure();
      if (failed(Checker(op).check()))
        return signalPassFailure();
    }
  }
};
} // namespace

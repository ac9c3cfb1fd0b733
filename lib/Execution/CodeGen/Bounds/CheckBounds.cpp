// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts that ops on tensors stay within them.

#include "Assertions.h"
#include "LoopBounds.h"

#include "qbackend/Execution/CodeGen/CompiledOps.h"
#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using qbackend::codegen::Assertions;
using qbackend::codegen::checkLoopBounds;
using qbackend::codegen::RuntimeCheck;

namespace {
/// Builds the checks of one op, in front of it.
class Checker : Assertions {
public:
  using Assertions::Assertions;

  /// Fails, and says so at the op, if it is known to leave a tensor.
  LogicalResult check() {
    auto known = qbackend::codegen::findCompiledOp(op->getName());
    if (!known)
      return op->emitOpError("is not compiled: nothing is known of what it "
                             "reads and writes");
    switch (*known) {
    case RuntimeCheck::None:
    case RuntimeCheck::ConstantDivision:
      return success();
    case RuntimeCheck::SignedDivision:
      checkDivision(/*isSigned=*/true);
      return success();
    case RuntimeCheck::UnsignedDivision:
      checkDivision(/*isSigned=*/false);
      return success();
    case RuntimeCheck::Step:
      checkSteps();
      return success();
    case RuntimeCheck::Bounds:
      return checkBounds();
    }
    llvm_unreachable("every check is above");
  }

private:
  LogicalResult checkBounds() {
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
    else if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
      return checkLoopBounds(linalg);
    else if (auto kernel = dyn_cast<qbackend::int8::Conv2dOp>(op))
      checkBatch(kernel);
    return success();
  }

  /// A loop with another step doesn't end.
  void checkSteps() {
    auto steps = cast<LoopLikeOpInterface>(op).getLoopSteps();
    for (OpFoldResult step : steps.value_or(SmallVector<OpFoldResult>())) {
      std::optional<int64_t> known = getConstantIntValue(step);
      if (known && *known > 0)
        continue;
      Value number = get(step);
      Value zero =
          arith::ConstantOp::create(b, b.getIntegerAttr(number.getType(), 0));
      require(compare(arith::CmpIPredicate::sgt, number, zero),
              "has a step that isn't positive");
    }
  }

  /// Whether `index` is known to be less than `extent`.
  static bool isInside(OpFoldResult index, OpFoldResult extent) {
    std::optional<int64_t> limit = getConstantIntValue(extent);
    if (!limit)
      return false;
    if (std::optional<int64_t> value = getConstantIntValue(index))
      return 0 <= *value && *value < *limit;
    // Poison is a constant, but no number.
    auto computed = dyn_cast<Value>(index);
    auto loop = computed ? computed.getDefiningOp<linalg::IndexOp>()
                         : linalg::IndexOp();
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
        require(compare(arith::CmpIPredicate::ult, index, extent),
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
      Value begins = compare(arith::CmpIPredicate::ult, offset, extent);
      Value most = arith::DivUIOp::create(b, room, stride);
      Value ends = compare(arith::CmpIPredicate::ule, last, most);
      Value fits = arith::AndIOp::create(b, begins, ends);
      Value isEmpty =
          compare(arith::CmpIPredicate::eq, size, b.getIndexAttr(0));
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
        require(compare(arith::CmpIPredicate::eq, getDim(cast.getSource(), dim),
                        b.getIndexAttr(to.getDimSize(dim))),
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
      require(compare(arith::CmpIPredicate::eq, extent,
                      b.getIndexAttr(type.getDimSize(dim))),
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
            require(compare(arith::CmpIPredicate::eq, extent, first),
                    "has operands of different extents in dimension " +
                        Twine(dim) +
                        "; pass inputs that give equal ones, or pad or slice "
                        "an operand");
        } else if (known && other) {
          sum = b.getIndexAttr(*known + *other);
        } else {
          Value before = get(sum), added = get(extent);
          sum = arith::AddIOp::create(b, before, added).getResult();
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
        extents.push_back(dynamic.front());
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
          require(compare(arith::CmpIPredicate::ule, side,
                          b.getIndexAttr(qbackend::codegen::kMaxElements)),
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
                    b.getIndexAttr(type.getRank())),
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
                        b.getIndexAttr(to.getDimSize(dim))),
                "has another extent than " + Twine(to.getDimSize(dim)) +
                    " in dimension " + Twine(dim));
    }
    require(compareProduct(arith::CmpIPredicate::eq, factors, whole),
            "has another number of elements than " + getText(from) +
                (from.hasStaticShape()
                     ? ""
                     : ": it was written for another batch, or size"));
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
    if (isSigned && (!divisor || *divisor == -1)) {
      Value isOther = compare(arith::CmpIPredicate::ne, y,
                              number(APInt::getAllOnes(width)));
      Value isLarger = compare(arith::CmpIPredicate::ne, x,
                               number(APInt::getSignedMinValue(width)));
      require(arith::OrIOp::create(b, isOther, isLarger),
              "divides the smallest number by -1");
    }
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
      require(compare(arith::CmpIPredicate::eq, extent, sizes[dim]),
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
              "has another number of elements than dimension " + Twine(dim));
    }
  }

  void checkBatch(qbackend::int8::Conv2dOp kernel) {
    OpFoldResult batch = getDim(kernel.getInput(), 0);
    for (Value image : {kernel.getInit(), kernel.getResidual()})
      if (image && !getConstantIntValue(batch))
        require(compare(arith::CmpIPredicate::eq, batch, getDim(image, 0)),
                "has operands of different batches");
  }
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

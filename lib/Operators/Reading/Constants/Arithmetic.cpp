// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on constants: each op, or each region, is a scalar program that is
// run for all elements. Each result is rounded to its type, in the order of the
// IR, so that parameters come out with the bits that running the code would
// give.

#include "Reading/Constants/Constants.h"
#include "Reading/Scalars/ScalarElements.h"
#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

using Shape = SmallVector<int64_t>;

/// The numbers of `program` as elements of `type`, whose dimensions are the
/// loops.
static DenseElementsAttr evaluateProgram(const ScalarProgram &program,
                                         RankedTensorType type) {
  if (!ScalarType::get(type.getElementType()) || type.getNumElements() == 0)
    return {};
  // One evaluation tells for all positions if it depends on none.
  Shape sizes(type.getShape());
  if (program.getLoops().none())
    sizes.assign(sizes.size(), 1);
  else if (type.getNumElements() > kMaxConstantElements)
    return {};
  ElementWriter writer(type);
  writer.reserve(llvm::product_of(sizes));
  if (!program.evaluateAll(sizes, [&](ArrayRef<ScalarNumber> numbers) {
        writer.append(numbers);
      }))
    return {};
  return writer.finish();
}

DenseElementsAttr
forms::evaluateElementwise(Operation *op,
                           ArrayRef<DenseElementsAttr> operands) {
  Type resultType = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(resultType);
  if (operands.empty() || (shaped && !isa<RankedTensorType>(shaped)))
    return {};
  Type element = shaped ? shaped.getElementType() : resultType;
  // The shape of a dynamic result is that of its operands.
  Shape shape(shaped ? shaped.getRank() : 0, 1);
  SmallVector<AffineMap> maps;
  for (DenseElementsAttr operand : operands) {
    if (!operand || operand.getType().getRank() > int64_t(shape.size()))
      return {};
    ArrayRef<int64_t> own = operand.getType().getShape();
    int64_t lead = shape.size() - own.size();
    SmallVector<AffineExpr> exprs;
    for (auto [i, size] : llvm::enumerate(own)) {
      int64_t &result = shape[lead + i];
      if (size != 1 && result != 1 && result != size)
        return {};
      if (size != 1)
        result = size;
      exprs.push_back(size == 1 ? getAffineConstantExpr(0, op->getContext())
                                : getAffineDimExpr(lead + i, op->getContext()));
    }
    maps.push_back(AffineMap::get(shape.size(), 0, exprs, op->getContext()));
  }
  std::optional<ScalarProgram> program =
      ScalarProgram::readOp(op, operands, maps);
  return program
             ? evaluateProgram(*program, RankedTensorType::get(shape, element))
             : DenseElementsAttr();
}

/// An argument of the region that is yielded as it is: a copy of bytes, of any
/// type.
static DenseElementsAttr
evaluateCopy(linalg::LinalgOp op, BlockArgument argument, RankedTensorType type,
             AffineMap resultMap, ConstantLookup lookup) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  DenseElementsAttr elements = lookup(operand->get());
  if (!elements)
    return {};
  // How far the operand moves along each loop.
  AffineMap map = op.getMatchingIndexingMap(operand);
  ArrayRef<int64_t> shape = elements.getType().getShape();
  Shape strides(op.getNumLoops(), 0), own = getRowMajorStrides(shape), moved;
  if (map.getNumResults() != shape.size())
    return {};
  for (auto [stride, expr] : llvm::zip_equal(own, map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      strides[dim.getPosition()] += stride;
    else if (auto number = dyn_cast<AffineConstantExpr>(expr);
             !number || number.getValue() != 0)
      return {};
  }
  for (AffineExpr expr : resultMap.getResults())
    moved.push_back(strides[cast<AffineDimExpr>(expr).getPosition()]);
  return gather(elements, type.getShape(), 0, moved, type.getShape());
}

namespace {
enum class Combine { Add, Multiply, Maximum, Minimum };
} // namespace

/// How `op` combines numbers, in the region of a structured op or along an
/// axis.
static std::optional<Combine> getCombine(Operation *op) {
  if (isa<arith::AddFOp, tosa::ReduceSumOp>(op))
    return Combine::Add;
  if (isa<arith::MulFOp, tosa::ReduceProductOp>(op))
    return Combine::Multiply;
  if (isa<arith::MaximumFOp, tosa::ReduceMaxOp>(op))
    return Combine::Maximum;
  if (isa<arith::MinimumFOp, tosa::ReduceMinOp>(op))
    return Combine::Minimum;
  return std::nullopt;
}

/// What is known of floats, with one more of them.
static float combineNumbers(Combine kind, float all, float next) {
  if (kind == Combine::Add)
    return all + next;
  if (kind == Combine::Multiply)
    return all * next;
  if (std::isnan(all) || std::isnan(next))
    return std::numeric_limits<float>::quiet_NaN();
  // Of the two zeros, -0 is the lesser one.
  bool isLess = all == next ? std::signbit(all) : all < next;
  return isLess == (kind == Combine::Maximum) ? next : all;
}

/// Operations that a sum of constants may take, as those of the largest weights
/// do: about a second.
static constexpr int64_t kMaxReductionSteps = int64_t(1) << 27;

/// A sum, a product, a maximum or a minimum of floats: the region of `op`
/// at each point, in the order of the loops, as the code computes it.
static DenseElementsAttr evaluateReduction(linalg::LinalgOp op,
                                           RankedTensorType type,
                                           ConstantLookup lookup) {
  Block *body = op.getBlock();
  Operation *combine = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine)
    return {};
  Shape bounds = op.getStaticLoopRanges();
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  BlockArgument before = op.getMatchingBlockArgument(init);
  std::optional<Combine> kind = getCombine(combine);
  if (op.getNumDpsInits() != 1 || !type.getElementType().isF32() ||
      !map.isProjectedPermutation() || ShapedType::isDynamicShape(bounds) ||
      llvm::is_contained(bounds, 0) || combine->getBlock() != body ||
      !before.hasOneUse() || !kind ||
      !llvm::is_contained(combine->getOperands(), before))
    return {};
  int64_t steps = body->getOperations().size();
  for (int64_t bound : bounds)
    if (steps > kMaxReductionSteps / bound)
      return {};
    else
      steps *= bound;
  Value element = combine->getOperand(combine->getOperand(0) == before);
  std::optional<ScalarProgram> program =
      ScalarProgram::read(element, lookup, /*variable=*/{},
                          /*maxSteps=*/std::numeric_limits<size_t>::max());
  DenseElementsAttr start = lookup(init->get());
  if (!program || !start || start.getType() != type)
    return {};
  SmallVector<float> numbers(start.getValues<float>());
  Shape strides(bounds.size(), 0), position(bounds.size(), 0);
  for (auto [expr, stride] :
       llvm::zip_equal(map.getResults(), getRowMajorStrides(type.getShape())))
    strides[cast<AffineDimExpr>(expr).getPosition()] = stride;
  int64_t offset = 0;
  auto add = [&](ScalarNumber number) {
    float &all = numbers[offset];
    all = combineNumbers(*kind, all, number.toDouble(program->getType()));
    for (size_t loop = bounds.size(); loop-- > 0;) {
      offset += strides[loop];
      if (++position[loop] < bounds[loop])
        return;
      offset -= strides[loop] * bounds[loop];
      position[loop] = 0;
    }
  };
  if (!program->evaluateAll(bounds, [&](ArrayRef<ScalarNumber> some) {
        llvm::for_each(some, add);
      }))
    return {};
  return DenseElementsAttr::get(type, ArrayRef<float>(numbers));
}

DenseElementsAttr forms::evaluateStructured(OpResult result,
                                            ConstantLookup lookup) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  unsigned index = result.getResultNumber();
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Block *body = op.getBlock();
  if (!type || !body || body->empty() || !type.hasStaticShape() ||
      !type.getElementType().isIntOrIndexOrFloat() ||
      body->getTerminator()->getNumOperands() != op->getNumResults())
    return {};
  if (op.getNumParallelLoops() != op.getNumLoops())
    return evaluateReduction(op, type, lookup);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(index));
  if (!map.isPermutation())
    return {};
  Value yielded = body->getTerminator()->getOperand(index);
  if (auto argument = dyn_cast<BlockArgument>(yielded);
      argument && argument.getOwner() == body)
    return evaluateCopy(op, argument, type, map, lookup);
  std::optional<ScalarProgram> program =
      ScalarProgram::read(yielded, lookup, /*variable=*/{},
                          /*maxSteps=*/std::numeric_limits<size_t>::max());
  if (!program)
    return {};
  // In the order of the loops, then of the result's dimensions.
  Shape bounds(type.getRank());
  SmallVector<int32_t> permutation;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bounds[loop] = size;
    permutation.push_back(loop);
  }
  DenseElementsAttr elements = evaluateProgram(*program, type.clone(bounds));
  return elements && !map.isIdentity() ? transpose(elements, permutation)
                                       : elements;
}

DenseElementsAttr forms::evaluateTosaReduction(Operation *op,
                                               ConstantLookup lookup) {
  std::optional<Combine> kind = getCombine(op);
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  DenseElementsAttr elements =
      kind && axis ? lookup(op->getOperand(0)) : DenseElementsAttr();
  if (!elements || !elements.getElementType().isF32())
    return {};
  Shape shape(elements.getType().getShape());
  if (axis.getInt() < 0 || axis.getInt() >= int64_t(shape.size()) ||
      llvm::is_contained(shape, 0) ||
      elements.getNumElements() > kMaxReductionSteps)
    return {};
  int64_t size = shape[axis.getInt()];
  int64_t inner =
      llvm::product_of(ArrayRef(shape).drop_front(axis.getInt() + 1));
  shape[axis.getInt()] = 1;
  SmallVector<float> numbers;
  auto next = elements.getValues<float>().begin();
  for (int64_t row = 0, rows = llvm::product_of(shape) / inner; row < rows;
       ++row) {
    // A sum begins with 0, which is -0 no more.
    numbers.append(inner, *kind == Combine::Add ? 0.0f : 1.0f);
    auto all = llvm::MutableArrayRef(numbers).take_back(inner);
    for (int64_t along = 0; along < size; ++along)
      for (float &element : all) {
        float number = *next++;
        // Whether NaN counts is an attribute of the op, and a maximum begins
        // with the least finite number.
        if (!std::isfinite(number))
          return {};
        bool isFirst = along == 0 && *kind != Combine::Add;
        element = isFirst ? number : combineNumbers(*kind, element, number);
      }
  }
  return DenseElementsAttr::get(
      RankedTensorType::get(shape, elements.getElementType()),
      ArrayRef<float>(numbers));
}

DenseElementsAttr forms::evaluateByFolding(OpResult result,
                                           ConstantLookup lookup) {
  Operation *op = result.getOwner();
  if (op->getNumRegions() != 0 || op->getNumOperands() == 0 || !isPure(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr elements = lookup(operand);
    if (!elements)
      return {};
    Attribute attribute = elements;
    if (!isa<ShapedType>(operand.getType()))
      attribute = isa<FloatType>(elements.getElementType())
                      ? Attribute(elements.getSplatValue<FloatAttr>())
                      : Attribute(elements.getSplatValue<IntegerAttr>());
    operands.push_back(attribute);
  }
  // Folders may change the op that they are asked about.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> folded;
  DenseElementsAttr elements;
  if (succeeded(copy->fold(operands, folded)) &&
      folded.size() == copy->getNumResults()) {
    OpFoldResult number = folded[result.getResultNumber()];
    elements = isa<Attribute>(number) ? readAttribute(cast<Attribute>(number))
                                      : lookup(cast<Value>(number));
  }
  copy->erase();
  return elements;
}

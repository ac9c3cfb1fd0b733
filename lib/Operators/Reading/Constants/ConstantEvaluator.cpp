// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates constants: which values are, in which order, and by what.

#include "qbackend/Operators/ConstantEvaluator.h"

#include "Reading/Constants/Constants.h"
#include "Reading/Layout.h"
#include "Reading/Scalars/ScalarElements.h"
#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// What `op` reads, captured values included.
static SmallVector<Value> getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    values.append(captured.begin(), captured.end());
  }
  return values;
}

static bool mayBeConstant(Operation *op) {
  if (!op)
    return false;
  Dialect *dialect = op->getDialect();
  if (isa<DequantizeOp, quant::StorageCastOp>(op) ||
      isa_and_nonnull<tosa::TosaDialect, tensor::TensorDialect,
                      linalg::LinalgDialect, arith::ArithDialect,
                      math::MathDialect>(dialect))
    return true;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  // What its folder knows. Quantization is no arithmetic.
  return dialect && op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
         !isa<QBackendDialect, quant::QuantDialect>(dialect) && isPure(op);
}

void ConstantEvaluator::notifyOperationErased(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults()) {
      cache.erase(result);
      constness.erase(result);
    }
  });
}

bool ConstantEvaluator::isConstant(Value value) {
  // Nobody says when an argument of a block is erased: none is remembered.
  if (isa<BlockArgument>(value))
    return false;
  // Depth first over an explicit stack: chains may be as deep as networks.
  struct Frame {
    Value value;
    SmallVector<Value> operands;
  };
  SmallVector<Frame> stack;
  llvm::DenseSet<Value> open;
  auto push = [&](Value next) {
    Operation *op = next.getDefiningOp();
    if (!mayBeConstant(op)) {
      constness[next] = false;
      return;
    }
    open.insert(next);
    stack.push_back({next, getReadValues(op)});
  };
  if (!constness.contains(value))
    push(value);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    // Graph regions may have cycles: what is open depends on itself.
    bool isConstant = true;
    Value unknown;
    while (isConstant && !unknown && !frame.operands.empty()) {
      Value operand = frame.operands.back();
      if (isa<BlockArgument>(operand))
        isConstant = false;
      else if (auto it = constness.find(operand); it != constness.end())
        isConstant = it->second;
      else if (open.contains(operand))
        isConstant = false;
      else
        unknown = operand;
      if (!unknown)
        frame.operands.pop_back();
    }
    if (unknown) {
      push(unknown);
      continue;
    }
    constness[frame.value] = isConstant;
    open.erase(frame.value);
    stack.pop_back();
  }
  return constness[value];
}

DenseElementsAttr ConstantEvaluator::evaluate(Value value) {
  if (auto it = cache.find(value); it != cache.end())
    return it->second;
  if (!isConstant(value))
    return {};
  SmallVector<std::pair<Value, bool>> stack = {{value, false}};
  while (!stack.empty()) {
    auto [current, expanded] = stack.pop_back_val();
    if (cache.contains(current))
      continue;
    Operation *op = current.getDefiningOp();
    if (expanded) {
      // Evaluating looks up operands only: no recursion.
      DenseElementsAttr result = evaluateUncached(op, current);
      cache[current] = result && result.getElementType().isIntOrIndexOrFloat()
                           ? result
                           : DenseElementsAttr();
      continue;
    }
    stack.push_back({current, true});
    for (Value operand : getReadValues(op))
      if (!cache.contains(operand))
        stack.push_back({operand, false});
  }
  return cache[value];
}

/// Whether all elements of `source` are read at `map` of all loops.
static bool readsAll(AffineMap map, Value source) {
  auto type = dyn_cast<RankedTensorType>(source.getType());
  return type && type.getRank() == map.getNumResults() &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
         llvm::all_of(llvm::zip_equal(map.getResults(), type.getShape()),
                      [](auto read) {
                        auto [expr, size] = read;
                        return isa<AffineDimExpr>(expr) || size == 1;
                      });
}

/// What `value` has all elements of, each at least once, in another order.
static Value skipLayout(Value value) {
  // Unreachable code may have cycles.
  constexpr unsigned most = 16;
  for (unsigned i = 0; i < most; ++i) {
    Operation *op = value.getDefiningOp();
    Value source = forms::getReshaped(op);
    if (!source) {
      std::optional<AffineMap> map = forms::getCopyMap(op, source);
      if (!map || !readsAll(*map, source))
        return value;
    }
    value = source;
  }
  return value;
}

/// Whether `value` is a resource whose elements differ, no splat, or those of
/// one in another order. Seeing that takes no copy, and weights are resources
/// of gigabytes.
static bool isVariedResource(Value value) {
  DenseResourceElementsAttr resource;
  if (!matchPattern(skipLayout(value), m_Constant(&resource)))
    return false;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  std::optional<int64_t> size = getElementSize(resource.getElementType());
  if (!blob || !size)
    return false;
  ArrayRef<char> data = blob->getData();
  // Each element is the one before it.
  return data.size() > size_t(*size) &&
         data.drop_back(*size) != data.drop_front(*size);
}

std::optional<double> ConstantEvaluator::getSplat(Value value) {
  if (!cache.contains(value) && isVariedResource(value))
    return std::nullopt;
  DenseElementsAttr elements = evaluate(value);
  auto reader = ElementReader::get(elements);
  if (!reader || !reader->isSplat())
    return std::nullopt;
  ScalarNumber number = reader->at(0);
  double result = elements.getElementType().isUnsignedInteger()
                      ? double(reader->getType().getBits(number.integer))
                      : number.toDouble(reader->getType());
  // Integers beyond that are no numbers here.
  if (reader->getType().isInteger() && std::fabs(result) > 0x1p53)
    return std::nullopt;
  return result;
}

std::optional<ScalarProgram> ConstantEvaluator::readScalar(Value value,
                                                           Value variable) {
  return ScalarProgram::read(
      value, [&](Value constant) { return evaluate(constant); }, variable);
}

DenseElementsAttr ConstantEvaluator::evaluateUncached(Operation *op,
                                                      Value value) {
  // Below, numbers of elements are MLIR's, which wrap.
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    if (type.hasStaticShape() && !tryCountElements(type))
      return {};
  auto lookup = [&](Value operand) { return cache.lookup(operand); };
  Attribute attribute;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return matchPattern(op, m_Constant(&attribute)) ? readAttribute(attribute)
                                                    : DenseElementsAttr();
  if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
    auto integers = dequantize.getInput().getDefiningOp<quant::StorageCastOp>();
    DenseElementsAttr elements =
        integers ? lookup(integers.getInput()) : DenseElementsAttr();
    return elements ? dequantizeElements(
                          elements,
                          cast<quant::QuantizedType>(
                              dequantize.getInput().getType().getElementType()))
                    : elements;
  }
  if (isa<quant::StorageCastOp>(op))
    return {};
  auto result = cast<OpResult>(value);
  if (isa<linalg::LinalgOp>(op))
    return evaluateStructured(result, lookup);
  if (isa<tosa::ReduceSumOp, tosa::ReduceProductOp, tosa::ReduceMaxOp,
          tosa::ReduceMinOp>(op))
    return evaluateTosaReduction(op, lookup);
  if (isLayoutOp(op))
    return evaluateLayoutOp(op, lookup);
  if (!isScalarOp(op->getName()))
    return evaluateByFolding(result, lookup);
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  return evaluateElementwise(op, operands);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which value of a quantized network is which of the float one.

#include "MatchNetworks.h"

#include "qbackend/Transforms/Analysis/Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace qbackend;

bool qbackend::isQuantizedTensor(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
}

bool qbackend::isConstantParameter(Value value) {
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    // A parameter is computed in a few steps, a network is not.
    if (!op || isa<OperatorOp>(op) || seen.size() > 32)
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

static bool isFloat(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         getElementTypeOrSelf(value.getType()).isF32();
}

static bool keepsShape(Operation *op) {
  return op && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         !isa<OperatorOp>(op) &&
         cast<ShapedType>(op->getOperand(0).getType()).getShape() ==
             cast<ShapedType>(op->getResult(0).getType()).getShape();
}

static bool isTensorOp(Operation *op) {
  return op && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getOperand(0).getType()) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

bool qbackend::isQuantizeLike(Operation *op) {
  return isTensorOp(op) && isFloat(op->getOperand(0)) &&
         isQuantizedTensor(op->getResult(0)) && keepsShape(op);
}

bool qbackend::isDequantizeLike(Operation *op) {
  return isTensorOp(op) && isQuantizedTensor(op->getOperand(0)) &&
         isFloat(op->getResult(0)) && keepsShape(op);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The operands of an op that are activations, in order.
static SmallVector<Value> getActivations(Operation *op) {
  SmallVector<Value> result;
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    llvm::append_range(result, operation.getInputs());
    return result;
  }
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) &&
        !isConstantParameter(operand))
      result.push_back(operand);
  return result;
}

SmallVector<Value> MatchedNetworks::getInputs(OperatorOp op,
                                              Operation *kernel) {
  if (isa<OperatorOp>(kernel))
    return getActivations(kernel);
  size_t count = op.getInputs().size();
  SmallVector<Value> result(kernel->getOperands().take_front(count));
  return result;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool haveSameShapes(ArrayRef<Value> a, ArrayRef<Value> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return getShape(std::get<0>(pair)) == getShape(std::get<1>(pair));
         });
}

/// What an op of an engine is called: "conv2d" of qnnpack.conv2d.
static StringRef getKernelName(Operation *op) {
  return op->getName().stripDialect();
}

/// Whether `kernel` computes what `op` does, as far as names and shapes tell.
static bool agree(OperatorOp op, Operation *kernel) {
  if (getShape(op.getOutput()) != getShape(kernel->getResult(0)))
    return false;
  SmallVector<StringRef> kinds = getKindNames(op);
  if (auto other = dyn_cast<OperatorOp>(kernel))
    return kinds == getKindNames(other) ||
           (kinds.front() == getKindNames(other).front() &&
            haveSameShapes(getActivations(op), getActivations(other)));
  // One kernel is for all ranks of a kind: batch_norm2d.
  if (kinds.front().starts_with(getKernelName(kernel)))
    return kernel->getNumOperands() >= op.getInputs().size();
  // A clamp for a relu6: both are functions of one tensor.
  SmallVector<Value> inputs(op.getInputs());
  return !op.getWeight() && getActivations(kernel).size() == inputs.size() &&
         kernel->getNumOperands() == inputs.size() &&
         haveSameShapes(inputs, getActivations(kernel));
}

/// Whether the result has as many elements as the first operand.
static bool keepsElements(Operation *op) {
  return countElements(getShape(op->getOperand(0))) ==
         countElements(getShape(op->getResult(0)));
}

/// Whether the other network may do without `op`: numbers change their place,
/// or are limited to what its integers hold anyway.
static bool isMovement(OperatorOp op) {
  return op.getInputs().size() == 1 && !op.getWeight() && !op.isFused() &&
         op.sharesObserver() && keepsElements(op);
}

/// The first of the operators that `op` is fused of, where they are one by one
/// up to `last` and float; null if they aren't there.
static OperatorOp findUnfused(OperatorOp op, Operation *last) {
  SmallVector<StringRef> kinds = getKindNames(op);
  auto isKind = [](OperatorOp other, StringRef kind) {
    return other && !other.isFused() && !other.getQconfig() &&
           other.getKindName() == kind;
  };
  auto current = dyn_cast<OperatorOp>(last);
  for (StringRef kind : llvm::reverse(ArrayRef(kinds).drop_front())) {
    if (!isKind(current, kind) || current.getInputs().size() != 1)
      return nullptr;
    Operation *before = current.getInputs()[0].getDefiningOp();
    while (isa_and_present<TransposeOp, linalg::TransposeOp>(before))
      before = before->getOperand(0).getDefiningOp();
    current = dyn_cast_if_present<OperatorOp>(before);
  }
  if (!isKind(current, kinds.front()))
    return nullptr;
  return haveSameShapes(getActivations(op), getActivations(current)) ? current
                                                                     : nullptr;
}

MatchedNetworks::MatchedNetworks(func::FuncOp original,
                                 func::FuncOp quantized) {
  auto *results = original.getBody().front().getTerminator();
  auto *others = quantized.getBody().front().getTerminator();
  for (auto [value, other] :
       llvm::zip(results->getOperands(), others->getOperands()))
    worklist.push_back({value, other});
  while (!worklist.empty()) {
    auto [value, other] = worklist.pop_back_val();
    match(value, other);
  }
}

/// Whether both are the same code that is no operator, such as a logarithm that
/// follows the last one, whatever they read.
static bool isSameCode(Operation *op, Operation *other) {
  return op && !isa<OperatorOp, TransposeOp>(op) && op->getNumOperands() > 0 &&
         op->getNumOperands() == other->getNumOperands() &&
         OperationEquivalence::isEquivalentTo(
             op, other, OperationEquivalence::ignoreValueEquivalence,
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

void MatchedNetworks::match(Value original, Value quantized) {
  // Whether `quantized` was asked for already, with what `original` is read by.
  bool isKnown = false;
  while (true) {
    if (auto observe = original.getDefiningOp<ObserveOp>()) {
      original = observe.getInput();
      continue;
    }
    if (!isa<RankedTensorType>(original.getType()) ||
        !isa<RankedTensorType>(quantized.getType()))
      return;
    if (getShape(original) == getShape(quantized)) {
      if (!originalOf.try_emplace(quantized, original).second && !isKnown)
        return;
      // The first one has all that is done to the value.
      quantizedOf.try_emplace(original, quantized);
    }
    isKnown = false;
    Operation *producer = original.getDefiningOp();
    Operation *kernel = quantized.getDefiningOp();
    if (!kernel)
      return;
    if (isQuantizeLike(kernel) || isDequantizeLike(kernel)) {
      quantized = kernel->getOperand(0);
      continue;
    }
    auto op = dyn_cast_if_present<OperatorOp>(producer);
    if (op && kernel->getNumResults() == 1 && agree(op, kernel)) {
      if (!kernels.try_emplace(op, kernel).second)
        return;
      for (auto [input, other] :
           llvm::zip(op.getInputs(), getInputs(op, kernel)))
        worklist.push_back({input, other});
      return;
    }
    // Kept float: its result is known, but no one op computes it.
    if (op && op.isFused())
      if (OperatorOp first = findUnfused(op, kernel)) {
        for (auto [input, other] : llvm::zip(op.getInputs(), first.getInputs()))
          worklist.push_back({input, other});
        return;
      }
    if (isSameCode(producer, kernel)) {
      for (auto [operand, other] :
           llvm::zip_equal(producer->getOperands(), kernel->getOperands()))
        if (!isConstantParameter(operand) && !isConstantParameter(other))
          worklist.push_back({operand, other});
      return;
    }
    bool changesLayout = isa_and_present<TransposeOp>(producer);
    bool otherChangesLayout = isa<TransposeOp, linalg::TransposeOp>(kernel);
    if (changesLayout && otherChangesLayout) {
      original = producer->getOperand(0);
      quantized = kernel->getOperand(0);
      continue;
    }
    // A requantization, a reshape.
    if (!isa<OperatorOp>(kernel) && isTensorOp(kernel) &&
        !isConstantParameter(kernel->getOperand(0)) && keepsElements(kernel)) {
      quantized = kernel->getOperand(0);
      continue;
    }
    if (changesLayout || (op && isMovement(op))) {
      original = producer->getOperand(0);
      isKnown = true;
      continue;
    }
    return;
  }
}

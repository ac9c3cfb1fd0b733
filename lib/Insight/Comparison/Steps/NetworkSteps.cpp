// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a network into steps at the tensors that it stores.

#include "Steps/NetworkSteps.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace qbackend;

/// The bits of an integer of `value` in memory; 0: it has others.
static unsigned getStoredBits(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  Type element = tensor ? tensor.getElementType() : Type();
  if (auto quantized = dyn_cast_if_present<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  auto integer = dyn_cast_if_present<IntegerType>(element);
  return integer && integer.getWidth() > 1 ? integer.getWidth() : 0;
}

SmallVector<Value> qbackend::getTensorOperands(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->operand_begin(), op->operand_end());
  if (!isa<OperatorOp>(op))
    getUsedValuesDefinedAbove(op->getRegions(), values);
  return llvm::to_vector(llvm::make_filter_range(
      values, [](Value value) { return isa<TensorType>(value.getType()); }));
}

//===----------------------------------------------------------------------===//
// What ops do to numbers
//===----------------------------------------------------------------------===//

/// Whether the body of `op` does no more to one element than to extend or to
/// limit it, or to add a number.
static bool isShift(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0)
    return false;
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<arith::ExtSIOp, arith::ExtUIOp, arith::AddIOp, arith::SubIOp,
               arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
               arith::ConstantOp>(inner);
  });
}

static unsigned countDependent(Operation *op,
                               const llvm::DenseSet<Value> &dependent) {
  return llvm::count_if(getTensorOperands(op),
                        [&](Value value) { return dependent.contains(value); });
}

/// Whether `op` has the integers, or the floats, of its operand, but for
/// limits.
static bool isClamp(Operation *op, const llvm::DenseSet<Value> &dependent) {
  if (op->getNumResults() != 1 || countDependent(op, dependent) != 1)
    return false;
  if (auto operation = dyn_cast<OperatorOp>(op))
    return !operation.isFused() &&
           isa<ReluAttr, Relu6Attr, HardtanhAttr, ClampAttr>(
               operation.getKind());
  if (isa<tosa::ClampOp>(op))
    return true;
  if (const EngineDialectInterface *engine = getEngine(op))
    return engine->getEffect(op) == KernelEffect::Clamps;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && isShift(generic) &&
         op->getResult(0).getType() == op->getOperand(0).getType();
}

/// Whether `op` puts elements elsewhere, or casts them to a type that holds
/// them all.
static bool isMovement(Operation *op, const llvm::DenseSet<Value> &dependent) {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return !operation.isFused() &&
           isa<CatAttr, FlattenAttr, ReshapeAttr, TransposeAttr, NarrowAttr,
               PadAttr, RepeatAttr, PixelShuffleAttr, PixelUnshuffleAttr,
               ChannelShuffleAttr, DropoutAttr>(operation.getKind());
  if (isa<tensor::TensorDialect, quant::QuantDialect>(op->getDialect()) ||
      isa<linalg::TransposeOp, linalg::BroadcastOp, linalg::FillOp,
          linalg::CopyOp, TransposeOp, ObserveOp, tosa::ReshapeOp,
          tosa::TransposeOp, tosa::PadOp, tosa::SliceOp, tosa::ConcatOp,
          tosa::ReverseOp, tosa::TileOp, tosa::IdentityOp>(op))
    return true;
  if (auto cast = dyn_cast<tosa::CastOp>(op))
    return getStoredBits(cast.getInput()) != 0 &&
           getStoredBits(cast.getInput()) <= getStoredBits(cast.getOutput());
  if (const EngineDialectInterface *engine = getEngine(op)) {
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    return engine->getEffect(op) == KernelEffect::Moves &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return getElementTypeOrSelf(operand.getType()) == element;
           });
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && isShift(generic) && countDependent(op, dependent) == 1 &&
         !isClamp(op, dependent);
}

/// The products of `op` that are summed up.
static int64_t countProducts(Operation *op,
                             const llvm::DenseSet<Value> &dependent) {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return operation.countOperations().multiplyAccumulates;
  if (!getEngine(op))
    return countIntegerMultiplyAccumulates(op);
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return 0;
  SmallVector<Value> parameters;
  for (Value operand : op->getOperands())
    if (!dependent.contains(operand))
      parameters.push_back(operand);
  return countKernelMultiplyAccumulates(op, parameters);
}

bool qbackend::hasIntegerArithmetic(func::FuncOp network) {
  return network
      .walk([](Operation *op) {
        if (isa<OperatorOp>(op))
          return WalkResult::skip();
        const EngineDialectInterface *engine = getEngine(op);
        bool isKernelOnIntegers =
            engine && engine->getEffect(op) != KernelEffect::Converts;
        return isKernelOnIntegers || isa<tosa::RescaleOp>(op) ||
                       countIntegerMultiplyAccumulates(op) != 0
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

bool NetworkSteps::isDependent(Operation *op) const {
  return llvm::any_of(getTensorOperands(op),
                      [&](Value value) { return dependent.contains(value); });
}

bool NetworkSteps::isStored(Value value) const {
  Operation *op = value.getDefiningOp();
  if (isInteger) {
    unsigned bits = getStoredBits(value);
    if (bits == 0 || bits > 16)
      return false;
  } else if (!isa<OperatorOp>(op)) {
    return false;
  }
  if (isMovement(op, dependent))
    return false;
  unsigned reads = 0, clamps = 0;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<ObserveOp>(user)) {
        worklist.push_back(user->getResult(0));
      } else if (!isa<tensor::DimOp>(user)) {
        ++reads;
        clamps += isClamp(user, dependent);
      }
    }
  return reads != clamps;
}

NetworkSteps::NetworkSteps(func::FuncOp network) {
  Block &block = network.getBody().front();
  for (Value argument : block.getArguments())
    if (isa<TensorType>(argument.getType()))
      dependent.insert(argument);
  for (Operation &op : block.without_terminator())
    if (isDependent(&op))
      dependent.insert(op.result_begin(), op.result_end());
  isInteger = hasIntegerArithmetic(network);
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      if (dependent.contains(result) && isStored(result)) {
        stored.insert(result);
        results.push_back(result);
      }
}

/// The ops behind `value` up to those values for which `isInput` is true, in
/// the order of the block.
static SmallVector<Operation *>
collect(Value value, const llvm::DenseSet<Value> &dependent,
        llvm::function_ref<bool(Value)> isInput) {
  llvm::SetVector<Operation *> code;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!dependent.contains(next) || (next != value && isInput(next)))
      continue;
    // The first operand is looked at first.
    if (Operation *op = next.getDefiningOp(); op && code.insert(op))
      llvm::append_range(worklist, llvm::reverse(getTensorOperands(op)));
  }
  SmallVector<Operation *> ordered = code.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

SmallVector<Operation *> NetworkSteps::getCode(Value value,
                                               ArrayRef<Value> inputs) const {
  return collect(value, dependent,
                 [&](Value next) { return llvm::is_contained(inputs, next); });
}

const NetworkSteps::Step &NetworkSteps::getStep(Value value) {
  auto [it, isNew] = steps.try_emplace(value);
  Step &step = it->second;
  if (!isNew || !value.getDefiningOp())
    return step;
  step.code = collect(value, dependent, [&](Value next) {
    if (next.getDefiningOp() && !stored.contains(next))
      return false;
    if (!llvm::is_contained(step.inputs, next))
      step.inputs.push_back(next);
    return true;
  });
  int64_t most = 0;
  Operation *last = nullptr;
  for (Operation *op : step.code) {
    int64_t products = countProducts(op, dependent);
    step.multiplyAccumulates += products;
    if (products > most) {
      most = products;
      step.main = op;
    }
    if (!isMovement(op, dependent) && !isClamp(op, dependent) &&
        !isa<tosa::RescaleOp>(op))
      last = op;
  }
  if (!step.main)
    step.main = last ? last : value.getDefiningOp();
  return step;
}

SmallVector<Value> NetworkSteps::getInputs(Value value, size_t count) {
  SmallVector<Value> inputs = getStep(value).inputs;
  while (inputs.size() > count) {
    // What is computed last is not what another one of them is computed of.
    Value *last = nullptr;
    for (Value &input : inputs)
      if (Operation *op = input.getDefiningOp())
        if (!last || last->getDefiningOp()->isBeforeInBlock(op))
          last = &input;
    if (!last)
      return {};
    Value expanded = *last;
    inputs.erase(last);
    for (Value input : getStep(expanded).inputs)
      if (!llvm::is_contained(inputs, input))
        inputs.push_back(input);
  }
  return inputs.size() == count ? inputs : SmallVector<Value>();
}

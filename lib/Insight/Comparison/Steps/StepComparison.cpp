// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the steps of two networks in each other, from the results back to the
// arguments, and computes each step of the second one on the first one's
// inputs.

#include "Steps/StepComparison.h"
#include "Steps/NetworkSteps.h"

#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace qbackend;
using evaluation::OperatorErrors;
using evaluation::QuantizedRange;
using quant::UniformQuantizedType;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isFloat(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// The integers in memory of a quantized element.
static Type getStorage(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? quantized.getStorageType() : element;
}

/// What the integers of `value` stand for, as it says, or who reads it; null:
/// nobody does.
static UniformQuantizedType findElement(Value value) {
  auto getElement = [](Value tensor) {
    return dyn_cast<UniformQuantizedType>(
        getElementTypeOrSelf(tensor.getType()));
  };
  if (UniformQuantizedType own = getElement(value))
    return own;
  for (Operation *user : value.getUsers())
    if (auto cast = dyn_cast<quant::StorageCastOp>(user))
      if (UniformQuantizedType element = getElement(cast.getResult()))
        return element;
  return {};
}

/// The extents that are not 1.
static SmallVector<int64_t> getExtent(Value value) {
  return llvm::to_vector(
      llvm::make_filter_range(cast<ShapedType>(value.getType()).getShape(),
                              [](int64_t extent) { return extent != 1; }));
}

//===----------------------------------------------------------------------===//
// Both networks
//===----------------------------------------------------------------------===//

namespace {
class StepComparisonBuilder : public ComparisonFunctionBuilder {
public:
  StepComparisonBuilder(ModuleOp module, func::FuncOp first,
                        func::FuncOp second,
                        ArrayRef<std::optional<QuantizedRange>> ranges)
      : ComparisonFunctionBuilder(module, first, second), firstSteps(first),
        secondSteps(second), names(module), ranges(ranges) {}

  StepComparison build();

private:
  /// A step of the first network, or an argument of it.
  struct Node {
    Value first, second; // the latter null: not found
    UniformQuantizedType element;
  };

  void match(Value inFirst, Value inSecond);
  void matchNetworks();
  void addNode(Value inFirst);
  UniformQuantizedType chooseElement(Value inFirst, Value inSecond,
                                     StepComparison::Unknown &unknown);
  void describe(OperatorErrors &errors, const Node &node);
  /// The results of `node`, and what its step in the second network gives for
  /// the inputs of the first one.
  void addSites(unsigned number);

  /// The integers of `value`, as those of `wanted`; null if they are others.
  Value reinterpret(Value value, Type wanted);
  /// The numbers of `value`, one of `node`; null if there are none.
  Value getFloat(Value value, const Node &node);
  /// `value`, of the first network, as what `wanted` is in the second; null if
  /// that is something else.
  Value getInput(Value value, Value wanted);
  /// The step of `steps` that computes `value` of `inputs`, which `operands`
  /// has; what it reads besides is in `others`.
  Value cloneStep(NetworkSteps &steps, Value value, ArrayRef<Value> inputs,
                  IRMapping &operands, const IRMapping &others);

  NetworkSteps firstSteps, secondSteps;
  TensorNames names;
  ArrayRef<std::optional<QuantizedRange>> ranges;
  std::vector<StepComparison::Unknown> unknown;
  SmallVector<std::pair<Value, Value>> worklist;
  llvm::DenseMap<Value, Value> pairs;
  IRMapping firstValues, secondValues;
  std::vector<Node> nodes;
  llvm::DenseMap<Value, unsigned> numbers;
};
} // namespace

void StepComparisonBuilder::match(Value inFirst, Value inSecond) {
  while (true) {
    auto follow = [](NetworkSteps &steps, Value &value) {
      SmallVector<Value> inputs = steps.getInputs(value, 1);
      if (inputs.empty() || inputs[0] == value)
        return false;
      value = inputs[0];
      return true;
    };
    bool isArgument = isa<BlockArgument>(inFirst);
    if (!secondSteps.isResult(inSecond)) {
      // Nothing but code is behind one of the results.
      if (isArgument || isa<BlockArgument>(inSecond))
        return;
      if (firstSteps.isResult(inFirst)) {
        if (!follow(secondSteps, inSecond))
          return;
        continue;
      }
      break;
    }
    if (!firstSteps.isResult(inFirst) && !isArgument) {
      if (!follow(firstSteps, inFirst))
        return;
      continue;
    }
    int64_t products = firstSteps.getStep(inFirst).multiplyAccumulates,
            others = secondSteps.getStep(inSecond).multiplyAccumulates;
    // A requantization in one of them, or a softmax of many steps.
    if ((products != 0) != (others != 0)) {
      if (isArgument || !(products == 0 ? follow(firstSteps, inFirst)
                                        : follow(secondSteps, inSecond)))
        return;
      continue;
    }
    // Integers of an argument are those that nothing else is before.
    if (isArgument && secondSteps.getInputs(inSecond, 1) !=
                          SmallVector<Value>{second.getArgument(
                              cast<BlockArgument>(inFirst).getArgNumber())})
      return;
    if (!pairs.try_emplace(inFirst, inSecond).second)
      return;
    break;
  }
  SmallVector<Value> inputs = firstSteps.getStep(inFirst).inputs,
                     others = secondSteps.getInputs(inSecond, inputs.size());
  if (others.empty()) {
    others = secondSteps.getStep(inSecond).inputs;
    inputs = firstSteps.getInputs(inFirst, others.size());
  }
  for (auto [input, other] : llvm::zip(inputs, others))
    worklist.push_back({input, other});
}

void StepComparisonBuilder::matchNetworks() {
  auto getResults = [](func::FuncOp network) {
    return network.getBody().front().getTerminator()->getOperands();
  };
  for (auto [value, other] : llvm::zip(getResults(first), getResults(second)))
    worklist.push_back({value, other});
  while (!worklist.empty()) {
    auto [value, other] = worklist.pop_back_val();
    match(value, other);
  }
}

UniformQuantizedType
StepComparisonBuilder::chooseElement(Value inFirst, Value inSecond,
                                     StepComparison::Unknown &unknown) {
  UniformQuantizedType element = findElement(inSecond);
  if (!isFloat(inFirst) && (!element || element.getScale() == 1.0))
    if (UniformQuantizedType other = findElement(inFirst))
      element = other;
  bool isKnown = element && element.getScale() != 1.0;
  unknown.scale = isFloat(inFirst) && !isKnown;
  unknown.zeroPoint = unknown.scale && !element;
  std::optional<QuantizedRange> known;
  if (unknown.scale && nodes.size() < ranges.size())
    known = ranges[nodes.size()];
  if (known) {
    unknown = {};
  } else if (element) {
    return element;
  }
  Type storage = getStorage(getElementTypeOrSelf(inSecond.getType()));
  unsigned bits = storage.getIntOrFloatBitWidth();
  bool isSigned = !element || element.isSigned();
  auto get = [&](double scale, int64_t zeroPoint) {
    return UniformQuantizedType::get(
        isSigned ? quant::QuantizationFlags::Signed : 0, storage,
        builder.getF32Type(), scale, zeroPoint,
        isSigned ? llvm::minIntN(bits) : 0,
        isSigned ? llvm::maxIntN(bits) : int64_t(llvm::maxUIntN(bits)));
  };
  return known ? get(known->scale, known->zeroPoint) : get(1.0, 0);
}

static std::string getKind(Operation *op) {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return operation.getKindName();
  return op->getName().stripDialect().str();
}

void StepComparisonBuilder::describe(OperatorErrors &errors, const Node &node) {
  const NetworkSteps::Step &step = firstSteps.getStep(node.first);
  errors.name =
      names.lookup(step.main ? step.main->getResult(0) : node.first).name;
  errors.kind = step.main ? getKind(step.main) : "input";
  errors.shape = getExtents(node.first);
  errors.multiplyAccumulates = step.multiplyAccumulates;
  for (Value input : step.inputs)
    if (auto it = numbers.find(input); it != numbers.end())
      errors.inputs.push_back(it->second);
  if (!node.second)
    return;
  if (node.element)
    errors.range = getRange(node.element);
  errors.kernel =
      secondSteps.getStep(node.second).main->getName().getStringRef().str();
}

void StepComparisonBuilder::addNode(Value inFirst) {
  Node node;
  node.first = inFirst;
  node.second = pairs.lookup(inFirst);
  StepComparison::Unknown missing;
  // Plain code holds unsigned integers less half of their range.
  auto isUnsigned = [](Value value) {
    auto element =
        dyn_cast<UniformQuantizedType>(getElementTypeOrSelf(value.getType()));
    return element && !element.isSigned();
  };
  if (node.second && (getExtent(node.first) != getExtent(node.second) ||
                      (!isFloat(node.first) &&
                       isUnsigned(node.first) != isUnsigned(node.second))))
    node.second = {};
  if (node.second && !isFloat(node.second))
    node.element = chooseElement(node.first, node.second, missing);
  OperatorErrors errors;
  describe(errors, node);
  numbers[inFirst] = nodes.size();
  nodes.push_back(node);
  unknown.push_back(missing);
  result.operators.push_back(std::move(errors));
}

Value StepComparisonBuilder::reinterpret(Value value, Type wanted) {
  auto type = cast<RankedTensorType>(value.getType());
  auto other = cast<RankedTensorType>(wanted);
  if (type == other)
    return value;
  Type storage = getStorage(type.getElementType());
  if (type.getShape() != other.getShape() ||
      storage != getStorage(other.getElementType()))
    return {};
  for (Type next : {Type(type.clone(storage)), wanted})
    if (value.getType() != next)
      value =
          quant::StorageCastOp::create(builder, value.getLoc(), next, value);
  return value;
}

Value StepComparisonBuilder::getFloat(Value value, const Node &node) {
  if (isFloat(value))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  auto own = dyn_cast<UniformQuantizedType>(type.getElementType());
  if (own && own.getScale() != 1.0)
    return dequantize(value);
  Value integers = reinterpret(value, type.clone(node.element));
  return integers ? dequantize(integers) : Value();
}

Value StepComparisonBuilder::getInput(Value value, Value wanted) {
  Value found = firstValues.lookup(value);
  if (isFloat(value) && !isFloat(wanted)) {
    auto it = numbers.find(value);
    UniformQuantizedType element = it == numbers.end()
                                       ? UniformQuantizedType()
                                       : nodes[it->second].element;
    if (!element || nodes[it->second].second != wanted)
      return {};
    found = QuantizeOp::create(
        builder, value.getLoc(),
        cast<RankedTensorType>(value.getType()).clone(element), found);
  }
  return reinterpret(found, wanted.getType());
}

Value StepComparisonBuilder::cloneStep(NetworkSteps &steps, Value value,
                                       ArrayRef<Value> inputs,
                                       IRMapping &operands,
                                       const IRMapping &others) {
  for (Operation *op : steps.getCode(value, inputs)) {
    if (auto observe = dyn_cast<ObserveOp>(op)) {
      operands.map(observe.getOutput(),
                   operands.lookupOrDefault(observe.getInput()));
      continue;
    }
    llvm::SetVector<Value> read;
    read.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    for (Value operand : read)
      if (!operands.contains(operand))
        operands.map(operand, others.lookup(operand));
    builder.clone(*op, operands);
  }
  return operands.lookup(value);
}

void StepComparisonBuilder::addSites(unsigned number) {
  const Node node = nodes[number];
  addSite(number, Role::Exact, getFloat(firstValues.lookup(node.first), node));
  if (!node.second || unknown[number].scale)
    return;
  SmallVector<Value> inputs = firstSteps.getStep(node.first).inputs;
  if (isa<BlockArgument>(node.first))
    inputs.push_back(node.first);
  SmallVector<Value> others = secondSteps.getInputs(node.second, inputs.size());
  if (others.empty() || inputs.empty())
    return;
  IRMapping operands, rounded;
  bool isRounded = false;
  for (auto [input, other] : llvm::zip_equal(inputs, others)) {
    Value found = getInput(input, other);
    if (!found)
      return;
    operands.map(other, found);
    if (isFloat(input) && !isFloat(other)) {
      auto type = cast<RankedTensorType>(found.getType());
      const Node &producer = nodes[numbers.lookup(input)];
      found = dequantize(reinterpret(found, type.clone(producer.element)));
      isRounded = true;
    } else {
      found = firstValues.lookup(input);
    }
    rounded.map(input, found);
  }
  if (isRounded)
    addSite(number, Role::FromInputs,
            cloneStep(firstSteps, node.first, inputs, rounded, firstValues));
  Value local = getFloat(
      cloneStep(secondSteps, node.second, others, operands, secondValues),
      node);
  if (local)
    addSite(number, Role::Local, local);
}

StepComparison StepComparisonBuilder::build() {
  matchNetworks();
  for (Value argument : first.getArguments())
    if (pairs.contains(argument))
      addNode(argument);
  for (Value value : firstSteps.getResults())
    addNode(value);
  addNetwork(second, secondValues);
  for (auto [number, node] : llvm::enumerate(nodes))
    if (node.second)
      if (Value found = getFloat(secondValues.lookup(node.second), node))
        addSite(number, Role::Cumulative, found);
  Block &body = first.getBody().front();
  firstValues.map(body.getArguments(),
                  result.function.getBody().front().getArguments());
  auto addSitesOf = [&](Value value) {
    auto it = numbers.find(value);
    // What the other network hasn't is not asked for.
    if (it == numbers.end() || !nodes[it->second].second)
      return;
    addSites(it->second);
    result.sites.back().isLast = true;
  };
  for (Value argument : body.getArguments())
    addSitesOf(argument);
  for (Operation &op : body.without_terminator()) {
    if (auto observe = dyn_cast<ObserveOp>(op)) {
      firstValues.map(observe.getOutput(),
                      firstValues.lookup(observe.getInput()));
      continue;
    }
    builder.clone(op, firstValues);
    for (Value value : op.getResults())
      addSitesOf(value);
  }
  finish(firstValues, secondValues);
  return {takeResult(), std::move(unknown)};
}

StepComparison
qbackend::createStepComparison(ModuleOp module, func::FuncOp first,
                               func::FuncOp second,
                               ArrayRef<std::optional<QuantizedRange>> ranges) {
  return StepComparisonBuilder(module, first, second, ranges).build();
}

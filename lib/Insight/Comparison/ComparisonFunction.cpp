// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of a float network and of a quantized form of it, in which
// each operator is there once more for each cause of error.

#include "ComparisonFunction.h"
#include "CompareWeights.h"
#include "MatchNetworks.h"

#include "qbackend/Insight/Comparison/ObserverChanges.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Transforms/Analysis/OperatorSelectors.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace qbackend;
using evaluation::ChannelWeight;
using evaluation::OperatorErrors;
using evaluation::QuantizedRange;

static constexpr StringLiteral kEntry = "qbackend_compare";

std::optional<QuantizedRange> qbackend::getRange(Type type) {
  auto element =
      dyn_cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
  if (!element)
    return std::nullopt;
  QuantizedRange range;
  range.dtype = (element.isSigned() ? "si" : "ui") +
                std::to_string(element.getStorageTypeIntegralWidth());
  range.scale = element.getScale();
  range.zeroPoint = element.getZeroPoint();
  range.quantMin = element.getStorageTypeMin();
  range.quantMax = element.getStorageTypeMax();
  return range;
}

/// An observer as a mapping spells it: `<min_max, ui8>`.
static std::string spellObserver(ObserverAttr observer) {
  std::string text;
  llvm::raw_string_ostream(text) << observer;
  StringRef spelling = text;
  spelling.consume_front("#qbackend.observer");
  return spelling.str();
}

/// Says what observes `value`, if it has a range of its own.
static void describeObserver(OperatorErrors &errors, Value value,
                             const SymbolTable &symbols) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto transpose = dyn_cast<TransposeOp>(user))
        worklist.push_back(transpose.getOutput());
      auto observe = dyn_cast<ObserveOp>(user);
      if (!observe)
        continue;
      auto observer = symbols.lookup<ObserverOp>(observe.getObserver());
      if (calibration::hasStatistics(observer.getConfig().getKind())) {
        errors.observer = observe.getObserver().str();
        errors.isInTable = getSourceValues(observe) != 0;
      }
      return;
    }
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

ComparisonFunctionBuilder::ComparisonFunctionBuilder(ModuleOp module,
                                                     func::FuncOp first,
                                                     func::FuncOp second)
    : first(first), second(second), builder(module.getContext()) {
  builder.setInsertionPointToStart(module.getBody());
  Location loc = module.getLoc();
  auto unranked = UnrankedTensorType::get(builder.getF32Type());
  hook = func::FuncOp::create(
      builder, loc, kComparisonHook,
      builder.getFunctionType({builder.getIndexType(), unranked}, {}));
  hook.setPrivate();
  SmallVector<Type> results(first.getResultTypes());
  llvm::append_range(results, second.getResultTypes());
  result.function = func::FuncOp::create(
      builder, loc, kEntry,
      builder.getFunctionType(first.getArgumentTypes(), results));
  builder.setInsertionPointToStart(result.function.addEntryBlock());
  // Samples are found by the names of arguments.
  for (auto [argument, original] :
       llvm::zip_equal(result.function.getArguments(), first.getArguments()))
    argument.setLoc(original.getLoc());
}

void ComparisonFunctionBuilder::addNetwork(func::FuncOp network,
                                           IRMapping &values) {
  Block &body = network.getBody().front();
  values.map(body.getArguments(),
             result.function.getBody().front().getArguments());
  for (Operation &op : body.without_terminator())
    builder.clone(op, values);
}

void ComparisonFunctionBuilder::addSite(unsigned number, Role role,
                                        Value tensor) {
  Location loc = tensor.getLoc();
  Value index =
      arith::ConstantIndexOp::create(builder, loc, result.sites.size());
  Value cast =
      tensor::CastOp::create(builder, loc, hook.getArgumentTypes()[1], tensor);
  func::CallOp::create(builder, loc, hook, ValueRange{index, cast});
  result.sites.push_back({number, role});
}

void ComparisonFunctionBuilder::finish(const IRMapping &firstValues,
                                       const IRMapping &secondValues) {
  SmallVector<Value> results;
  auto append = [&](func::FuncOp network, const IRMapping &values) {
    for (Value value : network.getBody().front().getTerminator()->getOperands())
      results.push_back(values.lookup(value));
  };
  append(first, firstValues);
  append(second, secondValues);
  func::ReturnOp::create(builder, first.getLoc(), results);
}

Value ComparisonFunctionBuilder::dequantize(Value integers) {
  auto type = cast<RankedTensorType>(integers.getType());
  return DequantizeOp::create(builder, integers.getLoc(),
                              type.clone(builder.getF32Type()), integers);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
class ComparisonBuilder : public ComparisonFunctionBuilder {
public:
  ComparisonBuilder(ModuleOp module, func::FuncOp original,
                    func::FuncOp quantized)
      : ComparisonFunctionBuilder(module, original, quantized),
        networks(original, quantized), symbols(module), names(module),
        selectors(module, names) {}

  void build();

private:
  /// An operator of the float network, or an argument.
  struct Node {
    OperatorOp op;
    Value exact, quantized;
  };

  void addArguments();
  void addOperators();
  void describe(OperatorErrors &errors, Node &node);
  void addKernel(unsigned number);
  /// The operands of `op`, which is cloned without the rest.
  IRMapping getExactOperands(OperatorOp op) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, originalValues.lookup(operand));
    return mapping;
  }
  /// What `operand` of a kernel is if all before it is exact; null: not known.
  Value getExactOperand(Value operand);
  /// The same in floats.
  Value getExactInput(Value operand);
  /// The number of what gives `value`; -1: a constant, or no operator.
  int getNumber(Value value);

  MatchedNetworks networks;
  SymbolTable symbols;
  TensorNames names;
  OperatorSelectors selectors;
  ConstantEvaluator constants;
  IRMapping originalValues, quantizedValues;
  std::vector<Node> nodes;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Value, Value> exactOperands;
};
} // namespace

int ComparisonBuilder::getNumber(Value value) {
  auto it = numbers.find(TensorNames::getTensor(value));
  return it == numbers.end() ? -1 : int(it->second);
}

std::vector<int64_t> qbackend::getExtents(Value value) {
  std::vector<int64_t> extents;
  for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
    extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return extents;
}

void ComparisonBuilder::addArguments() {
  for (Operation &op : second.getBody().front()) {
    if (!isQuantizeLike(&op))
      continue;
    Value exact = networks.getFloat(op.getResult(0));
    if (!exact)
      continue;
    auto argument = dyn_cast<BlockArgument>(TensorNames::getTensor(exact));
    if (!argument || numbers.contains(argument))
      continue;
    numbers[argument] = nodes.size();
    nodes.push_back({OperatorOp(), exact, op.getResult(0)});
    OperatorErrors errors;
    errors.name = names.lookup(argument).name;
    errors.kind = "input";
    errors.kernel = op.getName().getStringRef().str();
    errors.range = getRange(op.getResult(0).getType());
    errors.shape = getExtents(exact);
    describeObserver(errors, argument, symbols);
    result.operators.push_back(std::move(errors));
  }
}

void ComparisonBuilder::addOperators() {
  for (auto op : first.getBody().front().getOps<OperatorOp>()) {
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    if (!type.getElementType().isF32())
      continue;
    numbers[op.getOutput()] = nodes.size();
    nodes.push_back(
        {op, op.getOutput(), networks.getQuantized(op.getOutput())});
    OperatorErrors errors;
    describe(errors, nodes.back());
    result.operators.push_back(std::move(errors));
  }
}

static void describeQConfig(OperatorErrors &errors, QConfigAttr qconfig) {
  ObserverAttr activation = qconfig.getActivation();
  ObserverAttr weight = qconfig.getWeight();
  errors.activationObserver = spellObserver(activation);
  errors.weightObserver = spellObserver(weight);
  if (ObserverAttr finer = withAllIntegers(withChannels(weight));
      finer != weight)
    errors.finerWeight = spellObserver(finer);
  if (!calibration::hasStatistics(activation.getKind()))
    return;
  errors.activationKind = activation.getKind();
  for (ObserverKind kind :
       {ObserverKind::MinMax, ObserverKind::MSE, ObserverKind::Percentile})
    if (ObserverAttr other = withKind(activation, kind); other != activation)
      errors.otherActivations[kind] = spellObserver(other);
}

void ComparisonBuilder::describe(OperatorErrors &errors, Node &node) {
  OperatorOp op = node.op;
  const OperatorSelector &selector = selectors.lookup(op);
  errors.name = names.lookup(op.getOutput()).name;
  errors.kind = op.getKindName();
  errors.shape = getExtents(op.getOutput());
  errors.multiplyAccumulates = op.countOperations().multiplyAccumulates;
  llvm::append_range(errors.selectors, selector.entries);
  describeObserver(errors, op.getOutput(), symbols);
  if (op.getQconfig())
    describeQConfig(errors, *op.getQconfig());
  for (Value input : op.getInputs())
    if (int number = getNumber(input); number >= 0)
      errors.inputs.push_back(number);
  Operation *kernel = networks.getKernel(op);
  if (kernel)
    errors.kernel = isa<OperatorOp>(kernel)
                        ? "reference"
                        : kernel->getName().getStringRef().str();
  if (node.quantized) {
    Value integers = node.quantized;
    if (Operation *producer = integers.getDefiningOp();
        producer && isDequantizeLike(producer))
      integers = producer->getOperand(0);
    errors.range = getRange(integers.getType());
  }
  if (!kernel)
    return;
  double inputScale = 0;
  for (Value input : MatchedNetworks::getInputs(op, kernel)) {
    Value integers = input;
    if (Operation *producer = integers.getDefiningOp();
        producer && isDequantizeLike(producer))
      integers = producer->getOperand(0);
    std::optional<QuantizedRange> range = getRange(integers.getType());
    if (!range)
      continue;
    if (inputScale == 0)
      inputScale = range->scale;
    errors.sharesRange |= errors.range && *range == *errors.range;
  }
  errors.channels =
      compareWeights(op, getParameters(op, kernel), inputScale, constants);
}

Value ComparisonBuilder::getExactOperand(Value operand) {
  if (isConstantParameter(operand))
    return quantizedValues.lookupOrNull(operand);
  Value &known = exactOperands[operand];
  if (known)
    return known;
  Operation *producer = operand.getDefiningOp();
  if (producer && isDequantizeLike(producer)) {
    Value integers = getExactOperand(producer->getOperand(0));
    // The map may have grown.
    return exactOperands[operand] = integers ? dequantize(integers) : Value();
  }
  Value exact = networks.getFloat(operand);
  exact = exact ? originalValues.lookupOrNull(exact) : Value();
  if (!exact || !isQuantizedTensor(operand))
    return known = exact;
  return known = QuantizeOp::create(builder, operand.getLoc(),
                                    operand.getType(), exact);
}

Value ComparisonBuilder::getExactInput(Value operand) {
  Value value = getExactOperand(operand);
  return value && isQuantizedTensor(value) ? dequantize(value) : value;
}

void ComparisonBuilder::addKernel(unsigned number) {
  OperatorOp op = nodes[number].op;
  Operation *kernel = networks.getKernel(op);
  if (!kernel)
    return;
  IRMapping operands;
  for (Value operand : kernel->getOperands()) {
    Value exact = getExactOperand(operand);
    if (!exact || exact.getType() != operand.getType())
      return;
    operands.map(operand, exact);
  }
  // One parameter at a time.
  auto addVariant = [&](Role role, Value from, Value parameter) {
    if (!from || !parameter)
      return;
    if (isQuantizedTensor(parameter))
      parameter = dequantize(parameter);
    if (parameter.getType() != from.getType())
      return;
    IRMapping mapping = getExactOperands(op);
    mapping.map(from, parameter);
    addSite(number, role, builder.clone(*op, mapping)->getResult(0));
  };
  KernelParameters parameters = getParameters(op, kernel);
  ArrayRef<ChannelWeight> channels = result.operators[number].channels;
  if (!channels.empty()) {
    addVariant(Role::Weight, op.getWeight(),
               quantizedValues.lookupOrNull(parameters.weight));
    if (op.getBias() && haveOtherBias(channels)) {
      SmallVector<float> biases;
      for (const ChannelWeight &channel : channels)
        biases.push_back(*channel.quantizedBias);
      auto type = cast<RankedTensorType>(op.getBias().getType());
      addVariant(Role::Bias, op.getBias(),
                 arith::ConstantOp::create(
                     builder, op.getLoc(),
                     DenseElementsAttr::get(type, ArrayRef<float>(biases))));
    }
  }
  // The inputs alone.
  IRMapping inputs = getExactOperands(op);
  bool isQuantized = false;
  for (auto [input, operand] :
       llvm::zip(op.getInputs(), MatchedNetworks::getInputs(op, kernel))) {
    Value exact = getExactInput(operand);
    if (!exact || exact.getType() != input.getType() ||
        exact == originalValues.lookupOrNull(input))
      continue;
    inputs.map(input, exact);
    isQuantized = true;
  }
  if (isQuantized)
    addSite(number, Role::FromInputs, builder.clone(*op, inputs)->getResult(0));
  Value local = builder.clone(*kernel, operands)->getResult(0);
  // The reference form quantizes what a float operator gave.
  if (!isQuantizedTensor(local))
    for (Operation *user : kernel->getResult(0).getUsers())
      if (isQuantizeLike(user)) {
        operands.map(kernel->getResult(0), local);
        local = builder.clone(*user, operands)->getResult(0);
        break;
      }
  if (isQuantizedTensor(local))
    local = dequantize(local);
  if (local.getType() == op.getOutput().getType())
    addSite(number, Role::Local, local);
}

void ComparisonBuilder::build() {
  addArguments();
  addOperators();
  // The quantized network as it is.
  addNetwork(second, quantizedValues);
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (!node.quantized)
      continue;
    Value found = quantizedValues.lookup(node.quantized);
    if (isQuantizedTensor(found))
      found = dequantize(found);
    if (found.getType() == node.exact.getType())
      addSite(number, Role::Cumulative, found);
  }
  // The float one, and beside each operator its variants.
  Block &originalBody = first.getBody().front();
  originalValues.map(originalBody.getArguments(),
                     result.function.getBody().front().getArguments());
  for (Operation &op : originalBody.without_terminator()) {
    if (auto observe = dyn_cast<ObserveOp>(op)) {
      originalValues.map(observe.getOutput(),
                         originalValues.lookup(observe.getInput()));
      continue;
    }
    builder.clone(op, originalValues);
    auto operation = dyn_cast<OperatorOp>(op);
    if (!operation || !numbers.contains(operation.getOutput()))
      continue;
    unsigned number = numbers.lookup(operation.getOutput());
    addSite(number, Role::Exact, originalValues.lookup(operation.getOutput()));
    addKernel(number);
    result.sites.back().isLast = true;
  }
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (node.op)
      continue;
    addSite(number, Role::Exact, originalValues.lookup(node.exact));
    if (Value exact = getExactInput(node.quantized))
      addSite(number, Role::Local, exact);
    result.sites.back().isLast = true;
  }
  finish(originalValues, quantizedValues);
}

ComparisonFunction qbackend::createComparison(ModuleOp module,
                                              func::FuncOp original,
                                              func::FuncOp quantized) {
  ComparisonBuilder builder(module, original, quantized);
  builder.build();
  return builder.takeResult();
}

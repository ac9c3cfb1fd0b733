// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows elements through ops on tensors and the regions of structured ops,
// and computes what it found for numbers that somebody asks about.

#include "ElementProgram.h"

#include "ElementSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <limits>

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// No quantization is spelled in more ops.
static constexpr unsigned kMaxOps = 64;
/// How many ops from a constant on its elements are followed.
static constexpr unsigned kMaxDepth = 24;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

SmallVector<double> ElementProgram::getConstants(size_t channel) const {
  SmallVector<double> constants;
  for (const Slot &slot : slots) {
    if (slot.kind != Slot::Constant)
      continue;
    ArrayRef<ScalarNumber> values = slot.numbers.values;
    constants.push_back(
        values[values.size() == 1 ? 0 : channel].toDouble(slot.step.type));
  }
  return constants;
}

bool ElementProgram::run(ArrayRef<double> inputs, size_t channel,
                         MutableArrayRef<double> results) const {
  size_t count = inputs.size();
  std::vector<ScalarNumber> numbers(slots.size() * count);
  SmallVector<const ScalarNumber *, 4> operands;
  for (auto [index, slot] : llvm::enumerate(slots)) {
    ScalarNumber *result = &numbers[index * count];
    switch (slot.kind) {
    case Slot::Input:
      for (size_t i = 0; i < count; ++i)
        result[i] = slot.step.type.isInteger()
                        ? ScalarNumber::ofInteger(int64_t(inputs[i]))
                        : ScalarNumber::ofFloat(inputs[i]);
      break;
    case Slot::Constant: {
      ArrayRef<ScalarNumber> values = slot.numbers.values;
      std::fill_n(result, count, values[values.size() == 1 ? 0 : channel]);
      break;
    }
    case Slot::Step:
      operands.clear();
      for (unsigned operand : slot.step.operands)
        operands.push_back(&numbers[operand * count]);
      if (!computeStep(slot.step, operands, count, result))
        return false;
      break;
    }
  }
  for (size_t i = 0; i < count; ++i)
    results[i] = numbers[(slots.size() - 1) * count + i].toDouble(getType());
  return true;
}

std::vector<double> ElementProgram::evaluate(ArrayRef<double> inputs,
                                             size_t channel) const {
  std::vector<double> results(inputs.size());
  if (run(inputs, channel, results))
    return results;
  // One of them has no value: which?
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!run(inputs.slice(i, 1), channel, MutableArrayRef(results).slice(i, 1)))
      results[i] = std::numeric_limits<double>::quiet_NaN();
  return results;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<ChannelNumbers> ElementProgramReader::getNumbers(Value value,
                                                               AffineMap map) {
  DenseElementsAttr elements = constants.evaluate(value);
  if (!elements || elements.empty())
    return std::nullopt;
  ChannelNumbers numbers;
  auto append = [&](Attribute attribute) {
    std::optional<ScalarNumber> number = ScalarNumber::get(attribute);
    if (number)
      numbers.values.push_back(*number);
    return number.has_value();
  };
  if (elements.isSplat()) {
    if (!append(elements.getSplatValue<Attribute>()))
      return std::nullopt;
    return numbers;
  }
  ArrayRef<int64_t> sizes = elements.getType().getShape();
  if (map.getNumResults() != sizes.size())
    return std::nullopt;
  for (auto [expr, size] : llvm::zip(map.getResults(), sizes)) {
    if (size == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || numbers.axis)
      return std::nullopt;
    numbers.axis = dim.getPosition();
  }
  for (Attribute attribute : elements.getValues<Attribute>())
    if (!append(attribute))
      return std::nullopt;
  return numbers;
}

/// How much elements have to say: those of bytes more than floats, those
/// of several dimensions more than those of one.
static unsigned getContent(Type element, bool isSplat,
                           ArrayRef<int64_t> shape) {
  bool isByte = element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8;
  if (isSplat)
    return isByte && !shape.empty() ? 1 : 0;
  if (isByte)
    return 4;
  return llvm::count_if(shape, [](int64_t size) { return size != 1; }) > 1 ? 3
                                                                           : 2;
}

unsigned ElementProgramReader::getContent(Value value, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getShape() != shape || depth > kMaxDepth)
    return 0;
  Operation *op = value.getDefiningOp();
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  bool isElementwise =
      op && !op->hasTrait<OpTrait::ConstantLike>() &&
      ((linalgOp && linalgOp.getNumLoops() == linalgOp.getNumParallelLoops()) ||
       isScalarOp(op->getName()));
  if (isElementwise) {
    unsigned content = 0;
    unsigned count =
        linalgOp ? linalgOp.getNumDpsInputs() : op->getNumOperands();
    for (Value operand : op->getOperands().take_front(count))
      content = std::max(content, getContent(operand, depth + 1));
    return content;
  }
  DenseElementsAttr elements = constants.evaluate(value);
  return ::getContent(type.getElementType(), elements && elements.isSplat(),
                      shape);
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// The structured op whose region `value` is in, as an argument or a result.
static linalg::LinalgOp getRegionOp(Value value) {
  Operation *parent = value.getParentBlock()->getParentOp();
  return dyn_cast_or_null<linalg::LinalgOp>(parent);
}

/// Whether an op reads, through `map`, the element of its result's own position
/// from a tensor of the result's shape: front ends read a dimension of 1, such
/// as the batch, at 0.
static bool readsOwnPosition(AffineMap map, Type type,
                             ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getShape() != shape ||
      map.getNumResults() != tensor.getRank())
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto number = dyn_cast<AffineConstantExpr>(expr);
    bool isOnly = number && number.getValue() == 0 && tensor.getDimSize(i) == 1;
    if (!isOnly && expr != getAffineDimExpr(i, map.getContext()))
      return false;
  }
  return true;
}

/// The operand that argument `argument` of a region is an element of; null if
/// it is a destination.
static OpOperand *getInput(linalg::LinalgOp op, BlockArgument argument) {
  if (!op || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

Value ElementProgramReader::getTensor(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  linalg::LinalgOp op = argument ? getRegionOp(value) : linalg::LinalgOp();
  OpOperand *input = op ? getInput(op, argument) : nullptr;
  if (!input || !isElementwise(op))
    return value;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isOwn = readsOwnPosition(op.getMatchingIndexingMap(input),
                                input->get().getType(), type.getShape());
  return isOwn ? input->get() : value;
}

std::optional<ElementProgramReader::Definition>
ElementProgramReader::defineArgument(BlockArgument argument) {
  linalg::LinalgOp op = getRegionOp(argument);
  OpOperand *input = op ? getInput(op, argument) : nullptr;
  if (!input || !isElementwise(op))
    return std::nullopt;
  Value tensor = input->get();
  AffineMap map = op.getMatchingIndexingMap(input);
  bool isOwn = readsOwnPosition(map, tensor.getType(), shape);
  Definition definition;
  definition.operands.push_back(tensor);
  definition.numbers.emplace_back();
  if (constants.isConstant(tensor) &&
      !(isConstant && isOwn && getContent(tensor) != 0)) {
    definition.numbers.back() = getNumbers(tensor, map);
    if (!definition.numbers.back())
      return std::nullopt;
  } else if (!isOwn) {
    return std::nullopt;
  }
  return definition;
}

bool ElementProgramReader::closeConstants(Definition &definition,
                                          ArrayRef<AffineMap> maps) {
  // Of a constant, what has the most to say is followed.
  unsigned most = 0;
  SmallVector<unsigned> contents;
  for (auto [operand, map] : llvm::zip(definition.operands, maps)) {
    bool isOwn = isConstant && readsOwnPosition(map, operand.getType(), shape);
    contents.push_back(isOwn ? getContent(operand) : 0);
    most = std::max(most, contents.back());
  }
  bool isFound = false;
  for (auto [i, operand] : llvm::enumerate(definition.operands)) {
    std::optional<ChannelNumbers> &numbers =
        definition.numbers.emplace_back(std::nullopt);
    bool isOpen = contents[i] == most && most != 0;
    // Numbers of one dimension may be those of channels: they come second.
    if (isOpen && isFound && most <= 2)
      isOpen = false;
    isFound |= isOpen;
    if (isOpen)
      continue;
    if (constants.isConstant(operand)) {
      numbers = getNumbers(operand, maps[i]);
      if (!numbers)
        return false;
    } else if (!readsOwnPosition(maps[i], operand.getType(), shape)) {
      // What is broadcast has no position to step from.
      return false;
    }
  }
  return true;
}

std::optional<ElementProgramReader::Definition>
ElementProgramReader::defineTensor(OpResult result) {
  Operation *op = result.getOwner();
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || type.getShape() != shape)
    return std::nullopt;
  Definition definition;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!isElementwise(linalgOp))
      return std::nullopt;
    Operation *yield = linalgOp.getBlock()->getTerminator();
    definition.operands.push_back(yield->getOperand(result.getResultNumber()));
    definition.numbers.emplace_back();
    return definition;
  }
  // An unregistered op has no dialect.
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                       tosa::TosaDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return std::nullopt;
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps)
    return std::nullopt;
  definition.steps = std::move(*steps);
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands()) {
    auto operandType = dyn_cast<RankedTensorType>(operand.getType());
    if (!operandType)
      return std::nullopt;
    definition.operands.push_back(operand);
    maps.push_back(AffineMap::getMultiDimIdentityMap(
        std::max<int64_t>(operandType.getRank(), 0), op->getContext()));
  }
  if (!closeConstants(definition, maps))
    return std::nullopt;
  return definition;
}

std::optional<ElementProgramReader::Definition>
ElementProgramReader::defineScalar(OpResult result) {
  Operation *op = result.getOwner();
  if (op->hasTrait<OpTrait::ConstantLike>())
    return std::nullopt;
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps)
    return std::nullopt;
  Definition definition;
  definition.steps = std::move(*steps);
  AffineMap none = AffineMap::get(op->getContext());
  for (Value operand : op->getOperands()) {
    definition.operands.push_back(operand);
    definition.numbers.emplace_back();
    if (!constants.isConstant(operand))
      continue;
    definition.numbers.back() = getNumbers(operand, none);
    if (!definition.numbers.back())
      return std::nullopt;
  }
  return definition;
}

std::optional<ElementProgramReader::Definition>
ElementProgramReader::defineUncached(Value value) {
  linalg::LinalgOp regionOp = getRegionOp(value);
  if (regionOp ? regionOp->getBlock() != block
               : value.getParentBlock() != block)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return regionOp ? defineArgument(argument) : std::nullopt;
  auto result = cast<OpResult>(value);
  if (!regionOp)
    return defineTensor(result);
  return isElementwise(regionOp) ? defineScalar(result) : std::nullopt;
}

const ElementProgramReader::Definition *
ElementProgramReader::define(Value value) {
  auto it = definitions.find(value);
  if (it == definitions.end())
    it = definitions.try_emplace(value, defineUncached(value)).first;
  return it->second ? &*it->second : nullptr;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

bool ElementProgramReader::isBefore(Value lhs, Value rhs) {
  // The op in the block, and the place in its region: arguments, inner ops, and
  // the results last.
  auto getOp = [&](Value value) -> Operation * {
    if (linalg::LinalgOp op = getRegionOp(value))
      return op->getBlock() == block ? op.getOperation() : nullptr;
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == block ? op : nullptr;
  };
  Operation *left = getOp(lhs), *right = getOp(rhs);
  if (left != right)
    return !left || (right && left->isBeforeInBlock(right));
  if (!left)
    return false;
  bool leftIsInner = getRegionOp(lhs) != nullptr,
       rightIsInner = getRegionOp(rhs) != nullptr;
  if (!leftIsInner || !rightIsInner)
    return leftIsInner && !rightIsInner;
  left = lhs.getDefiningOp(), right = rhs.getDefiningOp();
  if (!left || !right)
    return !left && right;
  return left != right && left->isBeforeInBlock(right);
}

/// Whether one of `steps` goes to integers, or to the next of them.
static bool round(ArrayRef<ScalarStep> steps) {
  return llvm::any_of(steps, [](const ScalarStep &step) {
    switch (step.code) {
    case ScalarCode::Floor:
    case ScalarCode::Ceil:
    case ScalarCode::Round:
    case ScalarCode::RoundEven:
    case ScalarCode::Truncate:
    case ScalarCode::FloatToSigned:
    case ScalarCode::FloatToUnsigned:
      return true;
    default:
      return false;
    }
  });
}

/// Whether one of `steps` drops bits of floats.
static bool dropsBits(ArrayRef<ScalarStep> steps) {
  return llvm::any_of(steps, [](const ScalarStep &step) {
    return step.code == ScalarCode::RemF ||
           (step.code == ScalarCode::Bitcast && !step.type.isInteger()) ||
           (step.code == ScalarCode::CastFloat && step.type.width < 32);
  });
}

/// What leaves no bits for fractions, and what leaves fewer than a byte has.
static constexpr double kNoFractions = 0x1p22, kFewFractions = 0x1p15;

/// Whether one of `steps` adds one of `numbers` of at least `limit`, which
/// rounds.
static bool roundsBySum(ArrayRef<ScalarStep> steps,
                        ArrayRef<std::optional<ChannelNumbers>> numbers,
                        double limit) {
  bool isSum = llvm::any_of(steps, [](const ScalarStep &step) {
    return step.code == ScalarCode::AddF || step.code == ScalarCode::SubF;
  });
  return isSum && llvm::any_of(numbers, [limit](const auto &number) {
           return number && !number->values.empty() &&
                  std::fabs(number->values.front().real) >= limit;
         });
}

void ElementProgramReader::visitSources(Value result,
                                        llvm::function_ref<bool(Value)> visit) {
  definitions.clear();
  linalg::LinalgOp regionOp = getRegionOp(result);
  Value tensor = regionOp ? regionOp->getResult(0) : result;
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return;
  block = tensor.getParentBlock();
  shape = type.getShape();
  isConstant = constants.isConstant(tensor);
  isRounded = mayBeRounded = false;
  // What the result is computed from, as far as it was followed.
  SmallVector<Value> open = {result}, leaves;
  for (unsigned count = 0; count < kMaxOps;) {
    if (open.empty()) {
      if (leaves.size() == 1)
        visit(leaves.front());
      return;
    }
    auto latest = llvm::max_element(
        open, [&](Value lhs, Value rhs) { return isBefore(lhs, rhs); });
    Value value = *latest;
    const Definition *definition = define(value);
    bool isAlone = open.size() == 1 && leaves.empty();
    if (definition && isAlone && value != result && getTensor(value) == value &&
        visit(value))
      return;
    open.erase(latest);
    // Going into a region and out of it is no step.
    count += definition && !definition->steps.empty();
    isRounded |= definition && (round(definition->steps) ||
                                roundsBySum(definition->steps,
                                            definition->numbers, kNoFractions));
    mayBeRounded |=
        definition &&
        (dropsBits(definition->steps) ||
         roundsBySum(definition->steps, definition->numbers, kFewFractions));
    if (!definition) {
      leaves.push_back(value);
      if (leaves.size() > 1)
        return;
      continue;
    }
    for (auto [operand, numbers] :
         llvm::zip(definition->operands, definition->numbers))
      if (!numbers && !llvm::is_contained(open, operand) &&
          !llvm::is_contained(leaves, operand))
        open.push_back(operand);
  }
}

std::optional<ElementProgram> ElementProgramReader::read(Value result,
                                                         Value source) {
  ElementProgram program;
  using Slot = ElementProgram::Slot;
  auto getType = [](Value value) {
    return ScalarType::get(getElementTypeOrSelf(value.getType()));
  };
  std::optional<ScalarType> inputType = getType(source);
  if (!inputType)
    return std::nullopt;
  program.slots.push_back({Slot::Input, {}, {}});
  program.slots.back().step.type = *inputType;
  llvm::DenseMap<Value, unsigned> known = {{source, 0}};
  SmallVector<Value> stack = {result};
  while (!stack.empty()) {
    Value value = stack.back();
    if (known.contains(value)) {
      stack.pop_back();
      continue;
    }
    const Definition *definition = define(value);
    if (!definition)
      return std::nullopt;
    bool isMissing = false;
    for (auto [operand, numbers] :
         llvm::zip(definition->operands, definition->numbers))
      if (!numbers && !known.contains(operand)) {
        stack.push_back(operand);
        isMissing = true;
      }
    if (isMissing)
      continue;
    stack.pop_back();
    SmallVector<unsigned> operands;
    for (auto [operand, numbers] :
         llvm::zip(definition->operands, definition->numbers)) {
      if (!numbers) {
        operands.push_back(known.lookup(operand));
        continue;
      }
      std::optional<ScalarType> type = getType(operand);
      if (!type)
        return std::nullopt;
      size_t count = numbers->values.size();
      if (count > 1) {
        if ((program.axis && *program.axis != *numbers->axis) ||
            (program.channels > 1 && program.channels != count))
          return std::nullopt;
        program.axis = numbers->axis;
        program.channels = count;
      }
      operands.push_back(program.slots.size());
      Slot &slot = program.slots.emplace_back();
      slot.kind = Slot::Constant;
      slot.step.type = *type;
      slot.numbers = *numbers;
    }
    unsigned first = program.slots.size();
    for (const ScalarStep &step : definition->steps) {
      Slot &slot = program.slots.emplace_back();
      slot.kind =
          step.code == ScalarCode::Constant ? Slot::Constant : Slot::Step;
      slot.step = step;
      if (slot.kind == Slot::Constant)
        slot.numbers.values.push_back(step.number);
      for (unsigned &operand : slot.step.operands)
        operand = operand < operands.size()
                      ? operands[operand]
                      : first + (operand - operands.size());
    }
    known[value] =
        definition->steps.empty() ? operands.front() : program.slots.size() - 1;
  }
  // The result is the last slot, unless nothing is computed.
  if (known.lookup(result) != program.slots.size() - 1)
    return std::nullopt;
  return program;
}

bool ElementProgramReader::isParameter(Value value, unsigned depth) {
  if (constants.isConstant(value))
    return true;
  linalg::LinalgOp op = getRegionOp(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand *input = op ? getInput(op, argument) : nullptr;
    return input && constants.isConstant(input->get()) &&
           getNumbers(input->get(), op.getMatchingIndexingMap(input));
  }
  Operation *inner = value.getDefiningOp();
  return op && depth < kMaxDepth && isScalarOp(inner->getName()) &&
         llvm::all_of(inner->getOperands(), [&](Value operand) {
           return isParameter(operand, depth + 1);
         });
}

bool ElementProgramReader::isStepFrom(Operation *user, Value value) {
  return getScalarSteps(user) &&
         llvm::all_of(user->getOperands(), [&](Value operand) {
           return operand == value || getTensor(operand) == value ||
                  isParameter(operand);
         });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads scalar code into programs: each value becomes a few steps, after those
// of its operands.

#include "Reading/Scalars/ScalarElements.h"
#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

void ScalarProgram::addLoops(AffineMap map) {
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
    if (!map.isFunctionOfDim(loop))
      continue;
    if (loop >= loops.size())
      loops.resize(loop + 1);
    loops.set(loop);
  }
}

class ScalarProgram::Reader {
public:
  Reader(Lookup lookup, Value variable, size_t maxSteps)
      : lookup(lookup), variable(variable), maxSteps(maxSteps) {}

  std::optional<ScalarProgram> read(Value value);
  /// Appends `steps`, whose operands are `operands` first, then steps before;
  /// returns the last one.
  unsigned append(ArrayRef<Step> steps, ArrayRef<unsigned> operands);

  /// What a value is: steps, as `append` takes them.
  struct Definition {
    SmallVector<Step, 1> steps = {};
    SmallVector<Value, 3> operands = {};
  };
  using Definitions = std::optional<Definition>;

  static Definition ofNumber(ScalarNumber number, ScalarType type);
  Definitions ofElement(DenseElementsAttr elements, AffineMap map,
                        ScalarType type);
  ScalarProgram program;

private:
  Definitions define(Value value);
  Definitions defineArgument(BlockArgument argument, ScalarType type);
  Definitions defineLoop(linalg::IndexOp index, ScalarType type);
  Definitions defineExtract(tensor::ExtractOp extract, ScalarType type);
  Definitions defineAffine(Operation *op, ScalarType type);
  Definitions defineFold(OpResult result, ScalarType type);
  /// False if the loops of another op were read before.
  bool setOwner(Operation *op) {
    if (!owner)
      owner = op;
    return owner == op;
  }

  Lookup lookup;
  Value variable;
  size_t maxSteps;
  Operation *owner = nullptr;
};

ScalarProgram::Reader::Definition
ScalarProgram::Reader::ofNumber(ScalarNumber number, ScalarType type) {
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.type = step.operandType = type;
  step.number = number;
  return definition;
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::ofElement(DenseElementsAttr elements, AffineMap map,
                                 ScalarType type) {
  auto reader = ElementReader::get(elements);
  if (!reader || map.getNumSymbols() != 0)
    return std::nullopt;
  if (reader->isSplat())
    return ofNumber(reader->at(0), type);
  if (int64_t(map.getNumResults()) != elements.getType().getRank())
    return std::nullopt;
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.kind = Step::Element;
  step.type = step.operandType = type;
  step.table = elements;
  step.map = map;
  program.addLoops(map);
  return definition;
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::defineArgument(BlockArgument argument, ScalarType type) {
  auto op =
      dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  if (!op || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op->getNumOperands() || !setOwner(op))
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  // What a reduction has reached is no constant.
  if (op.isDpsInit(operand) && op.getNumReductionLoops() != 0)
    return std::nullopt;
  return ofElement(lookup(operand->get()), op.getMatchingIndexingMap(operand),
                   type);
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::defineLoop(linalg::IndexOp index, ScalarType type) {
  if (!setOwner(index->getParentOp()))
    return std::nullopt;
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.kind = Step::Loop;
  step.type = step.operandType = type;
  step.detail = index.getDim();
  program.addLoops(
      AffineMap::get(index.getDim() + 1, 0,
                     getAffineDimExpr(index.getDim(), index.getContext())));
  return definition;
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::defineExtract(tensor::ExtractOp extract,
                                     ScalarType type) {
  DenseElementsAttr elements = lookup(extract.getTensor());
  auto reader = ElementReader::get(elements);
  if (!reader)
    return std::nullopt;
  if (reader->isSplat())
    return ofNumber(reader->at(0), type);
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.kind = Step::ElementAt;
  step.type = step.operandType = type;
  step.table = elements;
  for (Value index : extract.getIndices()) {
    step.operands.push_back(definition.operands.size());
    definition.operands.push_back(index);
  }
  return definition;
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::defineAffine(Operation *op, ScalarType type) {
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.type = step.operandType = type;
  step.kind = Step::AffineMin;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    step.map = apply.getAffineMap();
  } else if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    step.map = min.getMap();
  } else {
    step.kind = Step::AffineMax;
    step.map = cast<affine::AffineMaxOp>(op).getMap();
  }
  if (step.map.getNumResults() == 0)
    return std::nullopt;
  definition.operands.assign(op->operand_begin(), op->operand_end());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    step.operands.push_back(i);
  return definition;
}

ScalarProgram::Reader::Definitions
ScalarProgram::Reader::defineFold(OpResult result, ScalarType type) {
  Operation *op = result.getOwner();
  auto isScalar = [](Type type) { return ScalarType::get(type).has_value(); };
  if (op->getNumRegions() != 0 || op->getNumOperands() == 0 || !isPure(op) ||
      !llvm::all_of(op->getOperandTypes(), isScalar))
    return std::nullopt;
  Definition definition;
  Step &step = definition.steps.emplace_back();
  step.kind = Step::Fold;
  step.type = step.operandType = type;
  step.op = op;
  step.detail = result.getResultNumber();
  definition.operands.assign(op->operand_begin(), op->operand_end());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    step.operands.push_back(i);
  return definition;
}

ScalarProgram::Reader::Definitions ScalarProgram::Reader::define(Value value) {
  std::optional<ScalarType> type = ScalarType::get(value.getType());
  if (!type)
    return std::nullopt;
  if (value == variable) {
    program.usesVariable = true;
    Definition definition;
    Step &step = definition.steps.emplace_back();
    step.kind = Step::Variable;
    step.type = step.operandType = *type;
    return definition;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return defineArgument(cast<BlockArgument>(value), *type);
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute))) {
    std::optional<ScalarNumber> number = ScalarNumber::get(attribute);
    return number ? Definitions(ofNumber(*number, *type)) : std::nullopt;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return defineLoop(index, *type);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto source = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!source || !index || *index < 0 || *index >= source.getRank() ||
        source.isDynamicDim(*index))
      return std::nullopt;
    return ofNumber(ScalarNumber::ofInteger(source.getDimSize(*index)), *type);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return defineExtract(extract, *type);
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return defineAffine(op, *type);
  if (std::optional<ScalarSteps> steps = getScalarSteps(op)) {
    Definition definition;
    for (ScalarStep &step : *steps)
      static_cast<ScalarStep &>(definition.steps.emplace_back()) =
          std::move(step);
    definition.operands.assign(op->operand_begin(), op->operand_end());
    return definition;
  }
  if (auto reader = ElementReader::get(lookup(value)))
    return ofNumber(reader->at(0), *type);
  return defineFold(cast<OpResult>(value), *type);
}

unsigned ScalarProgram::Reader::append(ArrayRef<Step> steps,
                                       ArrayRef<unsigned> operands) {
  unsigned first = program.steps.size();
  for (const Step &step : steps) {
    program.steps.push_back(step);
    for (unsigned &operand : program.steps.back().operands)
      operand = operand < operands.size() ? operands[operand]
                                          : first + (operand - operands.size());
  }
  return steps.empty() ? operands.front() : program.steps.size() - 1;
}

std::optional<ScalarProgram> ScalarProgram::Reader::read(Value value) {
  // Post-order over an explicit stack.
  llvm::DenseMap<Value, unsigned> known;
  SmallVector<std::pair<Value, Definitions>> stack;
  stack.push_back({value, std::nullopt});
  size_t visited = 0;
  while (!stack.empty()) {
    auto [current, definition] = stack.pop_back_val();
    if (known.contains(current))
      continue;
    bool isExpanded = definition.has_value();
    if (!isExpanded) {
      definition = define(current);
      if (!definition || ++visited > maxSteps)
        return std::nullopt;
    }
    SmallVector<Value> missing;
    for (Value operand : definition->operands)
      if (!known.contains(operand))
        missing.push_back(operand);
    if (!missing.empty()) {
      // A value that needs itself has no meaning.
      if (isExpanded)
        return std::nullopt;
      stack.push_back({current, std::move(definition)});
      for (Value operand : missing)
        stack.push_back({operand, std::nullopt});
      continue;
    }
    SmallVector<unsigned> operands;
    for (Value operand : definition->operands)
      operands.push_back(known.lookup(operand));
    known[current] = append(definition->steps, operands);
  }
  program.result = known.lookup(value);
  return std::move(program);
}

std::optional<ScalarProgram> ScalarProgram::read(Value value, Lookup lookup,
                                                 Value variable,
                                                 size_t maxSteps) {
  return Reader(lookup, variable, maxSteps).read(value);
}

std::optional<ScalarProgram>
ScalarProgram::readOp(Operation *op, ArrayRef<DenseElementsAttr> operands,
                      ArrayRef<AffineMap> maps) {
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps)
    return std::nullopt;
  auto noConstants = [](Value) { return DenseElementsAttr(); };
  Reader reader(noConstants, {}, kMaxSteps);
  SmallVector<unsigned> inputs;
  for (auto [elements, map] : llvm::zip_equal(operands, maps)) {
    std::optional<ScalarType> type =
        elements ? ScalarType::get(elements.getElementType()) : std::nullopt;
    auto definition =
        type ? reader.ofElement(elements, map, *type) : std::nullopt;
    if (!definition)
      return std::nullopt;
    inputs.push_back(reader.append(definition->steps, {}));
  }
  SmallVector<Step> converted(steps->size());
  for (auto [step, from] : llvm::zip_equal(converted, *steps))
    static_cast<ScalarStep &>(step) = std::move(from);
  reader.program.result = reader.append(converted, inputs);
  return std::move(reader.program);
}

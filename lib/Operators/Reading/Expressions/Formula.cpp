// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads formulas through chains of ops, and evaluates them.

#include "Reading/Expressions/Formula.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include <deque>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No function of one activation is spelled in more.
static constexpr size_t kMaxNodes = 256;
static constexpr unsigned kMaxDepth = 64;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

SmallVector<unsigned> forms::getProperDims(RankedTensorType type) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      dims.push_back(dim);
  return dims;
}

bool forms::differsInUnitDims(RankedTensorType lhs, RankedTensorType rhs) {
  SmallVector<unsigned> dims = getProperDims(lhs), others = getProperDims(rhs);
  unsigned dynamic = 0;
  if (dims.size() != others.size())
    return false;
  for (auto [dim, other] : llvm::zip_equal(dims, others)) {
    if (lhs.getDimSize(dim) != rhs.getDimSize(other))
      return false;
    dynamic += lhs.isDynamicDim(dim);
  }
  // Of one dynamic size, the others tell it.
  return dynamic <= 1;
}

Value forms::getRegrouped(Operation *op) {
  Value source = getReshaped(op);
  auto from = source ? getFloatType(source) : RankedTensorType();
  auto to = source ? getFloatType(op->getResult(0)) : RankedTensorType();
  return from && to && !differsInUnitDims(from, to) ? source : Value();
}

Value forms::getCopied(Value value, Position &position) {
  Operation *op = getProducer(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type)
    return {};
  Value source;
  Position before;
  if (std::optional<AffineMap> map = getCopyMap(op, source)) {
    auto sourceType = dyn_cast<RankedTensorType>(source.getType());
    if (!sourceType)
      return {};
    for (auto [expr, size] :
         llvm::zip_equal(map->getResults(), sourceType.getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && size != 1)
        return {};
      before.push_back(dim ? position[dim.getPosition()] : std::nullopt);
    }
  } else if (auto tile = dyn_cast<tosa::TileOp>(op)) {
    source = tile.getInput1();
    auto sourceType = dyn_cast<RankedTensorType>(source.getType());
    if (!sourceType || sourceType.getRank() != type.getRank())
      return {};
    for (auto [dim, size] : llvm::enumerate(sourceType.getShape())) {
      if (size != 1 &&
          (ShapedType::isDynamic(size) || size != type.getDimSize(dim)))
        return {};
      before.push_back(size == 1 ? std::nullopt : position[dim]);
    }
  } else {
    source = getReshaped(op);
    auto from = source ? getFloatType(source) : RankedTensorType();
    if (!from || !differsInUnitDims(from, type))
      return {};
    before.resize(from.getRank());
    for (auto [dim, other] :
         llvm::zip_equal(getProperDims(from), getProperDims(type)))
      before[dim] = position[other];
  }
  position = std::move(before);
  return source;
}

/// Where an operand is read that has `map` from `loops`; nullopt if not each
/// dimension is one of them.
static std::optional<Position> compose(AffineMap map, RankedTensorType type,
                                       const Position &loops) {
  Position position;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim ? dim.getPosition() >= loops.size() : size != 1)
      return std::nullopt;
    position.push_back(dim ? loops[dim.getPosition()] : std::nullopt);
    if (!position.back() && size != 1)
      return std::nullopt;
  }
  return position;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

FormulaReader::FormulaReader(ScalarExpressions &expressions, Value input,
                             bool splatsAreParameters, RankedTensorType type)
    : expressions(expressions), input(skipCasts(input)),
      type(type ? type : getFloatType(input)),
      splatsAreParameters(splatsAreParameters) {
  variables.push_back({Variable::Input});
}

const Formula *FormulaReader::create(Formula formula) {
  if (formulas.size() >= kMaxNodes)
    return nullptr;
  formulas.push_back(formula);
  return &formulas.back();
}

const Formula *FormulaReader::read(Operation *op) {
  const Scalar *scalar = expressions.readElementwise(op);
  auto resultType = scalar ? getFloatType(op->getResult(0)) : nullptr;
  if (!resultType || !type || resultType.getRank() != type.getRank() ||
      failed(verifyCompatibleShape(resultType, type)))
    return nullptr;
  Position loops;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    loops.push_back(dim);
  return readScalar(scalar, loops);
}

const Formula *FormulaReader::readScalar(const Scalar *scalar,
                                         const Position &loops) {
  // A value that a body reads often is one node: a polynomial in x * x has one
  // square.
  auto key = std::make_pair((const void *)scalar, loops);
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  const Formula *formula = readScalarUncached(scalar, loops);
  return known[key] = formula;
}

const Formula *FormulaReader::readScalarUncached(const Scalar *scalar,
                                                 const Position &loops) {
  switch (scalar->kind) {
  case ScalarKind::Constant:
    return create({ScalarKind::Constant, scalar->number});
  case ScalarKind::Operand: {
    auto operandType = dyn_cast<RankedTensorType>(scalar->value.getType());
    auto position =
        operandType ? compose(scalar->map, operandType, loops) : std::nullopt;
    return position ? readValue(scalar->value, *position) : nullptr;
  }
  case ScalarKind::Init:
  case ScalarKind::Other:
    return nullptr;
  default:
    break;
  }
  Formula formula;
  formula.kind = scalar->kind;
  auto readInto = [&](const Scalar *operand, const Formula *&result) {
    return !operand || (result = readScalar(operand, loops));
  };
  if (!readInto(scalar->a, formula.a) || !readInto(scalar->b, formula.b) ||
      !readInto(scalar->c, formula.c))
    return nullptr;
  // A guard that says nothing of numbers, in an op of its own.
  if (formula.kind == ScalarKind::Select &&
      formula.a->kind == ScalarKind::Constant)
    return formula.a->number != 0 ? formula.b : formula.c;
  return create(formula);
}

/// True if `position` is the input's own; the dimensions that are reduced are
/// learnt from it.
bool FormulaReader::isInputPosition(Position position) {
  unsigned rank = type.getRank();
  if (auto inputType = getFloatType(input);
      inputType && inputType.getRank() != type.getRank()) {
    Position whole(rank);
    for (auto [dim, other] :
         llvm::zip_equal(getProperDims(type), getProperDims(inputType)))
      whole[dim] = position[other];
    position = std::move(whole);
  }
  if (position.size() != rank)
    return false;
  for (auto [dim, place] : llvm::enumerate(position)) {
    if (!place || *place < rank) {
      if (place != dim && type.getDimSize(dim) != 1)
        return false;
      continue;
    }
    std::optional<unsigned> &reduced = reducedDims[*place - rank];
    if (!reduced)
      reduced = dim;
    if (*reduced != dim)
      return false;
  }
  return true;
}

bool FormulaReader::isFull(Value value, const Position &position) const {
  auto valueType = cast<RankedTensorType>(value.getType());
  if (int64_t(position.size()) != type.getRank())
    return false;
  for (auto [dim, place] : llvm::enumerate(position))
    if (place != dim &&
        (place || valueType.getDimSize(dim) != 1 || type.getDimSize(dim) != 1))
      return false;
  return true;
}

const Formula *FormulaReader::readValue(Value value, Position position) {
  value = skipCasts(value);
  if (value == input) {
    if (!isInputPosition(position))
      return nullptr;
    Formula formula;
    formula.kind = ScalarKind::Operand;
    return create(formula);
  }
  auto key = std::make_pair((const void *)value.getAsOpaquePointer(), position);
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  if (depth == kMaxDepth)
    return nullptr;
  ++depth;
  const Formula *formula = readUncached(value, position);
  --depth;
  return known[key] = formula;
}

const Formula *FormulaReader::readUncached(Value value,
                                           const Position &position) {
  ConstantEvaluator &constants = expressions.constants;
  auto valueType = dyn_cast<RankedTensorType>(value.getType());
  if (!valueType || !valueType.getElementType().isF32()) {
    // Integers are exponents, and comparisons have ops of their own.
    if (std::optional<double> number = constants.getSplat(value))
      return create({ScalarKind::Constant, *number});
    const Scalar *scalar = expressions.readElementwise(value.getDefiningOp());
    return scalar ? readScalar(scalar, position) : nullptr;
  }
  auto createParameter = [&]() -> const Formula * {
    Variable variable{Variable::Parameter};
    variable.value = value;
    variable.position = position;
    variables.push_back(variable);
    Formula formula;
    formula.kind = ScalarKind::Operand;
    formula.variable = variables.size() - 1;
    return create(formula);
  };
  if (std::optional<double> number = getFill(value, constants)) {
    bool isBroadcast =
        !getProperDims(valueType).empty() && !isFull(value, position);
    hasBroadcastSplat |= isBroadcast;
    if (isBroadcast && splatsAreParameters)
      return createParameter();
    return create({ScalarKind::Constant, *number});
  }
  // What is broadcast is a parameter, not what it fills.
  Position before = position;
  if (Value source = getCopied(value, before))
    return readValue(source, before);
  if (constants.isConstant(value))
    return createParameter();
  Operation *producer = value.getDefiningOp();
  if (const Scalar *scalar = expressions.readElementwise(producer))
    return readScalar(scalar, position);
  if (auto reduction = readReduction(value, expressions))
    return readReduced(*reduction, position);
  // Activations are arguments, too.
  if (!isFull(value, position) && isParameter(value, constants))
    return createParameter();
  return nullptr;
}

void forms::dropUnitAxes(SmallVectorImpl<unsigned> &axes,
                         RankedTensorType type) {
  llvm::sort(axes);
  auto isUnit = [&](unsigned axis) { return type.getDimSize(axis) == 1; };
  if (!llvm::all_of(axes, isUnit))
    llvm::erase_if(axes, isUnit);
}

const Formula *FormulaReader::readReduced(const Reduction &reduction,
                                          const Position &position) {
  Position loops(reduction.reduced.size());
  SmallVector<unsigned> fresh;
  for (auto [loop, reduced] : llvm::enumerate(reduction.reduced)) {
    if (!reduced)
      continue;
    fresh.push_back(reducedDims.size());
    loops[loop] = type.getRank() + reducedDims.size();
    reducedDims.push_back(std::nullopt);
  }
  for (auto [dim, loop] : llvm::enumerate(reduction.resultLoops))
    if (loop)
      loops[*loop] = position[dim];
  Variable variable{Variable::Reduction};
  variable.reduction = reduction.kind;
  variable.element = readScalar(reduction.element, loops);
  if (!variable.element)
    return nullptr;
  for (unsigned index : fresh) {
    if (reducedDims[index])
      variable.axes.push_back(*reducedDims[index]);
    // Nothing that the input is read by; views drop loops of one iteration.
    else if (!reduction.isOfOne)
      return nullptr;
  }
  if (variable.axes.empty())
    return variable.element;
  dropUnitAxes(variable.axes, type);
  variables.push_back(variable);
  Formula formula;
  formula.kind = ScalarKind::Operand;
  formula.variable = variables.size() - 1;
  return create(formula);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Samples FormulaReader::evaluate(const Formula *formula,
                                ArrayRef<Samples> variableValues) const {
  // Operands come first.
  size_t size = variableValues.front().size();
  llvm::DenseMap<const Formula *, Samples> values;
  SmallVector<std::pair<const Formula *, bool>> stack = {{formula, false}};
  while (!stack.empty()) {
    auto [node, expanded] = stack.pop_back_val();
    if (values.contains(node))
      continue;
    if (!expanded) {
      stack.push_back({node, true});
      for (const Formula *operand : {node->a, node->b, node->c})
        if (operand)
          stack.push_back({operand, false});
      continue;
    }
    if (node->kind == ScalarKind::Constant) {
      values[node] = Samples(size, node->number);
      continue;
    }
    if (node->kind == ScalarKind::Operand) {
      values[node] = variableValues[node->variable];
      continue;
    }
    Samples result(size);
    auto get = [&](const Formula *operand) {
      return operand ? values.find(operand)->second.data() : nullptr;
    };
    compute(node->kind, {get(node->a), get(node->b), get(node->c)}, size,
            result.data());
    values[node] = std::move(result);
  }
  return values[formula];
}

unsigned FormulaReader::count(ArrayRef<ScalarKind> kinds) const {
  return llvm::count_if(formulas, [&](const Formula &formula) {
    return llvm::is_contained(kinds, formula.kind);
  });
}

SmallVector<double> FormulaReader::getNumbers() const {
  SmallVector<double> numbers;
  for (const Formula &formula : formulas)
    if (formula.kind == ScalarKind::Constant && formula.number != 0 &&
        std::isfinite(formula.number) &&
        !llvm::is_contained(numbers, formula.number))
      numbers.push_back(formula.number);
  return numbers;
}

SmallVector<unsigned>
FormulaReader::getVariables(const Formula *formula) const {
  SmallVector<unsigned> found;
  llvm::DenseSet<const Formula *> visited;
  SmallVector<const Formula *> stack = {formula};
  while (!stack.empty()) {
    const Formula *node = stack.pop_back_val();
    if (!node || !visited.insert(node).second)
      continue;
    if (node->kind == ScalarKind::Operand &&
        !llvm::is_contained(found, node->variable))
      found.push_back(node->variable);
    stack.append({node->a, node->b, node->c});
  }
  llvm::sort(found);
  return found;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static void collectOperands(const Scalar *scalar,
                            SmallVectorImpl<Value> &values) {
  if (!scalar)
    return;
  if (scalar->kind == ScalarKind::Operand)
    values.push_back(skipCasts(scalar->value));
  for (const Scalar *operand : {scalar->a, scalar->b, scalar->c})
    collectOperands(operand, values);
}

ArrayRef<Value> ScalarExpressions::reach(Operation *root, bool reduced) {
  constexpr size_t maxVisited = 64;
  constexpr unsigned maxDepth = 12, maxDepthReduced = 4;
  struct Step {
    Value value;
    bool reduced;
    unsigned depth;
  };
  auto [entry, inserted] = reached[reduced].try_emplace(root);
  SmallVector<Value> &found = entry->second;
  if (!inserted)
    return found;
  SmallVector<Value> operands;
  std::deque<Step> queue;
  llvm::DenseSet<std::pair<Value, unsigned>> visited;
  auto push = [&](const Scalar *scalar, bool inReduction, unsigned depth) {
    operands.clear();
    collectOperands(scalar, operands);
    for (Value operand : operands)
      queue.push_back({operand, inReduction, depth});
  };
  push(readElementwise(root), false, 0);
  while (!queue.empty() && visited.size() < maxVisited) {
    Step step = queue.front();
    queue.pop_front();
    RankedTensorType type = getFloatType(step.value);
    if (!type || step.depth > (step.reduced ? maxDepthReduced : maxDepth) ||
        constants.isConstant(step.value) ||
        !visited.insert({step.value, step.reduced}).second)
      continue;
    if (step.reduced == reduced)
      found.push_back(step.value);
    Position position(type.getRank());
    if (Value source = getCopied(step.value, position))
      queue.push_back({skipCasts(source), step.reduced, step.depth + 1});
    else if (const Scalar *scalar = readElementwise(step.value.getDefiningOp()))
      push(scalar, step.reduced, step.depth + 1);
    else if (!reduced)
      continue;
    else if (auto reduction = readReduction(step.value, *this))
      push(reduction->element, true, step.reduced ? step.depth + 1 : 0);
  }
  return found;
}

SmallVector<Value> forms::getCandidates(Operation *root, bool reduced,
                                        ScalarExpressions &expressions,
                                        bool views) {
  constexpr size_t maxFound = 12;
  auto rootType = cast<RankedTensorType>(root->getResult(0).getType());
  SmallVector<Value> found;
  for (Value value : expressions.reach(root, reduced)) {
    RankedTensorType type = getFloatType(value);
    bool hasRank = type.getRank() == rootType.getRank();
    if (views ? !hasRank && differsInUnitDims(type, rootType) : hasRank)
      found.push_back(value);
    if (found.size() == maxFound)
      break;
  }
  return found;
}

DenseElementsAttr forms::gatherAlong(const Variable &parameter,
                                     ArrayRef<unsigned> dims,
                                     ConstantEvaluator &constants) {
  DenseElementsAttr elements = constants.evaluate(parameter.value);
  auto type = cast<RankedTensorType>(parameter.value.getType());
  if (!elements || elements.empty() || !elements.getElementType().isF32())
    return {};
  // How far the elements of each dimension are apart in what is gathered.
  SmallVector<int64_t> shape(dims.size(), 1), strides(type.getRank(), 0);
  int64_t count = 1;
  for (unsigned i = dims.size(); i-- > 0;)
    for (auto [dim, place] : llvm::enumerate(parameter.position))
      if (place && *place == dims[i] && type.getDimSize(dim) != 1) {
        // A diagonal is none of its columns.
        if (shape[i] != 1)
          return {};
        shape[i] = type.getDimSize(dim);
        strides[dim] = count;
        count *= shape[i];
      }
  SmallVector<std::optional<float>> found(count);
  SmallVector<int64_t> index(type.getRank(), 0);
  int64_t at = 0;
  for (float number : elements.getValues<float>()) {
    if (found[at] && *found[at] != number)
      return {};
    found[at] = number;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      at += strides[dim];
      if (++index[dim] < type.getDimSize(dim))
        break;
      at -= strides[dim] * index[dim];
      index[dim] = 0;
    }
  }
  SmallVector<float> numbers;
  for (std::optional<float> number : found)
    numbers.push_back(*number);
  return DenseElementsAttr::get(type.clone(shape), ArrayRef(numbers));
}

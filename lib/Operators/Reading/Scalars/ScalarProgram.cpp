// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs, step by step for a block of positions.

#include "qbackend/Operators/ScalarProgram.h"

#include "Reading/Scalars/ScalarElements.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Positions that are computed at a time.
static constexpr int64_t kBlock = 256;
/// Each folded number is an attribute, which stays in the context.
static constexpr int64_t kMaxFolded = int64_t(1) << 16;

/// The value of `expr`; false if it divides by what isn't positive.
static bool evaluateAffine(AffineExpr expr, ArrayRef<int64_t> dims,
                           ArrayRef<int64_t> symbols, int64_t &result) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result = constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= dims.size())
      return false;
    result = dims[dim.getPosition()];
    return true;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    if (symbol.getPosition() >= symbols.size())
      return false;
    result = symbols[symbol.getPosition()];
    return true;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs, rhs;
  if (!evaluateAffine(binary.getLHS(), dims, symbols, lhs) ||
      !evaluateAffine(binary.getRHS(), dims, symbols, rhs))
    return false;
  if (expr.getKind() == AffineExprKind::Add) {
    result = int64_t(uint64_t(lhs) + uint64_t(rhs));
    return true;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    result = int64_t(uint64_t(lhs) * uint64_t(rhs));
    return true;
  }
  if (rhs <= 0)
    return false;
  if (expr.getKind() == AffineExprKind::Mod)
    result = llvm::mod(lhs, rhs);
  else
    result = expr.getKind() == AffineExprKind::FloorDiv
                 ? llvm::divideFloorSigned(lhs, rhs)
                 : llvm::divideCeilSigned(lhs, rhs);
  return true;
}

class ScalarProgram::Runner {
public:
  Runner(const ScalarProgram &program, size_t capacity);
  ~Runner() {
    for (auto &[step, copy] : copies)
      copy->erase();
  }

  /// False if a position has no number.
  bool run(size_t count, int64_t variable);
  ArrayRef<ScalarNumber> getResults(size_t count) const {
    return ArrayRef(numbers).slice(program.result * capacity, count);
  }

  /// Of each loop, for each position of the block; only of those that are read.
  std::vector<std::vector<int64_t>> positions;

private:
  ScalarNumber *get(unsigned step) { return &numbers[step * capacity]; }
  bool runStep(unsigned index, size_t count, int64_t variable);
  bool readElement(const Step &step, size_t count, ScalarNumber *results);
  bool readElementAt(const Step &step, size_t count, ScalarNumber *results);
  bool applyMap(const Step &step, size_t count, ScalarNumber *results);
  bool fold(const Step &step, size_t count, ScalarNumber *results);

  const ScalarProgram &program;
  size_t capacity;
  std::vector<ScalarNumber> numbers;
  std::vector<int64_t> offsets;
  /// Folders may change the op that they are asked about.
  llvm::DenseMap<const Step *, Operation *> copies;
};

ScalarProgram::Runner::Runner(const ScalarProgram &program, size_t capacity)
    : positions(program.loops.size()), program(program), capacity(capacity),
      numbers(program.steps.size() * capacity), offsets(capacity) {
  for (unsigned loop : program.loops.set_bits())
    positions[loop].resize(capacity);
  for (auto [i, step] : llvm::enumerate(program.steps))
    if (step.kind == Step::Compute && step.code == ScalarCode::Constant)
      std::fill_n(get(i), capacity, step.number);
}

bool ScalarProgram::Runner::readElement(const Step &step, size_t count,
                                        ScalarNumber *results) {
  std::fill_n(offsets.begin(), count, 0);
  SmallVector<int64_t> dims(positions.size());
  for (auto [expr, size] : llvm::zip_equal(step.map.getResults(),
                                           step.table.getType().getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    for (size_t i = 0; i < count; ++i) {
      int64_t index = 0;
      if (dim) {
        index = positions[dim.getPosition()][i];
      } else if (constant) {
        index = constant.getValue();
      } else {
        for (unsigned loop : program.loops.set_bits())
          dims[loop] = positions[loop][i];
        if (!evaluateAffine(expr, dims, {}, index))
          return false;
      }
      if (index < 0 || index >= size)
        return false;
      offsets[i] = offsets[i] * size + index;
    }
  }
  auto reader = ElementReader::get(step.table);
  for (size_t i = 0; i < count; ++i)
    results[i] = reader->at(offsets[i]);
  return true;
}

bool ScalarProgram::Runner::readElementAt(const Step &step, size_t count,
                                          ScalarNumber *results) {
  auto reader = ElementReader::get(step.table);
  for (size_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (auto [operand, size] :
         llvm::zip_equal(step.operands, step.table.getType().getShape())) {
      int64_t index = get(operand)[i].integer;
      if (index < 0 || index >= size)
        return false;
      offset = offset * size + index;
    }
    results[i] = reader->at(offset);
  }
  return true;
}

bool ScalarProgram::Runner::applyMap(const Step &step, size_t count,
                                     ScalarNumber *results) {
  SmallVector<int64_t> operands(step.operands.size());
  if (operands.size() != step.map.getNumInputs())
    return false;
  ArrayRef<int64_t> dims = ArrayRef(operands).take_front(step.map.getNumDims());
  ArrayRef<int64_t> symbols = ArrayRef(operands).drop_front(dims.size());
  for (size_t i = 0; i < count; ++i) {
    for (auto [number, operand] : llvm::zip_equal(operands, step.operands))
      number = get(operand)[i].integer;
    for (auto [index, expr] : llvm::enumerate(step.map.getResults())) {
      int64_t number, &best = results[i].integer;
      if (!evaluateAffine(expr, dims, symbols, number))
        return false;
      if (index == 0)
        best = number;
      else
        best = step.kind == Step::AffineMin ? std::min(best, number)
                                            : std::max(best, number);
    }
  }
  return true;
}

/// `number` as the attribute of a constant.
static Attribute getAttribute(Type type, ScalarNumber number) {
  ScalarType scalar = *ScalarType::get(type);
  if (!scalar.isInteger())
    return FloatAttr::get(type, number.real);
  return IntegerAttr::get(type,
                          APInt(scalar.width, scalar.getBits(number.integer)));
}

bool ScalarProgram::Runner::fold(const Step &step, size_t count,
                                 ScalarNumber *results) {
  Operation *&copy = copies[&step];
  if (!copy)
    copy = step.op->clone();
  for (size_t i = 0; i < count; ++i) {
    SmallVector<Attribute> operands;
    for (auto [operand, type] :
         llvm::zip_equal(step.operands, step.op->getOperandTypes()))
      operands.push_back(getAttribute(type, get(operand)[i]));
    SmallVector<OpFoldResult> folded;
    if (failed(copy->fold(operands, folded)) ||
        folded.size() != copy->getNumResults())
      return false;
    Attribute attribute = dyn_cast<Attribute>(folded[step.detail]);
    if (auto value = dyn_cast<Value>(folded[step.detail])) {
      auto it = llvm::find(copy->getOperands(), value);
      if (it == copy->operand_end())
        return false;
      attribute = operands[it - copy->operand_begin()];
    }
    std::optional<ScalarNumber> number = ScalarNumber::get(attribute);
    if (!number)
      return false;
    results[i] = *number;
  }
  return true;
}

bool ScalarProgram::Runner::runStep(unsigned index, size_t count,
                                    int64_t variable) {
  const Step &step = program.steps[index];
  ScalarNumber *results = get(index);
  switch (step.kind) {
  case Step::Compute: {
    if (step.code == ScalarCode::Constant)
      return true;
    SmallVector<const ScalarNumber *, 3> operands;
    for (unsigned operand : step.operands)
      operands.push_back(get(operand));
    return computeStep(step, operands, count, results);
  }
  case Step::Loop:
    for (size_t i = 0; i < count; ++i)
      results[i].integer = positions[step.detail][i];
    return true;
  case Step::Variable:
    for (size_t i = 0; i < count; ++i)
      results[i] = step.type.isInteger()
                       ? ScalarNumber::ofInteger(step.type.wrap(variable))
                       : ScalarNumber::ofFloat(variable);
    return true;
  case Step::Element:
    return readElement(step, count, results);
  case Step::ElementAt:
    return readElementAt(step, count, results);
  case Step::AffineMin:
  case Step::AffineMax:
    return applyMap(step, count, results);
  case Step::Fold:
    return fold(step, count, results);
  }
  return false;
}

bool ScalarProgram::Runner::run(size_t count, int64_t variable) {
  for (unsigned i = 0; i < program.steps.size(); ++i)
    if (!runStep(i, count, variable))
      return false;
  return true;
}

std::optional<double> ScalarProgram::evaluate(ArrayRef<int64_t> indices,
                                              int64_t variable) const {
  if (loops.size() > indices.size())
    return std::nullopt;
  Runner runner(*this, 1);
  for (unsigned loop : loops.set_bits())
    runner.positions[loop][0] = indices[loop];
  if (!runner.run(1, variable))
    return std::nullopt;
  return runner.getResults(1).front().toDouble(getType());
}

bool ScalarProgram::evaluateAll(
    ArrayRef<int64_t> sizes,
    llvm::function_ref<void(ArrayRef<ScalarNumber>)> visit) const {
  if (usesVariable || loops.size() > sizes.size())
    return false;
  if (llvm::is_contained(sizes, 0))
    return true;
  int64_t left = 1;
  for (int64_t size : sizes)
    if (size < 0 || llvm::MulOverflow(left, size, left))
      return false;
  bool folds = llvm::any_of(
      steps, [](const Step &step) { return step.kind == Step::Fold; });
  if (folds && left > kMaxFolded)
    return false;
  Runner runner(*this, std::min(left, kBlock));
  SmallVector<int64_t> point(sizes.size(), 0);
  while (left > 0) {
    size_t count = std::min(left, kBlock);
    for (size_t i = 0; i < count; ++i) {
      for (unsigned loop : loops.set_bits())
        runner.positions[loop][i] = point[loop];
      for (size_t dim = sizes.size(); dim-- > 0;) {
        if (++point[dim] < sizes[dim])
          break;
        point[dim] = 0;
      }
    }
    if (!runner.run(count, 0))
      return false;
    visit(runner.getResults(count));
    left -= count;
  }
  return true;
}

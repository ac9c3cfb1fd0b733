// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula on arrays, held against the run of code that differs from it.

#include "Laws/Laws.h"
#include "Running/RunCode.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using arrays::Array;
using llvm::APInt;

/// Steps of sums that are computed in one run.
static constexpr int64_t mostSteps = int64_t(1) << 18;

namespace {
/// Computes a formula at the places of a result.
class ArrayFormula {
public:
  ArrayFormula(const Scope &scope, const Code &formula,
               const Position &position, unsigned loops)
      : scope(scope), position(position), count(loops), result(formula.result),
        sort(formula.result->sort) {
    if (!formula.fold)
      return;
    fold = &*formula.fold;
    init.emplace(fold->init);
    step.emplace(fold->step);
  }

  /// What the sum is, whatever is read.
  std::optional<APInt> given;

  std::optional<std::string> compare(ArrayRef<Array> inputs, const Array &found,
                                     const Allowance &allowance);

private:
  int64_t evaluate(const Linear &at) const {
    int64_t value = at.offset;
    for (auto [loop, factor] : at.coefficients)
      value += factor * values[loop];
    return value;
  }
  APInt read(Term variable, ArrayRef<Array> inputs) const;
  const APInt &run(Evaluator &evaluator, ArrayRef<Array> inputs);
  APInt addUp(ArrayRef<Array> inputs);

  const Scope &scope;
  const Position &position;
  unsigned count;
  Evaluator result;
  Sort sort;
  const Fold *fold = nullptr;
  std::optional<Evaluator> init, step;
  /// Of loops, and of what a sum carries.
  std::vector<int64_t> values;
  std::map<Term, APInt> held;
};
} // namespace

APInt ArrayFormula::read(Term variable, ArrayRef<Array> inputs) const {
  if (auto it = held.find(variable); it != held.end())
    return it->second;
  if (auto it = scope.tables.find(variable); it != scope.tables.end())
    return it->second.read(evaluate(it->second.getIndex()));
  APInt none(variable->sort.width, 0);
  auto it = scope.readings.find(variable);
  if (it == scope.readings.end())
    return none;
  const Scope::Reading &reading = it->second;
  ArrayRef<int64_t> shape = reading.shape;
  if (reading.operand)
    shape = inputs[*reading.operand].shape;
  int64_t index = 0;
  for (auto [size, at] : llvm::zip_equal(shape, reading.at)) {
    int64_t place = evaluate(at);
    // Nobody looks at what is outside.
    if (place < 0 || (!ShapedType::isDynamic(size) && place >= size))
      return none;
    index = index * size + place;
  }
  return reading.operand ? getElement(inputs[*reading.operand], index)
                         : APInt(1, 1);
}

const APInt &ArrayFormula::run(Evaluator &evaluator, ArrayRef<Array> inputs) {
  for (auto [loop, value] : llvm::zip_equal(scope.getLoops(), values)) {
    if (loop.places)
      value =
          loop.places->read(evaluate(loop.places->getIndex())).getSExtValue();
    else if (loop.chosen)
      value = read(loop.chosen, inputs).getZExtValue();
  }
  std::vector<APInt> given;
  for (Term variable : evaluator.variables())
    given.push_back(read(variable, inputs));
  evaluator.run(given);
  return evaluator.result(0);
}

APInt ArrayFormula::addUp(ArrayRef<Array> inputs) {
  APInt sum = run(*init, inputs);
  int64_t steps = 1;
  for (unsigned loop : fold->loops) {
    steps *= scope.getLoops()[loop].extent;
    values[loop] = 0;
  }
  for (int64_t i = 0; i < steps; ++i) {
    held[fold->carried] = sum;
    sum = run(*step, inputs);
    for (unsigned loop : llvm::reverse(fold->loops)) {
      if (++values[loop] < scope.getLoops()[loop].extent)
        break;
      values[loop] = 0;
    }
  }
  return sum;
}

std::optional<std::string> ArrayFormula::compare(ArrayRef<Array> inputs,
                                                 const Array &found,
                                                 const Allowance &allowance) {
  values.assign(scope.getLoops().size(), 0);
  for (auto &[term, of] : scope.extremes) {
    const Array &input = inputs[of.operand];
    APFloat most = toFloat(f32(), of.init);
    for (int64_t i = 0; i < ShapedType::getNumElements(input.shape); ++i) {
      APFloat each = toFloat(f32(), getElement(input, i));
      most = of.isLargest ? maximum(most, each) : minimum(most, each);
    }
    held[term] = most.bitcastToAPInt();
  }
  // A loop whose extent isn't known is over all of a dimension.
  std::vector<int64_t> extents;
  for (unsigned loop = 0; loop < count; ++loop) {
    extents.push_back(scope.getLoops()[loop].extent);
    for (auto [d, at] : llvm::enumerate(position))
      if (ShapedType::isDynamic(extents.back()) && at.coefficients.count(loop))
        extents.back() = found.shape[d];
  }
  int64_t elements = ShapedType::getNumElements(extents), steps = 1;
  if (fold && !given)
    for (unsigned loop : fold->loops)
      steps *= scope.getLoops()[loop].extent;
  // All elements, or some of them, of all channels.
  int64_t stride = 1;
  while (elements / stride > std::max<int64_t>(mostSteps / steps, 1))
    stride = stride * 2 + 1;
  for (int64_t i = 0; i < elements; i += stride) {
    int64_t rest = i;
    for (unsigned loop = count; loop-- > 0; rest /= extents[loop])
      values[loop] = rest % extents[loop];
    if (fold)
      held[fold->result] = given ? *given : addUp(inputs);
    const APInt &wanted = run(result, inputs);
    SmallVector<int64_t> place;
    int64_t index = 0;
    bool isInside = true;
    for (auto [size, at] : llvm::zip_equal(found.shape, position)) {
      place.push_back(evaluate(at));
      isInside &= place.back() >= 0 && place.back() < size;
      index = index * size + place.back();
    }
    // Loops may be over more than the result.
    if (!isInside)
      continue;
    APInt emitted = getElement(found, index);
    bool isNear =
        sort.isFloat && toFloat(sort, emitted).isNaN()
            ? toFloat(sort, wanted).isNaN()
            : allowance.getDistance(sort, emitted, wanted) <= allowance.most;
    if (isNear)
      continue;
    std::string text = "emitted " + printValue(sort, emitted) + ", formula " +
                       printValue(sort, wanted) + " at [";
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(place, os);
    return text + "]";
  }
  return std::nullopt;
}

/// A copy of the module of `code` in which that takes as its last argument what
/// its one reduction gives; null if it has not one.
static OwningOpRef<ModuleOp> cutSum(func::FuncOp code) {
  OwningOpRef<ModuleOp> module(code->getParentOfType<ModuleOp>().clone());
  auto function = module->lookupSymbol<func::FuncOp>(code.getSymName());
  SmallVector<linalg::LinalgOp> sums;
  function.walk([&](linalg::LinalgOp op) {
    // All of a tensor is no sum.
    if (op.getNumReductionLoops() != 0 && op.getNumParallelLoops() != 0)
      sums.push_back(op);
  });
  if (sums.size() != 1 || sums[0]->getNumResults() != 1)
    return nullptr;
  unsigned number = function.getNumArguments();
  if (failed(function.insertArgument(number, sums[0]->getResult(0).getType(),
                                     {}, sums[0].getLoc())))
    return nullptr;
  sums[0]->getResult(0).replaceAllUsesWith(function.getArgument(number));
  sums[0]->erase();
  return module;
}

std::string qbackend::proof::runExample(
    func::FuncOp code, const Scope &scope, const Code &formula,
    const Position &position, unsigned loops,
    const llvm::DenseMap<Term, APInt> &example, const Allowance &allowance) {
  std::vector<Filling> given(code.getNumArguments());
  for (auto &[term, reading] : scope.readings)
    if (auto it = example.find(term); it != example.end() && reading.operand)
      given[*reading.operand].value = it->second;
  for (const Loop &loop : scope.getLoops())
    if (loop.chosen)
      given[*scope.readings.at(loop.chosen).operand].below = loop.extent;
  ArrayFormula wanted(scope, formula, position, loops);
  auto compare = [&](ArrayRef<Array> inputs, const Array &result) {
    return wanted.compare(inputs, result, allowance);
  };
  auto sum = formula.fold ? example.find(formula.fold->result) : example.end();
  if (sum != example.end())
    if (OwningOpRef<ModuleOp> behind = cutSum(code)) {
      wanted.given = sum->second;
      given.push_back({sum->second});
      std::string text =
          runCode(*behind, code.getSymName(), given, compare, /*runs=*/1);
      if (StringRef(text).starts_with("confirmed"))
        return text + ", behind the sum " +
               printValue(sum->first->sort, sum->second);
      wanted.given.reset();
      given.pop_back();
    }
  return runCode(code->getParentOfType<ModuleOp>(), code.getSymName(), given,
                 compare);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and maxima: their steps are compared for all inputs, and what they begin
// with for all constants.
//
// Code and formula have the same loops, each of which runs over all of its
// values (readCode and makeFormula see to that), and read by the same names,
// which are places as sums of these loops: so the products of both are the same
// ones, each of them once. Integers add in any order modulo 2^32.

#include "Laws/Laws.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace qbackend;
using namespace qbackend::proof;

std::string Laws::printPlace(ArrayRef<unsigned> loops,
                             ArrayRef<int64_t> values) {
  std::string text;
  for (auto [loop, value] : zip_equal(loops, values))
    text += (text.empty() ? "" : ", ") + scope.getLoops()[loop].name + " = " +
            std::to_string(value);
  return text;
}

/// init' + sum c = init, for each place of the result; or with `moved` the
/// difference, as a constant of the place.
ProofStep Laws::proveCorrection(const Fold &code, const Fold &wanted,
                                Term correction, Term *moved) {
  ProofStep step;
  step.what = "what the sum begins with";
  std::vector<Term> tables = findTables({code.init, wanted.init, correction});
  Evaluator ends({code.init, wanted.init}), each(correction);
  auto isTable = [&](Term term) { return scope.tables.count(term) != 0; };
  if (!all_of(ends.variables(), isTable) ||
      !all_of(each.variables(), isTable)) {
    step.how = "it begins with what is no constant";
    return step;
  }
  auto getPlaces = [&](ArrayRef<Term> variables) {
    std::vector<unsigned> places;
    for (Term variable : variables)
      places.push_back(find(tables, variable) - tables.begin());
    return places;
  };
  std::vector<unsigned> endPlaces = getPlaces(ends.variables()),
                        eachPlaces = getPlaces(each.variables());
  // Of each place of the result, the sum of what its steps add: the loops of
  // the sum run fastest.
  std::map<std::vector<uint64_t>, APInt> known;
  std::vector<APInt> picked;
  auto pick = [&](ArrayRef<unsigned> places, ArrayRef<APInt> values) {
    picked.clear();
    for (unsigned place : places)
      picked.push_back(values[place]);
    return ArrayRef<APInt>(picked);
  };
  APInt sum(code.init->sort.width, 0);
  std::vector<int64_t> outer, current;
  Table differences;
  std::vector<APInt> totals;
  bool isFirst = true;
  step.verdict = Verdict::Proven;
  step.how = "all constants";
  APInt expected, found;
  std::string place;
  auto check = [&] {
    if (moved && !isFirst)
      totals.push_back(found + sum - expected);
    if (moved || isFirst || found + sum == expected)
      return true;
    step.verdict = Verdict::Counterexample;
    step.how = (place.empty() ? "" : "with " + place + " ") +
               "the code begins with " + toString(found, 10, true) +
               ", and its steps add " + toString(sum, 10, true) +
               " to those of the formula, which begins with " +
               toString(expected, 10, true);
    return false;
  };
  bool isKnown = forEachRow(
      tables, wanted.loops,
      [&](ArrayRef<unsigned> loops, ArrayRef<int64_t> at,
          ArrayRef<APInt> values) {
        current.clear();
        for (auto [loop, value] : zip_equal(loops, at))
          if (!is_contained(wanted.loops, loop))
            current.push_back(value);
        if (isFirst)
          for (unsigned loop : loops.drop_back(wanted.loops.size())) {
            differences.shape.push_back(scope.getLoops()[loop].extent);
            differences.position.push_back(scope.loop(loop));
          }
        if (isFirst || current != outer) {
          if (!check())
            return false;
          isFirst = false;
          outer = current;
          sum = 0;
          ends.run(pick(endPlaces, values));
          found = ends.result(0);
          expected = ends.result(1);
          place = printPlace(loops.drop_back(wanted.loops.size()), outer);
        }
        std::vector<uint64_t> key;
        for (unsigned i : eachPlaces)
          key.push_back(values[i].getZExtValue());
        auto [it, isNew] = known.try_emplace(key);
        if (isNew) {
          each.run(pick(eachPlaces, values));
          it->second = each.result(0);
        }
        sum += it->second;
        return true;
      });
  if (isKnown && step.verdict == Verdict::Proven)
    check();
  if (!isKnown) {
    step.verdict = Verdict::Open;
    step.how = "constants at places of unknown extent";
  }
  if (moved && step.verdict == Verdict::Proven) {
    if (!all_of(totals, [](const APInt &total) { return total.isZero(); }))
      step.how = "all constants, with what comes behind the sum";
    differences.read = [totals](int64_t at) { return totals[at]; };
    *moved = scope.element(std::move(differences), code.init->sort, "moved");
  }
  return step;
}

/// Sums are one modulo 2^32 if each step of the code adds what that of the
/// formula adds, and something that depends on constants only, and what the
/// code begins with makes up for it:
///
///   step'(a) = step(a) + c   for all inputs,   init' + sum c = init
///
/// or, with a zero point that isn't constant, or where a form has it come off
/// behind the sum, if the code's result is that of init' + sum c - init more.
/// So zero points may be folded into the bias, and bytes held less 128. What
/// carries bytes, a maximum, is held as it is or less 128:
///
///   step'(h(a)) = h(step(a)),   init' = h(init),   h(a) = a or a ^ 128
Expected<std::vector<ProofStep>> Laws::proveFold(const Code &emitted,
                                                 const Code &formula,
                                                 Term &emittedResult,
                                                 bool mayMove) {
  std::vector<ProofStep> steps;
  const Fold &code = *emitted.fold, &wanted = *formula.fold;
  emittedResult = wanted.result;
  unsigned width = wanted.carried->sort.width;
  if (code.carried->sort.width != width) {
    steps.push_back({"what the sum is held in", Verdict::Counterexample,
                     "the code has " +
                         std::to_string(code.carried->sort.width) +
                         " bits, the formula " + std::to_string(width)});
    return steps;
  }
  if (width == 8) {
    Term top = terms.constant(8, 128);
    auto flip = [&](Term term) { return terms.binary(Fn::Xor, term, top); };
    bool isFlipped = code.init == flip(wanted.init);
    auto hold = [&](Term term) { return isFlipped ? flip(term) : term; };
    auto init = proveEqual("what the fold begins with", terms.constant(1, 1),
                           code.init, hold(wanted.init));
    if (!init)
      return init.takeError();
    DenseMap<Term, Term> by = {{code.carried, hold(wanted.carried)}};
    auto step =
        proveEqual("a step of the fold", terms.replace(emitted.stepDefined, by),
                   terms.replace(code.step, by), hold(wanted.step));
    if (!step)
      return step.takeError();
    steps.push_back(*init);
    steps.push_back(*step);
    emittedResult = hold(wanted.result);
    return steps;
  }

  // c is the difference for some input: the law is that of all.
  Term difference = terms.binary(Fn::Sub, code.step, wanted.step);
  DenseMap<Term, Term> fixed;
  for (Term node : order(difference))
    if (node->op == Fn::Variable && !scope.tables.count(node))
      fixed[node] = terms.constantBits(
          node->sort, APInt(node->sort.width, node->sort.width == 1 ? 1 : 0));
  Term correction = terms.replace(difference, fixed);
  // Both carry the same value along.
  auto getAddend = [&](Term step) -> Term {
    if (step->op == Fn::Add && is_contained(step->operands, wanted.carried))
      return step->operands[step->operands[0] == wanted.carried ? 1 : 0];
    return nullptr;
  };
  Term own = code.step, other = wanted.step;
  if (getAddend(own) && getAddend(other)) {
    own = getAddend(own);
    other = getAddend(other);
  }
  auto step = proveEqual("a step of the sum", emitted.stepDefined, own,
                         terms.binary(Fn::Add, other, correction));
  if (!step)
    return step.takeError();
  steps.push_back(*step);
  if (step->verdict == Verdict::Proven) {
    Term moved = nullptr;
    bool moves = formula.zeroPoint.term;
    steps.push_back(
        proveCorrection(code, wanted, correction, moves ? &moved : nullptr));
    if (mayMove && steps.back().verdict == Verdict::Counterexample)
      steps.back() = proveCorrection(code, wanted, correction, &moved);
    if (moved)
      emittedResult = terms.binary(Fn::Add, wanted.result, moved);
  }
  return steps;
}

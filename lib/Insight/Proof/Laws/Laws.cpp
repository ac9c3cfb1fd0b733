// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From two terms to laws for the solver.

#include "Laws/Laws.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::proof;

/// Bits of input of which all values are computed: a moment, where products
/// of integers are hours for a solver.
static constexpr unsigned mostBits = 18;

/// Sums that are counted one by one.
static constexpr int64_t mostSums = int64_t(1) << 22;

//===----------------------------------------------------------------------===//
// One law
//===----------------------------------------------------------------------===//

std::string qbackend::proof::printValue(Sort sort, const APInt &value) {
  if (sort.isFloat) {
    SmallString<16> text;
    toFloat(sort, value).toString(text);
    return (text + " (" + "0x" + toString(value, 16, false) + ")").str();
  }
  if (sort.width == 1)
    return value.isZero() ? "no" : "yes";
  return toString(value, 10, /*Signed=*/true);
}

/// Says where code and formula differ; `isConfirmed` whether they do when both
/// are evaluated there.
std::string Laws::describe(const Case &question, ArrayRef<Term> variables,
                           ArrayRef<APInt> values, bool &isConfirmed) {
  Evaluator evaluator({question.defined, question.emitted, question.formula});
  DenseMap<Term, APInt> given;
  for (auto [variable, value] : zip_equal(variables, values))
    given[variable] = value;
  std::vector<APInt> inputs;
  for (Term variable : evaluator.variables()) {
    auto it = given.find(variable);
    inputs.push_back(it == given.end() ? APInt(variable->sort.width, 0)
                                       : it->second);
  }
  evaluator.run(inputs);
  example.clear();
  for (auto [variable, value] : zip_equal(evaluator.variables(), inputs))
    example[variable] = value;
  bool isDefined = !evaluator.result(0).isZero();
  isConfirmed = !isDefined || evaluator.result(1) != evaluator.result(2);
  std::string text;
  raw_string_ostream os(text);
  os << "with ";
  ListSeparator separator;
  for (auto [variable, value] : zip_equal(evaluator.variables(), inputs))
    os << separator << variable->name << " = "
       << printValue(variable->sort, value);
  Sort sort = question.formula->sort;
  if (isDefined)
    os << " the code gives " << printValue(sort, evaluator.result(1));
  else
    os << " the code is undefined";
  os << ", the formula " << printValue(sort, evaluator.result(2));
  return text;
}

std::optional<std::string> Laws::probe(const Case &question, Term conclusion) {
  Evaluator evaluator(conclusion);
  ArrayRef<Term> variables = evaluator.variables();
  // xorshift64: the same values everywhere.
  uint64_t state = 0x9E3779B97F4A7C15;
  auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  std::vector<APInt> values;
  for (int i = 0; i < 4096; ++i) {
    values.clear();
    for (Term variable : variables) {
      unsigned width = variable->sort.width;
      APInt value = APInt(64, next()).zextOrTrunc(width);
      // Of every magnitude, and floats of few digits before the point.
      if (!variable->sort.isFloat)
        value.ashrInPlace(next() % width);
      else if (width == 32 && i % 2 != 0)
        value = APInt(32, (value.getZExtValue() & 0x807FFFFF) |
                              (117 + next() % 20) << 23);
      values.push_back(value);
    }
    evaluator.run(values);
    if (!evaluator.result(0).isZero())
      continue;
    bool isConfirmed;
    return describe(question, variables, values, isConfirmed);
  }
  return std::nullopt;
}

int64_t Allowance::getDistance(Sort sort, const APInt &a,
                               const APInt &b) const {
  auto toInteger = [&](const APInt &value) -> int64_t {
    if (!sort.isFloat)
      return isSigned ? value.getSExtValue() : int64_t(value.getZExtValue());
    // In the order of floats.
    int64_t magnitude = value.getLoBits(value.getBitWidth() - 1).getZExtValue();
    return value.isNegative() ? -magnitude : magnitude;
  };
  return std::abs(toInteger(a) - toInteger(b));
}

/// Counts where code and formula differ: over all inputs, or over all values
/// that a sum can have. If these are too many, z3 is asked for the bound.
Expected<ProofStep> Laws::proveNear(const Case &question,
                                    const Allowance &allowance) {
  ProofStep step;
  Evaluator evaluator({question.defined, question.emitted, question.formula});
  std::vector<Term> variables(evaluator.variables());
  step.verdict = Verdict::Proven;
  auto count = [&](ArrayRef<APInt> values) {
    if (step.verdict == Verdict::Counterexample)
      return;
    evaluator.run(values);
    ++step.counted;
    bool isDefined = !evaluator.result(0).isZero();
    int64_t distance = allowance.getDistance(
        question.formula->sort, evaluator.result(1), evaluator.result(2));
    if (isDefined && distance == 0)
      return;
    ++step.differing;
    if (isDefined && distance <= allowance.most)
      return;
    bool isConfirmed;
    step.verdict = Verdict::Counterexample;
    step.how = describe(question, variables, values, isConfirmed);
  };
  unsigned bits = countBits(variables);
  bool isSum = variables.size() == 1 && variables[0]->name == "sum" &&
               allowance.sums &&
               allowance.sums->second - allowance.sums->first < mostSums;
  if (bits <= mostBits)
    forEachInput(variables, bits, count);
  else if (isSum)
    for (int64_t sum = allowance.sums->first; sum <= allowance.sums->second;
         ++sum)
      count(APInt(64, sum, /*isSigned=*/true).trunc(variables[0]->sort.width));
  if (step.counted != 0) {
    if (step.verdict == Verdict::Counterexample)
      return step;
    if (step.differing != 0)
      step.verdict = Verdict::Bounded;
    step.how = isSum && bits > mostBits ? "all sums" : "all inputs";
    return step;
  }
  // -most <= code - formula <= most.
  unsigned width = question.emitted->sort.width + 2;
  Fn extend = allowance.isSigned ? Fn::ExtS : Fn::ExtU;
  Term difference = terms.binary(
      Fn::Sub, terms.make(extend, proof::bits(width), {question.emitted}),
      terms.make(extend, proof::bits(width), {question.formula}));
  Term most = terms.constant(width, allowance.most),
       least = terms.constant(width, -allowance.most);
  Term near = terms.both(terms.compare(Fn::LessEqualS, difference, most),
                         terms.compare(Fn::LessEqualS, least, difference));
  Term assumption = terms.constant(1, 1);
  bool wraps = false;
  for (Term variable : variables) {
    if (variable->name != "sum" || !allowance.sums)
      continue;
    unsigned sumWidth = variable->sort.width;
    // Bounds that wrap would say something else: it is asked for any sum.
    wraps = !llvm::isIntN(sumWidth, allowance.sums->first) ||
            !llvm::isIntN(sumWidth, allowance.sums->second);
    if (wraps)
      continue;
    assumption = terms.both(
        terms.compare(Fn::LessEqualS,
                      terms.constant(sumWidth, allowance.sums->first),
                      variable),
        terms.compare(Fn::LessEqualS, variable,
                      terms.constant(sumWidth, allowance.sums->second)));
  }
  Script script = print(assumption, terms.both(question.defined, near));
  auto answer = solver.ask(script);
  if (!answer)
    return answer.takeError();
  step.verdict = Verdict::Bounded;
  step.how = "z3";
  if ((*answer)->kind == Answer::Open) {
    step.verdict = Verdict::Open;
    step.how = "z3 says " + (*answer)->word;
  } else if ((*answer)->kind == Answer::Fails) {
    bool isConfirmed;
    step.how =
        describe(question, script.variables, (*answer)->values, isConfirmed);
    step.verdict =
        isConfirmed && !wraps ? Verdict::Counterexample : Verdict::Open;
    if (wraps)
      step.how += ", which may be no sum of these constants";
  }
  return step;
}

Expected<ProofStep> Laws::proveCase(StringRef what, Case question,
                                    const Allowance &allowance) {
  ProofStep step;
  step.what = what.str();
  if (question.emitted->sort.width != question.formula->sort.width ||
      question.emitted->sort.isFloat != question.formula->sort.isFloat) {
    step.verdict = Verdict::Counterexample;
    step.how =
        "the code's type has " + std::to_string(question.emitted->sort.width) +
        " bits, the formula's " + std::to_string(question.formula->sort.width);
    return step;
  }
  Term one = terms.constant(1, 1);
  Case shared = {unify(question.defined), unify(question.emitted),
                 unify(question.formula)};
  if (shared.defined == one && shared.emitted == shared.formula) {
    step.verdict = Verdict::Proven;
    step.how = "the same term";
    return step;
  }
  Term conclusion = terms.both(question.defined,
                               terms.same(question.emitted, question.formula));
  Evaluator evaluator(conclusion);
  ArrayRef<Term> variables = evaluator.variables();
  unsigned count = countBits(variables);
  auto proveStep = [&](bool mayMultiply) {
    auto isProven = proveShared(shared, mayMultiply);
    if (isProven && *isProven) {
      step.verdict = Verdict::Proven;
      step.how = "z3";
    }
    return isProven;
  };
  if (allowance.most != 0 && !hasProduct(shared.formula)) {
    if (count > mostBits) {
      auto isProven = proveStep(/*mayMultiply=*/false);
      if (!isProven)
        return isProven.takeError();
      if (*isProven)
        return step;
    }
    auto near = proveNear(question, allowance);
    if (near)
      near->what = what.str();
    return near;
  }
  if (count <= mostBits) {
    step.verdict = Verdict::Proven;
    step.how = "all " + std::to_string(1u << count) + " inputs";
    forEachInput(variables, count, [&](ArrayRef<APInt> values) {
      evaluator.run(values);
      if (step.verdict != Verdict::Proven || !evaluator.result(0).isZero())
        return;
      bool isConfirmed;
      step.verdict = Verdict::Counterexample;
      step.how = describe(question, variables, values, isConfirmed);
    });
    return step;
  }

  if (auto found = probe(question, conclusion)) {
    step.verdict = Verdict::Counterexample;
    step.how = *found;
    return step;
  }

  auto isProven = proveStep(/*mayMultiply=*/true);
  if (!isProven)
    return isProven.takeError();
  if (*isProven)
    return step;
  Script script = print(one, conclusion);
  auto answer = solver.ask(script);
  if (!answer)
    return answer.takeError();
  switch ((*answer)->kind) {
  case Answer::Holds:
    step.verdict = Verdict::Proven;
    step.how = "z3";
    break;
  case Answer::Open:
    step.how = "z3 says " + (*answer)->word;
    break;
  case Answer::Fails: {
    bool isConfirmed;
    step.how =
        describe(question, script.variables, (*answer)->values, isConfirmed);
    step.verdict = isConfirmed ? Verdict::Counterexample : Verdict::Open;
    if (!isConfirmed)
      step.how = "z3 says sat " + step.how + ", which is no counterexample";
    break;
  }
  }
  return step;
}

std::pair<std::function<Term(Term)>, Expected<ProofStep>>
Laws::proveHeld(StringRef what, const Cut &emitted, Term formula) {
  unsigned width = emitted.term->sort.width;
  auto hold = [this, width](Term byte, bool isMoved) {
    if (width > byte->sort.width)
      byte = terms.make(Fn::ExtU, bits(width), {byte});
    return isMoved ? terms.binary(Fn::Sub, byte, terms.constant(width, 128))
                   : byte;
  };
  // Which one it is some input says.
  Term moved = hold(formula, true);
  Evaluator evaluator({emitted.term, moved});
  std::vector<APInt> values;
  for (Term variable : evaluator.variables())
    values.push_back(APInt(variable->sort.width, 0));
  evaluator.run(values);
  bool isMoved = evaluator.result(0) == evaluator.result(1);
  return {
      [=](Term byte) { return hold(byte, isMoved); },
      proveEqual(what, emitted.defined, emitted.term, hold(formula, isMoved))};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Expected<ProofStep> Laws::proveEqual(StringRef what, Term defined, Term emitted,
                                     Term formula, const Allowance &allowance) {
  std::vector<Term> tables = findTables({defined, emitted, formula});
  if (tables.empty())
    return proveCase(what, {defined, emitted, formula}, allowance);
  // Where there is nothing but constants, they are computed.
  Case question = {defined, emitted, formula};
  Evaluator evaluator({defined, emitted, formula});
  bool isComputed = allowance.most == 0 && emitted->sort == formula->sort &&
                    evaluator.variables().size() == tables.size();
  for (Term variable : evaluator.variables())
    isComputed &= scope.tables.count(variable) != 0;
  if (isComputed) {
    ProofStep step;
    step.what = what.str();
    step.verdict = Verdict::Proven;
    step.how = "all constants";
    bool isKnown =
        forEachRow(evaluator.variables(), {},
                   [&](ArrayRef<unsigned> loops, ArrayRef<int64_t> at,
                       ArrayRef<APInt> values) {
                     evaluator.run(values);
                     if (!evaluator.result(0).isZero() &&
                         evaluator.result(1) == evaluator.result(2))
                       return true;
                     bool isConfirmed;
                     step.verdict = Verdict::Counterexample;
                     step.how = describe(question, evaluator.variables(),
                                         values, isConfirmed) +
                                ", " + printPlace(loops, at);
                     return false;
                   });
    if (!isKnown) {
      step.verdict = Verdict::Open;
      step.how = "constants at places of unknown extent";
    }
    return step;
  }
  // Each different row of constants once, in the order of the code.
  std::vector<std::vector<APInt>> rows;
  std::set<std::vector<uint64_t>> seen;
  bool isKnown = forEachRow(
      tables, {},
      [&](ArrayRef<unsigned>, ArrayRef<int64_t>, ArrayRef<APInt> values) {
        std::vector<uint64_t> key;
        for (const APInt &value : values)
          key.push_back(value.getZExtValue());
        if (seen.insert(key).second)
          rows.emplace_back(values.begin(), values.end());
        return true;
      });
  ProofStep all;
  all.what = what.str();
  if (!isKnown) {
    all.how = "constants at places of unknown extent";
    return all;
  }
  all.verdict = Verdict::Proven;
  all.cases = rows.size();
  // Of each question its answer.
  std::map<std::tuple<Term, Term, Term>, ProofStep> known;
  for (const std::vector<APInt> &row : rows) {
    DenseMap<Term, Term> by;
    for (auto [table, value] : zip_equal(tables, row))
      by[table] = terms.constantBits(table->sort, value);
    Case question = {terms.replace(defined, by), terms.replace(emitted, by),
                     terms.replace(formula, by)};
    auto [step, isNew] = known.try_emplace(
        {question.defined, question.emitted, question.formula});
    if (isNew) {
      auto proven = proveCase(what, question, allowance);
      if (!proven)
        return proven;
      step->second = *proven;
    }
    all.differing += step->second.differing;
    all.counted += step->second.counted;
    if (step->second.verdict <= all.verdict && !all.how.empty() &&
        all.how != "the same term")
      continue;
    all.verdict = step->second.verdict;
    all.how = step->second.how;
    if (step->second.verdict == Verdict::Counterexample) {
      for (auto [table, value] : zip_equal(tables, row))
        all.how += ", " + table->name + " = " + printValue(table->sort, value);
      break;
    }
  }
  return all;
}

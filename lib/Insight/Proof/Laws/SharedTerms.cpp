// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws over what code and formula share.
//
// A float product of an unknown sum and a constant is much for a solver, and
// nothing that has to be known: where code and formula share a float, any float
// of its range takes its place. If the law holds for these, it holds for it,
// and is the same text for all multipliers; if not, the terms are asked as they
// are. So it is with exact products of a sum and a fixed-point multiplier, in
// 64 bits. To see that floats are shared, integers of at most 16 bits of input
// are computed for all inputs before they become floats, and those of equal
// values are one term.

#include "Laws/Laws.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace qbackend;
using namespace qbackend::proof;

unsigned proof::countBits(ArrayRef<Term> variables) {
  unsigned count = 0;
  for (Term variable : variables)
    count += variable->sort.width;
  return count;
}

void proof::forEachInput(ArrayRef<Term> variables, unsigned bits,
                         function_ref<void(ArrayRef<APInt>)> visit) {
  std::vector<APInt> values;
  for (uint64_t input = 0; input < uint64_t(1) << bits; ++input) {
    values.clear();
    unsigned at = 0;
    for (Term variable : variables) {
      unsigned width = variable->sort.width;
      values.push_back(APInt(64, input >> at).trunc(width));
      at += width;
    }
    visit(values);
  }
}

/// `term` as a number and multiples of terms that are neither sums nor products
/// with a constant, modulo 2^width: as text, the same for all spellings.
static std::string printSum(Term term) {
  unsigned width = term->sort.width;
  // Of each term, by its number, how often it is there; of 1 as the last one.
  using Multiples = std::map<unsigned, APInt>;
  DenseMap<Term, Multiples> known;
  for (Term node : order(term)) {
    Multiples sum;
    auto add = [&](Term operand, const APInt &factor) {
      for (auto &[id, times] : known[operand])
        sum.try_emplace(id, width, 0).first->second += times * factor;
    };
    bool isOwn = !node->sort.isFloat && node->sort.width == width;
    APInt one(width, 1);
    if (isOwn && node->op == Fn::Constant) {
      sum[UINT_MAX] = node->value;
    } else if (isOwn && (node->op == Fn::Add || node->op == Fn::Sub)) {
      add(node->operands[0], one);
      add(node->operands[1], node->op == Fn::Add ? one : -one);
    } else if (isOwn && node->op == Fn::Mul &&
               node->operands[0]->op == Fn::Constant) {
      add(node->operands[1], node->operands[0]->value);
    } else if (isOwn && node->op == Fn::Mul &&
               node->operands[1]->op == Fn::Constant) {
      add(node->operands[0], node->operands[1]->value);
    } else {
      sum[node->id] = one;
    }
    known[node] = std::move(sum);
  }
  std::string text = "sum of " + std::to_string(width);
  for (auto &[id, times] : known[term])
    if (!times.isZero())
      text += " " + std::to_string(id) + "*" + toString(times, 16, false);
  return text;
}

/// `term` with integers that become floats replaced by the one that has their
/// values.
Term Laws::unify(Term term) {
  DenseMap<Term, Term> by;
  for (Term node : order(term)) {
    if (node->op != Fn::SToF && node->op != Fn::UToF)
      continue;
    Term integer = node->operands.front();
    if (integer->op == Fn::Constant || integer->op == Fn::Variable)
      continue;
    auto [it, isNew] = unifiedTerms.try_emplace({integer, node->op}, nullptr);
    if (isNew) {
      Evaluator evaluator(integer);
      std::vector<Term> variables(evaluator.variables());
      // In an order of their own, not that of the term.
      std::vector<unsigned> places(variables.size());
      for (unsigned i = 0; i < places.size(); ++i)
        places[i] = i;
      llvm::sort(places, [&](unsigned a, unsigned b) {
        return variables[a]->id < variables[b]->id;
      });
      std::vector<Term> sorted;
      for (unsigned place : places)
        sorted.push_back(variables[place]);
      unsigned count = countBits(sorted);
      it->second = integer;
      if (count <= 16 && integer->sort.width <= 64) {
        std::string key;
        for (Term variable : sorted)
          key += std::to_string(variable->id) + " ";
        key += node->op == Fn::SToF ? 's' : 'u';
        int64_t min = INT64_MAX, max = INT64_MIN;
        std::vector<APInt> values(sorted.size());
        forEachInput(sorted, count, [&](ArrayRef<APInt> inputs) {
          for (auto [place, value] : zip_equal(places, inputs))
            values[place] = value;
          evaluator.run(values);
          // By value: the width doesn't matter to a float.
          APInt result = evaluator.result(0);
          int64_t value = node->op == Fn::SToF ? result.getSExtValue()
                                               : result.getZExtValue();
          key.append(reinterpret_cast<const char *>(&value), sizeof(value));
          min = std::min(min, value);
          max = std::max(max, value);
        });
        auto &known =
            unified.try_emplace(key, Values{integer, min, max}).first->second;
        it->second = known.representative;
        ranges[{known.representative, node->op}] = {known.min, known.max};
      } else {
        std::string key =
            printSum(integer) + (node->op == Fn::SToF ? 's' : 'u');
        it->second = unified.try_emplace(key, Values{integer, 0, 0})
                         .first->second.representative;
      }
    }
    if (it->second != integer)
      by[node] = terms.make(node->op, node->sort, {it->second});
  }
  return by.empty() ? term : terms.replace(term, by);
}

/// The smallest and the largest value of a float, which is then no NaN; nothing
/// if they aren't known.
std::optional<std::pair<APFloat, APFloat>> Laws::getRange(Term term) {
  if (term->op == Fn::Constant) {
    APFloat value = toFloat(term->sort, term->value);
    if (!value.isFinite())
      return std::nullopt;
    return std::pair(value, value);
  }
  if (term->op == Fn::SToF) {
    Term integer = term->operands.front();
    unsigned width = integer->sort.width;
    APInt lo = APInt::getSignedMinValue(width),
          hi = APInt::getSignedMaxValue(width);
    if (auto it = ranges.find({integer, term->op}); it != ranges.end()) {
      lo = APInt(width, it->second.first, true);
      hi = APInt(width, it->second.second, true);
    }
    return std::pair(toFloat(term->sort, apply(*term, {lo})),
                     toFloat(term->sort, apply(*term, {hi})));
  }
  bool isProduct = term->op == Fn::MulF;
  if (!isProduct && term->op != Fn::AddF)
    return std::nullopt;
  auto a = getRange(term->operands[0]), b = getRange(term->operands[1]);
  if (!a || !b)
    return std::nullopt;
  std::optional<std::pair<APFloat, APFloat>> range;
  // Rounding keeps order: the ends of the operands have those of the result.
  for (const APFloat &x : {a->first, a->second})
    for (const APFloat &y : {b->first, b->second}) {
      APFloat value = x;
      if (isProduct)
        value.multiply(y, APFloat::rmNearestTiesToEven);
      else
        value.add(y, APFloat::rmNearestTiesToEven);
      if (!value.isFinite())
        return std::nullopt;
      if (!range)
        range = std::pair(value, value);
      if (value < range->first)
        range->first = value;
      if (value > range->second)
        range->second = value;
    }
  return range;
}

/// An exact product of 64 bits, of at most 2^62: of a number of 32, extended,
/// and one in [0, 2^31), or of more bits and fewer.
static bool isProduct(Term node) {
  if (node->op != Fn::Mul || node->sort.width != 64)
    return false;
  for (unsigned i : {0, 1}) {
    Term wide = node->operands[i], factor = node->operands[1 - i];
    if (wide->op == Fn::ExtS && factor->op == Fn::Constant &&
        wide->operands[0]->sort.width + factor->value.getActiveBits() <= 63)
      return true;
  }
  return false;
}

bool proof::hasProduct(Term term) { return any_of(order(term), isProduct); }

/// Whether the law holds with any float of its range, or any product, in the
/// place of each one that code and formula share. False as well if products of
/// floats are left, which take a solver long, unless they `mayMultiply`.
Expected<bool> Laws::proveShared(const Case &shared, bool mayMultiply) {
  DenseSet<Term> ofFormula;
  for (Term node : order(shared.formula))
    ofFormula.insert(node);
  DenseMap<Term, Term> by;
  std::map<unsigned, std::pair<Term, Term>> assumptions;
  for (Term node : order(shared.emitted)) {
    bool isFloat = node->sort.isFloat && node->op != Fn::Constant &&
                   node->op != Fn::Variable;
    if ((!isFloat && !isProduct(node)) || !ofFormula.contains(node))
      continue;
    Term any = terms.variable((isFloat ? "float " : "product ") +
                                  std::to_string(node->id),
                              node->sort);
    by[node] = any;
    if (!isFloat) {
      // 2^31 by less than 2^31.
      Term most = terms.constant(64, int64_t(1) << 62),
           least = terms.constant(64, -(int64_t(1) << 62));
      assumptions[node->id] = {
          any, terms.both(terms.compare(Fn::LessEqualS, least, any),
                          terms.compare(Fn::LessEqualS, any, most))};
      continue;
    }
    auto range = getRange(node);
    if (!range)
      continue;
    APFloat bound = maximum(abs(range->first), abs(range->second));
    // Few different bounds, so that laws are few.
    APFloat most = scalbn(APFloat(bound.getSemantics(), 1), 31,
                          APFloat::rmNearestTiesToEven);
    bool isSmall = bound < most;
    if (!isSmall)
      most = APFloat::getInf(bound.getSemantics());
    Term magnitude = terms.make(Fn::AbsF, node->sort, {any});
    assumptions[node->id] = {
        any,
        terms.compare(Fn::LessF, magnitude,
                      terms.constantBits(node->sort, most.bitcastToAPInt()))};
  }
  if (by.empty())
    return false;
  Term claim = terms.both(terms.replace(shared.defined, by),
                          terms.same(terms.replace(shared.emitted, by),
                                     terms.replace(shared.formula, by))),
       assumption = terms.constant(1, 1);
  DenseSet<Term> used;
  for (Term node : order(claim)) {
    used.insert(node);
    if (!mayMultiply && (node->op == Fn::MulF || node->op == Fn::DivF))
      return false;
  }
  for (auto &[id, pair] : assumptions)
    if (used.contains(pair.first))
      assumption = terms.both(assumption, pair.second);
  auto answer = solver.ask(print(assumption, claim));
  if (!answer)
    return answer.takeError();
  return (*answer)->kind == Answer::Holds;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of symbols: their values, loops and ranges.

#include "Kernels/Places.h"

#include <algorithm>

using namespace llvm;
using namespace qbackend::proof;

Linear Places::add(Symbol symbol) {
  bool isFixed = symbol.a.isConstant() && symbol.b.isConstant();
  Linear place;
  place.coefficients[symbols.size()] = 1;
  symbols.push_back(std::move(symbol));
  Symbol::Kind kind = symbols.back().kind;
  if (!isFixed || kind == Symbol::Loop || kind == Symbol::Extent)
    return place;
  int64_t value = evaluate(place, makeEnvironment());
  symbols.pop_back();
  return value;
}

int64_t Places::evaluate(const Linear &at, const Environment &values) const {
  int64_t sum = at.offset;
  for (auto [number, factor] : at.coefficients) {
    const Symbol &symbol = symbols[number];
    int64_t value = 0;
    switch (symbol.kind) {
    case Symbol::Loop:
      value = values[number];
      break;
    case Symbol::Extent:
      value = symbol.a.offset;
      break;
    case Symbol::Entry: {
      // What is outside of the table was refused when its loads were looked at.
      int64_t index = evaluate(symbol.a, values);
      value = index >= 0 && index < int64_t(symbol.table->size())
                  ? (*symbol.table)[index]
                  : 0;
      break;
    }
    case Symbol::Quotient:
    case Symbol::Remainder:
    case Symbol::Minimum: {
      int64_t a = evaluate(symbol.a, values), b = evaluate(symbol.b, values);
      value = symbol.kind == Symbol::Minimum    ? std::min(a, b)
              : b == 0                          ? 0
              : symbol.kind == Symbol::Quotient ? a / b
                                                : a % b;
      break;
    }
    }
    sum += factor * value;
  }
  return sum;
}

std::set<unsigned> Places::getLoops(const Linear &at) const {
  std::set<unsigned> loops;
  for (auto [number, factor] : at.coefficients) {
    const Symbol &symbol = symbols[number];
    if (symbol.kind == Symbol::Loop)
      loops.insert(number);
    if (symbol.kind == Symbol::Extent)
      continue;
    for (const Linear *part : {&symbol.a, &symbol.b})
      for (unsigned loop : getLoops(*part))
        loops.insert(loop);
  }
  return loops;
}

std::pair<Linear, Linear> Places::split(const Linear &at,
                                        const std::set<unsigned> &loops) const {
  Linear own, rest(at.offset);
  for (auto [number, factor] : at.coefficients) {
    Linear one;
    one.coefficients[number] = factor;
    std::set<unsigned> used = getLoops(one);
    bool isOwn =
        std::includes(loops.begin(), loops.end(), used.begin(), used.end());
    (isOwn ? own : rest) += one;
  }
  return {own, rest};
}

bool Places::forEach(ArrayRef<unsigned> loops, Environment &values,
                     function_ref<bool()> visit) const {
  if (loops.empty())
    return visit();
  unsigned number = loops.front();
  const Symbol &loop = symbols[number];
  int64_t first = evaluate(loop.a, values), end = evaluate(loop.b, values);
  for (int64_t value = first; value < end; value += loop.step) {
    values[number] = value;
    if (!forEach(loops.drop_front(), values, visit))
      return false;
  }
  return true;
}

/// Loops with constant bounds have their ends; others, and what is computed, is
/// visited.
std::optional<std::pair<int64_t, int64_t>>
Places::getRange(const Linear &at) const {
  std::set<unsigned> correlated;
  for (auto [number, factor] : at.coefficients) {
    const Symbol &symbol = symbols[number];
    if (symbol.kind == Symbol::Loop && symbol.a.isConstant() &&
        symbol.b.isConstant())
      continue;
    Linear one;
    one.coefficients[number] = 1;
    for (unsigned loop : getLoops(one))
      correlated.insert(loop);
  }
  Linear rest, visited(at.offset);
  for (auto [number, factor] : at.coefficients) {
    Linear one;
    one.coefficients[number] = factor;
    bool isFree =
        symbols[number].kind == Symbol::Loop && !correlated.count(number);
    (isFree ? rest : visited) += one;
  }
  std::optional<std::pair<int64_t, int64_t>> range;
  Environment values = makeEnvironment();
  std::vector<unsigned> order(correlated.begin(), correlated.end());
  forEach(order, values, [&] {
    int64_t value = evaluate(visited, values);
    range = range ? std::pair(std::min(range->first, value),
                              std::max(range->second, value))
                  : std::pair(value, value);
    return true;
  });
  if (!range)
    return std::nullopt;
  for (auto [number, factor] : rest.coefficients) {
    const Symbol &loop = symbols[number];
    int64_t first = loop.a.offset, end = loop.b.offset;
    if (first >= end)
      return std::nullopt;
    int64_t last = first + (end - 1 - first) / loop.step * loop.step;
    range->first += std::min(factor * first, factor * last);
    range->second += std::max(factor * first, factor * last);
  }
  return range;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in tensors as sums of loops.

#include "Reading/Position.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend::proof;
using mlir::ShapedType;

Linear &Linear::operator+=(const Linear &other) {
  offset += other.offset;
  for (auto [loop, factor] : other.coefficients)
    if ((coefficients[loop] += factor) == 0)
      coefficients.erase(loop);
  return *this;
}

Linear Linear::operator*(int64_t factor) const {
  Linear result(offset * factor);
  if (factor != 0)
    for (auto [loop, own] : coefficients)
      result.coefficients[loop] = own * factor;
  return result;
}

Linear Table::getIndex() const {
  Linear index;
  for (auto [size, at] : zip_equal(shape, position))
    index = index * size + at;
  return index;
}

unsigned Scope::addLoop(int64_t extent, std::string name) {
  loops.push_back({extent, std::move(name)});
  return loops.size() - 1;
}

Linear Scope::loop(unsigned i) const {
  Linear result;
  if (loops[i].extent != 1)
    result.coefficients[i] = 1;
  return result;
}

std::string Scope::print(const Linear &linear) const {
  std::string text;
  raw_string_ostream os(text);
  bool isFirst = true;
  for (auto [loop, factor] : linear.coefficients) {
    if (!isFirst)
      os << " + ";
    isFirst = false;
    if (factor != 1)
      os << factor << " * ";
    os << loops[loop].name;
  }
  if (isFirst)
    os << linear.offset;
  else if (linear.offset != 0)
    os << (linear.offset < 0 ? " - " : " + ") << std::abs(linear.offset);
  return text;
}

std::string Scope::print(const Position &position) const {
  std::string text;
  raw_string_ostream os(text);
  os << "[";
  interleaveComma(position, os, [&](const Linear &at) { os << print(at); });
  os << "]";
  return text;
}

std::optional<std::pair<int64_t, int64_t>>
Scope::getRange(const Linear &at) const {
  int64_t lo = at.offset, hi = at.offset;
  for (auto [loop, factor] : at.coefficients) {
    if (ShapedType::isDynamic(loops[loop].extent))
      return std::nullopt;
    int64_t last;
    if (MulOverflow(factor, loops[loop].extent - 1, last) ||
        AddOverflow(lo, std::min<int64_t>(last, 0), lo) ||
        AddOverflow(hi, std::max<int64_t>(last, 0), hi))
      return std::nullopt;
  }
  return std::pair(lo, hi);
}

std::optional<std::pair<Linear, Linear>> Scope::divide(const Linear &at,
                                                       int64_t size) {
  if (size == 1)
    return std::pair(at, Linear(0));
  Linear quotient, rest;
  int64_t floor = at.offset / size - (at.offset % size < 0);
  quotient.offset = floor;
  rest.offset = at.offset - floor * size;
  for (auto [loop, factor] : at.coefficients) {
    if (factor % size == 0)
      quotient.coefficients[loop] = factor / size;
    else
      rest.coefficients[loop] = factor;
  }
  auto range = getRange(rest);
  if (range && range->first >= 0 && range->second < size)
    return std::pair(quotient, rest);
  // factor * loop, of which some more is a multiple of `size`.
  for (auto [loop, factor] : rest.coefficients) {
    int64_t extent = loops[loop].extent;
    if (factor <= 0 || size % factor != 0 || ShapedType::isDynamic(extent))
      continue;
    int64_t inner = size / factor;
    if (inner < extent && extent % inner == 0) {
      wantedSplit = Split{loop, inner};
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Linear> Scope::solve(const Table &table) {
  Linear index = table.getIndex();
  auto read = [&](int64_t at) { return table.read(at).getSExtValue(); };
  auto range = getRange(index);
  if (!range || range->first < 0 ||
      range->second >= ShapedType::getNumElements(table.shape))
    return std::nullopt;
  // Each loop by itself, then all of them.
  Linear sum(read(index.offset));
  int64_t count = 1;
  for (auto [loop, factor] : index.coefficients) {
    int64_t extent = loops[loop].extent;
    int64_t step = read(index.offset + factor) - sum.offset;
    if (step != 0)
      sum.coefficients[loop] = step;
    for (int64_t i = 1; i < extent; ++i) {
      if (read(index.offset + i * factor) == sum.offset + i * step)
        continue;
      if (extent % i != 0)
        return follow(table);
      wantedSplit = Split{loop, i};
      return std::nullopt;
    }
    if (MulOverflow(count, extent, count) || count > (int64_t(1) << 20))
      return follow(table);
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = index.offset, value = sum.offset;
    for (auto [loop, factor] : index.coefficients) {
      int64_t place = rest % loops[loop].extent;
      rest /= loops[loop].extent;
      at += place * factor;
      auto it = sum.coefficients.find(loop);
      value += it == sum.coefficients.end() ? 0 : place * it->second;
    }
    if (read(at) != value)
      return follow(table);
  }
  return sum;
}

Linear Scope::follow(Loop added) {
  for (unsigned i = 0; i < loops.size(); ++i)
    if (loops[i].name == added.name)
      return loop(i);
  loops.push_back(std::move(added));
  return loop(loops.size() - 1);
}

std::optional<Linear> Scope::follow(const Table &places) {
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < ShapedType::getNumElements(places.shape); ++i)
    entries.push_back(places.read(i).getSExtValue());
  if (entries.empty() || *min_element(entries) < 0)
    return std::nullopt;
  int64_t extent = *max_element(entries) + 1;
  unsigned number =
      knownPlaces.try_emplace(std::move(entries), knownPlaces.size())
          .first->second;
  return follow({extent,
                 "place" + std::to_string(number) + print(places.position),
                 places});
}

std::optional<Linear> Scope::limit(const Linear &at, int64_t bound,
                                   bool isMost) {
  auto range = getRange(at);
  if (!range || range->second - range->first > (int64_t(1) << 20))
    return std::nullopt;
  auto [lo, hi] = *range;
  if (isMost ? hi <= bound : lo >= bound)
    return at;
  Table places;
  places.shape = {hi - lo + 1};
  places.position = {at + Linear(-lo)};
  places.read = [=, lo = lo](int64_t i) {
    return APInt(64, isMost ? std::min(lo + i, bound) : std::max(lo + i, bound),
                 /*isSigned=*/true);
  };
  return follow(places);
}

Linear Scope::choose(Term chosen, int64_t extent) {
  return follow({extent,
                 "the row of " + std::to_string(extent) + " at " + chosen->name,
                 std::nullopt, chosen});
}

std::optional<Term> Scope::getNumber(const Linear &at) {
  if (at.isConstant())
    return terms.constant(64, at.offset);
  auto range = getRange(at);
  if (!range || range->first < 0 || range->second >= (int64_t(1) << 20))
    return std::nullopt;
  Table numbers;
  numbers.shape = {range->second + 1};
  numbers.position = {at};
  numbers.read = [](int64_t i) { return APInt(64, i); };
  return element(std::move(numbers), bits(64), "place");
}

Term Scope::element(unsigned operand, Sort sort, Position at,
                    ArrayRef<int64_t> shape) {
  for (auto [size, place] : zip_equal(shape, at))
    if (size == 1)
      place = Linear(0);
  Term term = terms.variable("%" + std::to_string(operand) + print(at), sort);
  readings.try_emplace(term, Reading{operand, at, {}});
  return term;
}

Term Scope::extreme(Extreme of) {
  SmallString<16> init;
  toFloat(f32(), of.init).toString(init);
  Term term = terms.variable(
      ((of.isLargest ? "the largest of %" : "the smallest of %") +
       Twine(of.operand) + " and " + init)
          .str(),
      f32());
  extremes.try_emplace(term, std::move(of));
  return term;
}

void Scope::checkInside(const Position &at, ArrayRef<int64_t> shape) {
  for (auto [size, place] : zip_equal(shape, at)) {
    auto range = getRange(place);
    if (!range || range->first < 0 || ShapedType::isDynamic(size) ||
        range->second >= size)
      readsOutside = true;
  }
}

Term Scope::inside(const Position &at, ArrayRef<int64_t> shape) {
  Term all = terms.constant(1, 1);
  auto add = [&](Term bit) {
    all = all == terms.constant(1, 1) ? bit : terms.both(all, bit);
  };
  for (auto [size, place] : zip_equal(shape, at)) {
    auto range = getRange(place);
    if (range && !ShapedType::isDynamic(size) &&
        (range->second < 0 || range->first >= size))
      return terms.constant(1, 0);
    // Of an unknown extent only the loop over it is known to be inside.
    bool isWhole =
        place.offset == 0 && place.coefficients.size() == 1 &&
        place.coefficients.begin()->second == 1 &&
        ShapedType::isDynamic(loops[place.coefficients.begin()->first].extent);
    if (ShapedType::isDynamic(size)
            ? isWhole
            : range && range->first >= 0 && range->second < size)
      continue;
    // Which one it is says whether it is the only one.
    if (size == 1 && range && range->second - range->first < 4096) {
      Table isFirst;
      isFirst.shape = {range->second - range->first + 1};
      isFirst.position = {place + Linear(-range->first)};
      isFirst.read = [first = range->first](int64_t i) {
        return APInt(1, first + i == 0);
      };
      add(element(std::move(isFirst), bits(1), print(place) + " is 0 "));
      continue;
    }
    // Each by itself: one op may pad rows, another one columns.
    Term term = terms.variable(
        print(place) + " inside of " +
            (ShapedType::isDynamic(size) ? "?" : std::to_string(size)),
        bits(1));
    readings.try_emplace(term, Reading{std::nullopt, {place}, {size}});
    add(term);
  }
  return all;
}

Term Scope::element(Table table, Sort sort, StringRef name) {
  bool before = std::exchange(readsOutside, false);
  checkInside(table.position, table.shape);
  if (readsOutside)
    return terms.variable((name + print(table.position)).str(), sort);
  readsOutside = before;
  Linear index = table.getIndex();
  int64_t count = ShapedType::getNumElements(table.shape);
  bool isOne = count > 0;
  for (int64_t i = 1; i < count && isOne; ++i)
    isOne = table.read(i) == table.read(0);
  if (index.isConstant() || isOne)
    return terms.constantBits(
        sort, table.read(index.isConstant() ? index.offset : 0));
  Term term = terms.variable((name + print(table.position)).str(), sort);
  tables.emplace(term, std::move(table));
  return term;
}

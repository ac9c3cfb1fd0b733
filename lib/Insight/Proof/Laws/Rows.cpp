// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constants that terms read, at each place of their loops.

#include "Laws/Laws.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::proof;

/// Rows of constants that are looked at.
static constexpr int64_t mostRows = int64_t(1) << 32;

std::vector<Term> Laws::findTables(ArrayRef<Term> roots) {
  std::vector<Term> found;
  for (Term node : order(roots))
    if (node->op == Fn::Variable && scope.tables.count(node))
      found.push_back(node);
  return found;
}

bool Laws::forEachRow(ArrayRef<Term> tables, ArrayRef<unsigned> more,
                      RowVisitor visit) {
  std::vector<Linear> indices;
  std::set<unsigned> used;
  for (Term term : tables) {
    indices.push_back(scope.tables.at(term).getIndex());
    for (auto [loop, factor] : indices.back().coefficients)
      used.insert(loop);
  }
  for (unsigned loop : more)
    used.erase(loop);
  std::vector<unsigned> loops(used.begin(), used.end());
  loops.insert(loops.end(), more.begin(), more.end());
  int64_t count = 1;
  for (unsigned loop : loops) {
    int64_t extent = scope.getLoops()[loop].extent;
    if (mlir::ShapedType::isDynamic(extent) || extent > mostRows / count)
      return false;
    count *= extent;
  }
  std::vector<const Table *> sources;
  std::vector<std::vector<int64_t>> factors;
  for (auto [term, index] : zip_equal(tables, indices)) {
    sources.push_back(&scope.tables.at(term));
    factors.emplace_back();
    for (unsigned loop : loops) {
      auto it = index.coefficients.find(loop);
      factors.back().push_back(it == index.coefficients.end() ? 0 : it->second);
    }
  }
  std::vector<int64_t> at(loops.size(), 0);
  std::vector<APInt> values;
  for (int64_t row = 0; row < count; ++row) {
    values.clear();
    for (auto [i, source] : enumerate(sources)) {
      int64_t place = indices[i].offset;
      for (auto [factor, value] : zip_equal(factors[i], at))
        place += factor * value;
      values.push_back(source->read(place));
    }
    if (!visit(loops, at, values))
      return true;
    for (size_t i = loops.size(); i-- > 0;) {
      if (++at[i] < scope.getLoops()[loops[i]].extent)
        break;
      at[i] = 0;
    }
  }
  return true;
}

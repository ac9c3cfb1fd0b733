// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of operators that a search has in floats.

#include "OperatorSets.h"

using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

llvm::SmallVector<BitVector> tuning::getMoves(const Simulation &simulation) {
  unsigned count = simulation.getOperators().size();
  llvm::SmallVector<BitVector> moves;
  for (unsigned i = 0; i < count; ++i) {
    moves.emplace_back(count);
    moves.back().set(i);
  }
  for (llvm::ArrayRef<unsigned> group : simulation.getGroups()) {
    BitVector move(count);
    for (unsigned i : group)
      move.set(i);
    if (move.count() > 1)
      moves.push_back(std::move(move));
  }
  return moves;
}

double tuning::countSets(unsigned count, unsigned size) {
  double sets = 1;
  for (unsigned i = 0; i < size; ++i)
    sets = sets * (count - i) / (i + 1);
  return sets;
}

std::vector<BitVector> tuning::listSets(unsigned count, unsigned size) {
  std::vector<BitVector> sets;
  llvm::SmallVector<unsigned> chosen(size);
  for (unsigned i = 0; i < size; ++i)
    chosen[i] = i;
  while (true) {
    BitVector &set = sets.emplace_back(count);
    for (unsigned i : chosen)
      set.set(i);
    int64_t last = int64_t(size) - 1;
    while (last >= 0 && chosen[last] == count - size + last)
      --last;
    if (last < 0)
      return sets;
    ++chosen[last];
    for (unsigned i = last + 1; i < size; ++i)
      chosen[i] = chosen[i - 1] + 1;
  }
}

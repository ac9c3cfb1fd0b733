// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in buffers as sums of symbols: loops of a kernel, and numbers that it
// computes from these, such as entries of a list of offsets.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_PLACES_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_PLACES_H

#include "Reading/Position.h"

#include <set>

namespace qbackend::proof {

/// A number that places are made of. A loop runs from `a` below `b`; an entry
/// is that of `table` at `a`; an extent is what an unknown one is taken to be.
struct Symbol {
  enum Kind { Loop, Entry, Quotient, Remainder, Minimum, Extent };
  Kind kind;
  Linear a, b;
  int64_t step = 1;
  const std::vector<int64_t> *table = nullptr;
};

/// Values of symbols by their numbers; those of loops alone are read.
using Environment = std::vector<int64_t>;

class Places {
public:
  /// The symbol as a place; a constant if it is one.
  Linear add(Symbol symbol);
  const std::vector<Symbol> &getSymbols() const { return symbols; }

  int64_t evaluate(const Linear &at, const Environment &values) const;
  /// The loops that `at` depends on, with those of their bounds.
  std::set<unsigned> getLoops(const Linear &at) const;
  /// The part of `at` that depends on none but `loops`, and what is left.
  std::pair<Linear, Linear> split(const Linear &at,
                                  const std::set<unsigned> &loops) const;

  /// Sets `loops`, which are in the order of nesting, to each of their values;
  /// false if `visit` was, which ends it.
  bool forEach(llvm::ArrayRef<unsigned> loops, Environment &values,
               llvm::function_ref<bool()> visit) const;
  /// The smallest and the largest value; nothing if there is none.
  std::optional<std::pair<int64_t, int64_t>> getRange(const Linear &at) const;

  Environment makeEnvironment() const { return Environment(symbols.size(), 0); }

private:
  std::vector<Symbol> symbols;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_PLACES_H

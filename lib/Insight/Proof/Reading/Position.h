// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in tensors as sums of loops: where code, or a formula, reads.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_POSITION_H
#define QBACKEND_LIB_INSIGHT_PROOF_POSITION_H

#include "Terms/Term.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <optional>

namespace qbackend::proof {

/// offset + sum of coefficient * loop. Loops of extent 1 are not in it.
struct Linear {
  int64_t offset = 0;
  std::map<unsigned, int64_t> coefficients;

  Linear(int64_t offset = 0) : offset(offset) {}
  Linear &operator+=(const Linear &other);
  Linear operator*(int64_t factor) const;
  bool operator==(const Linear &other) const {
    return offset == other.offset && coefficients == other.coefficients;
  }
  bool isConstant() const { return coefficients.empty(); }
};

inline Linear operator+(Linear a, const Linear &b) { return a += b; }

using Position = llvm::SmallVector<Linear, 6>;

/// A constant that is read at some position.
struct Table {
  /// The bits of the element of a row-major index.
  std::function<llvm::APInt(int64_t)> read;
  llvm::SmallVector<int64_t> shape;
  Position position;

  Linear getIndex() const;
};

/// A loop: of elements of the result, or of a sum. Or a place that follows from
/// others, which is any of its extent where it is proven: an entry of `places`,
/// or the integer `chosen`.
struct Loop {
  int64_t extent; // of an unknown one kDynamic
  std::string name;
  std::optional<Table> places;
  Term chosen = nullptr;
};

/// What a formula and the code that is held against it have in common: loops,
/// and the variables that stand for elements, each of which is named for what
/// it is and where.
class Scope {
public:
  Terms terms;

  /// The loop over dimension `d` of the result, or the one that follows those
  /// of the result.
  unsigned addLoop(int64_t extent, std::string name);
  const std::vector<Loop> &getLoops() const { return loops; }
  Linear loop(unsigned i) const;

  /// Names the position as `[d0, 2 * d1 + k0 - 1]`.
  std::string print(const Position &position) const;
  std::string print(const Linear &linear) const;

  /// The smallest and the largest value; nothing if a loop has no extent, or if
  /// they are no numbers of 64 bits.
  std::optional<std::pair<int64_t, int64_t>> getRange(const Linear &at) const;

  /// `at` divided by `size`, rounded down, and what remains, each of which is
  /// a sum of loops. If they are none, but would be with a loop split, asks
  /// for that: `wantedSplit`, and fails.
  std::optional<std::pair<Linear, Linear>> divide(const Linear &at,
                                                  int64_t size);
  /// The elements of `table`, which are places, as a sum of loops: of one that
  /// follows, if of no others. If they would be with a loop split, asks for
  /// that, and fails.
  std::optional<Linear> solve(const Table &table);
  /// `at`, but at least `bound`, or with `isMost` at most.
  std::optional<Linear> limit(const Linear &at, int64_t bound, bool isMost);
  /// The place `chosen`, which is below `extent`.
  Linear choose(Term chosen, int64_t extent);
  /// `at` as an integer of 64 bits.
  std::optional<Term> getNumber(const Linear &at);
  struct Split {
    unsigned loop;
    int64_t inner;
  };
  std::optional<Split> wantedSplit;

  /// The element of operand `operand`, of `shape`, there; where there is none,
  /// nobody may look at it.
  Term element(unsigned operand, Sort sort, Position at,
               llvm::ArrayRef<int64_t> shape);

  /// A bit: `at` is inside of a tensor of `shape`. 1 if it can't be outside, 0
  /// if it can't be inside.
  Term inside(const Position &at, llvm::ArrayRef<int64_t> shape);

  /// Sets `readsOutside` if `at` isn't known to be inside of a tensor of
  /// `shape`.
  void checkInside(const Position &at, llvm::ArrayRef<int64_t> shape);
  /// Operands have the same extents but in this dimension.
  std::optional<unsigned> joinedDim;
  /// Of each dimension of the result the dimensions of arguments that have its
  /// extent, if that is unknown; empty: nothing is asked.
  std::vector<llvm::SmallVector<std::pair<unsigned, unsigned>, 2>> extents;
  /// Something was read where it may have no element.
  bool readsOutside = false;

  /// An element of a constant: a term of one value, if it has one, else a
  /// variable that `tables` explains.
  Term element(Table table, Sort sort, llvm::StringRef name);
  std::map<Term, Table> tables;

  /// What another variable is, of which each has a name of its own: the element
  /// of an operand at `at`, or without one whether `at` is inside of `shape`.
  struct Reading {
    std::optional<unsigned> operand;
    Position at;
    llvm::SmallVector<int64_t> shape;
  };
  std::map<Term, Reading> readings;

  /// The smallest or the largest one of `init` and of all elements of an
  /// operand, which are floats; a NaN if there is one.
  struct Extreme {
    unsigned operand;
    bool isLargest;
    llvm::APInt init;
  };
  Term extreme(Extreme of);
  std::map<Term, Extreme> extremes;

private:
  /// The loop of that name, which `added` is if there is none.
  Linear follow(Loop added);
  std::optional<Linear> follow(const Table &places);

  std::vector<Loop> loops;
  /// Entries of places, by their number.
  std::map<std::vector<int64_t>, unsigned> knownPlaces;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_POSITION_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of doubles that don't depend on the order of what is added, nor on how
// it was cut: parts of a run add up to the bits of one run.

#ifndef QBACKEND_NUMERICS_EXACTSUM_H
#define QBACKEND_NUMERICS_EXACTSUM_H

#include <array>
#include <cstdint>

namespace qbackend::numerics {

/// A sum of up to 2^31 finite doubles in fixed point. With t = floor(log2 |x| /
/// 32) of the largest one, it holds the multiples of 2^(32 t), 2^(32 (t - 1))
/// and 2^(32 (t - 2)) that are in each of them, added up as integers. What is
/// below is cut off each: less than 2^-64 of the largest. (The indexed sums of
/// Demmel and Nguyen, "Parallel Reproducible Summation", 2015.)
class ExactSum {
public:
  static constexpr int kWidth = 32, kDigits = 3;

  /// All that it knows: t, and the three integers.
  using State = std::array<int64_t, 1 + kDigits>;

  /// Below that of any double: nothing was added but zeros.
  static constexpr int64_t kLowest = -64;

  /// Whether `state` is one of a sum of doubles.
  static bool isState(const State &state) {
    return state[0] >= kLowest && state[0] <= 1024 / kWidth;
  }

  ExactSum() = default;
  explicit ExactSum(const State &state) : state(state) {}

  void add(double value);
  void add(ExactSum other);

  /// The sum, but for the last bit: the same for the same numbers.
  double getValue() const;

  const State &getState() const { return state; }

private:
  /// Has room for a double of this t.
  void raise(int64_t top);

  State state = {kLowest, 0, 0, 0};
};

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_EXACTSUM_H

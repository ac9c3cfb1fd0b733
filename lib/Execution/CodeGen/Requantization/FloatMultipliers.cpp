// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Requantization/FloatMultipliers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace qbackend;
using namespace qbackend::codegen;

namespace {
/// The byte of a sum by the fixed-point formula.
struct Formula {
  int64_t multiplier;
  int shift;
  const FixedPointResult &result;

  int64_t operator()(int64_t sum) const {
    return std::clamp(
        numerics::applyFixedPoint(sum, multiplier, shift, result.rounding) +
            result.zeroPoint,
        result.lo, result.hi);
  }
};

/// All sums with one byte.
struct Step {
  int64_t first, last, byte;
};

/// An offset, and what is added to the product.
struct Move {
  int64_t offset, whole;
};
} // namespace

/// The steps of the sums from `first` to `last`, of one sign.
static void appendSteps(const Formula &formula, int64_t first, int64_t last,
                        std::vector<Step> &steps) {
  int64_t half = int64_t(1) << (formula.shift - 1), moved = 0;
  if (formula.result.rounding == numerics::Rounding::Double &&
      formula.shift > 31)
    moved = first < 0 ? -(int64_t(1) << 30) : int64_t(1) << 30;
  int64_t byte = formula(first), end = formula(last);
  while (byte != end) {
    // Where the next byte begins is computed, up to ties, and then looked for.
    int64_t next = llvm::divideCeilSigned(
        ((byte + 1 - formula.result.zeroPoint) * (half * 2)) - half - moved,
        formula.multiplier);
    next = std::clamp(next, first + 1, last);
    while (next > first + 1 && formula(next - 1) > byte)
      --next;
    while (formula(next) == byte)
      ++next;
    steps.push_back({first, next - 1, byte});
    first = next;
    byte = formula(next);
  }
  steps.push_back({first, last, byte});
}

/// The least x >= 0 for which a * x modulo `modulus` is in [first, last], which
/// is in [0, modulus).
static std::optional<int64_t> findMultiple(int64_t a, int64_t modulus,
                                           int64_t first, int64_t last) {
  if (first == 0)
    return 0;
  if (a == 0)
    return std::nullopt;
  int64_t x = llvm::divideCeil(first, a);
  if (a * x <= last)
    return x;
  // Of y times around, a multiple of a is in [first, last] + y * modulus.
  auto y =
      findMultiple(modulus % a, a, llvm::mod(-last, a), llvm::mod(-first, a));
  if (!y)
    return std::nullopt;
  return llvm::divideCeil(first + *y * modulus, a);
}

/// What moves the products with factor / 2^places so that those of each step
/// are less than half from its byte.
static std::optional<Move> findMove(llvm::ArrayRef<Step> steps, int64_t factor,
                                    int places) {
  // In units of the factor's last bit.
  int64_t unit = int64_t(1) << places, first = INT64_MIN, last = INT64_MAX;
  for (auto [before, after] : llvm::zip(steps, steps.drop_front())) {
    first = std::max(first,
                     after.byte * unit - unit / 2 - after.first * factor + 1);
    last = std::min(last,
                    before.byte * unit + unit / 2 - before.last * factor - 1);
  }
  if (steps.size() == 1)
    return Move{0, -steps.front().byte};
  if (first > last)
    return std::nullopt;
  int64_t from = first & (unit - 1), to = from + (last - first);
  auto offset = to >= unit ? 0 : findMultiple(factor, unit, from, to);
  // Sums with it have to be exact as f32.
  if (!offset || *offset >= 1 << 22)
    return std::nullopt;
  return Move{*offset, (*offset * factor - first) >> places};
}

/// Whether sums of `steps` become their bytes. Between both ends of a step
/// nothing is more, or less, than at these.
static bool isRight(llvm::ArrayRef<Step> steps, const Formula &formula,
                    float factor, int64_t offset, float addend) {
  return llvm::all_of(steps, [&](const Step &step) {
    return llvm::all_of(
        std::initializer_list<int64_t>{step.first, step.last},
        [&](int64_t sum) {
          sum += offset;
          if (sum > INT32_MAX || formula(sum - offset) != step.byte)
            return false;
          float number = std::fma(float(int32_t(sum)), factor, addend);
          return number >= 0x1p23f && number < 0x1p24f &&
                 std::clamp(int64_t(number - shifter), formula.result.lo,
                            formula.result.hi) == step.byte;
        });
  });
}

/// One for the sums of each list of steps: of all, or of either sign.
static std::optional<FloatMultiplier>
findMultiplier(const Formula &formula,
               llvm::ArrayRef<std::vector<Step>> lists) {
  int exponent;
  double number = std::frexp(double(formula.multiplier), &exponent);
  int64_t nearest = std::llrint(std::ldexp(number, 24));
  int places = formula.shift - exponent + 24;
  // 24 bits of a factor, times so many, have 64.
  if (places > 38)
    return std::nullopt;
  for (int64_t distance : {0, 1, -1, 2, -2, 3, -3}) {
    int64_t factor = nearest + distance;
    FloatMultiplier found;
    found.factor = std::ldexp(float(factor), -places);
    bool isFound = factor >= 0 && float(factor) == factor;
    for (unsigned sign : {0, 1}) {
      const std::vector<Step> &steps = lists[sign % lists.size()];
      auto move = isFound ? findMove(steps, factor, places) : std::nullopt;
      isFound = move && std::abs(move->whole) < 1 << 22;
      if (!isFound)
        break;
      found.offset[sign] = move->offset;
      found.addend[sign] = shifter - float(move->whole);
      isFound = isRight(steps, formula, found.factor, move->offset,
                        found.addend[sign]);
    }
    if (isFound)
      return found;
  }
  return std::nullopt;
}

std::optional<std::vector<FloatMultiplier>>
qbackend::codegen::findFloatMultipliers(llvm::ArrayRef<int64_t> multipliers,
                                        const FixedPointResult &result,
                                        int64_t bound) {
  if (bound > INT32_MAX)
    return std::nullopt;
  std::vector<FloatMultiplier> one, two;
  for (int64_t packed : multipliers) {
    Formula formula = {packed & INT32_MAX, int(packed >> 32) + 1, result};
    if (formula(-bound) == formula(bound)) {
      FloatMultiplier same;
      same.addend[0] = same.addend[1] = shifter + float(formula(0));
      one.push_back(same);
      two.push_back(same);
      continue;
    }
    // Below, no product wraps in 32 bits; above, steps take more than 64.
    if (formula.shift < 32 || formula.shift > 45)
      return std::nullopt;
    std::vector<Step> lists[2];
    appendSteps(formula, 0, bound, lists[0]);
    appendSteps(formula, -bound, -1, lists[1]);
    std::vector<Step> all = lists[1];
    if (all.back().byte == lists[0].front().byte) {
      all.back().last = lists[0].front().last;
      all.insert(all.end(), lists[0].begin() + 1, lists[0].end());
    } else {
      all.insert(all.end(), lists[0].begin(), lists[0].end());
    }
    if (one.size() == two.size())
      if (auto found = findMultiplier(formula, all))
        one.push_back(*found);
    auto found = findMultiplier(formula, lists);
    if (!found)
      return std::nullopt;
    two.push_back(*found);
  }
  return one.size() == multipliers.size() ? one : two;
}

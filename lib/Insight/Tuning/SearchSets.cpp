// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches operators that stay float, and prints the front of what they cost
// and give.

#include "OperatorSets.h"
#include "Tuner.h"

#include "qbackend/Insight/Tuning/Sensitivity.h"

#include <limits>
#include <tuple>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

/// Sets of one size are all tried if there are no more than these.
static constexpr double kSets = 200;

/// Times that are nearer to each other are taken for equal.
static constexpr double kFaster = 0.97;

double Tuner::getCost(const Candidate &candidate,
                      const BitVector &original) const {
  double seconds = 0;
  for (unsigned i : original.set_bits())
    seconds += candidate.simulation->getOperators()[i].realSeconds;
  return seconds;
}

llvm::Expected<Score> Tuner::simulate(Candidate &candidate,
                                      const BitVector &original) {
  auto score = measurements.simulate(candidate, original, SampleSet::Searched);
  if (score)
    points.push_back({&candidate, original, *score});
  return score;
}

void Tuner::printFront() {
  std::vector<std::tuple<int64_t, unsigned, const Point *>> order;
  for (const Point &point : points)
    order.push_back({countMacs(*point.candidate, point.original),
                     point.original.count(), &point});
  // Of as little in float the better one first, and of equal ones what was
  // tried first.
  llvm::stable_sort(order, [&](const auto &a, const auto &b) {
    auto [macs, count, point] = a;
    auto [otherMacs, otherCount, other] = b;
    if (std::tie(macs, count) != std::tie(otherMacs, otherCount))
      return std::tie(macs, count) < std::tie(otherMacs, otherCount);
    return isBetter(point->score, other->score);
  });
  const Score *before = nullptr;
  int64_t all = 0;
  for (const Point &point : points)
    if (point.original.any())
      all = countMacs(*point.candidate, BitVector(point.original.size(), true));
  for (auto [macs, count, point] : order) {
    if (before && !isBetter(point->score, *before))
      continue;
    if (!before)
      log << "float multiply-accumulates, operators, and what that gives, "
             "simulated\n";
    before = &point->score;
    log << llvm::right_justify(formatShare(macs, all), 9)
        << llvm::right_justify(std::to_string(count), 5) << "  "
        << formatScore(point->score) << "  " << point->candidate->name << "\n";
  }
}

llvm::Error Tuner::measureShare(Candidate &candidate,
                                ArrayRef<BitVector> sets) {
  return measureShare(
      sets.size(),
      [&](size_t i) { return measurements.isKnown(candidate, sets[i]); },
      [&](size_t i) { return simulate(candidate, sets[i]).takeError(); });
}

llvm::Error Tuner::searchSize(Candidate &candidate, unsigned size) {
  std::vector<BitVector> sets = listSets(candidate.count, size);
  if (llvm::Error error = measureShare(candidate, sets))
    return error;
  std::vector<std::pair<Score, BitVector>> kept;
  for (const BitVector &original : sets) {
    if (isStopped())
      break;
    auto score = simulate(candidate, original);
    if (!score)
      return score.takeError();
    if (isKept(*score))
      kept.push_back({*score, original});
  }
  llvm::stable_sort(kept, [&](auto &a, auto &b) {
    double cost = getCost(candidate, a.second),
           other = getCost(candidate, b.second);
    return cost != other ? cost < other : isBetter(a.first, b.first);
  });
  for (auto &[score, original] : ArrayRef(kept).take_front(5)) {
    if (isStopped())
      return llvm::Error::success();
    if (llvm::Error error = consider(candidate, original, score))
      return error;
    if (result.isHeld && result.floatValued == size)
      return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error Tuner::searchSets(Candidate &candidate) {
  if (llvm::Error error = measurements.open(candidate))
    return error;
  const unsigned count = candidate.count;
  log << "float operators, with " << candidate.name << "\n";
  SmallVector<BitVector> moves = getMoves(*candidate.simulation);
  BitVector original(count);
  Score score = candidate.score;
  // Kept by the simulation alone: nor is a part of these.
  SmallVector<BitVector> notKept;
  auto isKnown = [&](const BitVector &set) {
    return llvm::any_of(
        notKept, [&](const BitVector &known) { return !set.test(known); });
  };
  while (!result.isKept && !original.all()) {
    // What gives the most decibels for its cost.
    double most = -std::numeric_limits<double>::infinity();
    BitVector next = original;
    Score nextScore = score;
    SmallVector<BitVector> sets;
    for (const BitVector &move : moves) {
      BitVector tried = original;
      tried |= move;
      // Moves can lead to the same set.
      if (tried != original && !llvm::is_contained(sets, tried))
        sets.push_back(std::move(tried));
    }
    if (llvm::Error error = measureShare(candidate, sets))
      return error;
    for (const BitVector &tried : sets) {
      if (isStopped())
        return llvm::Error::success();
      auto found = simulate(candidate, tried);
      if (!found)
        return found.takeError();
      double gain = std::min(found->sqnr, 300.0) - std::min(score.sqnr, 300.0);
      BitVector added = tried;
      added.reset(original);
      gain = gain > 0 ? gain / getCost(candidate, added) : gain;
      // NaN, where nothing is left of either.
      if (!(gain <= most) || next == original) {
        most = gain;
        next = tried;
        nextScore = *found;
      }
    }
    original = next;
    score = nextScore;
    BitVector needed = original;
    if (isKept(score))
      for (unsigned i : original.set_bits()) {
        if (isStopped())
          return llvm::Error::success();
        BitVector less = needed;
        less.reset(i);
        if (isKnown(less))
          continue;
        auto found = simulate(candidate, less);
        if (!found)
          return found.takeError();
        if (isKept(*found)) {
          needed = less;
          score = *found;
        }
      }
    if (llvm::Error error = consider(candidate, needed, score))
      return error;
    if (!result.isKept && isKept(score))
      notKept.push_back(needed);
    auto atFloat = simulate(candidate, original);
    if (!atFloat)
      return atFloat.takeError();
    score = *atFloat;
  }
  if (!result.isKept)
    if (llvm::Error error = consider(candidate, original, score))
      return error;
  // Of as many operators others may be faster.
  for (unsigned size = 1;
       result.isKept && size < result.floatValued + !result.isHeld; ++size) {
    if (countSets(count, size) > kSets)
      continue;
    if (llvm::Error error = searchSize(candidate, size))
      return error;
  }
  return llvm::Error::success();
}

/// More operators in floats, where that makes the program faster: those
/// whose integers come from floats and become floats again.
llvm::Error Tuner::searchFaster() {
  if (llvm::Error error = measurements.open(*best))
    return error;
  log << "faster programs, with " << best->name << "\n";
  int64_t tries = 0;
  for (bool isFaster = true; isFaster && !result.isHeld;) {
    isFaster = false;
    Candidate &candidate = *best;
    BitVector original = bestFloat;
    double before = *result.seconds;
    SmallVector<BitVector> moves = getMoves(*candidate.simulation);
    llvm::stable_sort(moves, [&](const BitVector &a, const BitVector &b) {
      return getCost(candidate, a) < getCost(candidate, b);
    });
    for (const BitVector &move : moves) {
      if (isStopped() || tries++ >= kSets)
        return llvm::Error::success();
      BitVector tried = original;
      tried |= move;
      if (tried == original)
        continue;
      auto score = simulate(candidate, tried);
      if (!score)
        return score.takeError();
      if (!isKept(*score))
        continue;
      auto seconds = measurements.measureSeconds(candidate, tried);
      if (!seconds)
        return seconds.takeError();
      if (*seconds > kFaster * before)
        continue;
      if (llvm::Error error = consider(candidate, tried, *score))
        return error;
      isFaster = bestFloat != original;
      if (isFaster)
        break;
    }
  }
  return llvm::Error::success();
}

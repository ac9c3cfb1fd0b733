// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small change of a qconfig mapping that holds an accuracy.

#include "qbackend/Insight/Tuning/Tune.h"
#include "qbackend/Support/OutputFile.h"

#include "Measurements.h"
#include "OperatorSets.h"

#include "qbackend/Calibration/Table.h"
#include "qbackend/Insight/Tuning/Sensitivity.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"

#include <chrono>
#include <deque>
#include <limits>
#include <set>
#include <tuple>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

/// Sets of one size are all tried if there are no more than these.
static constexpr double kSets = 200;

/// Times that are nearer to each other are taken for equal.
static constexpr double kFaster = 0.97;

namespace {
class Tuner {
public:
  Tuner(ModuleOp module, const TuneOptions &options, llvm::raw_ostream &log)
      : options(options), log(log),
        measurements(module, options.network,
                     options.shards ? ""
                                    : getPathBeside(options.output, "partial")),
        start(std::chrono::steady_clock::now()) {}

  llvm::Expected<TuneResult> run();
  llvm::Expected<Parts> runPart(StringRef tool);

private:
  llvm::Expected<Parts> prepare();
  bool isStopped() {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    stopped |= (options.isStopped && options.isStopped()) ||
               (options.maxSeconds && passed.count() > *options.maxSeconds);
    return stopped;
  }

  /// Whether what is to be kept is, on the samples of `set`.
  bool isKept(const Score &score, SampleSet set) const {
    // Of whole samples: not below by the rounding of the quotient.
    if (options.keepAccuracy &&
        *score.accuracy < *measurements.getRealScore(set).accuracy -
                              *options.keepAccuracy / 100 - 1e-9)
      return false;
    return !options.keepSqnr || score.sqnr >= *options.keepSqnr;
  }
  bool isKept(const Score &simulated) const {
    return isKept(simulated, SampleSet::Searched);
  }

  /// Whether `a` is nearer to what is to be kept.
  bool isBetter(const Score &a, const Score &b) const {
    if (options.keepAccuracy && *a.accuracy != *b.accuracy)
      return *a.accuracy > *b.accuracy;
    return a.sqnr > b.sqnr;
  }

  /// Whether the result of these is to be replaced by the others.
  bool isBetter(const TuneResult &found, size_t changes) const;

  /// What it costs to have the operators of `real` in floats: the time that
  /// they are predicted to take more.
  double getCost(const Candidate &candidate, const BitVector &real) const;

  /// The score by simulation, which becomes a point of the front.
  llvm::Expected<Score> simulate(Candidate &candidate, const BitVector &real);
  void printFront();

  llvm::Error writeBest(const Candidate &candidate, const BitVector &real,
                        const TuneResult &found);
  llvm::Error consider(Candidate &candidate, const BitVector &real,
                       const Score &score);
  llvm::Expected<Candidate *> attempt(Candidate candidate);
  llvm::Error search();
  llvm::Error searchChanges();
  llvm::Error searchSets(Candidate &candidate);
  llvm::Error searchSize(Candidate &candidate, unsigned size);
  llvm::Error searchFaster();
  llvm::Error measureShare(Candidate &candidate, ArrayRef<BitVector> sets);

  const TuneOptions &options;
  llvm::raw_ostream &log;
  Measurements measurements;
  std::chrono::steady_clock::time_point start;
  bool stopped = false;
  /// Of a part: whether its share is measured, with which the search ends; and
  /// the keys of what is in it, and in that of others.
  bool hasShare = false;
  std::set<std::string> share, others;

  /// What was simulated.
  struct Point {
    const Candidate *candidate;
    BitVector real;
    Score score;
  };
  std::vector<Point> points;

  /// Changes of all operators that were measured; the first one is none.
  std::deque<Candidate> candidates;
  TuneResult result;
  /// What `result` is of.
  Candidate *best = nullptr;
  BitVector bestReal;
};
} // namespace

//===----------------------------------------------------------------------===//
// The best so far
//===----------------------------------------------------------------------===//

/// `0.912 ms`.
static std::string formatTime(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f ms", seconds * 1e3);
  return text;
}

/// `3.1 %`.
static std::string formatShare(int64_t part, int64_t whole) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f %%", whole ? 100.0 * part / whole : 0.0);
  return text;
}

std::string tuning::formatResult(const TuneResult &result) {
  std::string text = formatScore(result.score);
  llvm::raw_string_ostream os(text);
  if (result.heldBack)
    os << " on " << result.heldBack << " samples held back";
  os << ", " << result.realValued << " of " << result.operators
     << " operators float";
  if (result.realValued)
    os << " (" << formatShare(result.realMacs, result.macs)
       << " of the multiply-accumulates)";
  if (result.seconds)
    text += ", " + formatTime(*result.seconds) + " a call";
  return text;
}

llvm::Error Tuner::writeBest(const Candidate &candidate, const BitVector &real,
                             const TuneResult &found) {
  std::string comment =
      "For qconfig= of --apply-backend=" + options.network.backend + ": " +
      candidate.name + ", " + std::to_string(real.count()) + " of " +
      std::to_string(real.size()) + " operators float.\n" +
      formatScore(found.score) +
      (!found.isKept ? ", simulated: not what was to be kept"
       : found.heldBack
           ? " with integers, on samples that the search didn't see"
           : " with integers");
  if (found.seconds)
    comment += ", " + formatTime(*found.seconds) + " a call" +
               (found.isHeld ? "" : ": not what was wanted");
  comment += "; float: " + formatScore(result.real);
  return calibration::writeText(measurements.print(candidate, real, comment),
                                options.output);
}

/// The multiply-accumulates of the operators of `real`.
static int64_t countMacs(const Candidate &candidate, const BitVector &real) {
  int64_t macs = 0;
  for (unsigned i : real.set_bits())
    macs = addCounts(macs, candidate.simulation->getOperators()[i].macs);
  return macs;
}

bool Tuner::isBetter(const TuneResult &found, size_t changes) const {
  if (!best)
    return true;
  if (found.isHeld != result.isHeld)
    return found.isHeld;
  if (found.isKept != result.isKept)
    return found.isKept;
  if (!found.isKept)
    return isBetter(found.score, result.score);
  if (!found.isHeld)
    return *found.seconds < *result.seconds;
  // Of what holds, the least change; of equal ones the better.
  auto cost = std::tuple(found.realMacs, found.realValued, changes);
  auto known =
      std::tuple(result.realMacs, result.realValued, best->changes.size());
  return cost != known ? cost < known : isBetter(found.score, result.score);
}

/// Takes down what was simulated, if it is the best so far: what is kept there
/// has to be kept by integers, too.
llvm::Error Tuner::consider(Candidate &candidate, const BitVector &real,
                            const Score &simulated) {
  TuneResult found = result;
  found.score = simulated;
  found.isKept = isKept(simulated);
  found.realValued = real.count();
  found.operators = real.size();
  found.realMacs = countMacs(candidate, real);
  found.macs =
      countMacs(candidate, BitVector(real.any() ? real.size() : 0, true));
  found.seconds = std::nullopt;
  if (found.isKept) {
    auto integers = measurements.runIntegers(candidate, real);
    if (!integers)
      return integers.takeError();
    found.score = integers->second;
    found.isKept = isKept(integers->first, SampleSet::Searched) &&
                   isKept(integers->second, SampleSet::HeldBack);
  }
  if (found.isKept && options.targetSeconds) {
    auto seconds = measurements.measureSeconds(candidate, real);
    if (!seconds)
      return seconds.takeError();
    found.seconds = *seconds;
  }
  found.isHeld = found.isKept && (!options.targetSeconds ||
                                  *found.seconds <= *options.targetSeconds);
  if (!isBetter(found, candidate.changes.size()))
    return llvm::Error::success();
  if (options.shards == 0)
    if (llvm::Error error = writeBest(candidate, real, found))
      return error;
  found.isWritten = true;
  result = found;
  best = &candidate;
  bestReal = real;
  log << "  best so far: " << candidate.name << ", " << result.realValued
      << " of " << result.operators
      << " operators float: " << formatScore(result.score);
  if (result.seconds)
    log << ", " << formatTime(*result.seconds) << " a call";
  log << (result.isHeld   ? ", held\n"
          : result.isKept ? ", kept, but too slow\n"
                          : "\n");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Measures a change of all operators; null if that isn't possible, or fewer
/// operators would be quantized.
llvm::Expected<Candidate *> Tuner::attempt(Candidate candidate) {
  if (llvm::Error error = measurements.count(candidate)) {
    if (candidates.empty() || isStopped())
      return error;
    log << candidate.name
        << ": not possible: " << llvm::toString(std::move(error)) << "\n";
    return nullptr;
  }
  const unsigned count = candidate.count;
  // Nothing is lost there, and nothing gained.
  if (candidates.empty() && count == 0)
    return makeError("nothing of the module is quantized by backend '{0}'",
                     options.network.backend);
  if (!candidates.empty() && count < candidates[0].count) {
    log << candidate.name << ": " << candidates[0].count - count
        << " operators would not be quantized\n";
    return nullptr;
  }
  candidates.push_back(std::move(candidate));
  auto score = simulate(candidates.back(), BitVector(count));
  if (!score)
    return score.takeError();
  candidates.back().score = *score;
  log << candidates.back().name << ": " << formatScore(*score) << "\n";
  if (llvm::Error error = consider(candidates.back(), BitVector(count), *score))
    return error;
  return &candidates.back();
}

llvm::Error Tuner::search() {
  Candidate asIs;
  asIs.name = "as it is";
  auto first = attempt(std::move(asIs));
  if (!first)
    return first.takeError();
  if (options.targetSeconds) {
    BitVector none((*first)->count);
    auto seconds = measurements.measureSeconds(**first, none);
    if (!seconds)
      return seconds.takeError();
    result.integerSeconds = *seconds;
    log << "all operators in integers: " << formatTime(*seconds) << " a call\n";
  }
  if (!result.isKept)
    if (llvm::Error error = searchChanges())
      return error;
  if (result.isKept && !result.isHeld)
    return searchFaster();
  return llvm::Error::success();
}

/// Until what is to be kept is.
llvm::Error Tuner::searchChanges() {
  for (const Change &change : measurements.listChanges()) {
    if (isStopped())
      return llvm::Error::success();
    Candidate candidate;
    candidate.changes.push_back(change);
    candidate.name = change.getName();
    if (auto added = attempt(std::move(candidate)); !added)
      return added.takeError();
  }
  if (result.isKept)
    return llvm::Error::success();

  // Those that help, the better ones first, as long as they help together.
  SmallVector<Candidate *> order;
  for (Candidate &candidate : llvm::drop_begin(candidates))
    if (isBetter(candidate.score, candidates[0].score))
      order.push_back(&candidate);
  llvm::stable_sort(order, [&](const Candidate *a, const Candidate *b) {
    return isBetter(a->score, b->score);
  });
  Candidate *base = order.empty() ? &candidates[0] : order[0];
  for (const Candidate *other :
       ArrayRef(order).drop_front(order.empty() ? 0 : 1)) {
    if (isStopped())
      return llvm::Error::success();
    const Change &change = other->changes[0];
    // There is one observer.
    if (change.observer && llvm::any_of(base->changes, [](const Change &known) {
          return bool(known.observer);
        }))
      continue;
    Candidate candidate;
    candidate.changes = base->changes;
    candidate.changes.push_back(change);
    candidate.name = base->name + " + " + change.getName();
    auto added = attempt(std::move(candidate));
    if (!added)
      return added.takeError();
    if (result.isKept)
      return llvm::Error::success();
    if (*added && isBetter((*added)->score, base->score))
      base = *added;
  }
  return searchSets(*base);
}

//===----------------------------------------------------------------------===//
// Operators in floats
//===----------------------------------------------------------------------===//

double Tuner::getCost(const Candidate &candidate, const BitVector &real) const {
  double seconds = 0;
  for (unsigned i : real.set_bits())
    seconds += candidate.simulation->getOperators()[i].realSeconds;
  return seconds;
}

llvm::Expected<Score> Tuner::simulate(Candidate &candidate,
                                      const BitVector &real) {
  auto score = measurements.simulate(candidate, real, SampleSet::Searched);
  if (score)
    points.push_back({&candidate, real, *score});
  return score;
}

void Tuner::printFront() {
  std::vector<std::tuple<int64_t, unsigned, const Point *>> order;
  for (const Point &point : points)
    order.push_back(
        {countMacs(*point.candidate, point.real), point.real.count(), &point});
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
    if (point.real.any())
      all = countMacs(*point.candidate, BitVector(point.real.size(), true));
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

/// Of a part: measures its share of what isn't known of `sets`, which is not
/// put together here.
llvm::Error Tuner::measureShare(Candidate &candidate,
                                ArrayRef<BitVector> sets) {
  if (options.shards == 0)
    return llvm::Error::success();
  int64_t number = 0;
  for (const BitVector &set : sets) {
    std::string key;
    // Moves can lead to the same set.
    if (measurements.isKnown(candidate, set, key) || others.count(key))
      continue;
    if (number++ % options.shards != options.shard) {
      others.insert(key);
      continue;
    }
    share.insert(key);
    auto score = simulate(candidate, set);
    if (!score)
      return score.takeError();
  }
  hasShare = number != 0;
  return hasShare ? makeError("the part is measured") : llvm::Error::success();
}

llvm::Error Tuner::searchSize(Candidate &candidate, unsigned size) {
  std::vector<BitVector> sets = listSets(candidate.count, size);
  if (llvm::Error error = measureShare(candidate, sets))
    return error;
  std::vector<std::pair<Score, BitVector>> kept;
  for (const BitVector &real : sets) {
    if (isStopped())
      break;
    auto score = simulate(candidate, real);
    if (!score)
      return score.takeError();
    if (isKept(*score))
      kept.push_back({*score, real});
  }
  llvm::stable_sort(kept, [&](auto &a, auto &b) {
    double cost = getCost(candidate, a.second),
           other = getCost(candidate, b.second);
    return cost != other ? cost < other : isBetter(a.first, b.first);
  });
  for (auto &[score, real] : ArrayRef(kept).take_front(5)) {
    if (isStopped())
      return llvm::Error::success();
    if (llvm::Error error = consider(candidate, real, score))
      return error;
    if (result.isHeld && result.realValued == size)
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
  BitVector real(count);
  Score score = candidate.score;
  // Kept by the simulation alone: nor is a part of these.
  SmallVector<BitVector> notKept;
  auto isKnown = [&](const BitVector &set) {
    return llvm::any_of(
        notKept, [&](const BitVector &known) { return !set.test(known); });
  };
  while (!result.isKept && !real.all()) {
    // What gives the most decibels for its cost.
    double most = -std::numeric_limits<double>::infinity();
    BitVector next = real;
    Score nextScore = score;
    SmallVector<BitVector> sets;
    for (const BitVector &move : moves) {
      BitVector tried = real;
      tried |= move;
      if (tried != real)
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
      added.reset(real);
      gain = gain > 0 ? gain / getCost(candidate, added) : gain;
      // NaN, where nothing is left of either.
      if (!(gain <= most) || next == real) {
        most = gain;
        next = tried;
        nextScore = *found;
      }
    }
    real = next;
    score = nextScore;
    BitVector needed = real;
    if (isKept(score))
      for (unsigned i : real.set_bits()) {
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
    auto atReal = simulate(candidate, real);
    if (!atReal)
      return atReal.takeError();
    score = *atReal;
  }
  if (!result.isKept)
    if (llvm::Error error = consider(candidate, real, score))
      return error;
  // Of as many operators others may be faster.
  for (unsigned size = 1;
       result.isKept && size < result.realValued + !result.isHeld; ++size) {
    if (countSets(count, size) > kSets)
      continue;
    if (llvm::Error error = searchSize(candidate, size))
      return error;
  }
  return llvm::Error::success();
}

/// More operators in floats, where that makes the program faster: those
/// whose integers come from floats and become real again.
llvm::Error Tuner::searchFaster() {
  if (llvm::Error error = measurements.open(*best))
    return error;
  log << "faster programs, with " << best->name << "\n";
  int64_t tries = 0;
  for (bool isFaster = true; isFaster && !result.isHeld;) {
    isFaster = false;
    Candidate &candidate = *best;
    BitVector real = bestReal;
    double before = *result.seconds;
    SmallVector<BitVector> moves = getMoves(*candidate.simulation);
    llvm::stable_sort(moves, [&](const BitVector &a, const BitVector &b) {
      return getCost(candidate, a) < getCost(candidate, b);
    });
    for (const BitVector &move : moves) {
      if (isStopped() || tries++ >= kSets)
        return llvm::Error::success();
      BitVector tried = real;
      tried |= move;
      if (tried == real)
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
      isFaster = bestReal != real;
      if (isFaster)
        break;
    }
  }
  return llvm::Error::success();
}

/// What parts have to be of, and what they have measured.
llvm::Expected<Parts> Tuner::prepare() {
  if (llvm::Error error = measurements.prepare(options.resume))
    return error;
  result.real = measurements.getRealScore(SampleSet::HeldBack);
  result.heldBack = countHeldBack(measurements.getSamples());
  Parts parts{"tune", "", hashText(measurements.journal.getNetwork()), {}};
  if (options.readParts)
    if (llvm::Error error = options.readParts(parts))
      return error;
  if (llvm::Error error = measurements.journal.takeResults(parts.results))
    return error;
  return parts;
}

llvm::Expected<Parts> Tuner::runPart(StringRef tool) {
  auto parts = prepare();
  if (!parts)
    return parts.takeError();
  parts->tool = tool.str();
  if (llvm::Error error = search()) {
    if (!hasShare)
      return error;
    llvm::consumeError(std::move(error));
  }
  if (stopped)
    return makeError("interrupted");
  // What all have measured, the first one tells.
  parts->results =
      measurements.journal.getResults(parts->results, [&](StringRef key) {
        return options.shard == 0 || share.count(key.str());
      });
  if (!hasShare && options.shard == 0)
    parts->results.emplace(kCompleteName, true);
  return parts;
}

llvm::Expected<TuneResult> Tuner::run() {
  if (auto parts = prepare(); !parts) {
    llvm::Error error = parts.takeError();
    if (!isStopped())
      return error;
    llvm::consumeError(std::move(error));
    return result;
  }
  log << "float: " << formatScore(result.real) << "\n";
  if (result.heldBack)
    log << "searching on " << measurements.getSamples() - result.heldBack
        << " samples, " << result.heldBack << " held back\n";
  if (llvm::Error error = search()) {
    // What was running when it was stopped ended with an error.
    if (!isStopped())
      return error;
    llvm::consumeError(std::move(error));
  }
  printFront();
  result.isComplete = !stopped;
  if (!stopped)
    measurements.journal.remove();
  else if (llvm::Error error = measurements.journal.write())
    return error;
  return result;
}

static llvm::Error checkOptions(const TuneOptions &options) {
  if (options.keepAccuracy && options.network.labels.empty())
    return makeError("an accuracy is to be kept, but there are no labels");
  if (!options.keepAccuracy && !options.keepSqnr)
    return makeError("an SQNR or an accuracy is to be kept");
  return llvm::Error::success();
}

llvm::Expected<TuneResult> tuning::tune(ModuleOp module,
                                        const TuneOptions &options,
                                        llvm::raw_ostream &log) {
  if (llvm::Error error = checkOptions(options))
    return error;
  return Tuner(module, options, log).run();
}

llvm::Expected<Parts> tuning::tuneInPart(ModuleOp module,
                                         const TuneOptions &options,
                                         StringRef tool) {
  if (llvm::Error error = checkOptions(options))
    return error;
  if (options.targetSeconds || options.maxSeconds)
    return makeError("a search in parts can't hold a time: those of one "
                     "machine are not those of another; leave out the target "
                     "and the end, and give them when all is measured");
  if (options.shard < 0 || options.shard >= options.shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", options.shard,
                     options.shards, options.shards - 1);
  return Tuner(module, options, llvm::nulls()).runPart(tool);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small change of a qconfig mapping that holds an accuracy.

#include "Tuner.h"

#include "qbackend/Calibration/Table.h"
#include "qbackend/Insight/Tuning/Sensitivity.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"

#include <tuple>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

//===----------------------------------------------------------------------===//
// The best so far
//===----------------------------------------------------------------------===//

/// `0.912 ms`.
static std::string formatTime(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f ms", seconds * 1e3);
  return text;
}

std::string tuning::formatShare(int64_t part, int64_t whole) {
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
  os << ", " << result.floatValued << " of " << result.operators
     << " operators float";
  if (result.floatValued)
    os << " (" << formatShare(result.floatMacs, result.macs)
       << " of the multiply-accumulates)";
  if (result.seconds)
    text += ", " + formatTime(*result.seconds) + " a call";
  return text;
}

llvm::Error Tuner::writeBest(const Candidate &candidate,
                             const BitVector &original,
                             const TuneResult &found) {
  std::string comment =
      "For qconfig= of --apply-backend=" + options.network.backend + ": " +
      candidate.name + ", " + std::to_string(original.count()) + " of " +
      std::to_string(original.size()) + " operators float.\n" +
      formatScore(found.score) +
      (!found.isKept ? ", simulated: not what was to be kept"
       : found.heldBack
           ? " with integers, on samples that the search didn't see"
           : " with integers");
  if (found.seconds)
    comment += ", " + formatTime(*found.seconds) + " a call" +
               (found.isHeld ? "" : ": not what was wanted");
  comment += "; float: " + formatScore(result.original);
  return calibration::writeText(
      measurements.print(candidate, original, comment), options.output);
}

int64_t tuning::countMacs(const Candidate &candidate,
                          const BitVector &original) {
  int64_t macs = 0;
  for (unsigned i : original.set_bits())
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
  auto cost = std::tuple(found.floatMacs, found.floatValued, changes);
  auto known =
      std::tuple(result.floatMacs, result.floatValued, best->changes.size());
  return cost != known ? cost < known : isBetter(found.score, result.score);
}

/// Takes down what was simulated, if it is the best so far: what is kept there
/// has to be kept by integers, too.
llvm::Error Tuner::consider(Candidate &candidate, const BitVector &original,
                            const Score &simulated) {
  TuneResult found = result;
  found.score = simulated;
  found.isKept = isKept(simulated);
  found.floatValued = original.count();
  found.operators = original.size();
  found.floatMacs = countMacs(candidate, original);
  found.macs = countMacs(candidate,
                         BitVector(original.any() ? original.size() : 0, true));
  found.seconds = std::nullopt;
  if (found.isKept) {
    auto integers = measurements.runIntegers(candidate, original);
    if (!integers)
      return integers.takeError();
    found.score = integers->second;
    found.isKept = isKept(integers->first, SampleSet::Searched) &&
                   isKept(integers->second, SampleSet::HeldBack);
  }
  if (found.isKept && options.targetSeconds) {
    auto seconds = measurements.measureSeconds(candidate, original);
    if (!seconds)
      return seconds.takeError();
    found.seconds = *seconds;
  }
  found.isHeld = found.isKept && (!options.targetSeconds ||
                                  *found.seconds <= *options.targetSeconds);
  if (!isBetter(found, candidate.changes.size()))
    return llvm::Error::success();
  if (options.shards == 0)
    if (llvm::Error error = writeBest(candidate, original, found))
      return error;
  found.isWritten = true;
  result = found;
  best = &candidate;
  bestFloat = original;
  log << "  best so far: " << candidate.name << ", " << result.floatValued
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
  auto first = attempt(Candidate());
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

/// Of a part: measures its share of those of `count` things, numbered, that
/// nobody has measured, which are not compared here. Measuring one of them says
/// nothing of the others.
llvm::Error
Tuner::measureShare(size_t count, llvm::function_ref<bool(size_t)> isMeasured,
                    llvm::function_ref<llvm::Error(size_t)> measure) {
  if (options.shards == 0)
    return llvm::Error::success();
  auto isAny = [](StringRef) { return true; };
  auto before = measurements.journal.getResults({}, isAny);
  int64_t number = 0;
  for (size_t i = 0; i != count; ++i)
    if (!isMeasured(i) && number++ % options.shards == options.shard)
      if (llvm::Error error = measure(i))
        return error;
  for (auto &result : measurements.journal.getResults(before, isAny))
    share.insert(result.first);
  hasShare = number != 0;
  return hasShare ? makeError("the part is measured") : llvm::Error::success();
}

/// Until what is to be kept is.
llvm::Error Tuner::searchChanges() {
  SmallVector<Change> changes = measurements.listChanges();
  auto isTried = [&](size_t i) {
    return measurements.isTried(Candidate(changes[i]), candidates[0].count);
  };
  auto attemptChange = [&](size_t i) {
    return attempt(Candidate(changes[i])).takeError();
  };
  if (llvm::Error error = measureShare(changes.size(), isTried, attemptChange))
    return error;
  for (size_t i = 0; i != changes.size(); ++i) {
    if (isStopped())
      return llvm::Error::success();
    if (llvm::Error error = attemptChange(i))
      return error;
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
    SmallVector<Change> both(base->changes);
    both.push_back(change);
    auto added = attempt(Candidate(both));
    if (!added)
      return added.takeError();
    if (result.isKept)
      return llvm::Error::success();
    if (*added && isBetter((*added)->score, base->score))
      base = *added;
  }
  return searchSets(*base);
}

/// What parts have to be of, and what they have measured.
llvm::Expected<Parts> Tuner::prepare() {
  if (llvm::Error error = measurements.prepare(options.resume))
    return error;
  result.original = measurements.getFloatScore(SampleSet::HeldBack);
  result.heldBack = countHeldBack(measurements.getSamples());
  Parts parts{"tune", hashText(measurements.journal.getNetwork()), {}};
  if (options.readParts)
    if (llvm::Error error = options.readParts(parts))
      return error;
  if (llvm::Error error = measurements.journal.takeResults(parts.results))
    return error;
  return parts;
}

llvm::Expected<Parts> Tuner::runPart() {
  auto parts = prepare();
  if (!parts)
    return parts.takeError();
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
  log << "float: " << formatScore(result.original) << "\n";
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
                                         const TuneOptions &options) {
  if (llvm::Error error = checkOptions(options))
    return error;
  if (options.targetSeconds || options.maxSeconds)
    return makeError("a search in parts can't hold a time: those of one "
                     "machine are not those of another; leave out the target "
                     "and the end, and give them when all is measured");
  if (options.shard < 0 || options.shard >= options.shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", options.shard,
                     options.shards, options.shards - 1);
  return Tuner(module, options, llvm::nulls()).runPart();
}

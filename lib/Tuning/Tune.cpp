// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small change of a qconfig mapping that holds an accuracy.

#include "qbackend/Tuning/Tune.h"

#include "Mapping.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Pipelines/Execution.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Error.h"
#include "qbackend/Tuning/Sensitivity.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <map>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

/// Sets of one size are all tried if there are no more than these.
static constexpr double kSets = 200;

namespace {
/// A mapping with changes, and its network.
struct Candidate {
  SmallVector<Change> changes;
  std::string name;
  std::unique_ptr<Simulation> simulation;
  /// With all operators quantized.
  Score score;
};

class Tuner {
public:
  Tuner(ModuleOp module, const TuneOptions &options, llvm::raw_ostream &log)
      : module(module), options(options), log(log),
        start(std::chrono::steady_clock::now()) {}
  ~Tuner() {
    for (const std::string &path : temporaries)
      llvm::sys::fs::remove(path);
  }

  llvm::Expected<TuneResult> run();

private:
  bool isStopped() {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    stopped |= (options.stop && *options.stop) ||
               (options.maxSeconds && passed.count() > *options.maxSeconds);
    return stopped;
  }

  bool isHeld(const Score &score) const {
    if (options.keepAccuracy)
      // Of whole samples: not below by the rounding of the quotient.
      return *score.accuracy >=
             *result.real.accuracy - *options.keepAccuracy / 100 - 1e-9;
    return score.sqnr >= *options.keepSqnr;
  }

  /// Whether `a` is nearer to what is to be held.
  bool isBetter(const Score &a, const Score &b) const {
    if (options.keepAccuracy && *a.accuracy != *b.accuracy)
      return *a.accuracy > *b.accuracy;
    return a.sqnr > b.sqnr;
  }

  llvm::Error prepare();
  llvm::Error readJournal();
  llvm::Error writeJournal();
  llvm::Expected<std::string> writeTemporary(StringRef text, StringRef suffix);
  llvm::Error writeBest(const Candidate &candidate, const BitVector &real,
                        const Score &score, bool isHeld);
  std::string print(const Candidate &candidate, const BitVector &real,
                    StringRef comment);
  llvm::Expected<Score> runIntegers(const Candidate &candidate,
                                    const BitVector &real);
  llvm::Error create(Candidate &candidate);
  llvm::Expected<Score> measure(Candidate &candidate, const BitVector &real);
  llvm::Expected<bool> consider(Candidate &candidate, const BitVector &real,
                                const Score &score);
  SmallVector<Change> getChanges();
  llvm::Error search();
  llvm::Error searchSets(Candidate &candidate);
  llvm::Error searchSize(Candidate &candidate, unsigned size);

  ModuleOp module;
  const TuneOptions &options;
  llvm::raw_ostream &log;
  std::chrono::steady_clock::time_point start;
  bool stopped = false;

  FailureOr<Backend> backend = failure();
  QConfigMappingOp base;
  /// Ranges of the network as it is.
  std::string table;
  std::vector<arrays::NamedArray> real;
  std::vector<std::string> temporaries;
  /// What has been measured, by the name of what it is of.
  std::map<std::string, Score> journal;
  std::string fingerprint;
  int64_t unsaved = 0;

  TuneResult result;
  bool hasBest = false;
  size_t bestChanges = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string getJournalPath(const TuneOptions &options) {
  return options.output + ".partial";
}

llvm::Expected<std::string> Tuner::writeTemporary(StringRef text,
                                                  StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("qbackend-tune", suffix, path))
    return makeError("cannot make a temporary file: {0}", error.message());
  temporaries.push_back(path.str().str());
  if (llvm::Error error = calibration::writeText(text, path))
    return error;
  return path.str().str();
}

llvm::Error Tuner::writeJournal() {
  unsaved = 0;
  llvm::json::Object scores;
  for (auto &[key, score] : journal) {
    llvm::json::Array numbers;
    // JSON has no infinity.
    numbers.push_back(std::isfinite(score.sqnr)
                          ? llvm::json::Value(score.sqnr)
                          : llvm::json::Value(score.sqnr > 0 ? "inf" : "-inf"));
    if (score.accuracy)
      numbers.push_back(*score.accuracy);
    scores[key] = std::move(numbers);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                   {"network", fingerprint},
                                   {"scores", std::move(scores)}}))
     << "\n";
  return calibration::writeText(text, getJournalPath(options));
}

llvm::Error Tuner::readJournal() {
  std::string path = getJournalPath(options);
  if (!options.resume || !llvm::sys::fs::exists(path))
    return llvm::Error::success();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError("cannot read '{0}': {1}", path,
                     buffer.getError().message());
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return makeError("'{0}' is no JSON: {1}; remove it to start again", path,
                     llvm::toString(value.takeError()));
  auto *object = value->getAsObject();
  auto *scores = object ? object->getObject("scores") : nullptr;
  if (!scores || object->getString("network") != StringRef(fingerprint))
    return makeError("'{0}' is of another network, or of other options; remove "
                     "it to start again",
                     path);
  for (auto &[key, entry] : *scores) {
    auto *numbers = entry.getAsArray();
    if (!numbers || numbers->empty() || numbers->size() > 2)
      return makeError("'{0}' has no score for '{1}'; remove it to start "
                       "again",
                       path, StringRef(key));
    Score score;
    if (auto text = (*numbers)[0].getAsString())
      score.sqnr =
          (*text == "-inf" ? -1 : 1) * std::numeric_limits<double>::infinity();
    else
      score.sqnr = (*numbers)[0].getAsNumber().value_or(0);
    if (numbers->size() == 2)
      score.accuracy = (*numbers)[1].getAsNumber();
    if (score.accuracy.has_value() == !options.network.labels.empty())
      journal[StringRef(key).str()] = score;
  }
  return llvm::Error::success();
}

std::string Tuner::print(const Candidate &candidate, const BitVector &real,
                         StringRef comment) {
  SmallVector<SimulatedOperator, 0> operators;
  for (unsigned i : real.set_bits())
    operators.push_back(candidate.simulation->getOperators()[i]);
  return printMapping(base, candidate.changes, operators, comment);
}

llvm::Error Tuner::writeBest(const Candidate &candidate, const BitVector &real,
                             const Score &score, bool isHeld) {
  std::string comment =
      "For qconfig= of --apply-backend=" + options.network.backend + ": " +
      candidate.name + ", " + std::to_string(real.count()) + " of " +
      std::to_string(real.size()) + " operators real-valued.\n" +
      formatScore(score) +
      (isHeld ? " with integers" : ", simulated: not what was to be held") +
      "; real-valued: " + formatScore(result.real);
  return calibration::writeText(print(candidate, real, comment),
                                options.output);
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

static RunOptions getRunOptions(const NetworkOptions &network) {
  RunOptions run;
  run.entry = network.calibration.entry;
  run.data = network.data;
  run.inputScale = network.calibration.inputScale;
  run.sampleArguments = network.calibration.sampleArguments;
  run.samples = network.samples;
  run.threads = network.calibration.threads;
  return run;
}

llvm::Error Tuner::prepare() {
  const NetworkOptions &network = options.network;
  backend = resolveBackend(network.backend, module);
  if (failed(backend))
    return makeError("there is no such backend");
  FailureOr<QConfigMappingOp> mapping =
      resolveQConfig(network.qconfig, backend->config, module);
  if (failed(mapping))
    return makeError("there is no such qconfig");
  base = *mapping;
  auto outputs = runModule(module, getRunOptions(network), "running");
  if (!outputs)
    return outputs.takeError();
  real = std::move(*outputs);
  auto score = getScore(real, real, network.labels);
  if (!score)
    return score.takeError();
  result.real = *score;
  log << "real-valued: " << formatScore(result.real) << "\n";

  // One run gives the ranges for all observers.
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager manager(module.getContext());
  PreparePipelineOptions prepareOptions;
  prepareOptions.backend = network.backend;
  prepareOptions.qconfig = network.qconfig;
  prepareOptions.entry = network.calibration.entry;
  addPreparePipeline(manager, prepareOptions);
  if (failed(manager.run(*copy)))
    return makeError("the network can't be prepared for '{0}'",
                     network.backend);
  llvm::raw_string_ostream(fingerprint)
      << getNetworkDescription(*copy) << "; " << network.backend << " "
      << network.qconfig << " " << network.data << " " << network.labels << " "
      << network.samples << " " << network.calibration.data << " "
      << network.calibration.calibration << " " << network.calibration.samples;
  table = network.calibration.calibration;
  if (!table.empty())
    return readJournal();
  CalibrateOptions record = network.calibration;
  record.recordAll = true;
  auto statistics = collectStatistics(*copy, record);
  if (!statistics)
    return statistics.takeError();
  auto path = writeTemporary(calibration::printTable(*statistics), "json");
  if (!path)
    return path.takeError();
  table = *path;
  return readJournal();
}

/// Compiles the candidate.
llvm::Error Tuner::create(Candidate &candidate) {
  NetworkOptions network = options.network;
  auto path =
      writeTemporary(printMapping(base, candidate.changes, {}, ""), "mlir");
  if (!path)
    return path.takeError();
  network.qconfig = *path;
  auto corrections = getCorrections(base);
  if (failed(corrections))
    return makeError("the mapping has a correction that there isn't");
  llvm::SmallSetVector<Correction, 4> chosen(corrections->begin(),
                                             corrections->end());
  for (const Change &change : candidate.changes)
    if (change.correction)
      chosen.insert(*change.correction);
  network.calibration.corrections = chosen.takeVector();
  // What is between equalized layers has other ranges than the table's, of
  // which only those of channels are known.
  bool isBalanced = llvm::is_contained(network.calibration.corrections,
                                       Correction::CrossLayerEqualization) ||
                    llvm::is_contained(network.calibration.corrections,
                                       Correction::BiasAbsorption);
  if (!isBalanced)
    network.calibration.calibration = table;
  auto simulation = Simulation::create(module, network);
  if (!simulation)
    return simulation.takeError();
  candidate.simulation = std::move(*simulation);
  return llvm::Error::success();
}

/// A key of the journal.
static std::string getKey(StringRef kind, const Candidate &candidate,
                          const BitVector &real) {
  std::string key = (kind + candidate.name + ":").str();
  for (unsigned i : real.set_bits())
    key += " " + std::to_string(i);
  return key;
}

llvm::Expected<Score> Tuner::measure(Candidate &candidate,
                                     const BitVector &real) {
  auto [it, isNew] = journal.try_emplace(getKey("", candidate, real));
  if (!isNew)
    return it->second;
  BitVector quantized = real;
  quantized.flip();
  auto score = candidate.simulation->score(quantized);
  if (!score) {
    journal.erase(it);
    return score.takeError();
  }
  it->second = *score;
  if (++unsaved >= 16)
    if (llvm::Error error = writeJournal())
      return error;
  return *score;
}

/// The score of the program of integers, as --apply-backend makes it.
llvm::Expected<Score> Tuner::runIntegers(const Candidate &candidate,
                                         const BitVector &real) {
  auto [it, isNew] = journal.try_emplace(getKey("integers, ", candidate, real));
  if (!isNew)
    return it->second;
  auto path = writeTemporary(print(candidate, real, ""), "mlir");
  if (!path)
    return path.takeError();
  const NetworkOptions &network = options.network;
  ApplyBackendPassOptions apply;
  apply.backend = network.backend;
  apply.qconfig = *path;
  copyCalibrationOptions(network.calibration, apply);
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager manager(module.getContext());
  manager.addPass(createApplyBackendPass(apply));
  if (failed(manager.run(*copy))) {
    journal.erase(it);
    return makeError("the network can't be converted");
  }
  auto outputs = runModule(*copy, getRunOptions(network), "running integers");
  if (!outputs) {
    journal.erase(it);
    return outputs.takeError();
  }
  auto score = getScore(this->real, *outputs, network.labels);
  if (!score) {
    journal.erase(it);
    return score.takeError();
  }
  it->second = *score;
  return *score;
}

/// Takes down what was simulated, if it is the best so far. Returns whether it
/// is held, by integers.
llvm::Expected<bool> Tuner::consider(Candidate &candidate,
                                     const BitVector &real,
                                     const Score &simulated) {
  Score score = simulated;
  bool held = isHeld(simulated);
  unsigned count = real.count();
  if (held) {
    auto integers = runIntegers(candidate, real);
    if (!integers)
      return integers.takeError();
    score = *integers;
    held = isHeld(score);
  }
  bool isBest = !hasBest || (held && !result.isHeld);
  if (!isBest && held == result.isHeld) {
    // Of what holds, the least change; of equal ones the better.
    auto cost = std::pair(count, candidate.changes.size());
    auto known = std::pair(result.realValued, bestChanges);
    isBest =
        held && cost != known ? cost < known : isBetter(score, result.score);
  }
  if (!isBest)
    return held;
  hasBest = true;
  bestChanges = candidate.changes.size();
  result.isHeld = held;
  result.score = score;
  result.realValued = count;
  result.operators = real.size();
  if (llvm::Error error = writeBest(candidate, real, score, held))
    return error;
  log << "  best so far: " << candidate.name << ", " << count << " of "
      << real.size() << " operators real-valued: " << formatScore(score)
      << (held ? ", held\n" : "\n");
  return held;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

SmallVector<Change> Tuner::getChanges() {
  SmallVector<Change> changes;
  changes.push_back({/*perChannel=*/true, std::nullopt, std::nullopt});
  for (ObserverKind kind :
       {ObserverKind::Histogram, ObserverKind::MinMax, ObserverKind::MSE})
    changes.push_back({false, kind, std::nullopt});
  const CalibrateOptions &calibration = options.network.calibration;
  for (Correction correction : getCorrections()) {
    bool needsSamples = correction == Correction::AdaptiveRounding ||
                        correction == Correction::BiasCorrection;
    // The observer mse says it for all.
    if (correction == Correction::MseRanges ||
        (needsSamples && calibration.data.empty()) ||
        (correction == Correction::BiasAbsorption &&
         calibration.calibration == "ranges"))
      continue;
    changes.push_back({false, std::nullopt, correction});
  }
  llvm::erase_if(changes, [&](const Change &change) {
    return !changesMapping(base, change);
  });
  return changes;
}

llvm::Error Tuner::search() {
  Candidate asIs;
  asIs.name = "as it is";
  std::vector<Candidate> candidates;
  unsigned operators = 0;
  // Measures a change of all operators; nothing is gained by less integers.
  auto attempt = [&](Candidate candidate) -> llvm::Expected<bool> {
    if (llvm::Error error = create(candidate)) {
      if (candidates.empty() || isStopped())
        return error;
      log << candidate.name
          << ": not possible: " << llvm::toString(std::move(error)) << "\n";
      return false;
    }
    unsigned count = candidate.simulation->getOperators().size();
    // Nothing is lost there, and nothing gained.
    if (candidates.empty() && count == 0)
      return makeError("nothing of the module is quantized by backend '{0}'",
                       options.network.backend);
    if (!candidates.empty() && count < operators) {
      log << candidate.name << ": " << operators - count
          << " operators would not be quantized\n";
      return false;
    }
    operators = count;
    auto score = measure(candidate, BitVector(count));
    if (!score)
      return score.takeError();
    candidate.score = *score;
    log << candidate.name << ": " << formatScore(*score) << "\n";
    auto held = consider(candidate, BitVector(count), *score);
    candidates.push_back(std::move(candidate));
    return held;
  };
  auto held = attempt(std::move(asIs));
  if (!held || *held || operators == 0)
    return held.takeError();
  for (const Change &change : getChanges()) {
    if (isStopped())
      return llvm::Error::success();
    Candidate candidate;
    candidate.changes.push_back(change);
    candidate.name = change.getName();
    held = attempt(std::move(candidate));
    if (!held)
      return held.takeError();
  }
  if (result.isHeld)
    return llvm::Error::success();

  // Those that help, the better ones first, as long as they help together.
  SmallVector<size_t> order;
  for (size_t i = 1; i < candidates.size(); ++i)
    if (isBetter(candidates[i].score, candidates[0].score))
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return isBetter(candidates[a].score, candidates[b].score);
  });
  size_t best = order.empty() ? 0 : order[0];
  for (size_t i : ArrayRef(order).drop_front(order.empty() ? 0 : 1)) {
    if (isStopped())
      return llvm::Error::success();
    const Change &change = candidates[i].changes[0];
    // There is one observer.
    if (change.observer &&
        llvm::any_of(candidates[best].changes,
                     [](const Change &known) { return bool(known.observer); }))
      continue;
    Candidate candidate;
    candidate.changes = candidates[best].changes;
    candidate.changes.push_back(change);
    candidate.name = candidates[best].name + " + " + change.getName();
    size_t before = candidates.size();
    held = attempt(std::move(candidate));
    if (!held || *held)
      return held.takeError();
    if (candidates.size() > before &&
        isBetter(candidates.back().score, candidates[best].score))
      best = before;
  }
  return searchSets(candidates[best]);
}

/// How many sets of `size` of `count` operators there are.
static double countSets(unsigned count, unsigned size) {
  double sets = 1;
  for (unsigned i = 0; i < size; ++i)
    sets = sets * (count - i) / (i + 1);
  return sets;
}

llvm::Error Tuner::searchSize(Candidate &candidate, unsigned size) {
  unsigned count = candidate.simulation->getOperators().size();
  SmallVector<unsigned> chosen(size);
  for (unsigned i = 0; i < size; ++i)
    chosen[i] = i;
  std::vector<std::pair<Score, BitVector>> held;
  while (!isStopped()) {
    BitVector real(count);
    for (unsigned i : chosen)
      real.set(i);
    auto score = measure(candidate, real);
    if (!score)
      return score.takeError();
    if (isHeld(*score))
      held.push_back({*score, real});
    int64_t last = int64_t(size) - 1;
    while (last >= 0 && chosen[last] == count - size + last)
      --last;
    if (last < 0)
      break;
    ++chosen[last];
    for (unsigned i = last + 1; i < size; ++i)
      chosen[i] = chosen[i - 1] + 1;
  }
  llvm::stable_sort(
      held, [&](auto &a, auto &b) { return isBetter(a.first, b.first); });
  for (auto &[score, real] : ArrayRef(held).take_front(5)) {
    auto isHeld = consider(candidate, real, score);
    if (!isHeld)
      return isHeld.takeError();
    if (*isHeld)
      return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error Tuner::searchSets(Candidate &candidate) {
  unsigned count = candidate.simulation->getOperators().size();
  log << "real-valued operators, with " << candidate.name << "\n";
  SmallVector<BitVector> moves;
  for (unsigned i = 0; i < count; ++i) {
    moves.emplace_back(count);
    moves.back().set(i);
  }
  for (ArrayRef<unsigned> group : candidate.simulation->getGroups()) {
    BitVector move(count);
    for (unsigned i : group)
      move.set(i);
    if (move.count() > 1)
      moves.push_back(std::move(move));
  }
  BitVector real(count);
  Score score = candidate.score;
  bool isFound = false;
  while (!isFound && !real.all()) {
    // What gives the most decibels for each operator.
    double most = -std::numeric_limits<double>::infinity();
    BitVector next = real;
    Score nextScore = score;
    for (const BitVector &move : moves) {
      if (isStopped())
        return llvm::Error::success();
      BitVector tried = real;
      tried |= move;
      unsigned added = tried.count() - real.count();
      if (added == 0)
        continue;
      auto found = measure(candidate, tried);
      if (!found)
        return found.takeError();
      double gain = std::min(found->sqnr, 300.0) - std::min(score.sqnr, 300.0);
      gain = gain > 0 ? gain / added : gain;
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
    if (isHeld(score))
      for (unsigned i : real.set_bits()) {
        if (isStopped())
          return llvm::Error::success();
        BitVector less = needed;
        less.reset(i);
        auto found = measure(candidate, less);
        if (!found)
          return found.takeError();
        if (isHeld(*found)) {
          needed = less;
          score = *found;
        }
      }
    auto held = consider(candidate, needed, score);
    if (!held)
      return held.takeError();
    isFound = *held;
    auto atReal = measure(candidate, real);
    if (!atReal)
      return atReal.takeError();
    score = *atReal;
  }
  for (unsigned size = 1; isFound && size < result.realValued; ++size) {
    if (countSets(count, size) > kSets)
      continue;
    if (llvm::Error error = searchSize(candidate, size))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<TuneResult> Tuner::run() {
  if (llvm::Error error = prepare())
    return error;
  if (llvm::Error error = search()) {
    // What was running when it was stopped ended with an error.
    if (!isStopped())
      return error;
    llvm::consumeError(std::move(error));
  }
  result.isComplete = !stopped;
  if (stopped) {
    if (llvm::Error error = writeJournal())
      return error;
  } else {
    llvm::sys::fs::remove(getJournalPath(options));
  }
  return result;
}

llvm::Expected<TuneResult> tuning::tune(ModuleOp module,
                                        const TuneOptions &options,
                                        llvm::raw_ostream &log) {
  if (options.keepAccuracy && options.network.labels.empty())
    return makeError("an accuracy is to be kept, but there are no labels");
  if (options.keepAccuracy.has_value() == options.keepSqnr.has_value())
    return makeError("either an SQNR or an accuracy is to be kept");
  return Tuner(module, options, log).run();
}

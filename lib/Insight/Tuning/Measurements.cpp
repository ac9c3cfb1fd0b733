// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changes of a qconfig mapping do to a network: simulated, and run.

#include "Measurements.h"

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Insight/Cost/ReportCost.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Error.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using llvm::BitVector;

Candidate::Candidate(ArrayRef<Change> changes)
    : changes(changes), name(changes.empty() ? "as it is" : "") {
  llvm::raw_string_ostream os(name);
  llvm::interleave(
      changes, os, [&](const Change &change) { os << change.getName(); },
      " + ");
}

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

llvm::Error Measurements::resolve() {
  if (base)
    return llvm::Error::success();
  backend = resolveBackend(network.backend, module);
  if (failed(backend))
    return makeError("there is no such backend");
  FailureOr<QConfigMappingOp> mapping =
      resolveQConfig(network.qconfig, backend->config, module);
  if (failed(mapping))
    return makeError("there is no such qconfig");
  base = *mapping;
  table = network.calibration.calibration;
  return llvm::Error::success();
}

llvm::Error Measurements::prepare(bool resume) {
  if (llvm::Error error = resolve())
    return error;
  auto outputs = runModule(module, getRunOptions(network), "running");
  if (!outputs)
    return outputs.takeError();
  originalOutputs = std::move(*outputs);
  auto read = evaluation::readLabels(network.labels, network.samples);
  if (!read)
    return read.takeError();
  labels = std::move(*read);
  auto function = findEntry(module, network.calibration.entry);
  if (!function)
    return function.takeError();
  auto count = countSamples(*function, getRunOptions(network));
  if (!count)
    return count.takeError();
  samples = *count;
  auto scores = scoreBoth(originalOutputs);
  if (!scores)
    return scores.takeError();
  std::tie(originalSearched, originalHeldBack) = *scores;

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
  if (table.empty()) {
    CalibrateOptions record = network.calibration;
    record.recordAll = true;
    auto statistics = collectStatistics(*copy, record);
    if (!statistics)
      return statistics.takeError();
    table = calibration::printTable(*statistics);
  }
  journal.setNetwork(getFingerprint(getNetworkDescription(*copy)));
  return resume ? journal.read(/*hasAccuracy=*/!labels.empty())
                : llvm::Error::success();
}

llvm::Expected<std::pair<Score, Score>>
Measurements::scoreBoth(ArrayRef<arrays::NamedArray> outputs) const {
  auto searched =
      getScore(originalOutputs, outputs, labels, samples, SampleSet::Searched);
  if (!searched)
    return searched.takeError();
  auto heldBack =
      getScore(originalOutputs, outputs, labels, samples, SampleSet::HeldBack);
  if (!heldBack)
    return heldBack.takeError();
  return std::pair(*searched, *heldBack);
}

/// All that scores depend on, by its contents: files are written again under
/// the same name, and the same numbers come under other names. Weights, samples
/// and what they are multiplied by are in the float results.
std::string Measurements::getFingerprint(llvm::StringRef description) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << description << "; " << network.backend << " " << network.samples << " "
     << network.calibration.samples;
  os << "; held back " << countHeldBack(samples);
  for (const Score &score : {originalSearched, originalHeldBack})
    if (score.accuracy)
      os << llvm::format(" %.17g", *score.accuracy);
  for (const arrays::NamedArray &output : originalOutputs)
    os << " " << llvm::xxh3_64bits(output.array.data);
  std::string mapping;
  llvm::raw_string_ostream mappingStream(mapping);
  base->print(mappingStream);
  os << " " << llvm::xxh3_64bits(mapping);
  auto file = llvm::MemoryBuffer::getFile(table);
  os << " " << llvm::xxh3_64bits(file ? (*file)->getBuffer() : table);
  return text;
}

/// Whether `table`, a path or a text, has what corrections take in the place of
/// samples. What is wrong with it, is said where it is used.
static bool hasPatches(StringRef table) {
  auto read = table.starts_with("{") ? calibration::parseTable(table, "")
                                     : calibration::readTable(table);
  if (read)
    return llvm::any_of(read->entries,
                        [](const calibration::TableEntry &entry) {
                          return !entry.patches.empty();
                        });
  llvm::consumeError(read.takeError());
  return false;
}

SmallVector<Change> Measurements::listChanges() const {
  SmallVector<Change> changes;
  changes.push_back({/*perChannel=*/true, std::nullopt, std::nullopt});
  for (ObserverKind kind :
       {ObserverKind::Histogram, ObserverKind::MinMax, ObserverKind::MSE})
    changes.push_back({false, kind, std::nullopt});
  const CalibrateOptions &calibration = network.calibration;
  bool hasSamples = !calibration.data.empty() || hasPatches(table);
  for (Correction correction : getCorrections()) {
    bool needsSamples = correction == Correction::AdaptiveRounding ||
                        correction == Correction::BiasCorrection;
    // The observer mse says it for all.
    if (correction == Correction::MseRanges || (needsSamples && !hasSamples) ||
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

OwningOpRef<ModuleOp>
Measurements::makeMapping(const Candidate &candidate,
                          const BitVector &original) const {
  SmallVector<SimulatedOperator, 0> operators;
  for (unsigned i : original.set_bits())
    operators.push_back(candidate.simulation->getOperators()[i]);
  return tuning::makeMapping(base, candidate.changes, operators);
}

/// A copy of the network that has `mapping`, and what `qconfig` calls it.
OwningOpRef<ModuleOp> Measurements::addMapping(OwningOpRef<ModuleOp> mapping,
                                               std::string &name) {
  OwningOpRef<ModuleOp> copy(module.clone());
  Operation *op = *mapping->getOps<QConfigMappingOp>().begin();
  op->remove();
  name = "@" + SymbolTable(*copy).insert(op).str();
  return copy;
}

llvm::Error Measurements::create(Candidate &candidate) {
  NetworkOptions changed = network;
  OwningOpRef<ModuleOp> copy = addMapping(
      tuning::makeMapping(base, candidate.changes, {}), changed.qconfig);
  auto corrections = getCorrections(base);
  if (failed(corrections))
    return makeError("the mapping has a correction that there isn't");
  llvm::SmallSetVector<Correction, 4> chosen(corrections->begin(),
                                             corrections->end());
  for (const Change &change : candidate.changes)
    if (change.correction)
      chosen.insert(*change.correction);
  changed.calibration.corrections = chosen.takeVector();
  // What is between equalized layers has other ranges than the table's, of
  // which only those of channels are known.
  bool isBalanced = llvm::is_contained(changed.calibration.corrections,
                                       Correction::CrossLayerEqualization) ||
                    llvm::is_contained(changed.calibration.corrections,
                                       Correction::BiasAbsorption);
  if (!isBalanced)
    changed.calibration.calibration = table;
  auto simulation = Simulation::create(*copy, changed);
  if (!simulation)
    return simulation.takeError();
  candidate.simulation = std::move(*simulation);
  candidate.count = candidate.simulation->getOperators().size();
  return llvm::Error::success();
}

llvm::Error Measurements::open(Candidate &candidate) {
  return candidate.simulation ? llvm::Error::success() : create(candidate);
}

llvm::Error Measurements::count(Candidate &candidate) {
  auto known = journal.findCount(candidate.name);
  if (known && *known >= 0) {
    candidate.count = *known;
    return llvm::Error::success();
  }
  if (llvm::Error error = open(candidate)) {
    journal.addCount(candidate.name, -1);
    return error;
  }
  journal.addCount(candidate.name, candidate.count);
  return llvm::Error::success();
}

/// A key of the journal.
static std::string getKey(StringRef kind, const Candidate &candidate,
                          const BitVector &original) {
  std::string key = (kind + candidate.name + ":").str();
  for (unsigned i : original.set_bits())
    key += " " + std::to_string(i);
  return key;
}

bool Measurements::isTried(const Candidate &candidate, unsigned count) const {
  auto known = journal.findCount(candidate.name);
  return (known && *known < int64_t(count)) ||
         journal.findScore(getKey("", candidate, {}));
}

bool Measurements::isKnown(const Candidate &candidate,
                           const BitVector &original) const {
  return bool(journal.findScore(getKey("", candidate, original)));
}

llvm::Expected<Score> Measurements::simulate(Candidate &candidate,
                                             const BitVector &original,
                                             SampleSet set) {
  std::string key = getKey("", candidate, original);
  if (auto known = journal.findScore(key))
    return *known;
  if (llvm::Error error = open(candidate))
    return error;
  BitVector quantized = original;
  quantized.flip();
  auto score = candidate.simulation->score(quantized, set);
  if (!score)
    return score.takeError();
  if (llvm::Error error = journal.addScore(key, *score))
    return error;
  return *score;
}

llvm::Expected<ModuleOp> Measurements::convert(const Candidate &candidate,
                                               const BitVector &original) {
  std::string key = getKey("", candidate, original);
  if (converted && convertedKey == key)
    return *converted;
  ApplyBackendPassOptions apply;
  apply.backend = network.backend;
  converted = addMapping(makeMapping(candidate, original), apply.qconfig);
  copyCalibrationOptions(network.calibration, apply);
  PassManager manager(module.getContext());
  manager.addPass(createApplyBackendPass(apply));
  if (failed(manager.run(*converted))) {
    converted = nullptr;
    return makeError("the network can't be converted");
  }
  convertedKey = key;
  return *converted;
}

llvm::Expected<std::pair<Score, Score>>
Measurements::runIntegers(const Candidate &candidate,
                          const BitVector &original) {
  std::string key = getKey("integers, ", candidate, original);
  std::string heldBackKey = getKey("integers held back, ", candidate, original);
  auto known = journal.findScore(key),
       knownBack = journal.findScore(heldBackKey);
  if (known && knownBack)
    return std::pair(*known, *knownBack);
  auto integers = convert(candidate, original);
  if (!integers)
    return integers.takeError();
  auto outputs =
      runModule(*integers, getRunOptions(network), "running integers");
  if (!outputs)
    return outputs.takeError();
  auto scores = scoreBoth(*outputs);
  if (!scores)
    return scores.takeError();
  if (llvm::Error error = journal.addScore(key, scores->first))
    return error;
  if (llvm::Error error = journal.addScore(heldBackKey, scores->second))
    return error;
  return *scores;
}

llvm::Expected<double> Measurements::measureSeconds(const Candidate &candidate,
                                                    const BitVector &original) {
  std::string key = getKey("", candidate, original);
  if (auto known = journal.findSeconds(key))
    return *known;
  auto integers = convert(candidate, original);
  if (!integers)
    return integers.takeError();
  auto seconds = measureCall(*integers, getRunOptions(network));
  if (!seconds)
    return seconds.takeError();
  if (llvm::Error error = journal.addSeconds(key, *seconds))
    return error;
  return *seconds;
}

std::string Measurements::print(const Candidate &candidate,
                                const BitVector &original,
                                StringRef comment) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  SmallVector<StringRef> lines;
  comment.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    os << "// " << line << "\n";
  makeMapping(candidate, original)->print(os);
  os << "\n";
  return text;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to quantize each operator of a network.

#include "qbackend/Insight/Tuning/Sensitivity.h"

#include "Journal.h"
#include "Measurements.h"

#include "qbackend/Execution/Runtime/Interrupt.h"
#include "qbackend/Execution/Samples/Progress.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::tuning;

std::string tuning::formatScore(const Score &score) {
  std::string text;
  raw_string_ostream os(text);
  if (std::isinf(score.sqnr))
    os << (score.sqnr > 0 ? "inf dB" : "-inf dB");
  else
    os << format("%.2f dB", score.sqnr);
  if (score.accuracy)
    os << format(", %.4f", *score.accuracy);
  return text;
}

//===----------------------------------------------------------------------===//
// What is measured
//===----------------------------------------------------------------------===//

/// What the names of changes begin with among results.
static constexpr StringRef kChange = "change, ";

static std::string getKey(const BitVector &quantized) {
  std::string key;
  for (unsigned i = 0; i < quantized.size(); ++i)
    key += quantized[i] ? '1' : '0';
  return key;
}

static std::string getKey(const Candidate &change) {
  return (kChange + change.name).str();
}

namespace {
/// Measures sets of operators, by runs of one simulation, and changes of all of
/// them, each by a network of its own.
class SensitivityRun {
public:
  SensitivityRun(mlir::ModuleOp module, const SensitivityOptions &options)
      : module(module), options(options),
        measurements(module, options.network, /*journalPath=*/"") {}

  Expected<Sensitivity> run();
  Expected<Parts> runPart();

private:
  Error prepare();
  Expected<std::string> describe() const;
  Error checkResults() const;

  std::vector<BitVector> listOperators() const;
  std::vector<BitVector> listCurve() const;
  std::vector<OperatorSensitivity> rankOperators() const;

  /// Of what was measured.
  Score getScore(const BitVector &quantized) const {
    return *toScore(parts.results.at(getKey(quantized)));
  }
  /// Does nothing if that is known.
  Error measure(const BitVector &quantized);
  Error measure(Candidate &change);

  mlir::ModuleOp module;
  const SensitivityOptions &options;
  std::unique_ptr<Simulation> simulation;
  /// The number of operators.
  unsigned count = 0;
  Measurements measurements;
  bool isPrepared = false;
  /// The first one is none.
  std::vector<Candidate> changes;
  /// What is known.
  Parts parts;
};
} // namespace

Error SensitivityRun::prepare() {
  auto created = Simulation::create(module, options.network);
  if (!created)
    return created.takeError();
  simulation = std::move(*created);
  count = simulation->getOperators().size();
  if (count == 0)
    return makeError("nothing of the module can be quantized by backend '{0}'",
                     options.network.backend);
  if (options.measureChanges) {
    if (Error error = measurements.resolve())
      return error;
    changes.emplace_back().name = "none";
    for (const Change &change : measurements.listChanges())
      changes.emplace_back(change);
  }
  if (!options.readParts && options.shards == 0)
    return Error::success();
  auto of = describe();
  if (!of)
    return of.takeError();
  parts = {"sensitivity", *of, {}};
  if (options.readParts)
    if (Error error = options.readParts(parts))
      return error;
  return checkResults();
}

/// A hash of all that results depend on: those of changes also on what ranges
/// and corrections come from.
Expected<std::string> SensitivityRun::describe() const {
  if (!options.measureChanges)
    return simulation->getFingerprint();
  const CalibrateOptions &calibration = options.network.calibration;
  auto samples = arrays::hashSamples(calibration.data, calibration.inputScale);
  if (!samples)
    return samples.takeError();
  auto table = MemoryBuffer::getFile(calibration.calibration);
  std::string text;
  raw_string_ostream os(text);
  os << simulation->getFingerprint() << " " << options.network.backend << " "
     << *samples << " " << calibration.samples << " " << calibration.batchSize
     << " " << calibration.nonFinite << " "
     << (table ? (*table)->getBuffer() : calibration.calibration);
  measurements.getBase()->print(os);
  return hashText(text);
}

Error SensitivityRun::checkResults() const {
  for (auto &[key, value] : parts.results) {
    bool isChange = StringRef(key).starts_with(kChange);
    if (isChange
            ? !toScore(value) && !value.getAsString()
            : !toScore(value) || key.size() != count ||
                  StringRef(key).find_first_not_of("01") != StringRef::npos)
      return makeError("no score, or no operators: '{0}'", key);
  }
  return Error::success();
}

/// None, each operator alone, and all but it; each set once.
std::vector<BitVector> SensitivityRun::listOperators() const {
  std::vector<BitVector> sets = {BitVector(count)};
  for (unsigned i = 0; i < count; ++i) {
    BitVector one(count), others(count, true);
    one.set(i);
    others.reset(i);
    for (const BitVector &set : {one, others})
      if (!is_contained(sets, set))
        sets.push_back(set);
  }
  return sets;
}

/// The operators by their scores alone; equal ones in the order of the code.
std::vector<OperatorSensitivity> SensitivityRun::rankOperators() const {
  std::vector<OperatorSensitivity> operators;
  for (auto [i, op] : enumerate(simulation->getOperators())) {
    BitVector one(count), others(count, true);
    one.set(i);
    others.reset(i);
    operators.push_back({unsigned(i), op.selector.name, op.kind, getScore(one),
                         getScore(others)});
  }
  stable_sort(operators,
              [](const OperatorSensitivity &a, const OperatorSensitivity &b) {
                return a.alone.sqnr < b.alone.sqnr;
              });
  return operators;
}

/// All but the first k of these.
std::vector<BitVector> SensitivityRun::listCurve() const {
  std::vector<BitVector> sets = {BitVector(count, true)};
  for (const OperatorSensitivity &op : rankOperators()) {
    BitVector less = sets.back();
    less.reset(op.index);
    sets.push_back(std::move(less));
  }
  return sets;
}

Error SensitivityRun::measure(const BitVector &quantized) {
  auto [it, isNew] = parts.results.try_emplace(getKey(quantized), nullptr);
  if (!isNew)
    return Error::success();
  auto score = simulation->score(quantized);
  if (!score)
    return score.takeError();
  it->second = toArray(*score);
  return Error::success();
}

Error SensitivityRun::measure(Candidate &change) {
  auto [it, isNew] = parts.results.try_emplace(getKey(change), nullptr);
  if (!isNew)
    return Error::success();
  if (!isPrepared)
    if (Error error = measurements.prepare(/*resume=*/false))
      return error;
  isPrepared = true;
  unsigned interrupts = runtime::countInterrupts();
  if (Error error = measurements.create(change)) {
    if (runtime::countInterrupts() != interrupts)
      return error;
    it->second = json::fixUTF8(toString(std::move(error)));
    return Error::success();
  }
  auto score = measurements.simulate(change, BitVector(change.count));
  if (!score)
    return score.takeError();
  it->second = toArray(*score);
  // It is not needed any more, and is as large as the network.
  change.simulation = nullptr;
  return Error::success();
}

Expected<Parts> SensitivityRun::runPart() {
  if (Error error = prepare())
    return error;
  auto isKnown = [&](const auto &what) {
    return parts.results.count(getKey(what)) != 0;
  };
  std::vector<BitVector> sets = listOperators();
  erase_if(sets, isKnown);
  if (sets.empty()) {
    sets = listCurve();
    erase_if(sets, isKnown);
  }
  erase_if(changes, isKnown);
  parts.results.clear();
  const size_t total = sets.size() + changes.size();
  const size_t shards = options.shards;
  arrays::ProgressBar progress("measuring operators",
                               (total + shards - 1 - options.shard) / shards);
  for (size_t i = options.shard; i < total; i += shards) {
    if (Error error = i < sets.size() ? measure(sets[i])
                                      : measure(changes[i - sets.size()]))
      return error;
    progress.advance(1);
  }
  progress.finish();
  return std::move(parts);
}

Expected<Sensitivity> SensitivityRun::run() {
  if (Error error = prepare())
    return error;
  std::vector<BitVector> sets = listOperators();
  arrays::ProgressBar progress("measuring operators",
                               sets.size() + count + 1 + changes.size());
  auto measureAll = [&](auto &&all) -> Error {
    for (auto &each : all) {
      if (Error error = measure(each))
        return error;
      progress.advance(1);
    }
    return Error::success();
  };
  if (Error error = measureAll(sets))
    return error;
  const std::vector<BitVector> curve = listCurve();
  if (Error error = measureAll(curve))
    return error;
  if (Error error = measureAll(changes))
    return error;
  progress.finish();
  Sensitivity result;
  result.operators = rankOperators();
  for (const BitVector &set : curve)
    result.curve.push_back(getScore(set));
  for (const Candidate &change : changes) {
    const json::Value &value = parts.results.at(getKey(change));
    result.changes.push_back(
        {change.name, toScore(value), value.getAsString().value_or("").str()});
  }
  return result;
}

Expected<Sensitivity>
tuning::findSensitivity(mlir::ModuleOp module,
                        const SensitivityOptions &options) {
  return SensitivityRun(module, options).run();
}

Expected<Parts>
tuning::findSensitivityInPart(mlir::ModuleOp module,
                              const SensitivityOptions &options) {
  if (options.shard < 0 || options.shard >= options.shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", options.shard,
                     options.shards, options.shards - 1);
  return SensitivityRun(module, options).runPart();
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void tuning::print(const Sensitivity &sensitivity, raw_ostream &os) {
  size_t width = 8, kindWidth = 4;
  for (const OperatorSensitivity &each : sensitivity.operators) {
    width = std::max(width, each.name.size());
    kindWidth = std::max(kindWidth, each.kind.size());
  }
  os << left_justify("operator", width) << "  "
     << left_justify("kind", kindWidth) << "  "
     << left_justify("alone quantized", 18) << "  all but it quantized\n";
  for (const OperatorSensitivity &each : sensitivity.operators)
    os << left_justify(each.name, width) << "  "
       << left_justify(each.kind, kindWidth) << "  "
       << left_justify(formatScore(each.alone), 18) << "  "
       << formatScore(each.without) << "\n";
  os << "\nfloat  score\n";
  for (auto [k, score] : enumerate(sensitivity.curve))
    os << format("%5zu  ", k) << formatScore(score) << "\n";
  if (sensitivity.changes.empty())
    return;
  size_t nameWidth = 0;
  for (const ChangeScore &change : sensitivity.changes)
    nameWidth = std::max(nameWidth, change.name.size());
  os << "\n" << left_justify("change of all", nameWidth) << "  all quantized\n";
  for (const ChangeScore &change : sensitivity.changes) {
    os << left_justify(change.name, nameWidth) << "  ";
    if (change.score)
      os << formatScore(*change.score) << "\n";
    else
      os << "not possible: " << change.problem << "\n";
  }
}

json::Object tuning::toObject(const Score &score) {
  json::Object object;
  object["sqnr"] = evaluation::toDecibels(score.sqnr);
  if (score.accuracy)
    object["accuracy"] = *score.accuracy;
  return object;
}

std::string tuning::toJSON(const Sensitivity &sensitivity) {
  json::Array operators, curve;
  for (const OperatorSensitivity &each : sensitivity.operators)
    operators.push_back(json::Object{{"name", each.name},
                                     {"kind", each.kind},
                                     {"alone", toObject(each.alone)},
                                     {"without", toObject(each.without)}});
  for (const Score &score : sensitivity.curve)
    curve.push_back(toObject(score));
  json::Object object{{"operators", std::move(operators)},
                      {"curve", std::move(curve)}};
  if (!sensitivity.changes.empty()) {
    json::Array changes;
    for (const ChangeScore &change : sensitivity.changes) {
      json::Object entry{{"name", change.name}};
      if (change.score)
        entry["score"] = toObject(*change.score);
      else
        entry["problem"] = json::fixUTF8(change.problem);
      changes.push_back(std::move(entry));
    }
    object["changes"] = std::move(changes);
  }
  std::string text;
  raw_string_ostream os(text);
  os << formatv("{0:2}", json::Value(std::move(object))) << "\n";
  return text;
}

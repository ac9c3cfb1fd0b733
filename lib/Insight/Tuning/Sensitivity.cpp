// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to quantize each operator of a network.

#include "qbackend/Insight/Tuning/Sensitivity.h"

#include "Journal.h"
#include "Measurements.h"

#include "qbackend/Execution/Runtime/Interrupt.h"
#include "qbackend/Execution/Samples/Progress.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

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

/// The key of KnownScores.
static std::string getKey(const BitVector &quantized) {
  std::string key;
  for (unsigned i = 0; i < quantized.size(); ++i)
    key += quantized[i] ? '1' : '0';
  return key;
}

/// The operators by their scores alone; equal ones in the order of the code.
static void sortByScore(MutableArrayRef<OperatorSensitivity> operators) {
  stable_sort(operators,
              [](const OperatorSensitivity &a, const OperatorSensitivity &b) {
                return a.alone.sqnr < b.alone.sqnr;
              });
}

Expected<KnownScores> tuning::measurePart(Simulation &simulation,
                                          const KnownScores &known,
                                          int64_t shard, int64_t shards) {
  if (shard < 0 || shard >= shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", shard, shards,
                     shards - 1);
  unsigned count = simulation.getOperators().size();
  std::vector<BitVector> wanted;
  auto want = [&](const BitVector &quantized) {
    auto it = known.find(getKey(quantized));
    if (it == known.end() && !is_contained(wanted, quantized))
      wanted.push_back(quantized);
    return it == known.end() ? Score() : it->second;
  };
  want(BitVector(count));
  std::vector<OperatorSensitivity> operators;
  for (unsigned i = 0; i < count; ++i) {
    BitVector one(count), others(count, true);
    one.set(i);
    others.reset(i);
    Score alone = want(one);
    operators.push_back({i, alone, want(others)});
  }
  if (wanted.empty()) {
    sortByScore(operators);
    BitVector quantized(count, true);
    for (unsigned k = 0; k < count; ++k) {
      want(quantized);
      quantized.reset(operators[k].index);
    }
  }
  KnownScores result;
  arrays::ProgressBar progress("measuring operators",
                               (wanted.size() + shards - 1 - shard) / shards);
  for (size_t i = shard; i < wanted.size(); i += shards) {
    auto score = simulation.score(wanted[i]);
    if (!score)
      return score.takeError();
    result[getKey(wanted[i])] = *score;
    progress.advance(1);
  }
  progress.finish();
  return result;
}

static Parts describeScores(const Simulation &simulation) {
  return {"sensitivity", simulation.getFingerprint(), {}};
}

Parts tuning::makeParts(const KnownScores &scores,
                        const Simulation &simulation) {
  Parts parts = describeScores(simulation);
  for (auto &[key, score] : scores)
    parts.results.emplace(key, toArray(score));
  return parts;
}

Expected<KnownScores> tuning::readScores(const Simulation &simulation,
                                         PartsReader readParts) {
  Parts parts = describeScores(simulation);
  if (Error error = readParts(parts))
    return error;
  KnownScores result;
  unsigned count = simulation.getOperators().size();
  for (auto &[key, entry] : parts.results) {
    auto score = toScore(entry);
    if (!score || key.size() != count ||
        StringRef(key).find_first_not_of("01") != StringRef::npos)
      return makeError("no score, or no operators: '{0}'", key);
    result[key] = *score;
  }
  return result;
}

Expected<Sensitivity> tuning::findSensitivity(Simulation &simulation,
                                              KnownScores known) {
  unsigned count = simulation.getOperators().size();
  Sensitivity result;
  arrays::ProgressBar progress("measuring operators", 3 * count + 1);
  auto score = [&](const BitVector &quantized) -> Expected<Score> {
    progress.advance(1);
    auto it = known.find(getKey(quantized));
    return it != known.end() ? it->second : simulation.score(quantized);
  };
  auto real = score(BitVector(count));
  if (!real)
    return real.takeError();
  result.real = *real;
  for (unsigned i = 0; i < count; ++i) {
    BitVector one(count), others(count, true);
    one.set(i);
    others.reset(i);
    auto alone = score(one);
    if (!alone)
      return alone.takeError();
    auto without = score(others);
    if (!without)
      return without.takeError();
    result.operators.push_back({i, *alone, *without});
  }
  sortByScore(result.operators);
  BitVector quantized(count, true);
  for (unsigned k = 0; k < count; ++k) {
    auto found = score(quantized);
    if (!found)
      return found.takeError();
    result.curve.push_back(*found);
    quantized.reset(result.operators[k].index);
  }
  result.curve.push_back(result.real);
  progress.finish();
  return result;
}

Expected<std::vector<ChangeScore>>
tuning::measureChanges(mlir::ModuleOp module, const NetworkOptions &options) {
  Measurements measurements(module, options, /*journalPath=*/"");
  if (Error error = measurements.prepare(/*resume=*/false))
    return error;
  std::vector<ChangeScore> result;
  unsigned interrupts = runtime::countInterrupts();
  auto add = [&](Candidate candidate) -> Error {
    ChangeScore &entry = result.emplace_back();
    entry.name = candidate.name;
    if (Error error = measurements.create(candidate)) {
      if (runtime::countInterrupts() != interrupts)
        return error;
      entry.problem = toString(std::move(error));
      return Error::success();
    }
    auto score = measurements.simulate(
        candidate, BitVector(candidate.simulation->getOperators().size()));
    if (!score)
      return score.takeError();
    entry.score = *score;
    return Error::success();
  };
  Candidate none;
  none.name = "none";
  if (Error error = add(std::move(none)))
    return error;
  for (const Change &change : measurements.listChanges()) {
    Candidate candidate;
    candidate.changes.push_back(change);
    candidate.name = change.getName();
    if (Error error = add(std::move(candidate)))
      return error;
  }
  return result;
}

void tuning::print(const Sensitivity &sensitivity, const Simulation &simulation,
                   raw_ostream &os) {
  size_t width = 8, kindWidth = 4;
  for (const SimulatedOperator &op : simulation.getOperators()) {
    width = std::max(width, op.selector.name.size());
    kindWidth = std::max(kindWidth, op.kind.size());
  }
  os << left_justify("operator", width) << "  "
     << left_justify("kind", kindWidth) << "  "
     << left_justify("alone quantized", 18) << "  all but it quantized\n";
  for (const OperatorSensitivity &each : sensitivity.operators) {
    const SimulatedOperator &op = simulation.getOperators()[each.index];
    os << left_justify(op.selector.name, width) << "  "
       << left_justify(op.kind, kindWidth) << "  "
       << left_justify(formatScore(each.alone), 18) << "  "
       << formatScore(each.without) << "\n";
  }
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

std::string tuning::toJSON(const Sensitivity &sensitivity,
                           const Simulation &simulation) {
  json::Array operators, curve;
  for (const OperatorSensitivity &each : sensitivity.operators) {
    const SimulatedOperator &op = simulation.getOperators()[each.index];
    operators.push_back(json::Object{{"name", op.selector.name},
                                     {"kind", op.kind},
                                     {"alone", toObject(each.alone)},
                                     {"without", toObject(each.without)}});
  }
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

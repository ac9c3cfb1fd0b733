// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to quantize each operator of a network.

#ifndef QBACKEND_INSIGHT_TUNING_SENSITIVITY_H
#define QBACKEND_INSIGHT_TUNING_SENSITIVITY_H

#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Support/Parts.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace qbackend::tuning {

/// One operator.
struct OperatorSensitivity {
  /// Its number in the simulation.
  unsigned index = 0;
  /// With nothing quantized but this one; with all but this one.
  Score alone, without;
};

/// A change of all operators, which all are quantized.
struct ChangeScore {
  std::string name;
  /// None if that isn't possible; and why not.
  std::optional<Score> score;
  std::string problem;
};

/// All operators, and what is left when the worst are float.
struct Sensitivity {
  /// The one that costs most when quantized alone comes first.
  std::vector<OperatorSensitivity> operators;
  /// With the first k of these float, for k = 0 and so on.
  std::vector<Score> curve;
  /// Of the float network.
  Score real;
  /// Of measureChanges, if that was asked for.
  std::vector<ChangeScore> changes;
};

/// Scores by what is quantized: a 0 or a 1 for each operator, in order.
using KnownScores = std::map<std::string, Score, std::less<>>;

/// Runs `simulation` once for each number of these: 3 n + 1 times; but for what
/// is `known`.
llvm::Expected<Sensitivity> findSensitivity(Simulation &simulation,
                                            KnownScores known = {});

/// Measures part `shard` of `shards` of what findSensitivity would run next:
/// the operators alone and left out, and once all of these are `known`, the
/// curve. Scores are the same wherever they are measured.
llvm::Expected<KnownScores> measurePart(Simulation &simulation,
                                        const KnownScores &known, int64_t shard,
                                        int64_t shards);

/// Scores of `simulation` as a part of a sensitivity: {"01": [31.2, 0.9]}; an
/// infinite SQNR is "inf" or "-inf".
Parts makeParts(const KnownScores &scores, const Simulation &simulation);

/// The scores of such parts. Fails if they are of another simulation.
llvm::Expected<KnownScores> readScores(const Simulation &simulation,
                                       PartsReader readParts);

/// What per-channel weights, other observers and each correction give, one at a
/// time; the first entry is none of them. Each is prepared, calibrated and
/// compiled by itself.
llvm::Expected<std::vector<ChangeScore>>
measureChanges(mlir::ModuleOp module, const NetworkOptions &options);

/// Prints a table, the curve, and the changes.
void print(const Sensitivity &sensitivity, const Simulation &simulation,
           llvm::raw_ostream &os);

/// The same as JSON: `operators`, each with `name`, `kind`, `alone` and
/// `without`, and `curve`; with changes `changes`, each with `name`, and
/// `score` or `problem`. An infinite SQNR is null.
std::string toJSON(const Sensitivity &sensitivity,
                   const Simulation &simulation);

/// `sqnr`, null if it is infinite, and `accuracy` with labels.
llvm::json::Object toObject(const Score &score);

/// An SQNR in dB and an accuracy, as messages have them: `31.24 dB, 0.9050`.
std::string formatScore(const Score &score);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_SENSITIVITY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to quantize each operator of a network.

#ifndef QBACKEND_INSIGHT_TUNING_SENSITIVITY_H
#define QBACKEND_INSIGHT_TUNING_SENSITIVITY_H

#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Support/Parts.h"

#include "llvm/Support/JSON.h"

#include <functional>

namespace qbackend::tuning {

struct SensitivityOptions {
  NetworkOptions network;
  /// Whether per-channel weights, other observers and each correction are
  /// measured, too, one at a time.
  bool measureChanges = false;
  /// Which part is measured, of how many; 0: all of it.
  int64_t shard = 0, shards = 0;
  /// Reads what parts have measured, which isn't measured again; null: nothing.
  std::function<llvm::Error(Parts &parts)> readParts;
};

/// One operator.
struct OperatorSensitivity {
  /// Its number in the order of the code.
  unsigned index = 0;
  std::string name, kind;
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
  /// If they were asked for; the first one is none.
  std::vector<ChangeScore> changes;
};

/// Runs the network once for each set of operators: at most 3 n times for n of
/// them. Each change is a network of its own, prepared, calibrated and compiled
/// by itself. Fails if nothing is quantized.
llvm::Expected<Sensitivity> findSensitivity(mlir::ModuleOp module,
                                            const SensitivityOptions &options);

/// Measures a part of what findSensitivity would next: the operators alone and
/// left out, and changes; once the former are in parts, the curve. Results are
/// scores, the same wherever they are measured, by a 0 or a 1 for each
/// operator, or by the name of a change, which may have a text: why it isn't
/// possible.
/// {"01": [31.2, 0.9], "change, bias-correction": [32.1, 0.9]}; an infinite
/// SQNR is "inf" or "-inf".
llvm::Expected<Parts> findSensitivityInPart(mlir::ModuleOp module,
                                            const SensitivityOptions &options);

/// Prints a table, the curve, and the changes.
void print(const Sensitivity &sensitivity, llvm::raw_ostream &os);

/// The same as JSON: `operators`, each with `name`, `kind`, `alone` and
/// `without`, and `curve`; with changes `changes`, each with `name`, and
/// `score` or `problem`. An infinite SQNR is null.
std::string toJSON(const Sensitivity &sensitivity);

/// `sqnr`, null if it is infinite, and `accuracy` with labels.
llvm::json::Object toObject(const Score &score);

/// An SQNR in dB and an accuracy, as messages have them: `31.24 dB, 0.9050`.
std::string formatScore(const Score &score);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_SENSITIVITY_H

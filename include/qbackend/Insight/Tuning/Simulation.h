// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network in which each operator can be quantized or float, compiled
// once.

#ifndef QBACKEND_INSIGHT_TUNING_SIMULATION_H
#define QBACKEND_INSIGHT_TUNING_SIMULATION_H

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Insight/Comparison/Compare.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Transforms/Analysis/OperatorSelectors.h"

#include "llvm/ADT/BitVector.h"

#include <memory>

namespace qbackend::tuning {

/// How good the results of a network are, against its float form.
struct Score {
  /// In dB, of the worst result.
  double sqnr = 0;
  /// Of the first result with a row for each sample; only with labels.
  std::optional<double> accuracy;
};

/// How a network is quantized, and on what it is judged.
struct NetworkOptions {
  std::string backend = "qnnpack";
  /// A named mapping of the backend or a file, see resolveQConfig.
  std::string qconfig;
  /// Ranges, and the samples that corrections run on; see calibrate.
  CalibrateOptions calibration;
  /// Path of the samples to judge on, and of their classes; empty: no accuracy.
  std::string data, labels;
  /// How many of them; -1: all.
  int64_t samples = -1;
};

/// What a score is of. A search chooses by the samples that it sees, which says
/// little about others, and promises what holds on those that it doesn't.
enum class SampleSet { All, Searched, HeldBack };

/// How many of `samples` are held back: every fourth one; none of fewer than 8,
/// which are both searched on and promised for.
int64_t countHeldBack(int64_t samples);

/// Compares results for `samples`: see Score. Of a result without as many rows
/// for each sample, all of it counts in each set.
llvm::Expected<Score> getScore(llvm::ArrayRef<arrays::NamedArray> original,
                               llvm::ArrayRef<arrays::NamedArray> other,
                               llvm::ArrayRef<int64_t> labels, int64_t samples,
                               SampleSet set);

/// An operator that is quantized.
struct SimulatedOperator {
  OperatorSelector selector;
  std::string kind;
  /// How much longer it takes in floats, conversions on both sides
  /// included, by predictSeconds.
  double realSeconds = 0;
  /// Its multiply-accumulates; a dynamic extent counts as 1.
  int64_t macs = 0;
};

/// The reference form of a network as float code, in which all that is
/// quantized is rounded to what its integers stand for, or not, as each run
/// says: weights and biases are arguments, and what is between operators is
/// chosen by a flag. What an operator reads or gives is rounded, as by
/// observers, if it is quantized or the operator on the other side is.
///
/// The numbers are those of mode=fake-quant with a qconfig `none` for the
/// others.
class Simulation {
public:
  /// Prepares and calibrates a copy of `module`, which is float. Errors
  /// are the first of its diagnostics.
  static llvm::Expected<std::unique_ptr<Simulation>>
  create(mlir::ModuleOp module, const NetworkOptions &options);
  ~Simulation();

  /// Those quantized by parameters from calibration, in the order of the code.
  llvm::ArrayRef<SimulatedOperator> getOperators() const { return operators; }

  /// The operators around the values of one scale and zero point: float
  /// together, these values aren't rounded.
  llvm::ArrayRef<llvm::SmallVector<unsigned>> getGroups() const {
    return groups;
  }

  /// The results with the operators of `quantized` quantized.
  llvm::Expected<std::vector<arrays::NamedArray>>
  run(const llvm::BitVector &quantized);

  /// Their score on `set`, against none quantized.
  llvm::Expected<Score> score(const llvm::BitVector &quantized,
                              SampleSet set = SampleSet::All);

  /// How many samples it runs on.
  int64_t countSamples() const;

  /// A hash of all that scores depend on: the code with its scales, weights,
  /// labels, and the float results, which stand for the samples.
  std::string getFingerprint() const { return fingerprint; }

private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
  std::vector<SimulatedOperator> operators;
  std::vector<llvm::SmallVector<unsigned>> groups;
  std::string fingerprint;
};

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_SIMULATION_H

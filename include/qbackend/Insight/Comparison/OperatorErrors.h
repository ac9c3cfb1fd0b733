// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operator of a quantized network does to the values: how far its
// result is from the float one, why, and what to change.

#ifndef QBACKEND_INSIGHT_COMPARISON_OPERATORERRORS_H
#define QBACKEND_INSIGHT_COMPARISON_OPERATORERRORS_H

#include "qbackend/Calibration/Observer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qbackend::evaluation {

/// A signal-to-noise ratio in JSON, which has no infinity: null if nothing
/// differs, "-inf" if there is no signal.
llvm::json::Value toDecibels(double ratio);

/// Sums over the elements of a tensor, from which errors are computed. Elements
/// whose exact number is not finite are left out.
struct ErrorSums {
  int64_t elements = 0;
  /// Of squares: of the exact numbers, of the others, of the differences.
  double signal = 0, other = 0, noise = 0;
  /// Of the products of both.
  double product = 0;
  /// The largest difference.
  double largest = 0;
  /// The squares of the exact numbers and of the differences by channel, the
  /// last dimension.
  std::vector<double> channelSignal, channelNoise;

  /// Adds a tensor of `channels` channels.
  void add(llvm::ArrayRef<float> exact, llvm::ArrayRef<float> found,
           int64_t channels);

  /// 10 log10(signal / noise) in dB; infinite if nothing differs.
  double getSqnr() const;
  /// Of the angle between both tensors; 1 if both are zero.
  double getCosine() const;
  /// noise / signal, or its mean over the channels if that is larger: a few
  /// channels with large numbers don't hide what becomes of the others. The
  /// signal of a channel is taken for at least 1% of the mean.
  double getNoiseRatio() const;
};

/// The integers of a tensor and the numbers that they stand for.
struct QuantizedRange {
  /// "ui8"; empty: float.
  std::string dtype;
  double scale = 0;
  int64_t zeroPoint = 0, quantMin = 0, quantMax = 0;

  double getLowest() const { return double(quantMin - zeroPoint) * scale; }
  double getHighest() const { return double(quantMax - zeroPoint) * scale; }
  bool operator==(const QuantizedRange &other) const {
    return dtype == other.dtype && scale == other.scale &&
           zeroPoint == other.zeroPoint && quantMin == other.quantMin &&
           quantMax == other.quantMax;
  }
};

/// The weight of one output channel in both networks.
struct ChannelWeight {
  float min = 0, max = 0;
  /// The same of the numbers that the integers stand for, and their scale.
  float quantizedMin = 0, quantizedMax = 0;
  double scale = 0;
  /// Sums of squares of the weight, and of its error now, and with a scale for
  /// each channel and all integers of 8 bits.
  double signal = 0, noise = 0, perChannelNoise = 0;
  /// The largest error in steps of the scale: up to 0.5 is rounding.
  double steps = 0;
  /// Both biases, if there are any, and the step of the quantized one (0: not
  /// known).
  std::optional<float> bias, quantizedBias;
  double biasStep = 0;
};

/// One operator of the float network, or one of its arguments, and what
/// became of it in the quantized one.
struct OperatorErrors {
  /// What tables call its result.
  std::string name;
  /// "conv2d+relu"; "input" of an argument.
  std::string kind;
  /// Entries of a mapping that select it and nothing else, see
  /// OperatorSelector: `module_name "conv1"`; none of an argument.
  std::vector<std::string> selectors;
  /// What computes it in the quantized network: "qnnpack.conv2d"; empty if it
  /// was not found there.
  std::string kernel;
  /// Numbers of the operators whose results it reads.
  std::vector<unsigned> inputs;
  /// Its extents; -1: dynamic.
  std::vector<int64_t> shape;
  /// Products that are summed up.
  int64_t multiplyAccumulates = 0;
  /// The integers of its result; none if that is float.
  std::optional<QuantizedRange> range;
  /// Whether it computes with numbers of the range of its input.
  bool sharesRange = false;
  /// The observer of its result: all that have it share a range. Empty: none,
  /// or one with fixed qparams.
  std::string observer;
  /// Whether an entry of a table is of its result, and not of that which it
  /// only moves.
  bool isInTable = false;
  /// The observers of its qconfig, as a mapping spells them.
  std::string activationObserver, weightObserver;
  /// The kind of the first one, and how it is spelled as one of another kind;
  /// none if its integers don't come from statistics.
  std::optional<calibration::ObserverKind> activationKind;
  std::map<calibration::ObserverKind, std::string> otherActivations;
  /// The second one, with a scale for each channel and all integers of its
  /// type; empty if it has both, or can't.
  std::string finerWeight;

  /// Of the result in the quantized network, inputs and all.
  ErrorSums cumulative;
  /// Of the result, if the operator alone is quantized: inputs are those of the
  /// float network, in the integers of the quantized one.
  ErrorSums local;
  /// Of the result, if nothing but the inputs are: it is their producers'.
  ErrorSums fromInputs;
  /// What is in `local` and not in `fromInputs`: the operator's own.
  ErrorSums own;
  /// The parts of `own`, each as if it were the only one. Clipping and rounding
  /// are those of the result.
  ErrorSums weight, bias, clip, round;

  /// What the exact result holds, and the one of the quantized network.
  calibration::Statistics statistics, quantizedStatistics;
  /// Empty if it has no weight in integers.
  std::vector<ChannelWeight> channels;

  bool isCompared() const { return cumulative.elements > 0; }
};

enum class Cause { None, Weight, WrongWeight, Bias, Clip, Round, Arithmetic };

/// A change that may mend it.
struct Suggestion {
  enum Kind {
    None,
    /// The operators stay float.
    Float,
    /// Weights get a scale for each channel, and all integers of their type.
    FinerWeight,
    /// Results get another observer.
    Observer,
    /// The range is none of these values: it has to be observed again.
    Range,
  };
  Kind kind = None;
  calibration::ObserverKind observer = calibration::ObserverKind::MinMax;
  /// The operators whose qconfigs change.
  std::vector<unsigned> operators;
};

/// What is said about one operator.
struct Finding {
  unsigned op = 0;
  /// Noise over signal that it causes, in its result or in that of an operator
  /// that reads it; what is ranked by.
  double score = 0;
  Cause cause = Cause::None;
  /// In words: what is wrong.
  std::string reason;
  Suggestion change;
  /// Entries of a qconfig mapping, a line each, or one of a calibration table;
  /// empty: nothing to change.
  std::string suggestion;
  /// What it gives in dB, if it was tried.
  std::optional<double> gain;
};

/// The change by which `op` stays float, and nothing else; None of an argument.
Suggestion keepFloat(llvm::ArrayRef<OperatorErrors> operators, unsigned op);

/// The change by which `op`, and what shares its range, have in a calibration
/// table that of what was seen.
Suggestion enterRange(llvm::ArrayRef<OperatorErrors> operators, unsigned op);

/// What is to be pasted for `change`.
std::string spell(llvm::ArrayRef<OperatorErrors> operators,
                  const Suggestion &change);

/// The name of a cause: "weight".
llvm::StringRef getCauseName(Cause cause);

/// Says of each operator that was found what it does, the worst first.
std::vector<Finding> rankOperators(llvm::ArrayRef<OperatorErrors> operators);

/// Squared error of clipping and of rounding the values of `statistics`, which
/// has a grid, to `range`.
std::pair<double, double>
estimateNoise(const calibration::Statistics &statistics,
              const QuantizedRange &range);

} // namespace qbackend::evaluation

#endif // QBACKEND_INSIGHT_COMPARISON_OPERATORERRORS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operator of a quantized network does to the values, and which one
// to look at first.

#include "qbackend/Insight/Comparison/OperatorErrors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace qbackend;
using namespace qbackend::evaluation;
using calibration::ObserverKind;
using llvm::ArrayRef;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void ErrorSums::add(ArrayRef<float> exact, ArrayRef<float> found,
                    int64_t channels) {
  channels = std::max<int64_t>(channels, 1);
  channelSignal.resize(channels);
  channelNoise.resize(channels);
  size_t channel = 0;
  for (auto [x, y] : llvm::zip_equal(exact, found)) {
    size_t c = channel;
    if (++channel == size_t(channels))
      channel = 0;
    if (!std::isfinite(x))
      continue;
    ++elements;
    double a = x, b = y, difference = a - b;
    // What is no number has lost all of it.
    if (!std::isfinite(y))
      b = 0, difference = a;
    signal += a * a;
    other += b * b;
    product += a * b;
    noise += difference * difference;
    largest = std::max(largest, std::abs(difference));
    channelSignal[c] += a * a;
    channelNoise[c] += difference * difference;
  }
}

llvm::json::Value qbackend::evaluation::toDecibels(double ratio) {
  if (std::isfinite(ratio))
    return ratio;
  return ratio > 0 ? llvm::json::Value(nullptr) : llvm::json::Value("-inf");
}

double ErrorSums::getSqnr() const {
  return noise == 0 ? std::numeric_limits<double>::infinity()
                    : 10 * std::log10(signal / noise);
}

double ErrorSums::getCosine() const {
  if (signal == 0 || other == 0)
    return signal == other ? 1.0 : 0.0;
  return product / std::sqrt(signal) / std::sqrt(other);
}

double ErrorSums::getNoiseRatio() const {
  if (noise == 0)
    return 0;
  if (signal == 0)
    return std::numeric_limits<double>::infinity();
  double mean = signal / channelSignal.size(), sum = 0;
  for (auto [s, n] : llvm::zip_equal(channelSignal, channelNoise))
    sum += n / std::max(s, 0.01 * mean);
  return std::max(noise / signal, sum / channelSignal.size());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

std::pair<double, double>
evaluation::estimateNoise(const calibration::Statistics &statistics,
                          const QuantizedRange &range) {
  double clip = 0, round = 0;
  double lowest = range.getLowest(), highest = range.getHighest();
  const calibration::Grid &grid = statistics.grid;
  double width = grid.width();
  for (auto [i, count] : llvm::enumerate(grid.counts)) {
    if (count == 0)
      continue;
    double cell = double(grid.first + int64_t(i));
    double left = std::max<double>(cell * width, statistics.min);
    double right = std::min<double>((cell + 1) * width, statistics.max);
    double value = (left + right) / 2;
    double outside = std::max({lowest - value, value - highest, 0.0});
    if (outside > 0) {
      clip += count * outside * outside;
      continue;
    }
    // A cell that is narrower than a step is at one place of it.
    double step = range.scale;
    if (right - left < step / 4) {
      double error = value - std::nearbyint(value / step) * step;
      round += count * error * error;
    } else {
      round += count * step * step / 12;
    }
  }
  return {clip, round};
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

StringRef evaluation::getCauseName(Cause cause) {
  switch (cause) {
  case Cause::None:
    return "";
  case Cause::Weight:
    return "weight";
  case Cause::WrongWeight:
    return "other weight";
  case Cause::Bias:
    return "bias";
  case Cause::Clip:
    return "clipping";
  case Cause::Round:
    return "rounding";
  case Cause::Arithmetic:
    return "arithmetic";
  }
  llvm_unreachable("unknown cause");
}

static std::string spell(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g", value);
  return text;
}

static std::string spellRange(double min, double max) {
  return "[" + spell(min) + ", " + spell(max) + "]";
}

/// The entry of a calibration table that has the range of what was seen for
/// those of `numbers`, which share one.
static std::string spellTableEntry(ArrayRef<OperatorErrors> operators,
                                   ArrayRef<unsigned> numbers) {
  std::string names;
  calibration::Statistics statistics = operators[numbers[0]].statistics;
  for (unsigned number : numbers) {
    if (operators[number].isInTable)
      names += (names.empty() ? "" : ", ") + operators[number].name;
    calibration::merge(statistics, operators[number].statistics);
  }
  return llvm::formatv("{{\"name\": \"{0}\", \"min\": {1}, \"max\": {2}}",
                       names.empty() ? operators[numbers[0]].name : names,
                       spell(statistics.min), spell(statistics.max))
      .str();
}

namespace {
/// Another observer, and the noise that it would leave.
struct Alternative {
  ObserverKind kind;
  double noise;
};
} // namespace

/// The observer whose range loses least of what has `statistics`.
static std::optional<Alternative>
findObserver(const calibration::Statistics &statistics,
             const std::optional<QuantizedRange> &found) {
  std::optional<Alternative> best;
  if (statistics.grid.empty() || !found)
    return best;
  for (ObserverKind kind :
       {ObserverKind::MinMax, ObserverKind::MSE, ObserverKind::Percentile}) {
    calibration::ObserverOptions options;
    options.kind = kind;
    options.isSigned = found->quantMin < 0;
    options.customRange =
        numerics::QuantRange{found->quantMin, found->quantMax};
    auto params = calibration::Observer::qparams(statistics, options);
    if (params.size() != 1)
      continue;
    QuantizedRange range = *found;
    range.scale = params[0].scale;
    range.zeroPoint = params[0].zeroPoint;
    auto [clip, round] = estimateNoise(statistics, range);
    if (!best || clip + round < 0.98 * best->noise)
      best = Alternative{kind, clip + round};
  }
  return best;
}

/// Whether the weight of a channel is no rounding of the float one, and not one
/// that was chosen beside it either.
static bool isOtherWeight(const ChannelWeight &channel) {
  return channel.steps > 1.51;
}

/// The channels of `op` with that property, as text: "3, 7 and 2 more".
template <typename Predicate>
static std::string listChannels(const OperatorErrors &op, Predicate predicate) {
  std::string text;
  unsigned count = 0;
  for (auto [c, channel] : llvm::enumerate(op.channels)) {
    if (!predicate(channel))
      continue;
    if (++count <= 4)
      text += (count > 1 ? ", " : "") + std::to_string(c);
  }
  if (count > 4)
    text += " and " + std::to_string(count - 4) + " more";
  return (count == 1 ? "channel " : "channels ") + text;
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

/// What a mapping says instead of the qconfig of `op`.
static std::string spellQConfig(const OperatorErrors &op,
                                const Suggestion &change) {
  if (change.kind == Suggestion::Float)
    return "none";
  StringRef activation = op.activationObserver, weight = op.weightObserver;
  if (change.kind == Suggestion::FinerWeight)
    weight = op.finerWeight;
  else if (auto it = op.otherActivations.find(change.observer);
           it != op.otherActivations.end())
    activation = it->second;
  return llvm::formatv("<activation = {0}, weight = {1}>", activation, weight)
      .str();
}

std::string evaluation::spell(ArrayRef<OperatorErrors> operators,
                              const Suggestion &change) {
  if (change.kind == Suggestion::Range)
    return spellTableEntry(operators, change.operators);
  std::string text;
  for (unsigned number : change.operators) {
    const OperatorErrors &op = operators[number];
    for (StringRef selector : op.selectors)
      text +=
          llvm::formatv("{0}qbackend.qconfig {1} {2}", text.empty() ? "" : "\n",
                        selector, spellQConfig(op, change));
  }
  return text;
}

Suggestion evaluation::keepFloat(ArrayRef<OperatorErrors> operators,
                                 unsigned op) {
  Suggestion change;
  if (operators[op].selectors.empty())
    return change;
  change.kind = Suggestion::Float;
  change.operators.push_back(op);
  return change;
}

/// The operators whose results share a range with that of `number`, and it.
static std::vector<unsigned> findSharers(ArrayRef<OperatorErrors> operators,
                                         unsigned number) {
  std::vector<unsigned> sharers;
  for (auto [i, op] : llvm::enumerate(operators))
    if (i == number ||
        (!op.observer.empty() && op.observer == operators[number].observer))
      sharers.push_back(i);
  return sharers;
}

Suggestion evaluation::enterRange(ArrayRef<OperatorErrors> operators,
                                  unsigned op) {
  Suggestion change;
  change.kind = Suggestion::Range;
  change.operators = findSharers(operators, op);
  return change;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static void explainWeight(ArrayRef<OperatorErrors> operators,
                          Finding &finding) {
  const OperatorErrors &op = operators[finding.op];
  if (llvm::any_of(op.channels, isOtherWeight)) {
    finding.cause = Cause::WrongWeight;
    bool isDead = llvm::any_of(op.channels, [](const ChannelWeight &channel) {
      return isOtherWeight(channel) && channel.quantizedMin == 0 &&
             channel.quantizedMax == 0;
    });
    finding.reason = (isDead ? "the weight of " : "the integers of ") +
                     listChannels(op, isOtherWeight) +
                     (isDead ? " is 0 in integers, and is not in floats"
                             : " are no rounding of the float weight");
    finding.change = keepFloat(operators, finding.op);
    return;
  }
  finding.cause = Cause::Weight;
  double now = 0, perChannel = 0;
  float least = std::numeric_limits<float>::infinity(), most = 0;
  // How many steps of its scale a weight is from 0 at most.
  double steps = 0;
  bool isPerTensor = op.channels.size() > 1;
  for (const ChannelWeight &channel : op.channels) {
    now += channel.noise;
    perChannel += channel.perChannelNoise;
    float range = std::max(-channel.min, channel.max);
    least = std::min(least, range);
    most = std::max(most, range);
    isPerTensor &= channel.scale == op.channels[0].scale;
    steps =
        std::max(steps, std::max(-channel.quantizedMin, channel.quantizedMax) /
                            channel.scale);
  }
  if (perChannel < 0.7 * now && !op.finerWeight.empty()) {
    // The largest weight has 127 of them in 8 bits.
    finding.reason =
        steps < 64 ? llvm::formatv("no more than {0} steps for weights "
                                   "that reach to {1}",
                                   spell(std::round(steps)), spell(most))
                         .str()
        : isPerTensor ? llvm::formatv("one scale for channels whose weights "
                                      "reach from {0} to {1}",
                                      spell(least), spell(most))
                            .str()
                      : "rounding of the weight";
    finding.change.kind = Suggestion::FinerWeight;
    finding.change.operators.push_back(finding.op);
    return;
  }
  finding.reason = "rounding of the weight";
  finding.change = keepFloat(operators, finding.op);
}

static double getBiasError(const ChannelWeight &channel) {
  return channel.bias && channel.quantizedBias
             ? std::abs(double(*channel.bias) - *channel.quantizedBias)
             : 0.0;
}

static void explainBias(ArrayRef<OperatorErrors> operators, Finding &finding) {
  const OperatorErrors &op = operators[finding.op];
  finding.cause = Cause::Bias;
  double most = 0;
  size_t worst = 0;
  for (auto [c, channel] : llvm::enumerate(op.channels))
    if (getBiasError(channel) > most)
      most = getBiasError(channel), worst = c;
  if (op.channels.empty()) {
    finding.reason = "the biases differ";
  } else {
    finding.reason =
        llvm::formatv("the bias of channel {0} is {1}, float {2}", worst,
                      spell(*op.channels[worst].quantizedBias),
                      spell(*op.channels[worst].bias))
            .str();
    constexpr double limit = 2147483648.0;
    if (op.channels[worst].biasStep > 0 &&
        std::abs(*op.channels[worst].bias) >
            limit * op.channels[worst].biasStep)
      finding.reason += ", more than int32 holds at its scale";
  }
  finding.change = keepFloat(operators, finding.op);
}

static void explainRange(ArrayRef<OperatorErrors> operators, Finding &finding) {
  const OperatorErrors &op = operators[finding.op];
  bool clips = finding.cause == Cause::Clip;
  std::vector<unsigned> sharers = findSharers(operators, finding.op);
  calibration::Statistics statistics = op.statistics;
  std::string others;
  for (unsigned sharer : sharers) {
    if (sharer == finding.op)
      continue;
    calibration::merge(statistics, operators[sharer].statistics);
    others += (others.empty() ? "" : ", ") + operators[sharer].name;
  }
  std::optional<Alternative> best = findObserver(statistics, op.range);
  auto [clip, round] = estimateNoise(statistics, *op.range);
  std::string seen = spellRange(op.statistics.min, op.statistics.max);
  std::string held = spellRange(op.range->getLowest(), op.range->getHighest());
  finding.reason =
      clips ? "integers hold " + held + ", values are in " + seen
            : "steps of " + spell(op.range->scale) + ", values are in " + seen;
  if (!others.empty())
    finding.reason += "; " + others + (sharers.size() > 2 ? " have" : " has") +
                      " the same scale, for values in " +
                      spellRange(statistics.min, statistics.max);
  // Nothing here has chosen the range.
  if (op.selectors.empty() && op.observer.empty())
    return;
  // A mask leaves no step for anything else, whatever the observer.
  bool isMask = op.statistics.min < -1e4 || op.statistics.max > 1e30;
  if (isMask && !clips) {
    finding.reason += ": a mask";
    finding.change = keepFloat(operators, finding.op);
    return;
  }
  // 1 dB is worth a change.
  if (!best || best->noise > 0.8 * (clip + round)) {
    finding.change = keepFloat(operators, finding.op);
    return;
  }
  // Who shares has to have it, too: the first one says how all are observed.
  finding.change.observer = best->kind;
  for (unsigned sharer : sharers)
    if (operators[sharer].otherActivations.count(best->kind))
      finding.change.operators.push_back(sharer);
  finding.change.kind = Suggestion::Observer;
  if (!finding.change.operators.empty())
    return;
  // The same observer on these values has another range.
  finding.change = enterRange(operators, finding.op);
}

/// Where the numbers that `op` reads were rounded first: what moves numbers, or
/// computes in the range of its input, adds nothing.
static unsigned findOrigin(ArrayRef<OperatorErrors> operators, unsigned op) {
  for (size_t steps = 0; steps < operators.size(); ++steps) {
    const OperatorErrors &errors = operators[op];
    if (errors.inputs.size() != 1 || !errors.sharesRange ||
        errors.own.noise > 1e-3 * errors.fromInputs.noise)
      return op;
    op = errors.inputs[0];
  }
  return op;
}

static Finding explain(ArrayRef<OperatorErrors> operators, unsigned number,
                       double charged) {
  const OperatorErrors &op = operators[number];
  Finding finding;
  finding.op = number;
  finding.score = std::max(op.own.getNoiseRatio(), charged);
  if (finding.score == 0)
    return finding;
  double parts[] = {op.weight.getNoiseRatio(), op.bias.getNoiseRatio(),
                    op.clip.getNoiseRatio(), op.round.getNoiseRatio()};
  double most = *std::max_element(std::begin(parts), std::end(parts));
  // A kernel that doesn't compute what the operator does, beyond what its
  // parameters explain.
  if (op.own.getNoiseRatio() > 20 * most && op.own.getNoiseRatio() >= charged) {
    // A bias of an operator that has none has no run of its own.
    if (llvm::any_of(op.channels, [](const ChannelWeight &channel) {
          return getBiasError(channel) > 1.5 * channel.biasStep;
        })) {
      explainBias(operators, finding);
      return finding;
    }
    finding.cause = Cause::Arithmetic;
    finding.reason = "the kernel computes other numbers than the operator";
    finding.change = keepFloat(operators, number);
    return finding;
  }
  if (parts[0] == most && most > 0) {
    explainWeight(operators, finding);
  } else if (parts[1] == most && most > 0) {
    explainBias(operators, finding);
  } else if (op.range) {
    finding.cause = parts[2] > parts[3] ? Cause::Clip : Cause::Round;
    explainRange(operators, finding);
  }
  return finding;
}

std::vector<Finding>
evaluation::rankOperators(ArrayRef<OperatorErrors> operators) {
  // What an operator's inputs do to its result is charged to who rounded them,
  // by how much they did.
  std::vector<double> charged(operators.size());
  for (const OperatorErrors &op : operators) {
    double ratio = op.fromInputs.getNoiseRatio();
    if (ratio == 0)
      continue;
    std::vector<unsigned> origins;
    double total = 0;
    for (unsigned input : op.inputs) {
      unsigned origin = findOrigin(operators, input);
      origins.push_back(origin);
      total += operators[origin].clip.noise + operators[origin].round.noise;
    }
    for (unsigned origin : origins) {
      double noise =
          operators[origin].clip.noise + operators[origin].round.noise;
      double share = total > 0 ? noise / total : 0;
      charged[origin] = std::max(charged[origin], ratio * share);
    }
  }
  std::vector<Finding> findings;
  for (unsigned i = 0; i < operators.size(); ++i)
    if (operators[i].isCompared() && !operators[i].kernel.empty()) {
      Finding &finding =
          findings.emplace_back(explain(operators, i, charged[i]));
      finding.suggestion = spell(operators, finding.change);
      // No observer mends what is no quantization of this network.
      if ((finding.cause == Cause::WrongWeight ||
           finding.cause == Cause::Bias) &&
          !finding.suggestion.empty())
        finding.suggestion =
            "quantize this network again; until then: " + finding.suggestion;
    }
  // What is no quantization of this network comes first: no observer mends it.
  auto getTier = [&](const Finding &finding) {
    const OperatorErrors &op = operators[finding.op];
    bool isOther = llvm::any_of(op.channels, isOtherWeight) &&
                   op.weight.getNoiseRatio() > 1e-4;
    return isOther ? 0 : 1;
  };
  llvm::stable_sort(findings, [&](const Finding &a, const Finding &b) {
    if (getTier(a) != getTier(b))
      return getTier(a) < getTier(b);
    return a.score > b.score;
  });
  return findings;
}

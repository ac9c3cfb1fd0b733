// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of operators as one page for a browser: OperatorPage.html around the
// numbers as JSON.

#include "qbackend/Insight/Comparison/OperatorPage.h"

#include "qbackend/Insight/Comparison/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::evaluation;
using llvm::ArrayRef;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr char kTemplate[] =
#include "qbackend/Insight/Comparison/OperatorPage.inc"
    ;

static constexpr int64_t kBins = 96;
/// Of more channels, several are one bar.
static constexpr int64_t kBars = 128;

/// Four digits: nobody sees more, and the page stays small. What is no number
/// of JSON is null.
static json::Value shorten(double value, unsigned digits = 4) {
  if (!std::isfinite(value))
    return nullptr;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
  return std::strtod(text.c_str(), nullptr);
}

static json::Array getShape(ArrayRef<int64_t> shape) {
  return json::Array(shape);
}

/// The counts of the exact values and of those of the quantized network in the
/// same bins.
static json::Object getHistogram(const OperatorErrors &op) {
  const calibration::Statistics &original = op.statistics,
                                &other = op.quantizedStatistics;
  float min = original.min, max = original.max;
  if (!other.empty()) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  json::Object result{{"min", shorten(min)}, {"max", shorten(max)}};
  auto add = [&](StringRef key, const calibration::Statistics &statistics) {
    if (statistics.empty() || statistics.grid.empty() || !(min < max))
      return;
    json::Array counts;
    for (float count : statistics.grid.resample(kBins, min, max, statistics.min,
                                                statistics.max))
      counts.push_back(int64_t(std::llround(count)));
    result[key] = std::move(counts);
  };
  add("real", original);
  add("quantized", other);
  return result;
}

static json::Array getChannels(ArrayRef<ChannelWeight> channels) {
  json::Array bars;
  int64_t step = std::max<int64_t>(1, (channels.size() + kBars - 1) / kBars);
  for (size_t first = 0; first < channels.size(); first += step) {
    ArrayRef<ChannelWeight> group =
        channels.slice(first, std::min<size_t>(step, channels.size() - first));
    ChannelWeight sum = group[0];
    for (const ChannelWeight &channel : group.drop_front()) {
      sum.min = std::min(sum.min, channel.min);
      sum.max = std::max(sum.max, channel.max);
      sum.quantizedMin = std::min(sum.quantizedMin, channel.quantizedMin);
      sum.quantizedMax = std::max(sum.quantizedMax, channel.quantizedMax);
      sum.scale = std::max(sum.scale, channel.scale);
      sum.signal += channel.signal;
      sum.noise += channel.noise;
      sum.steps = std::max(sum.steps, channel.steps);
    }
    bars.push_back(json::Array{
        int64_t(first), shorten(sum.min), shorten(sum.max),
        shorten(sum.quantizedMin), shorten(sum.quantizedMax),
        shorten(sum.scale),
        sum.noise > 0 ? shorten(10 * std::log10(sum.signal / sum.noise))
                      : json::Value(nullptr),
        shorten(sum.steps)});
  }
  return bars;
}

static json::Object getErrors(const ErrorSums &sums) {
  return json::Object{{"sqnr", shorten(sums.getSqnr())},
                      {"cosine", shorten(sums.getCosine(), /*digits=*/7)},
                      {"largest", shorten(sums.largest)},
                      {"known", sums.elements > 0},
                      {"ratio", shorten(sums.getNoiseRatio())}};
}

static json::Object getOperator(const OperatorErrors &op) {
  json::Array parts;
  for (double part : getParts(op))
    parts.push_back(shorten(part));
  json::Object result{{"name", json::fixUTF8(op.name)},
                      {"kind", json::fixUTF8(op.kind)},
                      {"kernel", json::fixUTF8(op.kernel)},
                      {"inputs", json::Array(op.inputs)},
                      {"shape", getShape(op.shape)},
                      {"macs", op.multiplyAccumulates},
                      {"activation", op.activationObserver},
                      {"weight", op.weightObserver},
                      {"cumulative", getErrors(op.cumulative)},
                      {"local", getErrors(op.local)},
                      {"own", getErrors(op.own)},
                      {"fromInputs", getErrors(op.fromInputs)},
                      {"parts", std::move(parts)},
                      {"histogram", getHistogram(op)},
                      {"channels", getChannels(op.channels)},
                      {"channelCount", int64_t(op.channels.size())}};
  if (op.range)
    result["range"] =
        json::Object{{"dtype", op.range->dtype},
                     {"scale", shorten(op.range->scale, /*digits=*/9)},
                     {"zeroPoint", op.range->zeroPoint},
                     {"lowest", shorten(op.range->getLowest())},
                     {"highest", shorten(op.range->getHighest())}};
  return result;
}

/// The shortest text that is read as the number `text`: LLVM writes 17 digits,
/// which would be most of the page.
static std::string shortenNumber(StringRef text) {
  double value;
  if (text.size() <= 6 || text.getAsDouble(value))
    return text.str();
  for (unsigned digits = 4; digits < 17; ++digits) {
    std::string result;
    llvm::raw_string_ostream(result) << llvm::format("%.*g", digits, value);
    if (std::strtod(result.c_str(), nullptr) == value)
      return result;
  }
  return text.str();
}

/// Text of JSON inside of a script element, which ends at "</".
static std::string escape(json::Value value) {
  std::string text, result;
  llvm::raw_string_ostream(text) << std::move(value);
  bool isString = false;
  for (StringRef rest = text; !rest.empty();) {
    char c = rest.front();
    if (!isString && (c == '-' || llvm::isDigit(c))) {
      StringRef number = rest.take_while([](char c) {
        return llvm::isAlnum(c) || StringRef("+-.").contains(c);
      });
      result += shortenNumber(number);
      rest = rest.drop_front(number.size());
      continue;
    }
    // What follows a backslash ends no string.
    size_t count = c == '\\' ? 2 : 1;
    isString ^= c == '"';
    if (c == '<')
      result += "\\u003c";
    else
      result += rest.take_front(count);
    rest = rest.drop_front(count);
  }
  return result;
}

std::string evaluation::makePage(StringRef title,
                                 ArrayRef<Comparison> comparisons,
                                 ArrayRef<OperatorErrors> operators,
                                 ArrayRef<Finding> findings) {
  json::Array wholes, nodes, ranking;
  for (const Comparison &comparison : comparisons) {
    json::Object whole{{"name", json::fixUTF8(comparison.name)},
                       {"sqnr", shorten(comparison.sqnr)},
                       {"largest", shorten(comparison.maxDifference)},
                       {"different", comparison.different},
                       {"elements", comparison.elements}};
    if (comparison.top1Agreement)
      whole["top1"] = *comparison.top1Agreement;
    if (comparison.accuracy)
      whole["accuracy"] =
          json::Array{comparison.accuracy->first, comparison.accuracy->second};
    wholes.push_back(std::move(whole));
  }
  for (const OperatorErrors &op : operators)
    nodes.push_back(getOperator(op));
  for (const Finding &finding : findings)
    ranking.push_back(
        json::Object{{"op", finding.op},
                     {"score", shorten(finding.score)},
                     {"cause", getCauseName(finding.cause)},
                     {"reason", json::fixUTF8(finding.reason)},
                     {"suggestion", json::fixUTF8(finding.suggestion)}});
  std::string data = escape(json::Object{{"title", json::fixUTF8(title)},
                                         {"whole", std::move(wholes)},
                                         {"operators", std::move(nodes)},
                                         {"findings", std::move(ranking)}});
  auto [head, tail] = StringRef(kTemplate).split("%DATA%");
  return (head + data + tail).str();
}

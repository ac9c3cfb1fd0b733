// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of networks as JSON.

#include "qbackend/Insight/Comparison/ComparisonJson.h"

#include "qbackend/Insight/Comparison/OperatorTable.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::evaluation;
using llvm::ArrayRef;
namespace json = llvm::json;

/// JSON has no infinity.
static json::Value toNumber(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Value toValue(const ErrorSums &sums) {
  if (sums.elements == 0)
    return nullptr;
  return json::Object{{"sqnr", toDecibels(sums.getSqnr())},
                      {"cosine", toNumber(sums.getCosine())},
                      {"max_difference", sums.largest}};
}

json::Array evaluation::toJSON(ArrayRef<Comparison> comparisons) {
  json::Array result;
  for (const Comparison &comparison : comparisons) {
    json::Object object{{"name", json::fixUTF8(comparison.name)},
                        {"sqnr", toNumber(comparison.sqnr)},
                        {"cosine", toNumber(comparison.cosine)},
                        {"max_difference", toNumber(comparison.maxDifference)},
                        {"different", comparison.different},
                        {"elements", comparison.elements}};
    if (comparison.top1Agreement)
      object["top1_agreement"] = *comparison.top1Agreement;
    if (comparison.accuracy)
      object["accuracy"] =
          json::Array{comparison.accuracy->first, comparison.accuracy->second};
    result.push_back(std::move(object));
  }
  return result;
}

json::Object evaluation::toJSON(const OperatorErrors &op) {
  auto [weight, bias, clip, round] = getParts(op);
  json::Object result{{"name", json::fixUTF8(op.name)},
                      {"kind", json::fixUTF8(op.kind)},
                      {"kernel", json::fixUTF8(op.kernel)},
                      {"selector", op.selectors.empty()
                                       ? ""
                                       : json::fixUTF8(op.selectors.front())},
                      {"inputs", json::Array(op.inputs)},
                      {"shape", json::Array(op.shape)},
                      {"macs", op.multiplyAccumulates},
                      {"local", toValue(op.local)},
                      {"cumulative", toValue(op.cumulative)},
                      {"own", toValue(op.own)},
                      {"weight_percent", weight},
                      {"bias_percent", bias},
                      {"clip_percent", clip},
                      {"round_percent", round},
                      {"range", nullptr},
                      {"score", 0.0},
                      {"cause", ""},
                      {"reason", ""},
                      {"suggestion", ""}};
  if (op.range)
    result["range"] = json::Object{{"dtype", op.range->dtype},
                                   {"scale", op.range->scale},
                                   {"zero_point", op.range->zeroPoint},
                                   {"lowest", op.range->getLowest()},
                                   {"highest", op.range->getHighest()}};
  return result;
}

json::Object evaluation::toJSON(const Finding &finding) {
  json::Object result{{"score", toNumber(finding.score)},
                      {"cause", getCauseName(finding.cause)},
                      {"reason", json::fixUTF8(finding.reason)},
                      {"suggestion", json::fixUTF8(finding.suggestion)}};
  if (finding.gain && !finding.suggestion.empty())
    result["gain"] = toNumber(*finding.gain);
  return result;
}

json::Object evaluation::toJSON(ArrayRef<Comparison> comparisons,
                                ArrayRef<OperatorErrors> operators,
                                ArrayRef<Finding> findings) {
  json::Array rows, missing, ranking;
  for (const OperatorErrors &op : operators) {
    rows.push_back(toJSON(op));
    if (op.kernel.empty() && !op.isCompared())
      missing.push_back(json::fixUTF8(op.name));
  }
  for (const Finding &finding : findings) {
    for (auto &[key, value] : toJSON(finding))
      (*rows[finding.op].getAsObject())[key] = value;
    ranking.push_back(finding.op);
  }
  return json::Object{{"outputs", toJSON(comparisons)},
                      {"operators", std::move(rows)},
                      {"ranking", std::move(ranking)},
                      {"missing", std::move(missing)}};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a network costs, as JSON.

#include "qbackend/Insight/Cost/Cost.h"

using namespace qbackend;
namespace json = llvm::json;

json::Object qbackend::toJSON(const NetworkCost &cost) {
  json::Array operators, islands;
  for (const OperatorCost &op : cost.operators)
    operators.push_back(
        json::Object{{"name", json::fixUTF8(op.name)},
                     {"kind", json::fixUTF8(op.kind)},
                     {"integer_macs", op.integerMacs},
                     {"real_macs", op.floatMacs},
                     {"operations", op.operations},
                     {"read_bytes", op.readBytes},
                     {"written_bytes", op.writtenBytes},
                     {"parameter_bytes", op.parameterBytes},
                     {"is_conversion", op.isConversion},
                     {"is_real", op.isFloat},
                     {"predicted_seconds", op.predictedSeconds},
                     {"measured_seconds", op.measuredSeconds
                                              ? json::Value(*op.measuredSeconds)
                                              : json::Value(nullptr)}});
  for (const FloatIsland &island : cost.islands)
    islands.push_back(
        json::Object{{"operators", json::Array(island.operators)},
                     {"conversions", json::Array(island.conversions)},
                     {"predicted_seconds", island.predictedSeconds}});
  return json::Object{{"operators", std::move(operators)},
                      {"islands", std::move(islands)},
                      {"live_bytes", cost.liveBytes},
                      {"live_at", cost.liveAt},
                      {"parameter_bytes", cost.parameterBytes}};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints calibration tables as JSON, one entry a line, which reload bit for
// bit.

#include "qbackend/Calibration/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace qbackend::calibration {

using llvm::StringRef;
namespace json = llvm::json;

/// Returns a number with enough digits to reload exactly.
static std::string printNumber(double value) {
  // "-0" would be an integer, which is 0.
  if (value == 0 && std::signbit(value))
    return "-0.0";
  // Most are counts, for which printf takes ten times as long.
  if (std::fabs(value) < 1e9 && value == std::trunc(value))
    return std::to_string(static_cast<int64_t>(value));
  char buffer[40];
  // Prefer the short form where it is exact.
  snprintf(buffer, sizeof(buffer), "%.9g", value);
  if (std::strtod(buffer, nullptr) != value)
    snprintf(buffer, sizeof(buffer), "%.17g", value);
  return buffer;
}

template <typename T>
static void printNumbers(llvm::raw_ostream &os, StringRef field,
                         const std::vector<T> &values, bool isArray) {
  os << ", \"" << field << "\": " << (isArray ? "[" : "");
  for (size_t i = 0; i < values.size(); ++i)
    os << (i ? ", " : "") << printNumber(values[i]);
  os << (isArray ? "]" : "");
}

/// Prints ranges as two fields; those that never saw a value as [1, -1].
static void printRanges(llvm::raw_ostream &os, StringRef minField,
                        StringRef maxField, std::vector<float> mins,
                        std::vector<float> maxs) {
  if (mins.empty())
    return;
  for (size_t c = 0; c < mins.size(); ++c)
    if (!(mins[c] <= maxs[c])) {
      mins[c] = 1;
      maxs[c] = -1;
    }
  printNumbers(os, minField, mins, true);
  printNumbers(os, maxField, maxs, true);
}

static void printStatistics(llvm::raw_ostream &os, const Statistics &stats) {
  auto printCount = [&](StringRef field, int64_t count) {
    if (count > 0)
      os << ", \"" << field << "\": " << count;
  };
  if (!stats.empty()) {
    printNumbers(os, "min", std::vector<float>{stats.min}, false);
    printNumbers(os, "max", std::vector<float>{stats.max}, false);
  }
  printCount("batches", stats.batches);
  printCount("elements", stats.elements);
  printCount("nan", stats.nans);
  printCount("infinite", stats.infinities);
  if (stats.firstNonFinite >= 0)
    os << ", \"first_non_finite\": " << stats.firstNonFinite;
  printRanges(os, "average_min", "average_max", stats.averageMins,
              stats.averageMaxs);
  if (!stats.batchSamples.empty()) {
    printNumbers(os, "batch_samples", stats.batchSamples, true);
    printRanges(os, "batch_min", "batch_max", stats.batchMins, stats.batchMaxs);
  }
  printRanges(os, "channel_min", "channel_max", stats.channelMins,
              stats.channelMaxs);
  if (!stats.grid.empty()) {
    os << ", \"grid\": {\"exponent\": " << stats.grid.exponent
       << ", \"first\": " << stats.grid.first << ", \"counts\": [";
    llvm::interleaveComma(stats.grid.counts, os);
    os << "]}";
  }
  if (!stats.histogram.empty())
    printNumbers(os, "histogram", stats.histogram, true);
}

/// Prints sums as four integers each, see ExactSum.
static void printSums(llvm::raw_ostream &os, StringRef field,
                      const std::vector<numerics::ExactSum> &sums) {
  os << ", \"" << field << "\": [";
  llvm::interleave(
      sums, os,
      [&](const numerics::ExactSum &sum) {
        llvm::interleave(sum.getState(), os, ",");
      },
      ", ");
  os << "]";
}

static void printPatches(llvm::raw_ostream &os,
                         const std::vector<PatchSums> &patches) {
  os << ", \"patches\": [";
  llvm::interleaveComma(patches, os, [&](const PatchSums &patch) {
    os << "{\"geometry\": [";
    llvm::interleaveComma(patch.geometry.toNumbers(), os);
    os << "], \"pixels\": " << patch.pixels
       << ", \"product_pixels\": " << patch.productPixels;
    printSums(os, "sums", patch.sums);
    printSums(os, "product_sums", patch.productSums);
    printSums(os, "products", patch.products);
    os << "}";
  });
  os << "]";
}

static void printEntry(llvm::raw_ostream &os, const TableEntry &entry) {
  std::string_view kind = stringifyObserverKind(entry.kind);
  os << "{\"name\": " << json::Value(entry.name);
  if (!entry.structure.empty())
    os << ", \"structure\": " << json::Value(entry.structure);
  if (!entry.group.empty())
    os << ", \"group\": " << json::Value(json::Array(entry.group));
  if (!entry.shape.empty()) {
    os << ", \"shape\": [";
    llvm::interleaveComma(entry.shape, os);
    os << "]";
  }
  os << ", \"kind\": \"" << StringRef(kind.data(), kind.size()) << "\"";
  if (entry.explicitParams) {
    std::vector<double> scales, zeroPoints;
    for (const numerics::QuantParams &params : *entry.explicitParams) {
      scales.push_back(params.scale);
      zeroPoints.push_back(static_cast<double>(params.zeroPoint));
    }
    printNumbers(os, "scale", scales, scales.size() != 1);
    printNumbers(os, "zero_point", zeroPoints, scales.size() != 1);
  }
  printStatistics(os, entry.stats);
  if (!entry.patches.empty())
    printPatches(os, entry.patches);
  os << "}";
}

std::string printTable(const Table &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n\"version\": " << table.version;
  if (table.isMergeable)
    os << ",\n\"statistics\": \"mergeable\"";
  if (!table.tool.empty())
    os << ",\n\"tool\": " << json::Value(table.tool);
  if (!table.model.empty())
    os << ",\n\"model\": " << json::Value(table.model);
  os << ",\n\"network\": " << json::Value(table.network);
  if (!table.backend.empty())
    os << ",\n\"backend\": " << json::Value(table.backend);
  if (!table.samples.empty()) {
    os << ",\n\"samples\": [";
    llvm::interleave(
        table.samples, os,
        [&](const SampleRange &range) {
          os << "\n{\"source\": " << json::Value(range.source)
             << ", \"first\": " << range.first
             << ", \"count\": " << range.count;
          if (range.total)
            os << ", \"of\": " << range.total;
          if (!range.hash.empty())
            os << ", \"hash\": " << json::Value(range.hash);
          os << "}";
        },
        ",");
    os << "\n]";
  }
  os << ",\n\"entries\": [";
  bool isFirst = true;
  for (const TableEntry &entry : table.entries) {
    os << (isFirst ? "\n" : ",\n");
    isFirst = false;
    printEntry(os, entry);
  }
  os << "\n]\n}\n";
  return text;
}

} // namespace qbackend::calibration

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing calibration tables.

#include "qbackend/Calibration/Table.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/ParseJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

namespace qbackend::calibration {

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

std::vector<numerics::QuantParams>
TableEntry::qparams(const ObserverOptions &options) const {
  if (explicitParams)
    return *explicitParams;
  return Observer::qparams(stats, options);
}

const TableEntry *Table::lookup(StringRef name) const {
  for (const TableEntry &entry : entries)
    if (name == entry.name)
      return &entry;
  return nullptr;
}

/// Reads a number or an array of numbers. `isArray` says which it was.
static Error readNumbers(const json::Object &object, StringRef field,
                         const std::string &where, std::vector<double> &result,
                         bool &isArray) {
  const json::Value *value = object.get(field);
  isArray = false;
  if (!value)
    return Error::success();
  if (auto number = value->getAsNumber()) {
    result.push_back(*number);
  } else if (const json::Array *array = value->getAsArray()) {
    isArray = true;
    for (const json::Value &element : *array) {
      auto number = element.getAsNumber();
      if (!number)
        return llvm::createStringError(
            where + ": field '" + field +
            "' holds something that is not a number");
      result.push_back(*number);
    }
  } else {
    return llvm::createStringError(where + ": field '" + field +
                                   "' is not a number or an array of numbers");
  }
  if (isArray && result.empty())
    return llvm::createStringError(where + ": field '" + field + "' is empty");
  return Error::success();
}

/// Reads an optional count.
static Error readCount(const json::Object &object, StringRef field,
                       const std::string &where, int64_t &result) {
  const json::Value *value = object.get(field);
  if (!value)
    return Error::success();
  auto integer = value->getAsInteger();
  if (!integer || *integer < 0)
    return llvm::createStringError(where + ": field '" + field +
                                   "' is not a non-negative integer");
  result = *integer;
  return Error::success();
}

/// Reads ranges, one a channel or a single one. One that never saw a value is
/// printed as [1, -1].
static Error readRanges(const json::Object &object, StringRef minField,
                        StringRef maxField, const std::string &where,
                        std::vector<float> &mins, std::vector<float> &maxs) {
  std::vector<double> low, high;
  bool isArray;
  if (Error e = readNumbers(object, minField, where, low, isArray))
    return e;
  if (Error e = readNumbers(object, maxField, where, high, isArray))
    return e;
  if (low.size() != high.size())
    return llvm::createStringError(where + ": field '" + maxField + "' has " +
                                   Twine(high.size()) + " values, but '" +
                                   minField + "' has " + Twine(low.size()));
  for (size_t i = 0; i < low.size(); ++i) {
    float min = static_cast<float>(low[i]), max = static_cast<float>(high[i]);
    if (low[i] == 1 && high[i] == -1) {
      min = Statistics().min;
      max = Statistics().max;
    } else if (!(min <= max) || std::isinf(min) || std::isinf(max)) {
      return llvm::createStringError(where + ": field '" + minField +
                                     "' is greater than '" + maxField +
                                     "', or they are not finite in f32");
    }
    if (i == 0) {
      mins.clear();
      maxs.clear();
    }
    mins.push_back(min);
    maxs.push_back(max);
  }
  return Error::success();
}

/// Reads the grid, which has to be that of the range: another one couldn't be
/// merged with.
static Error readGrid(const json::Object &object, const std::string &where,
                      Statistics &stats) {
  const json::Value *value = object.get("grid");
  if (!value)
    return Error::success();
  const json::Object *fields = value->getAsObject();
  if (!fields)
    return llvm::createStringError(where + ": field 'grid' is not an object");
  if (stats.empty())
    return llvm::createStringError(where + ": missing field 'min'");
  Grid expected;
  float ends[] = {stats.min, stats.max};
  expected.add({{ends, 2}}, stats.min, stats.max);
  auto exponent = fields->getInteger("exponent");
  auto first = fields->getInteger("first");
  const json::Array *counts = fields->getArray("counts");
  if (!exponent || !first || !counts)
    return llvm::createStringError(
        where + ": field 'grid' needs the integers 'exponent' and "
                "'first', and the array 'counts'");
  if (*exponent != expected.exponent || *first != expected.first ||
      counts->size() != expected.counts.size())
    return llvm::createStringError(
        where +
        ": field 'grid' is not the one of this range; it "
        "would have exponent " +
        Twine(expected.exponent) + ", first " + Twine(expected.first) +
        " and " + Twine(expected.counts.size()) + " counts");
  // More than anybody counts, so that sums of many tables have a number.
  constexpr int64_t mostValues = int64_t(1) << 53;
  int64_t total = 0;
  for (size_t c = 0; c < counts->size(); ++c) {
    auto count = (*counts)[c].getAsInteger();
    if (!count || *count < 0)
      return llvm::createStringError(where +
                                     ": field 'grid' has a count that is not a "
                                     "non-negative integer");
    if (*count > mostValues - total)
      return llvm::createStringError(
          where + ": field 'grid' counts more than 2^53 values");
    total += *count;
    expected.counts[c] = *count;
  }
  stats.grid = std::move(expected);
  return Error::success();
}

static Error readStatistics(const json::Object &object,
                            const std::string &where, TableEntry &entry) {
  std::vector<double> mins, maxs, histogram;
  bool isArray, isMaxArray, isHistogramArray;
  if (Error e = readNumbers(object, "min", where, mins, isArray))
    return e;
  if (Error e = readNumbers(object, "max", where, maxs, isMaxArray))
    return e;
  if (Error e =
          readNumbers(object, "histogram", where, histogram, isHistogramArray))
    return e;
  Statistics &stats = entry.stats;
  if (Error e = readCount(object, "batches", where, stats.batches))
    return e;
  if (Error e = readCount(object, "elements", where, stats.elements))
    return e;
  // Version 1 has one count for both.
  if (Error e = readCount(object, "non_finite", where, stats.nans))
    return e;
  if (Error e = readCount(object, "nan", where, stats.nans))
    return e;
  if (Error e = readCount(object, "infinite", where, stats.infinities))
    return e;
  if (Error e =
          readCount(object, "first_non_finite", where, stats.firstNonFinite))
    return e;
  if (mins.empty() != maxs.empty())
    return llvm::createStringError(where + ": missing field '" +
                                   (mins.empty() ? "min" : "max") + "'");
  if (isArray != isMaxArray)
    return llvm::createStringError(
        where + ": field 'min' and field 'max' are not both arrays");
  if (mins.size() != maxs.size())
    return llvm::createStringError(
        where + ": field 'max' has " + Twine(maxs.size()) +
        " values, but 'min' has " + Twine(mins.size()));
  for (size_t i = 0; i < mins.size(); ++i) {
    // A channel that never saw a value is printed as [1, -1].
    float min = static_cast<float>(mins[i]), max = static_cast<float>(maxs[i]);
    bool isUnseen = isArray && mins[i] == 1 && maxs[i] == -1;
    if (!isUnseen && (!(min <= max) || std::isinf(min) || std::isinf(max)))
      return llvm::createStringError(
          where + ": field 'min' is greater than 'max', or they "
                  "are not finite in f32");
    if (!isUnseen) {
      stats.min = std::min(stats.min, min);
      stats.max = std::max(stats.max, max);
    }
    if (isArray) {
      stats.channelMins.push_back(isUnseen ? Statistics().min : min);
      stats.channelMaxs.push_back(isUnseen ? Statistics().max : max);
    }
  }
  if (!histogram.empty() && !isHistogramArray)
    return llvm::createStringError(where +
                                   ": field 'histogram' is not an array");
  if (!histogram.empty() && mins.empty())
    return llvm::createStringError(where + ": missing field 'min'");
  for (double count : histogram) {
    if (count < 0)
      return llvm::createStringError(
          where + ": field 'histogram' has a negative count");
    stats.histogram.push_back(static_cast<float>(count));
    if (std::isinf(stats.histogram.back()))
      return llvm::createStringError(
          where + ": field 'histogram' is not finite in f32");
  }
  if (Error e = readRanges(object, "channel_min", "channel_max", where,
                           stats.channelMins, stats.channelMaxs))
    return e;
  if (Error e = readRanges(object, "average_min", "average_max", where,
                           stats.averageMins, stats.averageMaxs))
    return e;
  return readGrid(object, where, stats);
}

static Error readParams(const json::Object &object, const std::string &where,
                        TableEntry &entry) {
  std::vector<double> scales, zeroPoints;
  bool isArray, isZeroPointArray;
  if (Error e = readNumbers(object, "scale", where, scales, isArray))
    return e;
  if (Error e = readNumbers(object, "zero_point", where, zeroPoints,
                            isZeroPointArray))
    return e;
  if (scales.empty() && zeroPoints.empty())
    return Error::success();
  if (scales.empty() || zeroPoints.empty())
    return llvm::createStringError(where + ": missing field '" +
                                   (scales.empty() ? "scale" : "zero_point") +
                                   "'");
  if (scales.size() != zeroPoints.size())
    return llvm::createStringError(
        where + ": field 'zero_point' has " + Twine(zeroPoints.size()) +
        " values, but 'scale' has " + Twine(scales.size()));
  entry.explicitParams.emplace();
  for (size_t i = 0; i < scales.size(); ++i) {
    float scale = static_cast<float>(scales[i]);
    if (!(scale > 0) || std::isinf(scale))
      return llvm::createStringError(
          where + ": field 'scale' is not a positive finite f32");
    if (zeroPoints[i] != std::trunc(zeroPoints[i]) || zeroPoints[i] < -0x1p31 ||
        zeroPoints[i] >= 0x1p31)
      return llvm::createStringError(
          where + ": field 'zero_point' is not an integer of 32 bits");
    entry.explicitParams->push_back(
        {scales[i], static_cast<int64_t>(zeroPoints[i])});
  }
  return Error::success();
}

/// Reads what tells an entry's tensor from others.
static Error readIdentity(const json::Object &object, const std::string &where,
                          TableEntry &entry) {
  if (const json::Value *value = object.get("structure")) {
    auto string = value->getAsString();
    if (!string)
      return llvm::createStringError(where +
                                     ": field 'structure' is not a string");
    entry.structure = string->str();
  }
  if (const json::Value *value = object.get("shape")) {
    const json::Array *extents = value->getAsArray();
    if (!extents)
      return llvm::createStringError(where + ": field 'shape' is not an array");
    for (const json::Value &extent : *extents) {
      auto integer = extent.getAsInteger();
      if (!integer)
        return llvm::createStringError(
            where + ": field 'shape' holds something that is not "
                    "an integer");
      entry.shape.push_back(*integer);
    }
  }
  if (const json::Value *value = object.get("group")) {
    const json::Array *names = value->getAsArray();
    if (!names)
      return llvm::createStringError(where + ": field 'group' is not an array");
    for (const json::Value &name : *names) {
      auto string = name.getAsString();
      if (!string)
        return llvm::createStringError(
            where + ": field 'group' holds something that is not "
                    "a string");
      entry.group.push_back(string->str());
    }
  }
  return Error::success();
}

static Error readSamples(const json::Object &object, const std::string &file,
                         Table &table) {
  const json::Value *value = object.get("samples");
  if (!value)
    return Error::success();
  const json::Array *ranges = value->getAsArray();
  if (!ranges)
    return llvm::createStringError(file + ": field 'samples' is not an array");
  for (const json::Value &element : *ranges) {
    const json::Object *range = element.getAsObject();
    auto source = range ? range->getString("source") : std::nullopt;
    auto first = range ? range->getInteger("first") : std::nullopt;
    auto count = range ? range->getInteger("count") : std::nullopt;
    if (!source || !first || !count || *first < 0 || *count < 0)
      return llvm::createStringError(
          file + ": field 'samples' needs 'source', 'first' and "
                 "'count' in each element");
    table.samples.push_back({source->str(), *first, *count});
  }
  return Error::success();
}

/// Reads the next entry of `table`; `names` are those of the ones before it.
static Error readEntry(const json::Value &value, const std::string &file,
                       std::set<std::string> &names, Table &table) {
  std::string where = file + ": entry " + std::to_string(table.entries.size());
  const json::Object *fields = value.getAsObject();
  if (!fields)
    return llvm::createStringError(where + " is not an object");
  TableEntry entry;
  const json::Value *name = fields->get("name");
  if (!name)
    return llvm::createStringError(where + ": missing field 'name'");
  if (!name->getAsString())
    return llvm::createStringError(where + ": field 'name' is not a string");
  entry.name = name->getAsString()->str();
  where = file + ": entry '" + entry.name + "'";
  if (!names.insert(entry.name).second)
    return llvm::createStringError(where + " occurs twice");
  // Parameters written by hand say nothing of how they were found.
  entry.kind =
      fields->get("histogram") ? ObserverKind::Histogram : ObserverKind::MinMax;
  if (const json::Value *kind = fields->get("kind")) {
    if (!kind->getAsString())
      return llvm::createStringError(where + ": field 'kind' is not a string");
    auto symbol = symbolizeObserverKind(kind->getAsString()->str());
    if (!symbol)
      return llvm::createStringError(
          where + ": unknown kind '" + *kind->getAsString() + "', expected " +
          listObserverKinds([](const ObserverKindInfo &) { return true; }));
    entry.kind = *symbol;
  }
  if (Error e = readIdentity(*fields, where, entry))
    return e;
  if (Error e = readStatistics(*fields, where, entry))
    return e;
  if (Error e = readParams(*fields, where, entry))
    return e;
  table.entries.push_back(std::move(entry));
  return Error::success();
}

llvm::Expected<Table> parseTable(StringRef text, StringRef path) {
  std::string file = path.str();
  Table table;
  std::set<std::string> names;
  // What is wrong with the file as a whole is said before it.
  Error entryError = Error::success();
  llvm::Expected<json::Value> root =
      parseJson(text, "entries", [&](const json::Value &value) {
        if (!entryError)
          entryError = readEntry(value, file, names, table);
      });
  auto fail = [&](const Twine &reason) {
    llvm::consumeError(std::move(entryError));
    return llvm::createStringError(file + reason);
  };
  if (!root)
    return fail(": " + llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object)
    return fail(": not a JSON object");
  const json::Value *version = object->get("version");
  if (!version)
    return fail(": missing field 'version'");
  auto number = version->getAsInteger();
  if (!number || *number < 1 || *number > Table::supportedVersion)
    return fail(": unknown version, versions 1 to " +
                Twine(Table::supportedVersion) + " are supported");
  if (const json::Value *network = object->get("network")) {
    auto string = network->getAsString();
    if (!string)
      return fail(": field 'network' is not a string");
    table.network = string->str();
  }
  if (const json::Value *backend = object->get("backend")) {
    auto string = backend->getAsString();
    if (!string)
      return fail(": field 'backend' is not a string");
    table.backend = string->str();
  }
  if (Error e = readSamples(*object, file, table)) {
    llvm::consumeError(std::move(entryError));
    return e;
  }
  const json::Value *entries = object->get("entries");
  if (!entries)
    return fail(": missing field 'entries'");
  if (!entries->getAsArray())
    return fail(": field 'entries' is not an array");
  if (entryError)
    return entryError;
  return table;
}

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
  os << "}";
}

std::string printTable(const Table &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n\"version\": " << table.version
     << ",\n\"network\": " << json::Value(table.network);
  if (!table.backend.empty())
    os << ",\n\"backend\": " << json::Value(table.backend);
  if (!table.samples.empty()) {
    os << ",\n\"samples\": [";
    llvm::interleave(
        table.samples, os,
        [&](const SampleRange &range) {
          os << "\n{\"source\": " << json::Value(range.source)
             << ", \"first\": " << range.first << ", \"count\": " << range.count
             << "}";
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

llvm::Expected<Table> readTable(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return parseTable((*buffer)->getBuffer(), path);
}

Error writeTable(const Table &table, StringRef path) {
  return writeText(printTable(table), path);
}

Error writeText(StringRef text, StringRef path) {
  if (std::error_code error = writeFile(path, text))
    return llvm::createStringError("cannot write '" + path +
                                   "': " + error.message());
  return Error::success();
}

} // namespace qbackend::calibration

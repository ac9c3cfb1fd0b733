// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing calibration tables.

#include "qbackend/Calibration/Table.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

namespace qbackend::calibration {

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::vector<numerics::QuantParams>
TableEntry::qparams(ObserverOptions options) const {
  if (explicitParams)
    return *explicitParams;
  // What was seen serves any observer; without a histogram, its range does.
  if (options.kind == ObserverKind::Histogram && stats.histogram.empty())
    options.kind = ObserverKind::MinMax;
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
        return makeError(where + ": field '" + field +
                         "' holds something that is not a number");
      result.push_back(*number);
    }
  } else {
    return makeError(where + ": field '" + field +
                     "' is not a number or an array of numbers");
  }
  for (double number : result)
    if (!std::isfinite(number))
      return makeError(where + ": field '" + field + "' is not finite");
  if (isArray && result.empty())
    return makeError(where + ": field '" + field + "' is empty");
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
    return makeError(where + ": field '" + field +
                     "' is not a non-negative integer");
  result = *integer;
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
  if (Error e = readCount(object, "non_finite", where, stats.nonFinite))
    return e;
  if (mins.empty() != maxs.empty())
    return makeError(where + ": missing field '" +
                     (mins.empty() ? "min" : "max") + "'");
  if (isArray != isMaxArray)
    return makeError(where +
                     ": field 'min' and field 'max' are not both arrays");
  if (mins.size() != maxs.size())
    return makeError(where + ": field 'max' has " + Twine(maxs.size()) +
                     " values, but 'min' has " + Twine(mins.size()));
  for (size_t i = 0; i < mins.size(); ++i) {
    // A channel that never saw a value is printed as [1, -1].
    float min = static_cast<float>(mins[i]), max = static_cast<float>(maxs[i]);
    bool isUnseen = isArray && mins[i] == 1 && maxs[i] == -1;
    if (!isUnseen && (!(min <= max) || std::isinf(min) || std::isinf(max)))
      return makeError(where + ": field 'min' is greater than 'max', or they "
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
    return makeError(where + ": field 'histogram' is not an array");
  if (!histogram.empty() && mins.empty())
    return makeError(where + ": missing field 'min'");
  for (double count : histogram) {
    if (count < 0)
      return makeError(where + ": field 'histogram' has a negative count");
    stats.histogram.push_back(static_cast<float>(count));
    if (std::isinf(stats.histogram.back()))
      return makeError(where + ": field 'histogram' is not finite in f32");
  }
  return Error::success();
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
    return makeError(where + ": missing field '" +
                     (scales.empty() ? "scale" : "zero_point") + "'");
  if (scales.size() != zeroPoints.size())
    return makeError(where + ": field 'zero_point' has " +
                     Twine(zeroPoints.size()) + " values, but 'scale' has " +
                     Twine(scales.size()));
  entry.explicitParams.emplace();
  for (size_t i = 0; i < scales.size(); ++i) {
    float scale = static_cast<float>(scales[i]);
    if (!(scale > 0) || std::isinf(scale))
      return makeError(where + ": field 'scale' is not a positive finite f32");
    if (zeroPoints[i] != std::trunc(zeroPoints[i]) || zeroPoints[i] < -0x1p31 ||
        zeroPoints[i] >= 0x1p31)
      return makeError(where +
                       ": field 'zero_point' is not an integer of 32 bits");
    entry.explicitParams->push_back(
        {scales[i], static_cast<int64_t>(zeroPoints[i])});
  }
  return Error::success();
}

llvm::Expected<Table> parseTable(StringRef text, StringRef path) {
  std::string file = path.str();
  llvm::Expected<json::Value> root = json::parse(text);
  if (!root)
    return makeError(file + ": " + llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object)
    return makeError(file + ": not a JSON object");
  Table table;
  const json::Value *version = object->get("version");
  if (!version)
    return makeError(file + ": missing field 'version'");
  if (version->getAsInteger() != Table::supportedVersion)
    return makeError(file + ": unknown version, only version " +
                     Twine(Table::supportedVersion) + " is supported");
  if (const json::Value *network = object->get("network")) {
    auto string = network->getAsString();
    if (!string)
      return makeError(file + ": field 'network' is not a string");
    table.network = string->str();
  }
  const json::Value *entries = object->get("entries");
  if (!entries)
    return makeError(file + ": missing field 'entries'");
  if (!entries->getAsArray())
    return makeError(file + ": field 'entries' is not an array");
  std::set<std::string> names;
  for (const json::Value &value : *entries->getAsArray()) {
    std::string where =
        file + ": entry " + std::to_string(table.entries.size());
    const json::Object *fields = value.getAsObject();
    if (!fields)
      return makeError(where + " is not an object");
    TableEntry entry;
    const json::Value *name = fields->get("name");
    if (!name)
      return makeError(where + ": missing field 'name'");
    if (!name->getAsString())
      return makeError(where + ": field 'name' is not a string");
    entry.name = name->getAsString()->str();
    where = file + ": entry '" + entry.name + "'";
    if (!names.insert(entry.name).second)
      return makeError(where + " occurs twice");
    // Parameters written by hand say nothing of how they were found.
    entry.kind = fields->get("histogram") ? ObserverKind::Histogram
                                          : ObserverKind::MinMax;
    if (const json::Value *kind = fields->get("kind")) {
      if (!kind->getAsString())
        return makeError(where + ": field 'kind' is not a string");
      auto symbol = symbolizeObserverKind(kind->getAsString()->str());
      if (!symbol)
        return makeError(where + ": unknown kind '" + *kind->getAsString() +
                         "'");
      entry.kind = *symbol;
    }
    if (Error e = readStatistics(*fields, where, entry))
      return std::move(e);
    if (Error e = readParams(*fields, where, entry))
      return std::move(e);
    table.entries.push_back(std::move(entry));
  }
  return table;
}

/// Returns a number with enough digits to reload exactly.
static std::string printNumber(double value) {
  char buffer[40];
  snprintf(buffer, sizeof(buffer), "%.17g", value);
  // Prefer the short form where it is exact.
  char brief[40];
  snprintf(brief, sizeof(brief), "%.9g", value);
  return std::strtod(brief, nullptr) == value ? brief : buffer;
}

template <typename T>
static void printNumbers(llvm::raw_ostream &os, StringRef field,
                         const std::vector<T> &values, bool isArray) {
  os << ", \"" << field << "\": " << (isArray ? "[" : "");
  for (size_t i = 0; i < values.size(); ++i)
    os << (i ? ", " : "") << printNumber(values[i]);
  os << (isArray ? "]" : "");
}

std::string printTable(const Table &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n\"version\": " << table.version
     << ",\n\"network\": " << json::Value(table.network) << ",\n\"entries\": [";
  bool isFirst = true;
  for (const TableEntry &entry : table.entries) {
    const Statistics &stats = entry.stats;
    std::string_view kind = stringifyObserverKind(entry.kind);
    os << (isFirst ? "\n" : ",\n") << "{\"name\": " << json::Value(entry.name)
       << ", \"kind\": \"" << StringRef(kind.data(), kind.size()) << "\"";
    isFirst = false;
    if (!stats.channelMins.empty()) {
      std::vector<float> mins = stats.channelMins, maxs = stats.channelMaxs;
      for (size_t c = 0; c < mins.size(); ++c)
        if (!(mins[c] <= maxs[c])) {
          mins[c] = 1;
          maxs[c] = -1;
        }
      printNumbers(os, "min", mins, true);
      printNumbers(os, "max", maxs, true);
    } else if (!stats.empty()) {
      printNumbers(os, "min", std::vector<float>{stats.min}, false);
      printNumbers(os, "max", std::vector<float>{stats.max}, false);
    }
    if (stats.batches)
      os << ", \"batches\": " << stats.batches;
    if (stats.elements)
      os << ", \"elements\": " << stats.elements;
    if (stats.nonFinite)
      os << ", \"non_finite\": " << stats.nonFinite;
    if (entry.explicitParams) {
      std::vector<double> scales, zeroPoints;
      for (const numerics::QuantParams &params : *entry.explicitParams) {
        scales.push_back(params.scale);
        zeroPoints.push_back(static_cast<double>(params.zeroPoint));
      }
      printNumbers(os, "scale", scales, scales.size() != 1);
      printNumbers(os, "zero_point", zeroPoints, scales.size() != 1);
    }
    if (!stats.histogram.empty())
      printNumbers(os, "histogram", stats.histogram, true);
    os << "}";
  }
  os << "\n]\n}\n";
  return text;
}

llvm::Expected<Table> readTable(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  return parseTable((*buffer)->getBuffer(), path);
}

Error writeTable(const Table &table, StringRef path) {
  // In the same directory, so that the last step is an atomic rename.
  std::string temporary =
      (path + "." + Twine(llvm::sys::Process::getProcessId()) + ".tmp").str();
  std::error_code error;
  llvm::raw_fd_ostream os(temporary, error, llvm::sys::fs::CD_CreateAlways);
  if (error)
    return makeError(path + ": " + error.message());
  llvm::sys::RemoveFileOnSignal(temporary);
  os << printTable(table);
  os.close();
  error = os.error();
  os.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  if (error)
    return makeError(path + ": " + error.message());
  return Error::success();
}

} // namespace qbackend::calibration

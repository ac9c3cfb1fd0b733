// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads calibration tables from JSON, and writes what was printed to files.
// More than 600 lines, as each field has its checks, with the message beside
// them.

#include "qbackend/Calibration/Table.h"
#include "qbackend/Support/Arguments.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/ParseJson.h"

#include "llvm/Support/FormatVariadic.h"

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

/// More than anybody counts, so that sums of many tables have a number.
static constexpr int64_t kMostValues = int64_t(1) << 53;

namespace {
/// The fields of a JSON object, all of which may be missing. Errors begin with
/// the place of the object.
class Fields {
public:
  /// `numbers` has the arrays of numbers, after `path`.
  Fields(const json::Object &object, const Twine &where,
         const JsonNumbers *numbers = nullptr,
         std::vector<std::string> path = {})
      : object(object), where(where.str()), numbers(numbers),
        path(std::move(path)) {}

  const json::Value *get(StringRef field) const {
    known.push_back(field);
    return object.get(field);
  }
  const json::Array *getArray(StringRef field) const {
    known.push_back(field);
    return object.getArray(field);
  }
  std::optional<int64_t> getInteger(StringRef field) const {
    known.push_back(field);
    return object.getInteger(field);
  }
  std::optional<StringRef> getString(StringRef field) const {
    known.push_back(field);
    return object.getString(field);
  }
  /// Those of an object in one of the fields.
  Fields nest(StringRef field, const json::Object &nested) const {
    return Fields(nested, where + ", '" + field + "'", numbers, extend(field));
  }
  /// Fails if there is a field that nobody has asked for.
  Error rejectOthers() const;

  Error missing(StringRef field) const {
    return fail("missing field '" + field + "'");
  }
  Error wrong(StringRef field, const Twine &what) const {
    return fail("field '" + field + "' " + what);
  }
  Error fail(const Twine &what) const {
    return llvm::createStringError(where + ": " + what);
  }

  /// Reads an array of numbers, which may be missing.
  Error readArray(StringRef field, std::vector<double> &result) const;
  /// Reads a number or an array of numbers. `isArray` says which it was.
  Error readNumbers(StringRef field, std::vector<double> &result,
                    bool &isArray) const;
  /// Reads a count.
  Error readCount(StringRef field, int64_t &result) const;
  Error readString(StringRef field, std::string &result) const;
  /// An empty one if the field is missing.
  Error readArray(StringRef field, const json::Array *&result) const;
  /// Reads ranges, one a channel or a single one. One that never saw a value is
  /// printed as [1, -1].
  Error readRanges(StringRef minField, StringRef maxField,
                   std::vector<float> &mins, std::vector<float> &maxs) const;
  /// Reads sums, of which there have to be as many as in `sums`.
  Error readSums(StringRef field, std::vector<numerics::ExactSum> &sums) const;

private:
  std::vector<std::string> extend(StringRef field) const {
    std::vector<std::string> extended = path;
    extended.push_back(field.str());
    return extended;
  }
  /// What is in the place of an array that has nothing else, and isn't empty.
  llvm::ArrayRef<double> getNumbers(StringRef field) const {
    if (numbers)
      if (auto found = numbers->find(extend(field)); found != numbers->end())
        return found->second;
    return {};
  }

  const json::Object &object;
  const std::string where;
  const JsonNumbers *numbers;
  const std::vector<std::string> path;
  mutable llvm::SmallVector<StringRef> known;
};
} // namespace

Error Fields::rejectOthers() const {
  for (const auto &[key, value] : object)
    if (StringRef field = key; !llvm::is_contained(known, field)) {
      StringRef nearest = findNearest(field, known);
      return fail(
          "unknown field '" + field + "'" +
          (nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?"));
    }
  return Error::success();
}

Error Fields::readNumbers(StringRef field, std::vector<double> &result,
                          bool &isArray) const {
  const json::Value *value = get(field);
  isArray = false;
  if (!value)
    return Error::success();
  if (auto number = value->getAsNumber()) {
    result.push_back(*number);
    return Error::success();
  }
  if (!value->getAsArray())
    return wrong(field, "is not a number or an array of numbers");
  isArray = true;
  if (Error e = readArray(field, result))
    return e;
  return result.empty() ? wrong(field, "is empty") : Error::success();
}

Error Fields::readArray(StringRef field, std::vector<double> &result) const {
  if (llvm::ArrayRef<double> known = getNumbers(field); !known.empty()) {
    (void)get(field);
    result.assign(known.begin(), known.end());
    return Error::success();
  }
  const json::Array *array;
  if (Error e = readArray(field, array))
    return e;
  for (const json::Value &element : *array) {
    auto number = element.getAsNumber();
    if (!number)
      return wrong(field, "holds something that is not a number");
    result.push_back(*number);
  }
  return Error::success();
}

Error Fields::readCount(StringRef field, int64_t &result) const {
  const json::Value *value = get(field);
  if (!value)
    return Error::success();
  auto integer = value->getAsInteger();
  if (!integer || *integer < 0)
    return wrong(field, "is not a non-negative integer");
  result = *integer;
  return Error::success();
}

Error Fields::readString(StringRef field, std::string &result) const {
  const json::Value *value = get(field);
  if (!value)
    return Error::success();
  auto string = value->getAsString();
  if (!string)
    return wrong(field, "is not a string");
  result = string->str();
  return Error::success();
}

Error Fields::readArray(StringRef field, const json::Array *&result) const {
  static const json::Array none;
  const json::Value *value = get(field);
  result = value ? value->getAsArray() : &none;
  if (!getNumbers(field).empty())
    return wrong(field, "holds numbers");
  return result ? Error::success() : wrong(field, "is not an array");
}

Error Fields::readRanges(StringRef minField, StringRef maxField,
                         std::vector<float> &mins,
                         std::vector<float> &maxs) const {
  std::vector<double> low, high;
  bool isArray;
  if (Error e = readNumbers(minField, low, isArray))
    return e;
  if (Error e = readNumbers(maxField, high, isArray))
    return e;
  if (low.size() != high.size())
    return wrong(maxField, "has " + Twine(high.size()) + " values, but '" +
                               minField + "' has " + Twine(low.size()));
  for (size_t i = 0; i < low.size(); ++i) {
    float min = static_cast<float>(low[i]), max = static_cast<float>(high[i]);
    if (low[i] == 1 && high[i] == -1) {
      min = Statistics().min;
      max = Statistics().max;
    } else if (!(min <= max) || std::isinf(min) || std::isinf(max)) {
      return wrong(minField, "is greater than '" + maxField +
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

Error Fields::readSums(StringRef field,
                       std::vector<numerics::ExactSum> &sums) const {
  const json::Array *numbers = getArray(field);
  constexpr size_t width = std::tuple_size<numerics::ExactSum::State>();
  if (!numbers || numbers->size() != sums.size() * width)
    return wrong(field, "is not an array of " + Twine(sums.size() * width) +
                            " integers, four for each sum");
  for (size_t i = 0; i < sums.size(); ++i) {
    numerics::ExactSum::State state;
    for (size_t k = 0; k < width; ++k) {
      auto integer = (*numbers)[i * width + k].getAsInteger();
      if (!integer)
        return wrong(field, "holds something that is not an integer");
      state[k] = *integer;
    }
    if (!numerics::ExactSum::isState(state))
      return wrong(field, "has a sum that is of no doubles");
    sums[i] = numerics::ExactSum(state);
  }
  return Error::success();
}

/// Reads the grid, which has to be that of the range: another one couldn't be
/// merged with.
static Error readGrid(const Fields &fields, Statistics &stats) {
  const json::Value *value = fields.get("grid");
  if (!value)
    return Error::success();
  const json::Object *object = value->getAsObject();
  if (!object)
    return fields.wrong("grid", "is not an object");
  if (stats.empty())
    return fields.missing("min");
  Fields grid = fields.nest("grid", *object);
  Grid expected(stats.min, stats.max);
  auto exponent = grid.getInteger("exponent");
  auto first = grid.getInteger("first");
  std::vector<double> counts;
  if (Error e = grid.readArray("counts", counts))
    return e;
  if (Error e = grid.rejectOthers())
    return e;
  if (!exponent || !first || !object->get("counts"))
    return fields.wrong("grid", "needs the integers 'exponent' and 'first', "
                                "and the array 'counts'");
  if (*exponent != expected.exponent || *first != expected.first ||
      counts.size() != expected.counts.size())
    return fields.wrong(
        "grid", "is not the one of this range; it would have exponent " +
                    Twine(expected.exponent) + ", first " +
                    Twine(expected.first) + " and " +
                    Twine(expected.counts.size()) + " counts");
  int64_t total = 0;
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] != std::trunc(counts[c]) || counts[c] < 0)
      return fields.wrong("grid",
                          "has a count that is not a non-negative integer");
    // From there on they are rounded.
    if (counts[c] >= static_cast<double>(kMostValues - total))
      return fields.wrong("grid", "counts 2^53 values or more");
    expected.counts[c] = static_cast<int64_t>(counts[c]);
    total += expected.counts[c];
  }
  if (stats.elements != 0 && total != stats.elements)
    return fields.wrong("grid", "counts " + Twine(total) +
                                    " values, but 'elements' is " +
                                    Twine(stats.elements));
  stats.grid = std::move(expected);
  return Error::success();
}

/// Fails if a part of what the range is of has a wider one.
static Error checkWithin(const Fields &fields, StringRef minField,
                         StringRef maxField, const std::vector<float> &mins,
                         const std::vector<float> &maxs,
                         const Statistics &stats) {
  for (auto [min, max] : llvm::zip_equal(mins, maxs))
    if (min <= max && (min < stats.min || max > stats.max))
      return fields.fail("field '" + minField + "' or '" + maxField +
                         "' has a value beyond 'min' or 'max'");
  return Error::success();
}

/// Reads the ranges of batches: those of the channels, batch by batch.
static Error readBatches(const Fields &fields, Statistics &stats) {
  if (Error e = fields.readRanges("batch_min", "batch_max", stats.batchMins,
                                  stats.batchMaxs))
    return e;
  std::vector<double> samples;
  bool isArray;
  if (Error e = fields.readNumbers("batch_samples", samples, isArray))
    return e;
  for (double sample : samples) {
    if (sample != std::trunc(sample) || sample < 0 || sample >= 0x1p53)
      return fields.wrong("batch_samples",
                          "holds something that is not a non-negative integer");
    if (!stats.batchSamples.empty() && sample < stats.batchSamples.back())
      return fields.wrong("batch_samples", "is not in order");
    stats.batchSamples.push_back(static_cast<int64_t>(sample));
  }
  size_t perBatch =
      samples.empty() ? 0 : stats.batchMins.size() / samples.size();
  if (perBatch * samples.size() != stats.batchMins.size() ||
      (!samples.empty() && perBatch != 1 &&
       (perBatch == 0 ||
        (!stats.channelMins.empty() && perBatch != stats.channelMins.size()))))
    return fields.wrong(
        "batch_min", "has " + Twine(stats.batchMins.size()) + " values for " +
                         Twine(samples.size()) + " of 'batch_samples'");
  return checkWithin(fields, "batch_min", "batch_max", stats.batchMins,
                     stats.batchMaxs, stats);
}

static Error readStatistics(const Fields &fields, Statistics &stats) {
  std::vector<double> mins, maxs, histogram;
  bool isArray, isMaxArray, isHistogramArray;
  if (Error e = fields.readNumbers("min", mins, isArray))
    return e;
  if (Error e = fields.readNumbers("max", maxs, isMaxArray))
    return e;
  if (Error e = fields.readNumbers("histogram", histogram, isHistogramArray))
    return e;
  // Version 1 has one count, "non_finite", for both.
  for (auto [field, into] :
       {std::pair("batches", &stats.batches),
        std::pair("elements", &stats.elements),
        std::pair("non_finite", &stats.nans), std::pair("nan", &stats.nans),
        std::pair("infinite", &stats.infinities),
        std::pair("first_non_finite", &stats.firstNonFinite)})
    if (Error e = fields.readCount(field, *into))
      return e;
  if (mins.empty() != maxs.empty())
    return fields.missing(mins.empty() ? "min" : "max");
  if (isArray != isMaxArray)
    return fields.fail("field 'min' and field 'max' are not both arrays");
  if (mins.size() != maxs.size())
    return fields.wrong("max", "has " + Twine(maxs.size()) +
                                   " values, but 'min' has " +
                                   Twine(mins.size()));
  for (size_t i = 0; i < mins.size(); ++i) {
    // A channel that never saw a value is printed as [1, -1].
    float min = static_cast<float>(mins[i]), max = static_cast<float>(maxs[i]);
    bool isUnseen = isArray && mins[i] == 1 && maxs[i] == -1;
    if (!isUnseen && (!(min <= max) || std::isinf(min) || std::isinf(max)))
      return fields.wrong("min",
                          "is greater than 'max', or they are not finite in "
                          "f32");
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
    return fields.wrong("histogram", "is not an array");
  if (!histogram.empty() && mins.empty())
    return fields.missing("min");
  stats.histogram.reserve(histogram.size());
  for (double count : histogram) {
    if (count < 0)
      return fields.wrong("histogram", "has a negative count");
    stats.histogram.push_back(static_cast<float>(count));
    if (std::isinf(stats.histogram.back()))
      return fields.wrong("histogram", "is not finite in f32");
  }
  // Counts are f32, which are rounded where there are many.
  double counted = 0;
  for (float count : stats.histogram)
    counted += count;
  if (!stats.histogram.empty() && stats.elements != 0 &&
      std::abs(counted - stats.elements) > 0.01 * stats.elements)
    return fields.wrong(
        "histogram", "counts " + llvm::formatv("{0:F0}", counted).str() +
                         " values, but 'elements' is " + Twine(stats.elements));
  if (Error e = fields.readRanges("channel_min", "channel_max",
                                  stats.channelMins, stats.channelMaxs))
    return e;
  if (Error e = checkWithin(fields, "channel_min", "channel_max",
                            stats.channelMins, stats.channelMaxs, stats))
    return e;
  if (Error e = fields.readRanges("average_min", "average_max",
                                  stats.averageMins, stats.averageMaxs))
    return e;
  if (Error e = readBatches(fields, stats))
    return e;
  return readGrid(fields, stats);
}

static Error readParams(const Fields &fields, TableEntry &entry) {
  std::vector<double> scales, zeroPoints;
  bool isArray, isZeroPointArray;
  if (Error e = fields.readNumbers("scale", scales, isArray))
    return e;
  if (Error e = fields.readNumbers("zero_point", zeroPoints, isZeroPointArray))
    return e;
  if (scales.empty() && zeroPoints.empty())
    return Error::success();
  if (scales.empty() || zeroPoints.empty())
    return fields.missing(scales.empty() ? "scale" : "zero_point");
  if (scales.size() != zeroPoints.size())
    return fields.wrong("zero_point", "has " + Twine(zeroPoints.size()) +
                                          " values, but 'scale' has " +
                                          Twine(scales.size()));
  entry.explicitParams.emplace();
  for (size_t i = 0; i < scales.size(); ++i) {
    float scale = static_cast<float>(scales[i]);
    if (!(scale > 0) || std::isinf(scale))
      return fields.wrong("scale", "is not a positive finite f32");
    if (zeroPoints[i] != std::trunc(zeroPoints[i]) || zeroPoints[i] < -0x1p31 ||
        zeroPoints[i] >= 0x1p31)
      return fields.wrong("zero_point", "is not an integer of 32 bits");
    entry.explicitParams->push_back(
        {scales[i], static_cast<int64_t>(zeroPoints[i])});
  }
  return Error::success();
}

/// Reads what layers get of the tensor.
static Error readPatches(const Fields &fields, TableEntry &entry) {
  const json::Array *elements;
  if (Error e = fields.readArray("patches", elements))
    return e;
  for (const json::Value &element : *elements) {
    const json::Object *object = element.getAsObject();
    if (!object)
      return fields.wrong("patches", "holds something that is not an object");
    Fields parts = fields.nest("patches", *object);
    const json::Array *geometry = parts.getArray("geometry");
    std::vector<int64_t> numbers;
    for (size_t i = 0; geometry && i < geometry->size(); ++i)
      numbers.push_back((*geometry)[i].getAsInteger().value_or(-1));
    Geometry layer;
    if (!Geometry::fromNumbers(numbers, layer))
      return fields.wrong("patches", "has no 'geometry' of 18 integers that is "
                                     "one of a layer");
    if (llvm::any_of(entry.patches, [&](const PatchSums &patch) {
          return patch.geometry.toNumbers() == layer.toNumbers();
        }))
      return fields.wrong("patches", "has a 'geometry' twice");
    // No more memory than the text has.
    const json::Array *sums = parts.getArray("sums");
    if (!sums ||
        int64_t(sums->size()) / 4 < layer.getPositions() * layer.channels)
      return parts.wrong("sums",
                         "is not an array of " +
                             Twine(4 * layer.getPositions() * layer.channels) +
                             " integers, four for each sum");
    PatchSums patch(layer);
    for (auto [field, into] :
         {std::pair("pixels", &patch.pixels),
          std::pair("product_pixels", &patch.productPixels)}) {
      if (Error e = parts.readCount(field, *into))
        return e;
      if (!object->get(field))
        return parts.missing(field);
    }
    for (auto [field, into] : {std::pair("sums", &patch.sums),
                               std::pair("product_sums", &patch.productSums),
                               std::pair("products", &patch.products)})
      if (Error e = parts.readSums(field, *into))
        return e;
    if (Error e = parts.rejectOthers())
      return e;
    entry.patches.push_back(std::move(patch));
  }
  return Error::success();
}

/// Reads what tells an entry's tensor from others.
static Error readIdentity(const Fields &fields, TableEntry &entry) {
  std::vector<double> extents;
  const json::Array *names;
  if (Error e = fields.readString("structure", entry.structure))
    return e;
  if (Error e = fields.readArray("shape", extents))
    return e;
  for (double extent : extents) {
    // -1: any.
    if (extent != std::trunc(extent) || extent < -1 || extent >= kMostValues)
      return fields.wrong("shape", "holds something that is no extent");
    entry.shape.push_back(static_cast<int64_t>(extent));
  }
  if (Error e = fields.readArray("group", names))
    return e;
  for (const json::Value &name : *names) {
    auto string = name.getAsString();
    if (!string)
      return fields.wrong("group", "holds something that is not a string");
    entry.group.push_back(string->str());
  }
  return Error::success();
}

static Error readSamples(const Fields &fields, Table &table) {
  const json::Array *ranges;
  if (Error e = fields.readArray("samples", ranges))
    return e;
  for (const json::Value &element : *ranges) {
    const json::Object *object = element.getAsObject();
    if (!object)
      return fields.wrong("samples", "holds something that is not an object");
    Fields range = fields.nest("samples", *object);
    auto source = range.getString("source");
    auto first = range.getInteger("first"), count = range.getInteger("count"),
         total = range.getInteger("of");
    auto hash = range.getString("hash");
    if (Error e = range.rejectOthers())
      return e;
    if (!source || !first || !count || *first < 0 || *count < 0 ||
        *first > kMostValues || *count > kMostValues)
      return fields.wrong("samples", "needs 'source', 'first' and 'count' in "
                                     "each element, numbers from 0 to 2^53");
    if (object->get("of") &&
        (!total || *total < 1 || *first > *total || *count > *total - *first))
      return fields.fail("field 'of' of 'samples' is not an integer from "
                         "'first' + 'count' on");
    if (object->get("hash") && !hash)
      return fields.fail("field 'hash' of 'samples' is not a string");
    table.samples.push_back({source->str(), *first, *count, total.value_or(0),
                             hash.value_or("").str()});
  }
  return Error::success();
}

/// Reads the next entry of `table`; `names` are those of the ones before it.
static Error readEntry(const json::Value &value, const JsonNumbers &numbers,
                       const std::string &file, std::set<std::string> &names,
                       Table &table) {
  std::string where = file + ": entry " + std::to_string(table.entries.size());
  const json::Object *object = value.getAsObject();
  if (!object)
    return llvm::createStringError(where + " is not an object");
  TableEntry entry;
  if (!object->get("name"))
    return Fields(*object, where).missing("name");
  if (Error e = Fields(*object, where).readString("name", entry.name))
    return e;
  where = file + ": entry '" + entry.name + "'";
  Fields fields(*object, where, &numbers);
  (void)fields.get("name");
  if (!names.insert(entry.name).second)
    return llvm::createStringError(where + " occurs twice");
  // Parameters written by hand say nothing of how they were found.
  entry.kind =
      fields.get("histogram") ? ObserverKind::Histogram : ObserverKind::MinMax;
  std::string kind;
  if (Error e = fields.readString("kind", kind))
    return e;
  if (fields.get("kind")) {
    auto symbol = symbolizeObserverKind(kind);
    if (!symbol)
      return fields.fail(
          "unknown kind '" + kind + "', expected " +
          listObserverKinds([](const ObserverKindInfo &) { return true; }));
    entry.kind = *symbol;
  }
  if (Error e = readIdentity(fields, entry))
    return e;
  if (Error e = readStatistics(fields, entry.stats))
    return e;
  if (Error e = readParams(fields, entry))
    return e;
  if (Error e = readPatches(fields, entry))
    return e;
  if (Error e = fields.rejectOthers())
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
      parseJson(text, "entries",
                [&](const json::Value &value, const JsonNumbers &numbers) {
                  if (!entryError)
                    entryError = readEntry(value, numbers, file, names, table);
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
  Fields fields(*object, file);
  const json::Value *version = fields.get("version");
  if (!version)
    return fail(": missing field 'version'");
  auto number = version->getAsInteger();
  if (!number || *number < 1 || *number > Table::mergeableVersion)
    return fail(": unknown version, versions 1 to " +
                Twine(Table::mergeableVersion) + " are supported");
  std::string statistics;
  for (auto [field, into] :
       {std::pair("statistics", &statistics), std::pair("tool", &table.tool),
        std::pair("model", &table.model), std::pair("network", &table.network),
        std::pair("backend", &table.backend)})
    if (Error e = fields.readString(field, *into)) {
      llvm::consumeError(std::move(entryError));
      return e;
    }
  table.isMergeable = statistics == "mergeable";
  if (table.isMergeable)
    table.version = Table::mergeableVersion;
  if (table.isMergeable != (*number == Table::mergeableVersion) ||
      (!statistics.empty() && !table.isMergeable))
    return fail(
        ": version " + Twine(*number) +
        " and field 'statistics' don't fit: version 3 has \"mergeable\"");
  if (Error e = readSamples(fields, table)) {
    llvm::consumeError(std::move(entryError));
    return e;
  }
  const json::Value *entries = fields.get("entries");
  if (!entries)
    return fail(": missing field 'entries'");
  if (!entries->getAsArray())
    return fail(": field 'entries' is not an array");
  if (Error e = fields.rejectOthers()) {
    llvm::consumeError(std::move(entryError));
    return e;
  }
  if (entryError)
    return entryError;
  for (const TableEntry &entry : table.entries)
    if (table.isMergeable && hasOrdered(entry.stats))
      return fail(": entry '" + entry.name +
                  "' has a histogram or averages, which mergeable statistics "
                  "don't have");
  return table;
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

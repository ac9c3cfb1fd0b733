// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables in the formats of other tools.

#include "qbackend/Calibration/Formats.h"
#include "qbackend/Support/ParseJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <numeric>

namespace qbackend::calibration {

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

std::optional<TableFormat> symbolizeTableFormat(StringRef name) {
  return llvm::StringSwitch<std::optional<TableFormat>>(name)
      .Case("tensorrt", TableFormat::TensorRT)
      .Case("onnxruntime", TableFormat::ONNXRuntime)
      .Case("aimet", TableFormat::AIMET)
      .Case("tpu-mlir", TableFormat::TPUMLIR)
      .Default(std::nullopt);
}

/// The range of what `params` can express.
static std::pair<double, double> getRange(const numerics::QuantParams &params,
                                          numerics::QuantRange range) {
  return {(range.min - params.zeroPoint) * params.scale,
          (range.max - params.zeroPoint) * params.scale};
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> exportTable(const Table &table, TableFormat format,
                                        const ObserverOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::Object ranges, encodings;
  if (format == TableFormat::TensorRT)
    os << "TRT-8601-EntropyCalibration2\n";
  if (format == TableFormat::TPUMLIR)
    os << "# sample number: "
       << std::accumulate(
              table.samples.begin(), table.samples.end(), int64_t(0),
              [](int64_t n, const SampleRange &s) { return n + s.count; })
       << "\n###\n# op_name    threshold    min    max\n";
  for (const TableEntry &entry : table.entries) {
    if (!entry.group.empty() || (entry.stats.empty() && !entry.explicitParams))
      continue;
    bool separator = format == TableFormat::TPUMLIR
                         ? StringRef(entry.name).contains(' ')
                         : StringRef(entry.name).contains(": ");
    if ((format == TableFormat::TensorRT || format == TableFormat::TPUMLIR) &&
        (separator || StringRef(entry.name).contains('\n')))
      return llvm::createStringError(
          "'" + entry.name + "' is a name that this format can't express");
    std::vector<numerics::QuantParams> params = entry.qparams(options);
    if (params.size() != 1)
      continue;
    auto [min, max] = getRange(params[0], options.range());
    double threshold = std::max(std::fabs(min), std::fabs(max));
    switch (format) {
    case TableFormat::TensorRT: {
      float scale = static_cast<float>(threshold / 127);
      uint32_t bits;
      std::memcpy(&bits, &scale, sizeof(bits));
      os << entry.name << ": " << llvm::format_hex_no_prefix(bits, 8) << "\n";
      break;
    }
    case TableFormat::ONNXRuntime:
      ranges[entry.name] = json::Array{min, max};
      break;
    case TableFormat::AIMET: {
      int64_t offset = options.range().min - params[0].zeroPoint;
      bool symmetric = options.scheme == QScheme::PerTensorSymmetric;
      encodings[entry.name] = json::Array{
          json::Object{{"bitwidth", int64_t(options.bits)},
                       {"dtype", "int"},
                       {"is_symmetric", symmetric ? "True" : "False"},
                       {"max", max},
                       {"min", min},
                       {"offset", offset},
                       {"scale", params[0].scale}}};
      break;
    }
    case TableFormat::TPUMLIR:
      os << entry.name
         << llvm::format(" %.7f %.7f %.7f\n", threshold, min, max);
      break;
    }
  }
  if (format == TableFormat::ONNXRuntime)
    os << llvm::formatv("{0:2}\n", json::Value(std::move(ranges)));
  if (format == TableFormat::AIMET)
    os << llvm::formatv(
        "{0:2}\n",
        json::Value(json::Object{{"version", "0.6.1"},
                                 {"activation_encodings", std::move(encodings)},
                                 {"param_encodings", json::Object{}}}));
  return text;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

namespace {
/// A table that grows by tensors with a range.
class RangeTable {
public:
  Error add(StringRef name, double min, double max, const Twine &where);
  Table take() { return std::move(table); }

private:
  Table table;
  llvm::StringSet<> names;
};
} // namespace

Error RangeTable::add(StringRef written, double min, double max,
                      const Twine &where) {
  // As the names of operators are read.
  std::string name = json::fixUTF8(written);
  if (!(min <= max) || !std::isfinite(static_cast<float>(min)) ||
      !std::isfinite(static_cast<float>(max)))
    return llvm::createStringError(where + ": '" + name +
                                   "' has a range that is not one of "
                                   "finite f32 numbers");
  if (!names.insert(name).second)
    return llvm::createStringError(where + ": '" + name + "' occurs twice");
  TableEntry entry;
  entry.name = std::move(name);
  entry.stats.min = static_cast<float>(min);
  entry.stats.max = static_cast<float>(max);
  table.entries.push_back(std::move(entry));
  return Error::success();
}

static llvm::Expected<Table> importLines(StringRef text, TableFormat format,
                                         StringRef path) {
  RangeTable table;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  bool isTensorRT = format == TableFormat::TensorRT;
  if (isTensorRT && !text.starts_with("TRT-"))
    return llvm::createStringError(
        path + ": not a calibration cache of TensorRT: it would "
               "start with TRT-");
  for (size_t i = isTensorRT ? 1 : 0; i < lines.size(); ++i) {
    StringRef line = lines[i].trim();
    std::string where = (path + ":" + Twine(i + 1)).str();
    if (line.empty() || (!isTensorRT && line.starts_with("#")))
      continue;
    if (isTensorRT) {
      auto [name, digits] = line.rsplit(": ");
      uint32_t bits;
      if (digits.empty() || digits.getAsInteger(16, bits))
        return llvm::createStringError(where +
                                       ": expected NAME: and a scale as 8 "
                                       "hexadecimal digits");
      float scale;
      std::memcpy(&scale, &bits, sizeof(scale));
      double end = 127.0 * scale;
      if (Error e = table.add(name, -end, end, where))
        return e;
      continue;
    }
    llvm::SmallVector<StringRef> fields;
    line.split(fields, ' ', -1, /*KeepEmpty=*/false);
    double threshold, min, max;
    if (fields.size() != 4 || fields[1].getAsDouble(threshold) ||
        fields[2].getAsDouble(min) || fields[3].getAsDouble(max))
      return llvm::createStringError(where +
                                     ": expected NAME THRESHOLD MIN MAX");
    if (Error e = table.add(fields[0], min, max, where))
      return e;
  }
  return table.take();
}

/// A number, or NumPy's array of one as ONNX Runtime writes it.
static std::optional<double> getNumber(const json::Value *value) {
  if (!value)
    return std::nullopt;
  if (auto number = value->getAsNumber())
    return *number;
  if (const json::Object *object = value->getAsObject())
    return getNumber(object->get("data"));
  if (const json::Array *array = value->getAsArray(); array && !array->empty())
    return getNumber(&array->front());
  return std::nullopt;
}

llvm::Expected<Table> importTable(StringRef text, TableFormat format,
                                  StringRef path) {
  if (format == TableFormat::TensorRT || format == TableFormat::TPUMLIR)
    return importLines(text, format, path);
  llvm::Expected<json::Value> root = parseJson(text);
  if (!root)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  const char *field =
      format == TableFormat::AIMET ? "activation_encodings" : "data";
  // ONNX Runtime's classes are around the tensors, or there are none.
  const json::Object *tensors = object ? object->getObject(field) : nullptr;
  if (!tensors && format == TableFormat::ONNXRuntime)
    tensors = object;
  if (!tensors)
    return llvm::createStringError(path + ": no object '" + field + "'");
  RangeTable table;
  std::vector<std::string> names;
  for (const auto &[name, value] : *tensors)
    names.push_back(llvm::StringRef(name).str());
  llvm::sort(names);
  for (const std::string &name : names) {
    const json::Value *value = tensors->get(name);
    std::optional<double> min, max;
    const json::Array *array = value->getAsArray();
    const json::Object *fields = value->getAsObject();
    if (format == TableFormat::AIMET && array && array->size() == 1)
      fields = array->front().getAsObject();
    if (fields) {
      bool isAIMET = format == TableFormat::AIMET;
      min = getNumber(fields->get(isAIMET ? "min" : "lowest"));
      max = getNumber(fields->get(isAIMET ? "max" : "highest"));
    } else if (array && array->size() == 2) {
      min = getNumber(&(*array)[0]);
      max = getNumber(&(*array)[1]);
    }
    if (!min || !max)
      return llvm::createStringError(path + ": '" + name +
                                     "' has no min and max");
    if (Error e = table.add(name, *min, *max, path))
      return e;
  }
  return table.take();
}

} // namespace qbackend::calibration

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads backend configurations from JSON, in the form of PyTorch's
// dictionaries.

#include "JsonValues.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Backends/TorchNames.h"
#include "qbackend/Support/ParseJson.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

/// Deeper patterns are a mistake, and recursion has an end.
static constexpr unsigned kMaxDepth = 64;

/// A node, a wildcard or a number.
static Attribute readNode(const Cursor &cursor, unsigned depth) {
  MLIRContext *context = cursor.getContext();
  Builder builder(context);
  if (depth > kMaxDepth) {
    cursor.emitError() << "the pattern is nested deeper than " << kMaxDepth
                       << " operators";
    return {};
  }
  if (auto boolean = cursor.getValue().getAsBoolean())
    return builder.getBoolAttr(*boolean);
  if (auto integer = cursor.getValue().getAsInteger())
    return builder.getI64IntegerAttr(*integer);
  if (auto number = cursor.getValue().getAsNumber())
    return builder.getF64FloatAttr(*number);
  if (auto name = cursor.getValue().getAsString()) {
    if (*name == "MatchAllNode" || name->ends_with(".MatchAllNode"))
      return builder.getUnitAttr();
    return PatternNodeAttr::getChecked([&] { return cursor.emitError(); },
                                       context, builder.getStringAttr(*name),
                                       ArrayRef<Attribute>());
  }
  auto elements = cursor.getArray();
  if (!elements)
    return {};
  if (elements->empty()) {
    cursor.emitError() << "the pattern is empty";
    return {};
  }
  auto name = elements->front().getString();
  SmallVector<Attribute> operands;
  for (const Cursor &element : ArrayRef(*elements).drop_front()) {
    operands.push_back(readNode(element, depth + 1));
    if (!operands.back())
      return {};
  }
  if (!name)
    return {};
  return PatternNodeAttr::getChecked([&] { return cursor.emitError(); },
                                     context, builder.getStringAttr(*name),
                                     ArrayRef(operands));
}

/// A name, or 2 or 3 of them in the order of execution.
static Attribute readSequence(const Cursor &cursor) {
  Builder builder(cursor.getContext());
  if (auto name = cursor.getValue().getAsString())
    return builder.getStrArrayAttr({*name});
  auto elements = cursor.getArray();
  if (!elements)
    return {};
  if (elements->size() != 2 && elements->size() != 3) {
    cursor.emitError() << "the pattern has " << elements->size()
                       << " operators, expected a name or 2 or 3 of them; give "
                          "others as pattern_complex_format";
    return {};
  }
  return readNames(cursor);
}

static std::optional<ObservationType> readObservation(const Cursor &cursor) {
  auto name = cursor.getString();
  if (!name)
    return std::nullopt;
  StringRef text = *name;
  text.consume_front("ObservationType.");
  auto type = symbolizeObservationType(text.lower());
  if (!type)
    cursor.emitError() << "unknown observation type '" << *name
                       << "', expected OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT, "
                          "OUTPUT_SHARE_OBSERVER_WITH_INPUT or "
                          "INPUT_OUTPUT_NOT_OBSERVED";
  return type;
}

static std::optional<SmallVector<int64_t>> readIndices(const Cursor &cursor) {
  auto elements = cursor.getArray();
  if (!elements) {
    emitRemark(cursor.getLoc())
        << "a callable can't be read; say which operand of which operator it "
           "returns: [0] is operand 0 of the last operator";
    return std::nullopt;
  }
  SmallVector<int64_t> indices;
  for (const Cursor &element : *elements) {
    auto index = element.getInteger();
    if (!index)
      return std::nullopt;
    indices.push_back(*index);
  }
  return indices;
}

/// A dtype with its constraints, or a name alone.
DTypeAttr qbackend::json::readDTypeWithConstraints(const Cursor &cursor) {
  MLIRContext *context = cursor.getContext();
  auto emitError = [&] { return cursor.emitError(); };
  DTypeFields fields;
  if (cursor.getValue().getAsString()) {
    fields.dtype = readDType(cursor);
    return fields.dtype ? DTypeAttr::getChecked(emitError, context, fields)
                        : DTypeAttr();
  }
  auto members = cursor.getObject();
  if (!members)
    return {};
  static constexpr StringRef keys[] = {"dtype",
                                       "quant_min_lower_bound",
                                       "quant_max_upper_bound",
                                       "scale_min_lower_bound",
                                       "scale_max_upper_bound",
                                       "scale_exact_match",
                                       "zero_point_exact_match",
                                       "qschemes"};
  auto readInteger = [](const Cursor &value, std::optional<int64_t> &field) {
    // PyTorch takes 127.0 as well.
    auto number = value.getValue().getAsNumber();
    if (number && *number == std::trunc(*number) && std::abs(*number) < 1e15)
      field = int64_t(*number);
    else
      field = value.getInteger();
    return field.has_value();
  };
  for (auto &[key, value] : *members) {
    if (value.isNull())
      continue;
    bool ok = true;
    if (key == "dtype") {
      ok = bool(fields.dtype = readDType(value));
    } else if (key == "quant_min_lower_bound") {
      ok = readInteger(value, fields.quantMin);
    } else if (key == "quant_max_upper_bound") {
      ok = readInteger(value, fields.quantMax);
    } else if (key == "zero_point_exact_match") {
      ok = readInteger(value, fields.zeroPointExactMatch);
    } else if (key == "scale_min_lower_bound") {
      ok = bool(fields.scaleMin = value.getNumber());
    } else if (key == "scale_max_upper_bound") {
      ok = bool(fields.scaleMax = value.getNumber());
    } else if (key == "scale_exact_match") {
      ok = bool(fields.scaleExactMatch = value.getNumber());
    } else if (key == "qschemes") {
      auto elements = value.getArray();
      SmallVector<StringRef> names;
      ok = elements.has_value();
      for (const Cursor &element : elements.value_or(std::vector<Cursor>())) {
        auto name = element.getString();
        ok &= name.has_value();
        StringRef text = name.value_or("");
        text.consume_front("torch.");
        names.push_back(text);
      }
      fields.qschemes = Builder(context).getStrArrayAttr(names);
    } else {
      cursor.emitUnknownKey(key, keys);
      ok = false;
    }
    if (!ok)
      return {};
  }
  if (!fields.dtype) {
    cursor.emitError() << "has no 'dtype'";
    return {};
  }
  return DTypeAttr::getChecked(emitError, context, fields);
}

static DTypeConfigAttr readDTypeConfig(const Cursor &cursor) {
  auto members = cursor.getObject();
  if (!members)
    return {};
  static constexpr StringRef keys[] = {"input_dtype", "output_dtype",
                                       "weight_dtype", "bias_dtype",
                                       "is_dynamic"};
  DTypeAttr input, output, weight;
  Type bias;
  bool isDynamic = false;
  for (auto &[key, value] : *members) {
    if (value.isNull())
      continue;
    bool ok;
    if (key == "input_dtype") {
      ok = bool(input = readDTypeWithConstraints(value));
    } else if (key == "output_dtype") {
      ok = bool(output = readDTypeWithConstraints(value));
    } else if (key == "weight_dtype") {
      ok = bool(weight = readDTypeWithConstraints(value));
    } else if (key == "bias_dtype") {
      ok = bool(bias = readDType(value));
    } else if (key == "is_dynamic") {
      auto flag = value.getBoolean();
      isDynamic = flag.value_or(false);
      ok = flag.has_value();
    } else {
      cursor.emitUnknownKey(key, keys);
      ok = false;
    }
    if (!ok)
      return {};
  }
  return DTypeConfigAttr::getChecked([&] { return cursor.emitError(); },
                                     cursor.getContext(), input, output, weight,
                                     bias, isDynamic);
}

/// Sets the field `key`; failure after an error.
static LogicalResult readField(StringRef key, const Cursor &entry,
                               const Cursor &value, PatternFields &fields,
                               EdgesAttr &edges,
                               RequantizationRuleAttr &requantization) {
  MLIRContext *context = value.getContext();
  Builder builder(context);
  static constexpr StringRef keys[] = {"pattern",
                                       "pattern_complex_format",
                                       "observation_type",
                                       "edges",
                                       "requantization",
                                       "dtype_configs",
                                       "root_module",
                                       "qat_module",
                                       "reference_quantized_module_for_root",
                                       "fused_module",
                                       "fuser_method",
                                       "root_node_getter",
                                       "extra_inputs_getter",
                                       "num_tensor_args_to_observation_type",
                                       "input_type_to_index",
                                       "fused_operator"};
  auto setString = [&](StringAttr &field) {
    auto string = value.getString();
    if (string)
      field = builder.getStringAttr(*string);
    return success(string.has_value());
  };
  if (key == "pattern" || key == "pattern_complex_format") {
    if (fields.torch)
      return entry.emitError()
             << "has both 'pattern' and 'pattern_complex_format', expected one";
    fields.torch = key == "pattern" ? readSequence(value) : readNode(value, 1);
    if (fields.torch && !isa<ArrayAttr, PatternNodeAttr>(fields.torch))
      return value.emitError() << "a pattern starts with an operator, its last";
    return success(bool(fields.torch));
  }
  if (key == "observation_type") {
    auto type = readObservation(value);
    fields.observation = type.value_or(fields.observation);
    return success(type.has_value());
  }
  if (key == "edges") {
    edges = readEdges(value);
    return success(bool(edges));
  }
  if (key == "requantization") {
    requantization = readRequantization(value);
    return success(bool(requantization));
  }
  if (key == "dtype_configs") {
    auto elements = value.getArray();
    if (!elements)
      return failure();
    SmallVector<Attribute> dtypes;
    for (const Cursor &element : *elements) {
      dtypes.push_back(readDTypeConfig(element));
      if (!dtypes.back())
        return failure();
    }
    fields.dtypes = builder.getArrayAttr(dtypes);
    return success();
  }
  if (key == "root_module")
    return setString(fields.rootModule);
  if (key == "qat_module")
    return setString(fields.qatModule);
  if (key == "reference_quantized_module_for_root")
    return setString(fields.referenceQuantizedModule);
  if (key == "fused_module")
    return setString(fields.fusedModule);
  if (key == "fuser_method")
    return setString(fields.fuserMethod);
  if (key == "root_node_getter") {
    auto indices = readIndices(value);
    if (indices)
      fields.root = builder.getDenseI64ArrayAttr(*indices);
    return success(indices.has_value());
  }
  if (key == "extra_inputs_getter") {
    auto elements = value.getArray();
    if (!elements)
      return failure();
    SmallVector<Attribute> paths;
    for (const Cursor &element : *elements) {
      auto indices = readIndices(element);
      if (!indices)
        return failure();
      paths.push_back(builder.getI64ArrayAttr(*indices));
    }
    fields.extraInputs = builder.getArrayAttr(paths);
    return success();
  }
  if (key == "fused_operator") {
    fields.fusedOperator = readNames(value);
    return success(bool(fields.fusedOperator));
  }
  if (key == "num_tensor_args_to_observation_type" ||
      key == "input_type_to_index") {
    auto members = value.getObject();
    if (!members)
      return failure();
    bool isIndex = key == "input_type_to_index";
    SmallVector<NamedAttribute> entries;
    for (auto &[name, member] : *members) {
      Attribute attr;
      if (isIndex) {
        if (auto index = member.getInteger())
          attr = builder.getI64IntegerAttr(*index);
      } else if (auto type = readObservation(member)) {
        attr = builder.getStringAttr(stringifyObservationType(*type));
      }
      if (!attr)
        return failure();
      entries.push_back(builder.getNamedAttr(name, attr));
    }
    if (entries.empty())
      return success();
    DictionaryAttr dictionary = builder.getDictionaryAttr(entries);
    if (isIndex)
      fields.inputTypeToIndex = dictionary;
    else
      fields.numTensorArgsToObservationType = dictionary;
    return success();
  }
  entry.emitUnknownKey(key, keys);
  return failure();
}

namespace {
/// An entry of "configs": its patterns in kinds, and their fields.
struct Entry {
  SmallVector<Attribute> patterns;
  /// Null after an error.
  PatternAttr config;
  /// Null if there are none.
  EdgesAttr edges;
  RequantizationRuleAttr requantization;
};
} // namespace

static Entry readEntry(const Cursor &cursor) {
  auto members = cursor.getObject();
  if (!members)
    return {};
  PatternFields fields;
  EdgesAttr edges;
  RequantizationRuleAttr requantization;
  fields.dtypes = ArrayAttr::get(cursor.getContext(), {});
  for (auto &[key, value] : *members)
    if (!value.isNull() &&
        failed(readField(key, cursor, value, fields, edges, requantization)))
      return {};
  if (!fields.torch) {
    cursor.emitError() << "has neither 'pattern' nor 'pattern_complex_format'";
    return {};
  }
  SmallVector<Attribute> patterns =
      getPatternsOfTorch(fields.torch, fields.fusedOperator);
  if (patterns.empty()) {
    cursor.emitError() << "has too many names of several ranks: more than 64 "
                          "patterns of kinds; split it, or name the kinds";
    return {};
  }
  if (patterns == ArrayRef(fields.torch))
    fields.torch = {};
  return {patterns,
          PatternAttr::getChecked([&] { return cursor.emitError(); },
                                  cursor.getContext(), fields),
          edges, requantization};
}

/// The document as ops at the builder's insertion point.
static LogicalResult readBackend(const Cursor &document, OpBuilder &builder) {
  auto members = document.getObject();
  if (!members)
    return failure();
  static constexpr StringRef keys[] = {
      "name",      "configs",         "lowering",        "limits",
      "real_bias", "default_qconfig", "qconfig_mappings"};
  auto config = BackendConfigOp::create(
      builder, document.getLoc(), builder.getStringAttr(""),
      builder.getI64IntegerAttr(BackendConfigOp::kVersion), FlatSymbolRefAttr(),
      ArrayAttr());
  Block &body = config.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  // By the order in which they were given first.
  llvm::MapVector<Attribute, std::pair<Location, Entry>> entries;
  std::vector<std::pair<StringRef, Cursor>> mappings;
  std::optional<Cursor> limits;
  for (auto &[key, value] : *members) {
    if (key == "name") {
      auto name = value.getString();
      if (!name)
        return failure();
      config.setSymName(name->empty() ? StringRef(kNoName) : *name);
    } else if (key == "configs") {
      auto elements = value.getArray();
      if (!elements)
        return failure();
      for (const Cursor &element : *elements) {
        auto entry = readEntry(element);
        if (!entry.config)
          return failure();
        Attribute torch = entry.config.getTorch();
        auto [it, inserted] =
            entries.insert({torch ? torch : entry.patterns.front(),
                            {element.getLoc(), entry}});
        if (!inserted)
          it->second = {element.getLoc(), entry};
      }
    } else if (key == "lowering") {
      ArrayAttr forms = readNames(value);
      if (!forms)
        return failure();
      config.setLoweringAttr(forms);
    } else if (key == "limits") {
      limits = value;
    } else if (key == "real_bias") {
      auto flag = value.getBoolean();
      if (!flag)
        return failure();
      config.setRealBias(*flag);
    } else if (key == "default_qconfig") {
      auto name = value.getString();
      if (!name)
        return failure();
      config.setDefaultQconfig(*name);
    } else if (key == "qconfig_mappings") {
      auto all = value.getObject();
      if (!all)
        return failure();
      mappings = *all;
    } else {
      document.emitUnknownKey(key, keys);
      return failure();
    }
  }
  for (auto &[torch, entry] : entries)
    for (Attribute pattern : entry.second.patterns) {
      auto config = PatternConfigOp::create(builder, entry.first, pattern,
                                            entry.second.config);
      if (entry.second.edges)
        config->setAttr(kEdgesAttrName, entry.second.edges);
      if (entry.second.requantization)
        config->setAttr(kRequantizationAttrName, entry.second.requantization);
    }
  if (limits && failed(readLimits(*limits, builder)))
    return failure();
  for (auto &[name, cursor] : mappings)
    if (failed(readMapping(cursor, builder, name)))
      return failure();
  return success();
}

/// The value of `text`; nothing, after an error, if that is no JSON.
static std::optional<llvm::json::Value> parse(StringRef text,
                                              MLIRContext *context) {
  context->getOrLoadDialect<QBackendDialect>();
  auto value = parseJson(text);
  if (value)
    return std::move(*value);
  emitError(NameLoc::get(StringAttr::get(context, "JSON document")))
      << "is not JSON: " << llvm::toString(value.takeError());
  return std::nullopt;
}

/// Parses `text`, and has `read` build the ops of the document in a new module.
static FailureOr<OwningOpRef<ModuleOp>>
readDocument(StringRef text, MLIRContext *context,
             function_ref<LogicalResult(const Cursor &, OpBuilder &)> read) {
  auto value = parse(text, context);
  if (!value)
    return failure();
  Cursor document(*value, context, "");
  OwningOpRef<ModuleOp> module = ModuleOp::create(document.getLoc());
  auto builder = OpBuilder::atBlockBegin(module->getBody());
  if (failed(read(document, builder)) || failed(mlir::verify(*module)))
    return failure();
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> qbackend::fromJSON(StringRef text,
                                                    MLIRContext *context) {
  return readDocument(text, context, readBackend);
}

FailureOr<OwningOpRef<ModuleOp>>
qbackend::mappingFromJSON(StringRef text, StringRef name,
                          MLIRContext *context) {
  return readDocument(text, context,
                      [&](const Cursor &cursor, OpBuilder &builder) {
                        return readMapping(cursor, builder, name);
                      });
}

FailureOr<ObserverAttr> qbackend::observerFromJSON(StringRef text,
                                                   MLIRContext *context) {
  auto value = parse(text, context);
  if (!value)
    return failure();
  ObserverAttr observer = readObserver(Cursor(*value, context, ""));
  if (!observer)
    return failure();
  return observer;
}

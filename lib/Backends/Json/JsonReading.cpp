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
  auto integer = [](std::optional<int64_t> &field) {
    return [&field](const Cursor &value) {
      // PyTorch takes 127.0 as well.
      auto number = value.getValue().getAsNumber();
      if (number && *number == std::trunc(*number) && std::abs(*number) < 1e15)
        field = int64_t(*number);
      else
        field = value.getInteger();
      return field.has_value();
    };
  };
  auto number = [](FloatAttr &field) {
    return [&field](const Cursor &value) {
      return bool(field = value.getNumber());
    };
  };
  auto readSchemes = [&](const Cursor &value) {
    ArrayAttr names = readNames(value);
    SmallVector<StringRef> schemes;
    if (names)
      for (StringRef name : names.getAsValueRange<StringAttr>()) {
        name.consume_front("torch.");
        schemes.push_back(name);
      }
    fields.qschemes = Builder(context).getStrArrayAttr(schemes);
    return bool(names);
  };
  if (!cursor.readMembers(
          {{"dtype",
            [&](const Cursor &value) {
              return bool(fields.dtype = readDType(value));
            }},
           {"quant_min_lower_bound", integer(fields.quantMin)},
           {"quant_max_upper_bound", integer(fields.quantMax)},
           {"scale_min_lower_bound", number(fields.scaleMin)},
           {"scale_max_upper_bound", number(fields.scaleMax)},
           {"scale_exact_match", number(fields.scaleExactMatch)},
           {"zero_point_exact_match", integer(fields.zeroPointExactMatch)},
           {"qschemes", readSchemes}}))
    return {};
  if (!fields.dtype) {
    cursor.emitError() << "has no 'dtype'";
    return {};
  }
  return DTypeAttr::getChecked(emitError, context, fields);
}

static DTypeConfigAttr readDTypeConfig(const Cursor &cursor) {
  DTypeAttr input, output, weight;
  Type bias;
  bool isDynamic = false;
  auto dtype = [](DTypeAttr &field) {
    return [&field](const Cursor &value) {
      return bool(field = readDTypeWithConstraints(value));
    };
  };
  if (!cursor.readMembers(
          {{"input_dtype", dtype(input)},
           {"output_dtype", dtype(output)},
           {"weight_dtype", dtype(weight)},
           {"bias_dtype",
            [&](const Cursor &value) { return bool(bias = readDType(value)); }},
           {"is_dynamic", [&](const Cursor &value) {
              auto flag = value.getBoolean();
              isDynamic = flag.value_or(false);
              return flag.has_value();
            }}}))
    return {};
  return DTypeConfigAttr::getChecked([&] { return cursor.emitError(); },
                                     cursor.getContext(), input, output, weight,
                                     bias, isDynamic);
}

/// The paths of a getter of extra inputs; null after an error.
static ArrayAttr readPaths(const Cursor &cursor) {
  Builder builder(cursor.getContext());
  auto elements = cursor.getArray();
  if (!elements)
    return {};
  SmallVector<Attribute> paths;
  for (const Cursor &element : *elements) {
    auto indices = readIndices(element);
    if (!indices)
      return {};
    paths.push_back(builder.getI64ArrayAttr(*indices));
  }
  return builder.getArrayAttr(paths);
}

/// An array of dtype configs; null after an error.
static ArrayAttr readDTypeConfigs(const Cursor &cursor) {
  auto elements = cursor.getArray();
  if (!elements)
    return {};
  SmallVector<Attribute> dtypes;
  for (const Cursor &element : *elements) {
    dtypes.push_back(readDTypeConfig(element));
    if (!dtypes.back())
      return {};
  }
  return ArrayAttr::get(cursor.getContext(), dtypes);
}

/// A dictionary of what `read` makes of each member; none for an empty one.
/// False after an error, where `read` gives null.
static bool readDictionary(const Cursor &cursor, Attribute &field,
                           function_ref<Attribute(const Cursor &)> read) {
  auto members = cursor.getObject();
  if (!members)
    return false;
  Builder builder(cursor.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto &[name, member] : *members) {
    Attribute attr = read(member);
    if (!attr)
      return false;
    entries.push_back(builder.getNamedAttr(name, attr));
  }
  if (!entries.empty())
    field = builder.getDictionaryAttr(entries);
  return true;
}

/// Sets the fields of an entry; false after an error.
static bool readFields(const Cursor &entry, PatternFields &fields,
                       EdgesAttr &edges,
                       RequantizationRuleAttr &requantization) {
  Builder builder(entry.getContext());
  auto string = [&](StringAttr &field) {
    return [&](const Cursor &value) {
      auto text = value.getString();
      if (text)
        field = builder.getStringAttr(*text);
      return text.has_value();
    };
  };
  auto pattern = [&](auto read) {
    return [&, read](const Cursor &value) {
      if (fields.torch) {
        entry.emitError()
            << "has both 'pattern' and 'pattern_complex_format', expected one";
        return false;
      }
      fields.torch = read(value);
      bool starts =
          !fields.torch || isa<ArrayAttr, PatternNodeAttr>(fields.torch);
      if (!starts)
        value.emitError() << "a pattern starts with an operator, its last";
      return starts && fields.torch;
    };
  };
  auto readRoot = [&](const Cursor &value) {
    auto indices = readIndices(value);
    if (indices)
      fields.root = builder.getDenseI64ArrayAttr(*indices);
    return indices.has_value();
  };
  auto getObservation = [&](const Cursor &value) -> Attribute {
    auto type = readObservation(value);
    return type ? builder.getStringAttr(stringifyObservationType(*type))
                : StringAttr();
  };
  auto getIndex = [&](const Cursor &value) -> Attribute {
    auto index = value.getInteger();
    return index ? builder.getI64IntegerAttr(*index) : IntegerAttr();
  };
  return entry.readMembers(
      {{"pattern", pattern(readSequence)},
       {"pattern_complex_format",
        pattern([](const Cursor &value) { return readNode(value, 1); })},
       {"observation_type",
        [&](const Cursor &value) {
          auto type = readObservation(value);
          fields.observation = type.value_or(fields.observation);
          return type.has_value();
        }},
       {"edges",
        [&](const Cursor &value) { return bool(edges = readEdges(value)); }},
       {"requantization",
        [&](const Cursor &value) {
          return bool(requantization = readRequantization(value));
        }},
       {"dtype_configs",
        [&](const Cursor &value) {
          return bool(fields.dtypes = readDTypeConfigs(value));
        }},
       {"root_module", string(fields.rootModule)},
       {"qat_module", string(fields.qatModule)},
       {"reference_quantized_module_for_root",
        string(fields.referenceQuantizedModule)},
       {"fused_module", string(fields.fusedModule)},
       {"fuser_method", string(fields.fuserMethod)},
       {"root_node_getter", readRoot},
       {"extra_inputs_getter",
        [&](const Cursor &value) {
          return bool(fields.extraInputs = readPaths(value));
        }},
       {"num_tensor_args_to_observation_type",
        [&](const Cursor &value) {
          return readDictionary(value, fields.numTensorArgsToObservationType,
                                getObservation);
        }},
       {"input_type_to_index",
        [&](const Cursor &value) {
          return readDictionary(value, fields.inputTypeToIndex, getIndex);
        }},
       {"fused_operator", [&](const Cursor &value) {
          return bool(fields.fusedOperator = readNames(value));
        }}});
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
  PatternFields fields;
  EdgesAttr edges;
  RequantizationRuleAttr requantization;
  fields.dtypes = ArrayAttr::get(cursor.getContext(), {});
  if (!readFields(cursor, fields, edges, requantization))
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
  auto config = BackendConfigOp::create(
      builder, document.getLoc(), builder.getStringAttr(kNoName),
      builder.getI64IntegerAttr(BackendConfigOp::kVersion), FlatSymbolRefAttr(),
      ArrayAttr());
  Block &body = config.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  // By the order in which they were given first.
  llvm::MapVector<Attribute, std::pair<Location, Entry>> entries;
  std::vector<std::pair<StringRef, Cursor>> mappings;
  std::optional<Cursor> limits;
  auto readConfigs = [&](const Cursor &value) {
    auto elements = value.getArray();
    if (!elements)
      return false;
    for (const Cursor &element : *elements) {
      auto entry = readEntry(element);
      if (!entry.config)
        return false;
      Attribute torch = entry.config.getTorch();
      auto [it, inserted] = entries.insert(
          {torch ? torch : entry.patterns.front(), {element.getLoc(), entry}});
      if (!inserted)
        it->second = {element.getLoc(), entry};
    }
    return true;
  };
  if (!document.readMembers(
          {{"name",
            [&](const Cursor &value) {
              auto name = value.getString();
              if (name)
                config.setSymName(name->empty() ? StringRef(kNoName) : *name);
              return name.has_value();
            }},
           {"configs", readConfigs},
           {"lowering",
            [&](const Cursor &value) {
              ArrayAttr forms = readNames(value);
              if (forms)
                config.setLoweringAttr(forms);
              return bool(forms);
            }},
           {"limits",
            [&](const Cursor &value) {
              limits = value;
              return true;
            }},
           {"real_bias",
            [&](const Cursor &value) {
              auto flag = value.getBoolean();
              config.setRealBias(flag.value_or(false));
              return flag.has_value();
            }},
           {"default_qconfig",
            [&](const Cursor &value) {
              auto name = value.getString();
              if (name)
                config.setDefaultQconfig(*name);
              return name.has_value();
            }},
           {"qconfig_mappings", [&](const Cursor &value) {
              auto all = value.getObject();
              if (all)
                mappings = *all;
              return all.has_value();
            }}}))
    return failure();
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints backend configurations as JSON, in the form of PyTorch's dictionaries.

#include "JsonValues.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Backends/TorchNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

void qbackend::json::printDType(StringRef key, DTypeAttr dtype,
                                llvm::json::OStream &os) {
  if (!dtype)
    return;
  os.attributeObject(key, [&] {
    os.attribute("dtype", stringifyDType(dtype.getDtype()));
    auto integer = [&](StringRef name, std::optional<int64_t> value) {
      if (value)
        os.attribute(name, *value);
    };
    auto asFloat = [&](StringRef name, FloatAttr value) {
      if (value)
        os.attribute(name, value.getValueAsDouble());
    };
    integer("quant_min_lower_bound", dtype.getQuantMin());
    integer("quant_max_upper_bound", dtype.getQuantMax());
    asFloat("scale_min_lower_bound", dtype.getScaleMin());
    asFloat("scale_max_upper_bound", dtype.getScaleMax());
    asFloat("scale_exact_match", dtype.getScaleExactMatch());
    integer("zero_point_exact_match", dtype.getZeroPointExactMatch());
    if (ArrayAttr schemes = dtype.getQschemes())
      os.attributeArray("qschemes", [&] {
        for (StringRef scheme : schemes.getAsValueRange<StringAttr>())
          os.value(scheme);
      });
  });
}

namespace {
/// Prints one backend_config.
class BackendPrinter {
public:
  explicit BackendPrinter(llvm::json::OStream &os) : os(os) {}

  LogicalResult print(BackendConfigOp config) {
    bool ok = true;
    os.object([&] {
      StringRef name = config.getSymName();
      os.attribute("name", name == kNoName ? StringRef() : name);
      os.attributeArray("configs", [&] {
        llvm::DenseMap<Attribute, SmallVector<PatternConfigOp>> spellings;
        for (auto pattern : getPatterns(config))
          if (Attribute torch = pattern.getConfig().getTorch())
            spellings[torch].push_back(pattern);
        llvm::DenseSet<Attribute> printed;
        for (auto pattern : getPatterns(config))
          ok &= succeeded(
              print(pattern, spellings.lookup(pattern.getConfig().getTorch()),
                    printed));
      });
      if (ArrayAttr lowering = config.getLoweringAttr())
        os.attributeArray("lowering", [&] {
          for (StringRef form : lowering.getAsValueRange<StringAttr>())
            os.value(form);
        });
      printLimits(config, os);
      if (config.getRealBias())
        os.attribute("real_bias", true);
      if (auto name = config.getDefaultQconfig())
        os.attribute("default_qconfig", *name);
      // JSON has no order of keys.
      auto mappings =
          llvm::to_vector(config.getBody().front().getOps<QConfigMappingOp>());
      llvm::sort(mappings, [](QConfigMappingOp a, QConfigMappingOp b) {
        return a.getSymName() < b.getSymName();
      });
      if (!mappings.empty())
        os.attributeObject("qconfig_mappings", [&] {
          for (QConfigMappingOp mapping : mappings) {
            os.attributeBegin(mapping.getSymName());
            ok &= succeeded(printMapping(mapping, os));
            os.attributeEnd();
          }
        });
    });
    return success(ok);
  }

private:
  static llvm::iterator_range<Block::op_iterator<PatternConfigOp>>
  getPatterns(BackendConfigOp config) {
    return config.getBody().front().getOps<PatternConfigOp>();
  }

  void attribute(StringRef key, StringAttr value) {
    if (value)
      os.attribute(key, value.getValue());
  }

  /// A list of names, which is one name if it has one element, or nested lists.
  void printPattern(Attribute pattern) {
    if (auto node = dyn_cast<PatternNodeAttr>(pattern)) {
      if (node.getOperands().empty())
        return os.value(node.getName().getValue());
      return os.array([&] {
        os.value(node.getName().getValue());
        for (Attribute operand : node.getOperands())
          printPattern(operand);
      });
    }
    if (isa<UnitAttr>(pattern))
      return os.value("MatchAllNode");
    if (auto boolean = dyn_cast<BoolAttr>(pattern))
      return os.value(boolean.getValue());
    if (auto integer = dyn_cast<IntegerAttr>(pattern))
      return os.value(integer.getInt());
    if (auto number = dyn_cast<FloatAttr>(pattern))
      return os.value(number.getValueAsDouble());
    auto list = cast<ArrayAttr>(pattern);
    if (list.size() == 1)
      return os.value(cast<StringAttr>(list[0]).getValue());
    os.array([&] {
      for (StringRef name : list.getAsValueRange<StringAttr>())
        os.value(name);
    });
  }

  void print(DTypeConfigAttr config) {
    os.object([&] {
      printDType("input_dtype", config.getInput(), os);
      printDType("output_dtype", config.getOutput(), os);
      printDType("weight_dtype", config.getWeight(), os);
      if (config.getBias())
        os.attribute("bias_dtype", stringifyDType(config.getBias()));
      // What PyTorch leaves unset stays so.
      if (config.getIsDynamic())
        os.attribute("is_dynamic", true);
    });
  }

  void printIndices(ArrayRef<int64_t> indices) {
    os.array([&] {
      for (int64_t index : indices)
        os.value(index);
    });
  }

  /// True if `patterns`, of one name in PyTorch, are what the name is read as,
  /// and not some of that, or more.
  static bool areOfOneName(ArrayRef<PatternConfigOp> patterns) {
    PatternConfigOp first = patterns.front();
    SmallVector<Attribute> all = getPatternsOfTorch(
        first.getConfig().getTorch(), first.getConfig().getFusedOperator());
    if (all.size() <= 1 && patterns.size() == 1)
      return true;
    return all.size() == patterns.size() &&
           llvm::all_of(patterns, [&](PatternConfigOp each) {
             return llvm::is_contained(all, each.getPattern());
           });
  }

  /// Prints `op`, of the name of `spelling` in PyTorch if it has one. Those of
  /// one name are one entry. Of entries with one pattern, readers keep the
  /// last: fails, and says so, if it is in `printed`.
  LogicalResult print(PatternConfigOp op, ArrayRef<PatternConfigOp> spelling,
                      llvm::DenseSet<Attribute> &printed) {
    PatternAttr config = op.getConfig();
    Attribute pattern = op.getPattern();
    bool hasName = !spelling.empty() && areOfOneName(spelling);
    if (hasName) {
      if (op != spelling.front())
        return success();
      pattern = config.getTorch();
    }
    if (!printed.insert(pattern).second)
      return op.emitOpError()
             << "has the pattern of another entry; its name in PyTorch, which "
                "would tell them apart, is that of more kinds: JSON can't say "
                "both; give each kind of the name an entry";
    bool ok = true;
    os.object([&] {
      os.attributeBegin(isa<PatternNodeAttr>(pattern) ? "pattern_complex_format"
                                                      : "pattern");
      printPattern(pattern);
      os.attributeEnd();
      os.attribute("observation_type",
                   stringifyObservationType(config.getObservation()).upper());
      if (EdgesAttr edges = getEdges(op)) {
        os.attributeBegin("edges");
        ok &= succeeded(printEdges(edges, op, os));
        os.attributeEnd();
      }
      if (RequantizationRuleAttr rule = getRequantizationRule(op)) {
        os.attributeBegin("requantization");
        printRequantization(rule, os);
        os.attributeEnd();
      }
      os.attributeArray("dtype_configs", [&] {
        for (auto dtypes : config.getDtypes().getAsRange<DTypeConfigAttr>())
          print(dtypes);
      });
      attribute("root_module", config.getRootModule());
      attribute("qat_module", config.getQatModule());
      attribute("reference_quantized_module_for_root",
                config.getReferenceQuantizedModule());
      attribute("fused_module", config.getFusedModule());
      attribute("fuser_method", config.getFuserMethod());
      // A path in the name, which isn't what was printed of some of its kinds.
      DenseI64ArrayAttr root = config.getRoot();
      if (root && (hasName || spelling.empty())) {
        os.attributeBegin("root_node_getter");
        printIndices(root.asArrayRef());
        os.attributeEnd();
      }
      if (ArrayAttr extra = config.getExtraInputs())
        os.attributeArray("extra_inputs_getter", [&] {
          for (auto path : extra.getAsRange<ArrayAttr>())
            printIndices(llvm::map_to_vector(
                path.getAsRange<IntegerAttr>(),
                [](IntegerAttr index) { return index.getInt(); }));
        });
      if (auto byCount = dyn_cast_or_null<DictionaryAttr>(
              config.getNumTensorArgsToObservationType()))
        os.attributeObject("num_tensor_args_to_observation_type", [&] {
          for (NamedAttribute entry : byCount)
            os.attribute(entry.getName().getValue(),
                         cast<StringAttr>(entry.getValue()).getValue().upper());
        });
      if (DictionaryAttr indices = config.getInputTypeToIndex())
        os.attributeObject("input_type_to_index", [&] {
          for (NamedAttribute entry : indices)
            os.attribute(entry.getName().getValue(),
                         cast<IntegerAttr>(entry.getValue()).getInt());
        });
      // What PyTorch has callables for, or nothing.
      if (ArrayAttr fused = config.getFusedOperator())
        os.attributeArray("fused_operator", [&] {
          for (StringRef name : fused.getAsValueRange<StringAttr>())
            os.value(name);
        });
    });
    return success(ok);
  }

  llvm::json::OStream &os;
};
} // namespace

LogicalResult qbackend::toJSON(BackendConfigOp config, raw_ostream &os) {
  llvm::json::OStream stream(os, /*IndentSize=*/1);
  return BackendPrinter(stream).print(config);
}

LogicalResult qbackend::toJSON(QConfigMappingOp mapping, raw_ostream &os) {
  llvm::json::OStream stream(os, /*IndentSize=*/1);
  return printMapping(mapping, stream);
}

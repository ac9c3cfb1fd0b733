// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two configurations have different.

#include "qbackend/Insight/Explanation/Diff.h"

#include "Describe.h"

#include "qbackend/Dialect/QBackend/Edges.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::inspection;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
/// Values as text by the path of their field, "dtypes[0].input.dtype".
using Fields =
    llvm::MapVector<std::string, std::string, std::map<std::string, unsigned>>;

/// An entry of a list: patterns, mappings, functions, qconfigs.
struct Item {
  /// What it is known by.
  std::string key;
  Fields fields;
};
} // namespace

static void addText(Fields &fields, const Twine &path, Attribute value) {
  if (value)
    fields[path.str()] = stringify(value);
}

static void addText(Fields &fields, const Twine &path,
                    std::optional<int64_t> value) {
  if (value)
    fields[path.str()] = std::to_string(*value);
}

static void addText(Fields &fields, const Twine &path, bool value) {
  fields[path.str()] = value ? "true" : "false";
}

static void addDType(Fields &fields, const Twine &path, DTypeAttr dtype) {
  if (!dtype)
    return;
  addText(fields, path, TypeAttr::get(dtype.getDtype()));
  addText(fields, path + ".quant_min", dtype.getQuantMin());
  addText(fields, path + ".quant_max", dtype.getQuantMax());
  addText(fields, path + ".scale_min", dtype.getScaleMin());
  addText(fields, path + ".scale_max", dtype.getScaleMax());
  addText(fields, path + ".scale_exact_match", dtype.getScaleExactMatch());
  addText(fields, path + ".zero_point_exact_match",
          dtype.getZeroPointExactMatch());
  addText(fields, path + ".qschemes", dtype.getQschemes());
}

static Fields getFields(PatternConfigOp pattern) {
  Fields fields;
  PatternAttr config = pattern.getConfig();
  fields["observation"] =
      stringifyObservationType(config.getObservation()).str();
  if (EdgesAttr edges = getEdges(pattern)) {
    for (auto [i, spec] : llvm::enumerate(edges.getInputs()))
      addText(fields, "edges.inputs[" + Twine(i) + "]", spec);
    addText(fields, "edges.weight", edges.getWeight());
    addText(fields, "edges.bias", edges.getBias());
    addText(fields, "edges.output", edges.getOutput());
    for (EdgeCondition condition : edges.getConditions())
      fields[("edges.if." + stringifyEdgeCondition(condition)).str()] = "true";
  }
  addText(fields, "requantization", getRequantizationRule(pattern));
  auto byCount = dyn_cast_or_null<DictionaryAttr>(
      config.getNumTensorArgsToObservationType());
  for (NamedAttribute entry :
       byCount ? byCount.getValue() : ArrayRef<NamedAttribute>())
    addText(fields,
            "num_tensor_args_to_observation_type[" +
                entry.getName().getValue() + "]",
            entry.getValue());
  for (auto [i, dtypes] :
       llvm::enumerate(config.getDtypes().getAsRange<DTypeConfigAttr>())) {
    std::string path = "dtypes[" + std::to_string(i) + "]";
    addDType(fields, path + ".input", dtypes.getInput());
    addDType(fields, path + ".output", dtypes.getOutput());
    addDType(fields, path + ".weight", dtypes.getWeight());
    if (dtypes.getBias())
      addText(fields, path + ".bias", TypeAttr::get(dtypes.getBias()));
    addText(fields, path + ".is_dynamic", dtypes.getIsDynamic());
  }
  addText(fields, "root", config.getRoot());
  addText(fields, "extra_inputs", config.getExtraInputs());
  addText(fields, "root_module", config.getRootModule());
  addText(fields, "qat_module", config.getQatModule());
  addText(fields, "reference_quantized_module",
          config.getReferenceQuantizedModule());
  addText(fields, "fused_module", config.getFusedModule());
  addText(fields, "fuser_method", config.getFuserMethod());
  addText(fields, "fused_operator", config.getFusedOperator());
  addText(fields, "reference", config.getReference());
  DictionaryAttr indices = config.getInputTypeToIndex();
  for (NamedAttribute entry :
       indices ? indices.getValue() : ArrayRef<NamedAttribute>())
    addText(fields, "input_type_to_index[" + entry.getName().getValue() + "]",
            entry.getValue());
  return fields;
}

static void addObserver(Fields &fields, StringRef role, ObserverAttr observer) {
  std::string path = role.str() + ".";
  fields[path + "observer"] = stringifyObserverKind(observer.getKind()).str();
  addText(fields, path + "dtype", TypeAttr::get(observer.getDtype()));
  fields[path + "scheme"] = stringifyQScheme(observer.getScheme()).str();
  ObserverFields members = observer.getFields();
  members.visit([&](ObserverField field, const auto &member) {
    addText(fields, Twine(path) + stringifyObserverField(field), member);
  });
  fields[path + "fake_quantize"] =
      stringifyFakeQuantizeKind(observer.getFakeQuantize()).str();
}

static Fields getFields(QConfigOp entry) {
  Fields fields;
  if (std::optional<QConfigAttr> config = entry.getConfig()) {
    fields["qconfig"] = "given";
    addObserver(fields, "activation", config->getActivation());
    addObserver(fields, "weight", config->getWeight());
  }
  return fields;
}

static Fields getFields(BackendConfigOp backend) {
  Fields fields;
  fields["name"] = backend.getSymName().str();
  addText(fields, "default_qconfig", backend.getDefaultQconfigAttr());
  addText(fields, "lowering", backend.getLoweringAttr());
  addText(fields, "real_bias", backend.getRealBias());
  return fields;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

static std::vector<Item> getPatternItems(BackendConfigOp backend) {
  std::vector<Item> items;
  for (PatternConfigOp pattern : getPatterns(backend)) {
    std::string key = "pattern " + stringifyPattern(pattern.getPattern());
    if (Attribute torch = pattern.getConfig().getTorch())
      key += " torch " + stringifyPattern(torch);
    items.push_back({key, getFields(pattern)});
  }
  return items;
}

static std::vector<Item> getLimitItems(BackendConfigOp backend) {
  std::vector<Item> items;
  for (LimitOp limit : backend.getBody().front().getOps<LimitOp>()) {
    Fields fields;
    addText(fields, "reason", limit.getReasonAttr());
    items.push_back({"limit " + stringifyPattern(limit.getKinds()) + " \"" +
                         limit.getCondition().str() + "\"",
                     fields});
  }
  return items;
}

static std::vector<Item> getMappingItems(BackendConfigOp backend) {
  std::vector<Item> items;
  for (QConfigMappingOp mapping : getMappings(backend))
    items.push_back({"qconfig_mapping @" + mapping.getSymName().str(), {}});
  return items;
}

static std::vector<Item> getEntryItems(QConfigMappingOp mapping) {
  std::vector<Item> items;
  if (mapping->hasAttr(kIgnoreUnknownNamesAttrName))
    items.push_back({kIgnoreUnknownNamesAttrName.str(), {}});
  llvm::StringMap<unsigned> counts;
  for (QConfigOp entry : getEntries(mapping)) {
    std::string key =
        "qconfig " + stringifyQConfigLevel(entry.getLevel()).str();
    if (auto selector = entry.getSelector())
      key += " \"" + selector->str() + "\"";
    if (auto kind = entry.getObjectType())
      key += ", \"" + kind->str() + "\"";
    if (auto index = entry.getIndex())
      key += ", " + std::to_string(int64_t(*index));
    // Of several with one selector, the first of one and of the other.
    if (unsigned earlier = counts[key]++)
      key += " (" + std::to_string(earlier + 1) + ")";
    items.push_back({key, getFields(entry)});
  }
  return items;
}

static std::vector<Item> getFunctionItems(BackendConfigOp backend) {
  std::vector<Item> items;
  Operation *file = backend->getParentOp();
  if (!file)
    return items;
  for (Operation &op : file->getRegion(0).front())
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      Fields fields;
      llvm::raw_string_ostream os(fields["code"]);
      op.print(os, OpPrintingFlags().printGenericOpForm());
      items.push_back({"function @" + function.getName().str(), fields});
    }
  return items;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
class Differ {
public:
  explicit Differ(raw_ostream &os) : os(os) {}

  bool foundAny() const { return any; }

  /// A line of what differs.
  raw_ostream &line(StringRef prefix) {
    any = true;
    return os << prefix;
  }

  /// The fields of `key`, with it as a title if it isn't empty.
  void compareFields(StringRef indent, StringRef key, const Fields &before,
                     const Fields &after) {
    // In the order of the first, then what only the second has.
    llvm::SmallSetVector<StringRef, 16> paths;
    for (const Fields *fields : {&before, &after})
      for (auto &[path, value] : *fields)
        paths.insert(path);
    bool titled = key.empty();
    for (StringRef path : paths) {
      auto old = before.find(path.str()), now = after.find(path.str());
      if (old != before.end() && now != after.end() &&
          old->second == now->second)
        continue;
      if (!titled)
        line(indent) << key << "\n";
      raw_ostream &out = line(indent)
                         << (key.empty() ? "" : "  ") << path << ": ";
      titled = true;
      auto value = [](auto it, auto end) -> StringRef {
        return it == end ? "none" : StringRef(it->second);
      };
      StringRef from = value(old, before.end()), to = value(now, after.end());
      if (from.contains('\n') || to.contains('\n'))
        out << "differs\n";
      else
        out << from << " -> " << to << "\n";
    }
  }

  /// Two lists: what one of them lacks, what changed, what moved. `inner`
  /// compares what else two items of one key have.
  void compareLists(StringRef indent, ArrayRef<Item> before,
                    ArrayRef<Item> after,
                    llvm::function_ref<void(StringRef key)> inner = nullptr) {
    llvm::StringMap<size_t> places;
    for (auto [i, item] : llvm::enumerate(after))
      places.insert({item.key, i});
    // Of the common ones, their places after, in the order before.
    std::vector<size_t> common;
    llvm::StringMap<char> old;
    for (const Item &item : before) {
      old.insert({item.key, 0});
      if (auto it = places.find(item.key); it != places.end())
        common.push_back(it->second);
    }
    llvm::DenseMap<size_t, size_t> ranksBefore, ranksAfter;
    std::vector<size_t> sorted = common;
    llvm::sort(sorted);
    for (auto [rank, place] : llvm::enumerate(common))
      ranksBefore[place] = rank;
    for (auto [rank, place] : llvm::enumerate(sorted))
      ranksAfter[place] = rank;
    llvm::DenseSet<size_t> moved = findMoved(common);

    for (const Item &item : before) {
      auto it = places.find(item.key);
      if (it == places.end()) {
        line(indent) << "- " << item.key << "\n";
        continue;
      }
      size_t place = it->second;
      if (moved.contains(place))
        line(indent) << "  " << item.key << " moved from place "
                     << ranksBefore[place] + 1 << " to "
                     << ranksAfter[place] + 1 << " of the common ones\n";
      compareFields((indent + "  ").str(), item.key, item.fields,
                    after[place].fields);
      if (inner)
        inner(item.key);
    }
    for (const Item &item : after)
      if (!old.contains(item.key))
        line(indent) << "+ " << item.key << "\n";
  }

private:
  /// The fewest elements without which `places` is ascending.
  static llvm::DenseSet<size_t> findMoved(ArrayRef<size_t> places) {
    size_t count = places.size();
    std::vector<size_t> length(count, 1), previous(count, count);
    size_t best = count;
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j)
        if (places[j] < places[i] && length[j] + 1 > length[i]) {
          length[i] = length[j] + 1;
          previous[i] = j;
        }
      if (best == count || length[i] > length[best])
        best = i;
    }
    llvm::DenseSet<size_t> moved(places.begin(), places.end());
    for (; best != count; best = previous[best])
      moved.erase(places[best]);
    return moved;
  }

  raw_ostream &os;
  bool any = false;
};
} // namespace

/// The mapping of `backend` that `key`, "qconfig_mapping @name", is.
static QConfigMappingOp lookupMapping(BackendConfigOp backend, StringRef key) {
  return cast<QConfigMappingOp>(
      SymbolTable::lookupSymbolIn(backend, key.split('@').second));
}

bool qbackend::diff(BackendConfigOp before, BackendConfigOp after,
                    raw_ostream &os) {
  Differ differ(os);
  differ.compareFields("  ", "", getFields(before), getFields(after));
  differ.compareLists("", getPatternItems(before), getPatternItems(after));
  differ.compareLists("", getLimitItems(before), getLimitItems(after));
  auto compareEntries = [&](StringRef key) {
    // The title comes with the first difference.
    std::string text;
    llvm::raw_string_ostream stream(text);
    Differ entries(stream);
    entries.compareLists("  ", getEntryItems(lookupMapping(before, key)),
                         getEntryItems(lookupMapping(after, key)));
    if (entries.foundAny())
      differ.line("  ") << key << "\n" << text;
  };
  differ.compareLists("", getMappingItems(before), getMappingItems(after),
                      compareEntries);
  differ.compareLists("", getFunctionItems(before), getFunctionItems(after));
  return differ.foundAny();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a backend does with an operator, in words.

#include "qbackend/Insight/Explanation/Explain.h"

#include "Describe.h"

#include "qbackend/Backends/TorchNames.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::inspection;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static StringRef describe(ObservationType type) {
  switch (type) {
  case ObservationType::OutputUseDifferentObserverAsInput:
    return "the output has an observer of its own";
  case ObservationType::OutputShareObserverWithInput:
    return "the output shares the observer of the input";
  case ObservationType::InputOutputNotObserved:
    return "neither input nor output is observed";
  }
  llvm_unreachable("an observation type without words");
}

/// "input si8 with scales of at least 0.25".
static std::string describe(StringRef role, DTypeAttr dtype) {
  std::string text =
      (role + " " + stringify(TypeAttr::get(dtype.getDtype()))).str();
  SmallVector<std::string> parts;
  if (dtype.getQuantMin() && dtype.getQuantMax())
    parts.push_back("integers in [" + std::to_string(*dtype.getQuantMin()) +
                    ", " + std::to_string(*dtype.getQuantMax()) + "]");
  if (dtype.getScaleMin())
    parts.push_back("scales of at least " + stringify(dtype.getScaleMin()));
  if (dtype.getScaleExactMatch() && dtype.getZeroPointExactMatch())
    parts.push_back("the fixed scale " + stringify(dtype.getScaleExactMatch()) +
                    " and zero point " +
                    std::to_string(*dtype.getZeroPointExactMatch()));
  if (ArrayAttr schemes = dtype.getQschemes())
    parts.push_back("the scheme " +
                    llvm::join(schemes.getAsValueRange<StringAttr>(), " or "));
  return parts.empty() ? text : text + " with " + llvm::join(parts, " and ");
}

static std::string describe(DTypeConfigAttr config) {
  SmallVector<std::string> roles;
  if (config.getInput())
    roles.push_back(describe("input", config.getInput()));
  if (config.getOutput())
    roles.push_back(describe("output", config.getOutput()));
  if (config.getWeight())
    roles.push_back(describe("weight", config.getWeight()));
  if (config.getBias())
    roles.push_back("bias " + stringify(TypeAttr::get(config.getBias())));
  std::string text = roles.empty() ? "any types" : llvm::join(roles, ", ");
  return config.getIsDynamic() ? text + ", quantized at run time" : text;
}

/// What the operators become; empty for one operator.
static std::string describeFusion(PatternConfigOp pattern) {
  if (!pattern.isFusion())
    return pattern.getKinds().size() == 1
               ? ""
               : "quantized as a unit: no observer in between";
  std::string text =
      "becomes one operator, " + llvm::join(pattern.getFusedKinds(), "+");
  if (StringAttr method = pattern.getConfig().getFuserMethod())
    text += " (" + method.str() + ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Explanation
//===----------------------------------------------------------------------===//

namespace {
class Explainer {
public:
  Explainer(BackendConfigOp backend, ArrayRef<StringRef> kinds, raw_ostream &os)
      : backend(backend), kinds(kinds), os(os) {}

  void explain() {
    os << llvm::join(kinds, "+") << " in backend " << backend.getSymName()
       << "\n";
    PatternTable table(backend);
    ArrayRef<PatternConfigOp> exact = table.lookup(kinds);
    if (exact.empty())
      os << "\nNo pattern is of exactly "
         << (kinds.size() == 1 ? "this operator" : "these operators")
         << ": it stays float (QB103).\n";
    // Spellings that say the same are one.
    llvm::MapVector<Attribute, SmallVector<PatternConfigOp>> groups;
    for (PatternConfigOp pattern : exact)
      groups[getMeaning(pattern)].push_back(pattern);
    for (auto &[meaning, patterns] : groups)
      explainPattern(patterns);
    explainFusions();
    explainLimits();
    if (!exact.empty())
      explainMappings(exact);
  }

private:
  /// What counts of a pattern here.
  static Attribute getMeaning(PatternConfigOp pattern) {
    PatternAttr config = pattern.getConfig();
    Builder builder(pattern.getContext());
    auto orNone = [&](Attribute attr) {
      return attr ? attr : builder.getUnitAttr();
    };
    return builder.getArrayAttr(
        {pattern.getTree(),
         builder.getI32IntegerAttr(int(config.getObservation())),
         orNone(getEdges(pattern)), orNone(getRequantizationRule(pattern)),
         config.getDtypes(), orNone(config.getNumTensorArgsToObservationType()),
         orNone(config.getFuserMethod()), orNone(config.getFusedOperator()),
         orNone(config.getReference())});
  }

  void explainPattern(ArrayRef<PatternConfigOp> patterns) {
    PatternConfigOp pattern = patterns.front();
    PatternAttr config = pattern.getConfig();
    os << "\npattern " << stringifyPattern(pattern.getPattern()) << "\n";
    for (PatternConfigOp each : patterns)
      if (Attribute torch = each.getConfig().getTorch())
        os << "  spelling: " << stringifyPattern(torch) << "\n";
    if (auto byCount = dyn_cast_or_null<DictionaryAttr>(
            config.getNumTensorArgsToObservationType()))
      for (NamedAttribute entry : byCount) {
        ObservationType type = *symbolizeObservationType(
            cast<StringAttr>(entry.getValue()).getValue());
        os << "  observation with " << entry.getName().getValue()
           << " tensors: " << describe(type) << "\n";
      }
    else if (EdgesAttr edges = getEdges(pattern))
      os << "  edges: " << stringify(edges).substr(strlen("#qbackend.edges"))
         << "\n";
    else
      os << "  observation: " << describe(config.getObservation()) << "\n";
    if (RequantizationRuleAttr rule = getRequantizationRule(pattern))
      os << "  requantization: "
         << stringify(rule).substr(strlen("#qbackend.requantization")) << "\n";
    for (auto [i, dtypes] :
         llvm::enumerate(config.getDtypes().getAsRange<DTypeConfigAttr>()))
      os << "  dtypes[" << i << "]: " << describe(dtypes) << "\n";
    if (config.getDtypes().empty())
      os << "  dtypes: none, so it is never quantized\n";
    if (std::string fusion = describeFusion(pattern); !fusion.empty())
      os << "  fusion: " << fusion << "\n";
    if (FlatSymbolRefAttr reference = config.getReference())
      os << "  arithmetic: " << reference << " of the backend's file\n";
  }

  /// True if these kinds are a part of `all`, but not all of it.
  bool isPartOf(ArrayRef<StringRef> all) const {
    for (size_t i = 0; i + kinds.size() <= all.size(); ++i)
      if (all.size() > kinds.size() && all.slice(i, kinds.size()) == kinds)
        return true;
    return false;
  }

  void explainFusions() {
    SmallVector<std::string> lines;
    for (PatternConfigOp pattern : getPatterns(backend)) {
      if (!isPartOf(pattern.getKinds()))
        continue;
      std::string line = "  " + stringifyPattern(pattern.getPattern()) + ": " +
                         describeFusion(pattern) + "\n";
      if (!llvm::is_contained(lines, line))
        lines.push_back(line);
    }
    os << (lines.empty() ? "\nPart of no other pattern.\n" : "\nPart of\n")
       << llvm::join(lines, "");
  }

  /// What an operator has to satisfy, too.
  void explainLimits() {
    bool any = false;
    for (LimitOp limit : backend.getBody().front().getOps<LimitOp>()) {
      auto limited = limit.getKinds().getAsValueRange<StringAttr>();
      if (llvm::none_of(limited, [&](StringRef kind) {
            return llvm::is_contained(kinds, kind);
          }))
        continue;
      os << (any ? "" : "\nLimits (QB126)\n") << "  " << limit.getCondition();
      any = true;
      if (auto reason = limit.getReason())
        os << ", of " << *reason;
      os << "\n";
    }
  }

  /// The first dtype config that fits, and of which spelling; or why none does.
  std::string judge(ArrayRef<PatternConfigOp> patterns, QConfigAttr qconfig) {
    SmallVector<std::string> reasons;
    for (PatternConfigOp pattern : patterns) {
      bool weighted = hasWeight(pattern);
      PatternAttr config = pattern.getConfig();
      QConfigAttr chosen = getChosenQConfig(pattern, qconfig);
      for (auto [i, dtypes] :
           llvm::enumerate(config.getDtypes().getAsRange<DTypeConfigAttr>()))
        if (whyUnsupported(getOnly(dtypes), chosen, weighted, weighted).empty())
          return "accepted, with dtypes[" + std::to_string(i) + "]";
      std::string reason = whyUnsupported(config, chosen, weighted, weighted);
      if (!llvm::is_contained(reasons, reason))
        reasons.push_back(reason);
    }
    return "not accepted: " + llvm::join(reasons, "; ");
  }

  void explainMappings(ArrayRef<PatternConfigOp> patterns) {
    os << "\nQconfigs\n";
    bool fused = llvm::any_of(
        patterns, [](PatternConfigOp pattern) { return pattern.isFusion(); });
    StringRef kind = fused ? kinds.front() : kinds.back();
    bool any = false;
    for (QConfigMappingOp mapping : getMappings(backend)) {
      any = true;
      os << "  @" << mapping.getSymName();
      if (backend.getDefaultQconfig() == mapping.getSymName())
        os << " (default)";
      QConfigOp entry = lookupKind(mapping, kind);
      os << ": "
         << (!entry               ? "no qconfig"
             : !entry.getConfig() ? "turned off by none"
                                  : judge(patterns, *entry.getConfig()));
      if (entry && entry.getSelector())
        os << " (of object_type " << *entry.getSelector() << ")";
      os << "\n";
      for (QConfigOp other : getEntries(mapping))
        if (other.getLevel() != QConfigLevel::Global &&
            other.getLevel() != QConfigLevel::ObjectType &&
            (!other.getObjectType() || *other.getObjectType() == kind))
          explainSelector(patterns, other);
    }
    if (!any)
      os << "  none in the backend: give one with qconfig=@symbol\n";
  }

  /// An entry that selects operators by name.
  void explainSelector(ArrayRef<PatternConfigOp> patterns, QConfigOp entry) {
    os << "    " << stringifyQConfigLevel(entry.getLevel()) << " \""
       << *entry.getSelector() << "\"";
    if (entry.getIndex())
      os << ", number " << int64_t(*entry.getIndex());
    os << ": "
       << (entry.getConfig() ? judge(patterns, *entry.getConfig())
                             : "turned off by none")
       << "\n";
  }

  BackendConfigOp backend;
  ArrayRef<StringRef> kinds;
  raw_ostream &os;
};
} // namespace

LogicalResult qbackend::explain(BackendConfigOp backend, StringRef operators,
                                raw_ostream &os) {
  SmallVector<StringRef> known = getKnownKinds(backend);
  SmallVector<StringRef> parts, names;
  llvm::SplitString(operators, parts, "+,");
  for (StringRef part : parts) {
    // Quotes and brackets as in a pattern are no part of the name.
    StringRef name = part.trim(" []\"");
    for (ArrayRef<StringRef> kinds : getKindsOfTorchName(name))
      for (StringRef kind : kinds)
        if (!llvm::is_contained(known, kind))
          return emitError(backend.getLoc())
                 << "no operator '" << name << "'; the nearest kinds are "
                 << listNearest(name, known)
                 << ", and an op of another dialect needs a pattern that names "
                    "it";
    names.push_back(name);
  }
  if (names.empty())
    return emitError(backend.getLoc())
           << "no operator given; expected a kind such as conv2d or "
              "conv2d+relu";
  SmallVector<SmallVector<StringRef>> choices = getKindsOfTorchNames(names);
  if (choices.empty())
    return emitError(backend.getLoc())
           << "'" << operators
           << "' has too many names of several ranks; name the kinds";
  for (auto [i, kinds] : llvm::enumerate(choices)) {
    if (i > 0)
      os << "\n";
    Explainer(backend, kinds, os).explain();
  }
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a backend support an operator with a qconfig, and which one is it?

#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "qbackend/Backends/TorchNames.h"
#include "qbackend/Numerics/QuantParams.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// QConfigTable
//===----------------------------------------------------------------------===//

QConfigTable::QConfigTable(QConfigMappingOp mapping,
                           const OperatorSelectors &operators)
    : mapping(mapping), operators(operators) {
  for (auto entry : mapping.getBody().front().getOps<QConfigOp>()) {
    switch (entry.getLevel()) {
    case QConfigLevel::Global:
      global = entry;
      break;
    case QConfigLevel::ObjectType:
      byKind.insert({*entry.getSelector(), entry});
      break;
    case QConfigLevel::ModuleName:
      byName.insert({*entry.getSelector(), entry});
      break;
    case QConfigLevel::ModuleType:
      byModuleType.insert({*entry.getSelector(), entry});
      break;
    case QConfigLevel::ModuleNameRegex:
      // Like Python's re.match, at the start of the name.
      byRegex.emplace_back(
          llvm::Regex(("^(" + *entry.getSelector() + ")").str()), entry);
      break;
    case QConfigLevel::ModuleNameObjectTypeOrder:
      byOrder.insert({{entry.getSelector()->str(), entry.getObjectType()->str(),
                       int64_t(*entry.getIndex())},
                      entry});
      break;
    }
  }
}

QConfigOp QConfigTable::lookupName(const OperatorSelector &op) const {
  if (auto it = byName.find(op.name); it != byName.end())
    return it->second;
  for (StringRef path = op.path; !path.empty(); path = getParentPath(path))
    if (auto it = byName.find(path); it != byName.end())
      return it->second;
  return {};
}

/// A function whose parts are not all to be quantized stays float; else the
/// last part of a function and the first one of fused modules decide, as for
/// kinds.
QConfigOp QConfigTable::lookupOrder(const OperatorSelector &op,
                                    bool isFusion) const {
  auto lookupPart = [&](const OperatorSelector::Kind &kind) {
    auto it = byOrder.find({op.module, kind.name, kind.index});
    return it == byOrder.end() ? QConfigOp() : it->second;
  };
  if (!isFusion)
    for (const OperatorSelector::Kind &kind : op.kinds)
      if (QConfigOp entry = lookupPart(kind); entry && !entry.getConfig())
        return entry;
  return lookupPart(isFusion ? op.kinds.front() : op.kinds.back());
}

/// Of fused modules PyTorch wants that the entries of all parts are the same,
/// and takes that of the first one; of functions it takes the last one's,
/// provided that none of them is to stay float. What it refuses as modules can
/// only be meant as functions.
QConfigOp QConfigTable::lookupKinds(ArrayRef<StringRef> kinds,
                                    bool isFusion) const {
  auto lookupKind = [&](StringRef kind) {
    auto it = byKind.find(kind);
    return it == byKind.end() ? QConfigOp() : it->second;
  };
  auto getConfig = [](QConfigOp entry) {
    return entry ? entry.getConfig() : std::nullopt;
  };
  if (!isFusion && kinds.size() > 1)
    for (StringRef kind : kinds) {
      QConfigOp entry = lookupKind(kind);
      if (!entry)
        entry = global;
      if (!getConfig(entry))
        return entry;
    }
  QConfigOp first = lookupKind(kinds.front()), last = lookupKind(kinds.back());
  if (!isFusion || (first && llvm::any_of(kinds, [&](StringRef kind) {
                      QConfigOp entry = lookupKind(kind);
                      return !entry || getConfig(entry) != getConfig(first);
                    })))
    first = last;
  return first ? first : global;
}

QConfigOp QConfigTable::lookupPlace(OperatorOp op, bool isFusion) const {
  const OperatorSelector &selector = operators.lookup(op);
  if (QConfigOp entry = lookupOrder(selector, isFusion))
    return entry;
  if (QConfigOp entry = lookupName(selector))
    return entry;
  for (auto &[regex, entry] : byRegex)
    if (regex.match(selector.path) || regex.match(selector.name))
      return entry;
  for (StringRef type : selector.moduleTypes)
    if (auto it = byModuleType.find(type); it != byModuleType.end())
      return it->second;
  return {};
}

QConfigOp QConfigTable::lookup(OperatorOp op, ArrayRef<StringRef> kinds,
                               bool isFusion) const {
  if (QConfigOp entry = lookupPlace(op, isFusion))
    return entry;
  return lookupKinds(kinds, isFusion);
}

/// Says after an error which of `candidates` are most like `wanted`.
static void listNearest(InFlightDiagnostic &diag, StringRef wanted,
                        const llvm::StringMap<char> &candidates) {
  SmallVector<std::pair<unsigned, StringRef>> nearest;
  for (StringRef candidate : candidates.keys())
    nearest.push_back({wanted.edit_distance(candidate), candidate});
  llvm::sort(nearest);
  if (nearest.empty()) {
    diag << "; the module has no operators";
    return;
  }
  diag << "; the nearest are ";
  llvm::interleaveComma(ArrayRef(nearest).take_front(3), diag,
                        [&](auto &entry) { diag << entry.second; });
}

llvm::StringMap<char> QConfigTable::getNames() const {
  llvm::StringMap<char> names;
  for (const auto &[op, selector] : operators.getAll())
    for (StringRef part : selector.parts)
      names.insert({part, 0});
  return names;
}

/// With the modules that they are in.
static llvm::StringMap<char> addModules(const llvm::StringMap<char> &names) {
  llvm::StringMap<char> paths = names;
  for (StringRef name : names.keys())
    while (!(name = getParentPath(name)).empty())
      paths.insert({name, 0});
  return paths;
}

void QConfigTable::listNearestNames(InFlightDiagnostic &diag,
                                    StringRef wanted) const {
  listNearest(diag, wanted, addModules(getNames()));
}

LogicalResult QConfigTable::verifySelectors(BackendConfigOp backend) const {
  llvm::StringMap<char> names = getNames(), paths = addModules(names), allKinds;
  for (const auto &[op, selector] : operators.getAll())
    for (const OperatorSelector::Kind &kind : selector.kinds)
      allKinds.insert({kind.name, 0});
  if (backend)
    for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>())
      for (StringRef kind : pattern.getKinds())
        allKinds.insert({kind, 0});
  for (StringRef kind : getTorchKinds())
    allKinds.insert({kind, 0});

  bool ok = true;
  QConfigMappingOp mapping = this->mapping;
  for (auto entry : mapping.getBody().front().getOps<QConfigOp>()) {
    auto fail = [&](const Twine &what) {
      ok = false;
      return entry.emitOpError() << what;
    };
    StringRef selector = entry.getSelector().value_or("");
    if (mapping->hasAttr(kIgnoreUnknownNamesAttrName) &&
        entry.getLevel() != QConfigLevel::ObjectType)
      continue;
    switch (entry.getLevel()) {
    case QConfigLevel::Global:
      break;
    case QConfigLevel::ObjectType:
      // A mapping may be for more kinds than the backend has patterns of.
      if (!allKinds.contains(selector)) {
        InFlightDiagnostic diag =
            fail("selects the kind \"" + selector + "\", which does not exist");
        listNearest(diag, selector, allKinds);
      }
      break;
    case QConfigLevel::ModuleType: {
      llvm::StringMap<char> types;
      if (DictionaryAttr known = operators.getModuleTypes())
        for (NamedAttribute type : known)
          types.insert({cast<StringAttr>(type.getValue()).getValue(), 0});
      if (types.empty())
        fail("selects modules of the type \"" + selector +
             "\", but the network has no '" + kModuleTypesAttrName +
             "', which qbackend-import writes");
      else if (!types.contains(selector)) {
        InFlightDiagnostic diag = fail("selects modules of the type \"" +
                                       selector + "\", which none is of");
        listNearest(diag, selector, types);
      }
      break;
    }
    case QConfigLevel::ModuleName:
      if (!paths.contains(selector)) {
        InFlightDiagnostic diag =
            fail("selects \"" + selector + "\", which is no operator's name");
        listNearest(diag, selector, paths);
      }
      break;
    case QConfigLevel::ModuleNameRegex: {
      llvm::Regex regex(("^(" + selector + ")").str());
      if (llvm::none_of(names.keys(),
                        [&](StringRef name) { return regex.match(name); })) {
        InFlightDiagnostic diag = fail("has the expression \"" + selector +
                                       "\", which matches no operator's name");
        listNearest(diag, selector, names);
      }
      break;
    }
    case QConfigLevel::ModuleNameObjectTypeOrder: {
      int64_t count = operators.count(selector, *entry.getObjectType());
      if (int64_t(*entry.getIndex()) >= count) {
        InFlightDiagnostic diag =
            fail("selects number " + Twine(*entry.getIndex()) + " of \"" +
                 *entry.getObjectType() + "\" in \"" + selector +
                 "\", which has " + Twine(count));
        if (!selector.empty() && !paths.contains(selector))
          listNearest(diag, selector, paths);
      }
      break;
    }
    }
  }
  return success(ok);
}

ObserverAttr QConfigTable::getGlobalActivation() const {
  QConfigOp entry = global;
  if (!entry || !entry.getConfig())
    return {};
  return entry.getConfig()->getActivation();
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> qbackend::getQuantRange(ObserverAttr observer) {
  auto type = cast<IntegerType>(observer.getDtype());
  std::optional<numerics::QuantRange> custom;
  if (observer.getQuantMin())
    custom =
        numerics::QuantRange{*observer.getQuantMin(), *observer.getQuantMax()};
  numerics::QuantRange range = numerics::quantizedRange(
      type.isSigned(), type.getWidth(), custom, observer.getReduceRange());
  return {range.min, range.max};
}

/// Why `observer` doesn't satisfy `constraint` as `role`; empty if it does.
static std::string whyViolated(StringRef role, DTypeAttr constraint,
                               ObserverAttr observer) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (constraint.getDtype() != observer.getDtype()) {
    os << "its " << role << " is " << constraint.getDtype()
       << ", the qconfig observes " << observer.getDtype();
    return reason;
  }
  if (!isa<IntegerType>(observer.getDtype()) ||
      observer.getKind() == ObserverKind::Placeholder)
    return reason;
  if (ArrayAttr schemes = constraint.getQschemes();
      schemes && !llvm::is_contained(schemes.getAsValueRange<StringAttr>(),
                                     stringifyQScheme(observer.getScheme()))) {
    os << "its " << role << " needs the scheme ";
    llvm::interleave(schemes.getAsValueRange<StringAttr>(), os, " or ");
    os << ", the qconfig has " << stringifyQScheme(observer.getScheme());
    return reason;
  }
  auto [min, max] = getQuantRange(observer);
  if (constraint.getQuantMin() && constraint.getQuantMax() &&
      (min < *constraint.getQuantMin() || max > *constraint.getQuantMax())) {
    os << "its " << role << " needs integers in [" << *constraint.getQuantMin()
       << ", " << *constraint.getQuantMax() << "], the qconfig has [" << min
       << ", " << max << "]";
    return reason;
  }
  if (constraint.getScaleMin()) {
    double eps = observer.getEps() ? observer.getEps().getValueAsDouble()
                                   : numerics::defaultEps;
    double bound = constraint.getScaleMin().getValueAsDouble();
    if (observer.getKind() != ObserverKind::FixedQParams && eps < bound) {
      os << "its " << role << " needs scales of at least " << bound
         << ", the qconfig has eps " << eps;
      return reason;
    }
  }
  if (constraint.getScaleExactMatch() && constraint.getZeroPointExactMatch()) {
    double scale = constraint.getScaleExactMatch().getValueAsDouble();
    int64_t zeroPoint = *constraint.getZeroPointExactMatch();
    if (observer.getKind() != ObserverKind::FixedQParams ||
        observer.getScale().getValueAsDouble() != scale ||
        *observer.getZeroPoint() != zeroPoint)
      os << "its " << role << " needs fixed_qparams with scale " << scale
         << " and zero point " << zeroPoint;
  }
  return reason;
}

/// Why `config` doesn't fit `qconfig`; empty if it does.
static std::string whyUnsupported(DTypeConfigAttr config, QConfigAttr qconfig,
                                  bool hasWeight, bool hasBias) {
  ObserverAttr activation = qconfig.getActivation();
  if (config.getInput()) {
    if (config.getIsDynamic() != activation.getIsDynamic())
      return config.getIsDynamic()
                 ? "its input is quantized dynamically, the qconfig is static"
                 : "its input is quantized statically, the qconfig is dynamic";
    std::string reason = whyViolated("input", config.getInput(), activation);
    if (!reason.empty())
      return reason;
  }
  if (hasWeight && config.getWeight()) {
    std::string reason =
        whyViolated("weight", config.getWeight(), qconfig.getWeight());
    if (!reason.empty())
      return reason;
  }
  if (hasBias && config.getBias() && !config.getBias().isF32() &&
      !(isHalf(config.getBias()) && config.getBias() == activation.getDtype()))
    return "its bias is not f32";
  if (config.getOutput() && !activation.getIsDynamic())
    return whyViolated("output", config.getOutput(), activation);
  return "";
}

ObserverAttr qbackend::getObserver(SpecAttr spec, ObserverAttr other) {
  return spec && spec.getObserver() ? spec.getObserver() : other;
}

QConfigAttr qbackend::getChosenQConfig(PatternConfigOp pattern,
                                       QConfigAttr qconfig) {
  EdgesAttr edges = getEdges(pattern);
  return QConfigAttr::get(
      qconfig.getContext(), qconfig.getActivation(),
      getObserver(edges ? edges.getWeight() : SpecAttr(), qconfig.getWeight()));
}

std::string qbackend::whyUnsupported(PatternAttr pattern, QConfigAttr qconfig,
                                     bool hasWeight, bool hasBias) {
  std::string reasons;
  for (auto [i, config] :
       llvm::enumerate(pattern.getDtypes().getAsRange<DTypeConfigAttr>())) {
    std::string reason = ::whyUnsupported(config, qconfig, hasWeight, hasBias);
    if (reason.empty())
      return "";
    reasons +=
        (i ? "; " : "") + ("dtypes[" + std::to_string(i) + "]: ") + reason;
  }
  return reasons.empty() ? "the pattern has no dtype config" : reasons;
}

DTypeConfigAttr qbackend::findDTypes(PatternAttr pattern, QConfigAttr qconfig,
                                     bool hasWeight, bool hasBias) {
  for (auto config : pattern.getDtypes().getAsRange<DTypeConfigAttr>())
    if (::whyUnsupported(config, qconfig, hasWeight, hasBias).empty())
      return config;
  return {};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a backend support an operator with a qconfig, and which one is it?

#include "qbackend/Transforms/Support.h"

#include "qbackend/Numerics/QuantParams.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// QConfigTable
//===----------------------------------------------------------------------===//

QConfigTable::QConfigTable(QConfigMappingOp mapping) {
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
    case QConfigLevel::ModuleNameRegex:
      // Like Python's re.match, at the start of the name.
      byRegex.emplace_back(
          llvm::Regex(("^(" + *entry.getSelector() + ")").str()), entry);
      break;
    }
  }
}

QConfigOp QConfigTable::lookup(StringRef name, StringRef kind) const {
  // The exact name, else its nearest ancestor: layer1.conv1, layer1.
  for (StringRef path = name; !path.empty();) {
    if (auto it = byName.find(path); it != byName.end())
      return it->second;
    size_t dot = path.rfind('.');
    path = dot == StringRef::npos ? StringRef() : path.take_front(dot);
  }
  if (!name.empty())
    for (auto &[regex, entry] : byRegex)
      if (regex.match(name))
        return entry;
  if (auto it = byKind.find(kind); it != byKind.end())
    return it->second;
  return global;
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
      !(config.getBias().isF16() && activation.getDtype().isF16()))
    return "its bias is not f32";
  if (config.getOutput() && !activation.getIsDynamic())
    return whyViolated("output", config.getOutput(), activation);
  return "";
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

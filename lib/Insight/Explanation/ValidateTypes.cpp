// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and observers that contradict themselves or their dtype.

#include "Describe.h"
#include "Findings.h"

#include "qbackend/Numerics/QuantParams.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::inspection;

/// All integers of `type`.
static numerics::QuantRange getFullRange(Type type) {
  auto integer = cast<IntegerType>(type);
  return numerics::quantizedRange(integer.isSigned(), integer.getWidth(),
                                  std::nullopt, /*reduceRange=*/false);
}

static std::string stringifyRange(int64_t min, int64_t max) {
  return "[" + std::to_string(min) + ", " + std::to_string(max) + "]";
}

static std::string stringifyType(Type type) {
  return stringify(TypeAttr::get(type));
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static void checkConstraint(Operation *op, StringRef role, DTypeAttr dtype,
                            Findings &findings) {
  std::string text = "dtype of the " + role.str();
  std::optional<int64_t> min = dtype.getQuantMin(), max = dtype.getQuantMax();
  if (min.has_value() != max.has_value())
    findings.warn(op,
                  text + " has quant_" + (min ? "min" : "max") +
                      " alone, which, as in PyTorch, is ignored",
                  Twine("give quant_") + (min ? "max" : "min") + ", too");
  bool scale = bool(dtype.getScaleExactMatch());
  if (scale != dtype.getZeroPointExactMatch().has_value())
    findings.warn(op,
                  text + " has " + (scale ? "scale" : "zero_point") +
                      "_exact_match alone, which, as in PyTorch, is ignored",
                  Twine("give ") + (scale ? "zero_point" : "scale") +
                      "_exact_match, too");
  if (dtype.getScaleMax())
    findings.note(op,
                  text + " has scale_max, which, as in PyTorch, is not checked",
                  "nothing to change, if it is for PyTorch");
  if (!isa<IntegerType>(dtype.getDtype())) {
    if (min || max || scale || dtype.getQschemes() || dtype.getScaleMin() ||
        dtype.getZeroPointExactMatch())
      findings.warn(op,
                    text + " is " + stringifyType(dtype.getDtype()) +
                        ", which has no scale and no integers to constrain",
                    "give the type alone");
    return;
  }
  numerics::QuantRange range = getFullRange(dtype.getDtype());
  std::string full = stringifyRange(range.min, range.max);
  if ((min && (*min < range.min || *min > range.max)) ||
      (max && (*max < range.min || *max > range.max)))
    findings.warn(
        op,
        text + " has bounds " +
            stringifyRange(min.value_or(range.min), max.value_or(range.max)) +
            " beyond the integers of " + stringifyType(dtype.getDtype()) +
            ", " + full,
        "choose bounds in " + full);
  if (auto zeroPoint = dtype.getZeroPointExactMatch();
      zeroPoint && (*zeroPoint < range.min || *zeroPoint > range.max))
    findings.error(op,
                   text + " has zero_point_exact_match " + Twine(*zeroPoint) +
                       ", which " + stringifyType(dtype.getDtype()) +
                       " doesn't have",
                   "choose one in " + full);
}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

static bool isPerChannel(QScheme scheme) {
  return scheme != QScheme::PerTensorAffine &&
         scheme != QScheme::PerTensorSymmetric;
}

/// True if observers of the kind compute a scale, or have one.
static bool hasScale(ObserverKind kind) {
  return hasStatistics(kind) || kind == ObserverKind::FixedQParams;
}

/// The range of an observer of integers.
static void checkRange(Operation *op, const std::string &text,
                       ObserverAttr observer, Findings &findings) {
  numerics::QuantRange full = getFullRange(observer.getDtype());
  std::string type = stringifyType(observer.getDtype());
  if (auto min = observer.getQuantMin()) {
    int64_t max = *observer.getQuantMax();
    if (*min < full.min || max > full.max) {
      findings.error(op,
                     text + " has the range " + stringifyRange(*min, max) +
                         ", but " + type + " holds " +
                         stringifyRange(full.min, full.max),
                     "choose quant_min and quant_max of " + type);
      return;
    }
  }
  auto [min, max] = getQuantRange(observer);
  if (observer.getReduceRange() && observer.getQuantMin() &&
      (*observer.getQuantMin() > full.min ||
       *observer.getQuantMax() < full.max))
    findings.warn(
        op,
        text + " has reduce_range and a range of its own, " +
            stringifyRange(*observer.getQuantMin(), *observer.getQuantMax()) +
            ", which is halved to " + stringifyRange(min, max),
        "leave out reduce_range");
  if (auto zeroPoint = observer.getZeroPoint()) {
    auto type = cast<IntegerType>(observer.getDtype());
    int64_t middle = numerics::symmetricZeroPoint(
        type.isSigned(), type.getWidth(), {min, max},
        observer.getQuantMin().has_value());
    if (observer.getScheme() == QScheme::PerTensorSymmetric &&
        *zeroPoint != middle)
      findings.warn(op,
                    text + " is symmetric, but has the zero point " +
                        Twine(*zeroPoint),
                    "choose per_tensor_affine, or zero point " + Twine(middle));
  }
}

static void checkObserver(Operation *op, StringRef role, ObserverAttr observer,
                          Findings &findings) {
  ObserverKind kind = observer.getKind();
  QScheme scheme = observer.getScheme();
  StringRef kindName = stringifyObserverKind(kind);
  StringRef schemeName = stringifyQScheme(scheme);
  std::string text = (role + " observer " + kindName).str();
  if (!isa<IntegerType>(observer.getDtype())) {
    std::string type = stringifyType(observer.getDtype());
    if (hasScale(kind))
      findings.error(op, text + " computes integers, but its dtype is " + type,
                     "observe " + type + " with placeholder");
    else if (scheme != QScheme::PerTensorAffine)
      findings.warn(op,
                    text + " has the scheme " + schemeName + ", but " + type +
                        " is not quantized",
                    "leave out the scheme");
    return;
  }
  if (hasScale(kind) && isPerChannel(kind) != isPerChannel(scheme))
    findings.error(op, text + " has the scheme " + schemeName,
                   isPerChannel(kind)
                       ? "choose a per_channel scheme, or min_max"
                       : "choose a per_tensor scheme, or per_channel_min_max");
  else if (role == "activation" && isPerChannel(scheme))
    findings.error(op,
                   text + " has the scheme " + schemeName +
                       "; activations have one scale",
                   "choose min_max or histogram with a per_tensor scheme");
  bool isStaticOnly = kind != ObserverKind::MinMax &&
                      kind != ObserverKind::MovingAverageMinMax &&
                      kind != ObserverKind::Placeholder;
  if (observer.getIsDynamic() && isStaticOnly)
    findings.warn(op,
                  text + " is dynamic, but needs a calibration to find its "
                         "range",
                  "choose placeholder for what is quantized at run time");
  checkRange(op, text, observer, findings);
}

void inspection::checkTypes(BackendConfigOp backend, Findings &findings) {
  // What is shared is said once, where it is used first.
  llvm::DenseSet<std::pair<Attribute, Attribute>> seen;
  MLIRContext *context = backend.getContext();
  auto isNew = [&](StringRef role, Attribute attr) {
    return attr && seen.insert({StringAttr::get(context, role), attr}).second;
  };
  for (PatternConfigOp pattern : getPatterns(backend))
    for (auto config :
         pattern.getConfig().getDtypes().getAsRange<DTypeConfigAttr>())
      for (auto [role, dtype] :
           {std::pair<StringRef, DTypeAttr>("input", config.getInput()),
            std::pair<StringRef, DTypeAttr>("output", config.getOutput()),
            std::pair<StringRef, DTypeAttr>("weight", config.getWeight())})
        if (isNew(role, dtype))
          checkConstraint(pattern, role, dtype, findings);
  for (PatternConfigOp pattern : getPatterns(backend)) {
    EdgesAttr edges = getEdges(pattern);
    if (!edges)
      continue;
    auto check = [&](StringRef role, SpecAttr spec) {
      if (spec && isNew(role, spec.getObserver()))
        checkObserver(pattern, role, spec.getObserver(), findings);
    };
    for (SpecAttr spec : edges.getInputs())
      check("activation", spec);
    check("activation", edges.getOutput());
    check("weight", edges.getWeight());
  }
  for (QConfigMappingOp mapping : getMappings(backend))
    for (QConfigOp entry : getEntries(mapping)) {
      std::optional<QConfigAttr> config = entry.getConfig();
      if (!config)
        continue;
      for (auto [role, observer] :
           {std::pair<StringRef, ObserverAttr>("activation",
                                               config->getActivation()),
            std::pair<StringRef, ObserverAttr>("weight", config->getWeight())})
        if (isNew(role, observer))
          checkObserver(entry, role, observer, findings);
    }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a qconfig mapping, and their text.

#include "Mapping.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;

std::string Change::getName() const {
  if (perChannel)
    return "per-channel weights";
  if (observer)
    return ("observer " + stringifyObserverKind(*observer)).str();
  return getCorrectionName(*correction).str();
}

/// `config` with another kind and scheme.
static ObserverAttr withKind(ObserverAttr config, ObserverKind kind,
                             QScheme scheme) {
  ObserverFields fields;
  fields.kind = kind;
  fields.dtype = config.getDtype();
  fields.scheme = scheme;
  fields.quantMin = config.getQuantMin();
  fields.quantMax = config.getQuantMax();
  fields.reduceRange = config.getReduceRange();
  fields.eps = config.getEps();
  return ObserverAttr::get(config.getContext(), fields);
}

static ObserverAttr getPerChannel(ObserverAttr weight) {
  if (!isa<IntegerType>(weight.getDtype()) ||
      !calibration::hasStatistics(weight.getKind()))
    return weight;
  // An affine one is that of slopes, of which there is one kernel.
  if (weight.getScheme() != QScheme::PerTensorSymmetric)
    return weight;
  return withKind(weight, ObserverKind::PerChannelMinMax,
                  QScheme::PerChannelSymmetric);
}

static QConfigAttr apply(QConfigAttr config, const Change &change) {
  ObserverAttr activation = config.getActivation(), weight = config.getWeight();
  if (change.perChannel)
    weight = getPerChannel(weight);
  if (change.observer && isa<IntegerType>(activation.getDtype()) &&
      !activation.getIsDynamic() &&
      calibration::hasStatistics(activation.getKind()))
    activation = withKind(activation, *change.observer, activation.getScheme());
  return QConfigAttr::get(config.getContext(), activation, weight);
}

bool tuning::changesMapping(QConfigMappingOp base, const Change &change) {
  if (change.correction)
    return true;
  return llvm::any_of(
      base.getBody().front().getOps<QConfigOp>(), [&](QConfigOp entry) {
        return entry.getConfig() &&
               apply(*entry.getConfig(), change) != *entry.getConfig();
      });
}

/// Adds an entry `none`, in the place of one that selects the same.
static void addNone(QConfigMappingOp mapping, QConfigLevel level,
                    StringRef selector, StringRef kind,
                    std::optional<int64_t> index) {
  Block &body = mapping.getBody().front();
  for (auto entry : llvm::make_early_inc_range(body.getOps<QConfigOp>()))
    if (entry.getLevel() == level && entry.getSelector() == selector &&
        entry.getObjectType().value_or("") == kind &&
        (!index || int64_t(*entry.getIndex()) == *index))
      entry.erase();
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  QConfigOp::create(
      b, mapping.getLoc(), QConfigLevelAttr::get(b.getContext(), level),
      b.getStringAttr(selector),
      kind.empty() ? StringAttr() : b.getStringAttr(kind),
      index ? b.getI64IntegerAttr(*index) : IntegerAttr(), QConfigAttr());
}

OwningOpRef<ModuleOp>
tuning::makeMapping(QConfigMappingOp base, ArrayRef<Change> changes,
                    ArrayRef<SimulatedOperator> realValued) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(base.getLoc()));
  auto mapping = cast<QConfigMappingOp>(base->clone());
  module->push_back(mapping);
  mapping.setSymName("tuned");
  bool hasOrders = false;
  SmallVector<Attribute> corrections;
  if (auto known = mapping->getAttrOfType<ArrayAttr>(kCorrectionsAttrName))
    llvm::append_range(corrections, known);
  Builder builder(base.getContext());
  for (const Change &change : changes)
    if (change.correction) {
      Attribute name =
          builder.getStringAttr(getCorrectionName(*change.correction));
      if (!llvm::is_contained(corrections, name))
        corrections.push_back(name);
    }
  if (!corrections.empty())
    mapping->setAttr(kCorrectionsAttrName, builder.getArrayAttr(corrections));
  for (auto entry : mapping.getBody().front().getOps<QConfigOp>()) {
    hasOrders |= entry.getLevel() == QConfigLevel::ModuleNameObjectTypeOrder;
    for (const Change &change : changes)
      if (entry.getConfig())
        entry.setConfigAttr(apply(*entry.getConfig(), change));
  }
  for (const SimulatedOperator &op : realValued) {
    // By the number, which wins over a name, where names don't tell.
    if (!op.selector.empty() && !hasOrders) {
      addNone(mapping, QConfigLevel::ModuleName, op.selector, "", std::nullopt);
      continue;
    }
    for (const SimulatedOperator::Order &order : op.orders)
      addNone(mapping, QConfigLevel::ModuleNameObjectTypeOrder, order.module,
              order.kind, order.index);
  }
  return module;
}

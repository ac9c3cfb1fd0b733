// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a qconfig mapping, and their text.

#include "Mapping.h"

#include "qbackend/Insight/Comparison/ObserverChanges.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;

std::string Change::getName() const {
  if (perChannel)
    return "per-channel weights";
  if (observer)
    return ("observer " + stringifyObserverKind(*observer)).str();
  if (correction)
    return getCorrectionName(*correction).str();
  std::string text;
  llvm::raw_string_ostream os(text);
  QConfigMappingOp(entries)->print(os);
  return text;
}

static QConfigAttr apply(QConfigAttr config, const Change &change) {
  ObserverAttr activation = config.getActivation(), weight = config.getWeight();
  if (change.perChannel)
    weight = withChannels(weight);
  if (change.observer)
    activation = withKind(activation, *change.observer);
  return QConfigAttr::get(config.getContext(), activation, weight);
}

bool tuning::changesMapping(QConfigMappingOp base, const Change &change) {
  if (change.correction || change.entries)
    return true;
  return llvm::any_of(
      base.getBody().front().getOps<QConfigOp>(), [&](QConfigOp entry) {
        return entry.getConfig() &&
               apply(*entry.getConfig(), change) != *entry.getConfig();
      });
}

/// Erases the entries that select what `added` does.
static void makeRoom(QConfigMappingOp mapping, QConfigOp added) {
  for (auto entry : llvm::make_early_inc_range(
           mapping.getBody().front().getOps<QConfigOp>()))
    if (entry != added && entry.getLevel() == added.getLevel() &&
        entry.getSelectorAttr() == added.getSelectorAttr() &&
        entry.getObjectTypeAttr() == added.getObjectTypeAttr() &&
        entry.getIndexAttr() == added.getIndexAttr())
      entry.erase();
}

/// Adds an entry `none`, in the place of one that selects the same.
static void addNone(QConfigMappingOp mapping, QConfigLevel level,
                    StringRef selector, StringRef kind,
                    std::optional<int64_t> index) {
  OpBuilder b = OpBuilder::atBlockEnd(&mapping.getBody().front());
  makeRoom(mapping, QConfigOp::create(
                        b, mapping.getLoc(),
                        QConfigLevelAttr::get(b.getContext(), level),
                        b.getStringAttr(selector),
                        kind.empty() ? StringAttr() : b.getStringAttr(kind),
                        index ? b.getI64IntegerAttr(*index) : IntegerAttr(),
                        QConfigAttr()));
}

OwningOpRef<ModuleOp>
tuning::makeMapping(QConfigMappingOp base, ArrayRef<Change> changes,
                    ArrayRef<SimulatedOperator> floatValued) {
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
  OpBuilder end = OpBuilder::atBlockEnd(&mapping.getBody().front());
  for (const Change &change : changes)
    if (change.entries)
      for (auto entry : QConfigMappingOp(change.entries)
                            .getBody()
                            .front()
                            .getOps<QConfigOp>())
        makeRoom(mapping, cast<QConfigOp>(end.clone(*entry)));
  for (const SimulatedOperator &op : floatValued) {
    // By the number, which wins over a name, where names don't tell.
    const OperatorSelector &selector = op.selector;
    if (selector.hasOwnName && !hasOrders) {
      addNone(mapping, QConfigLevel::ModuleName, selector.name, "",
              std::nullopt);
      continue;
    }
    auto addOrder = [&](const OperatorSelector::Kind &kind) {
      addNone(mapping, QConfigLevel::ModuleNameObjectTypeOrder, selector.module,
              kind.name, kind.index);
    };
    addOrder(selector.kinds.front());
    if (selector.kinds.size() > 1)
      addOrder(selector.kinds.back());
  }
  return module;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a calibration table has for the tensors and observers of a module.

#include "Calibrate/TableLookup.h"

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Layers.h"
#include "qbackend/Support/Shape.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using calibration::Table;
using calibration::TableEntry;

std::string qbackend::getFix(const Table &table) {
  return (table.backend.empty()
              ? std::string()
              : "it was made with --backend=" + table.backend + "; ") +
         "calibrate this network with the --backend that it is quantized for";
}

bool TableLookup::hasAverages(const TableEntry &entry) {
  return !entry.stats.averageMins.empty() || !entry.stats.batchSamples.empty();
}

TableLookup::TableLookup(ModuleOp module, const Table &table)
    : names(module, /*withStructures=*/true), fix(getFix(table)) {
  for (const TableEntry &entry : table.entries) {
    byName.try_emplace(entry.name, &entry);
    if (!entry.structure.empty())
      byStructure.try_emplace(entry.structure, &entry);
    if (hasAverages(entry))
      averaged.insert(entry.group.begin(), entry.group.end());
  }
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
    Value tensor = TensorNames::getTensor(op.getInput());
    SmallVector<Value> &all = tensors[op.getObserver()];
    if (getSourceValues(op) != 0 && !llvm::is_contained(all, tensor))
      all.push_back(tensor);
  });
}

const TableEntry *TableLookup::find(Value tensor) {
  const TensorName &name = names.lookup(tensor);
  // Counts in names change with the network, structures don't.
  return name.structure.empty() ? byName.lookup(name.name)
                                : byStructure.lookup(name.structure);
}

const TableEntry *TableLookup::lookupEntry(Value value) {
  return find(TensorNames::getTensor(value));
}

const calibration::Statistics *TableLookup::lookup(Value value) {
  const TableEntry *entry = lookupEntry(value);
  return entry ? &entry->stats : nullptr;
}

FailureOr<std::optional<TableEntry>> TableLookup::lookup(ObserverOp op) {
  // Parameters that somebody wrote, or a table by observers.
  const TableEntry *own = byName.lookup(op.getSymName());
  if (own && own->explicitParams)
    return std::optional<TableEntry>(*own);
  bool isOfObserver =
      own && own->shape.empty() && own->group.empty() && own->structure.empty();
  auto getOwn = [&] {
    return isOfObserver ? std::optional<TableEntry>(*own) : std::nullopt;
  };
  std::vector<const TableEntry *> parts;
  std::vector<std::string> group;
  for (Value tensor : tensors[op.getSymName()]) {
    const TableEntry *entry = find(tensor);
    if (!entry)
      return getOwn();
    if (failed(checkShape(op, tensor, *entry)))
      return failure();
    parts.push_back(entry);
    group.push_back(entry->name);
  }
  if (parts.empty() || (parts.size() == 1 && isOfObserver))
    return getOwn();
  if (parts.size() == 1)
    return std::optional<TableEntry>(*parts[0]);
  // What shares an observer now may have shared it then.
  if (const TableEntry *entry = byName.lookup(llvm::join(group, ", ")))
    return std::optional<TableEntry>(*entry);
  TableEntry merged = *parts[0];
  for (const TableEntry *part : ArrayRef(parts).drop_front())
    calibration::merge(merged.stats, part->stats);
  return std::optional<TableEntry>(merged);
}

bool TableLookup::isAveragedInGroup(const TableEntry &entry) const {
  return !hasAverages(entry) && averaged.count(entry.name);
}

LogicalResult TableLookup::checkShape(ObserverOp op, Value tensor,
                                      const TableEntry &entry) const {
  std::vector<int64_t> found = getTableShape(tensor);
  auto agrees = [](int64_t a, int64_t b) { return a == b || a < 0 || b < 0; };
  if (entry.shape.empty() ||
      (entry.shape.size() == found.size() &&
       std::equal(found.begin(), found.end(), entry.shape.begin(), agrees)))
    return success();
  InFlightDiagnostic error =
      emitError(op.getLoc())
      << "the calibration table is of another network: '" << entry.name
      << "' is Nx" << formatShape(entry.shape) << " in it, here it is N";
  if (!found.empty())
    error << "x" << formatShape(found);
  return error << "; " << fix;
}

std::optional<calibration::PatchMoments> PatchSource::get(OperatorOp op,
                                                          bool withProducts) {
  auto observe = op.getInputs()[0].getDefiningOp<ObserveOp>();
  std::optional<calibration::Geometry> geometry = getGeometry(op);
  const TableEntry *entry =
      observe && geometry ? lookup->lookupEntry(observe.getInput()) : nullptr;
  if (!entry)
    return std::nullopt;
  for (const calibration::PatchSums &patch : entry->patches) {
    if (patch.geometry.toNumbers() != geometry->toNumbers())
      continue;
    calibration::PatchMoments moments = patch.getMoments(withProducts);
    auto it = rescaled.find(observe.getInput());
    if (it != rescaled.end())
      moments.rescale(it->second.factors, it->second.shifts);
    return moments;
  }
  return std::nullopt;
}

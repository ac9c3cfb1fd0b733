// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tensors of a module hold while it runs, given to its observers.

#include "StatisticsRecorder.h"

#include "qbackend/Pipelines/Layers.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using calibration::Chunk;
using calibration::Observer;
using calibration::ObserverOptions;
using calibration::Statistics;
using calibration::Table;
using calibration::TableEntry;

static void describe(Value tensor, const TensorName &name, TableEntry &entry) {
  entry.name = name.name;
  entry.structure = name.structure;
  entry.shape = getTableShape(tensor);
}

StatisticsRecorder::StatisticsRecorder(ModuleOp module, ModuleOp original,
                                       func::FuncOp entry, bool all,
                                       const CalibrateOptions &options)
    : ignoreNonFinite(options.nonFinite == "ignore"),
      isMergeable(options.isMergeable()), recordsPatches(options.recordPatches),
      givesInTurn(options.batchSize == 1 && entry.getBody().hasOneBlock() &&
                  SymbolTable::symbolKnownUseEmpty(entry, module)) {
  SymbolTable wanted(original);
  TensorNames names(module, /*withStructures=*/all);
  SymbolTable symbols(module);
  llvm::MapVector<StringRef, SmallVector<Value>> shared;
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
    Value tensor = TensorNames::getTensor(op.getInput());
    SmallVector<Value> &tensors = shared[op.getObserver()];
    if (getSourceValues(op) != 0 && !llvm::is_contained(tensors, tensor))
      tensors.push_back(tensor);
  });
  llvm::StringMap<Target *> byObserver;
  for (auto op : module.getOps<ObserverOp>()) {
    ArrayRef<Value> tensors = shared[op.getSymName()];
    TableEntry entry;
    entry.name = op.getSymName().str();
    if (all && tensors.size() > 1) {
      for (Value tensor : tensors)
        entry.group.push_back(names.lookup(tensor).name);
      entry.name = llvm::join(entry.group, ", ");
    } else if (all && tensors.size() == 1) {
      describe(tensors[0], names.lookup(tensors[0]), entry);
      // Two observers of one tensor, of different types.
      if (!entryNames.insert(entry.name).second)
        continue;
    }
    byObserver[op.getSymName()] =
        addTarget(std::move(entry), getObserverOptions(op.getConfig()), all);
  }
  llvm::DenseMap<Value, Target *> byTensor;
  llvm::StringMap<std::pair<SmallVector<ObserveOp>, SmallVector<size_t>>>
      places;
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
    // Elsewhere a sample may pass a site more than once, or not at all.
    givesInTurn &= op->getParentOp() == entry;
    Site site;
    site.name = op.getObserver().str();
    site.isWanted = wanted.lookup(op.getObserver());
    const int64_t values = getSourceValues(op);
    Target *target = byObserver.lookup(op.getObserver());
    if (target && values != 0) {
      site.targets.push_back(target);
      site.values = values;
      auto &[ops, numbers] = places[op.getObserver()];
      ops.push_back(op);
      numbers.push_back(sites.size());
    }
    // What shares an observer also has an entry of its own.
    Value tensor = TensorNames::getTensor(op.getInput());
    if (all && (values == 0 || shared[op.getObserver()].size() > 1) &&
        !byTensor.contains(tensor)) {
      TableEntry entry;
      describe(tensor, names.lookup(tensor), entry);
      if (entryNames.insert(entry.name).second)
        site.targets.push_back(byTensor[tensor] =
                                   addTarget(std::move(entry), {}, all));
    }
    site.isOrdered = llvm::any_of(site.targets, [](Target *target) {
      return target->observer->getOptions().isOrdered();
    });
    if (recordsPatches)
      addReaders(op, site);
    sites.push_back(std::move(site));
  });
  for (auto &entry : places)
    placeUpdates(entry.second.first, entry.second.second);
}

void StatisticsRecorder::placeUpdates(ArrayRef<ObserveOp> ops,
                                      ArrayRef<size_t> numbers) {
  if (!sites[numbers.front()].isOrdered)
    return;
  // Which of them sees each value, from the end of the network's code.
  SmallVector<size_t> order;
  for (size_t i = ops.size(); i-- > 0;) {
    SmallVector<int64_t> places = getSourcePlaces(ops[i]);
    llvm::sort(places, std::greater<>());
    for (int64_t place : places)
      order.insert(order.end() - std::min<size_t>(place, order.size()), i);
  }
  size_t last = 0;
  for (size_t i : llvm::reverse(order)) {
    last = std::max(last, i);
    sites[numbers[last]].updates.push_back(&sites[numbers[i]]);
    sites[numbers[i]].isHeld |= last != i;
  }
}

/// Has the entry of the tensor that `op` observes record what layers get of it.
void StatisticsRecorder::addReaders(ObserveOp op, Site &site) {
  auto target = llvm::find_if(
      site.targets, [](Target *target) { return target->entry.group.empty(); });
  if (target == site.targets.end())
    return;
  std::vector<calibration::PatchSums> &patches = (*target)->entry.patches;
  for (Operation *user : op.getOutput().getUsers()) {
    auto layer = dyn_cast<OperatorOp>(user);
    auto geometry = layer && !layer.getInputs().empty() &&
                            layer.getInputs()[0] == op.getOutput()
                        ? getGeometry(layer)
                        : std::nullopt;
    if (!geometry ||
        llvm::any_of(patches, [&](const calibration::PatchSums &patch) {
          return patch.geometry.toNumbers() == geometry->toNumbers();
        }))
      continue;
    site.readers.push_back({*target, patches.size()});
    patches.emplace_back(*geometry);
  }
}

void StatisticsRecorder::setFirstSample(int64_t number) {
  firstSample = number;
  setTurn(number);
}

llvm::Error StatisticsRecorder::flush(int64_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t first = end;
  for (const Site &site : sites)
    if (!site.pending.empty())
      first = std::min(first, site.pending.begin()->first);
  for (Site &site : sites) {
    Batch batch = takeBefore(site, end);
    for (auto &[sample, visits] : batch)
      if (const Pending *refused = findRefused(site, visits))
        return makeError("'{0}' is {1} in sample {2}: the network "
                         "overflows, its weights are not finite, or the "
                         "data is not what it was trained on; "
                         "non-finite=ignore leaves such values out",
                         site.name, *refused->nonFinite, sample);
    give(site, batch, first);
    recycle(site, batch);
  }
  setTurn(end);
  return llvm::Error::success();
}

Table StatisticsRecorder::getTable() {
  Table table;
  for (auto &target : targets) {
    table.entries.push_back(target->entry);
    table.entries.back().kind = target->observer->getOptions().kind;
    table.entries.back().stats = target->observer->statistics();
  }
  return table;
}

llvm::Error StatisticsRecorder::resume(const Table &table) {
  if (table.entries.size() != targets.size())
    return makeError("the table has {0} entries, this run makes {1}",
                     table.entries.size(), targets.size());
  for (auto [target, entry] : llvm::zip(targets, table.entries)) {
    if (target->entry.name != entry.name ||
        target->entry.structure != entry.structure ||
        target->observer->getOptions().kind != entry.kind)
      return makeError("the table has '{0}' where this run has '{1}', or "
                       "another observer for it",
                       entry.name, target->entry.name);
    const calibration::ObserverOptions &options =
        target->observer->getOptions();
    // What the other mode has recorded is not enough for this one.
    bool lacksHistogram =
        options.kind == calibration::ObserverKind::Histogram &&
        !entry.stats.empty() && entry.stats.histogram.empty();
    if (isMergeable ? hasOrdered(entry.stats)
                    : lacksHistogram || !entry.stats.batchSamples.empty())
      return makeError("'{0}' was recorded with statistics={1}", entry.name,
                       isMergeable ? "ordered" : "mergeable");
    target->observer->resume(entry.stats);
  }
  return llvm::Error::success();
}

std::string StatisticsRecorder::findOrdered() const {
  if (!isMergeable)
    for (auto &target : targets)
      if (target->observer->getOptions().isOrdered())
        return target->entry.name;
  return "";
}

StatisticsRecorder::Target *
StatisticsRecorder::addTarget(TableEntry entry, ObserverOptions options,
                              bool all) {
  options.recordAll = all;
  options.isMergeable = isMergeable;
  // Of Pending::shape.
  options.channelAxis = 1;
  if (all) {
    if (!calibration::hasStatistics(options.kind))
      options.kind = calibration::ObserverKind::MinMax;
  }
  targets.push_back(std::make_unique<Target>(
      Target{std::move(entry), Observer::create(options)}));
  return targets.back().get();
}

void StatisticsRecorder::add(const ObservedTensor &tensor) {
  Site &site = sites[tensor.site];
  const int64_t axis = tensor.channelAxis;
  Pending pending;
  pending.values = tensor.values;
  pending.shape = {1, 1, 1};
  for (auto [i, size] : llvm::enumerate(tensor.shape))
    pending.shape[int64_t(i) < axis ? 0 : int64_t(i) == axis ? 1 : 2] *= size;
  if (const float *value = calibration::findNonFinite(pending.values.data(),
                                                      pending.values.size()))
    pending.nonFinite = *value;
  int64_t sample = firstSample + tensor.sample;
  if (!site.readers.empty())
    addPatches(site, tensor.values.vec(), tensor.shape, axis, sample);
  if (!site.isOrdered) {
    for (Target *target : site.targets) {
      auto observer = Observer::create(target->observer->getOptions());
      observe(*observer, *target,
              {{pending.values.data(), int64_t(pending.values.size()), sample}},
              pending.shape);
      pending.statistics.push_back(observer->statistics());
    }
    pending.values = {}; // counted
  }
  if (site.isOrdered)
    keepForLater(site, sample, pending);
  {
    std::lock_guard<std::mutex> lock(mutex);
    site.pending[sample].push_back(std::move(pending));
  }
  if (givesInTurn)
    giveInTurn(sample);
}

void StatisticsRecorder::addPatches(const Site &site, std::vector<float> values,
                                    SmallVector<int64_t> shape, int64_t axis,
                                    int64_t sample) {
  calibration::moveChannelsLast(values, shape, axis);
  for (const Reader &reader : site.readers) {
    calibration::PatchSums &patch = reader.target->entry.patches[reader.patch];
    calibration::PatchSample found = patch.measure(values, shape, sample);
    // In any order: sums are exact.
    std::lock_guard<std::mutex> lock(mutex);
    patch.add(found);
  }
}

void StatisticsRecorder::keepForLater(Site &site, int64_t sample,
                                      Pending &pending) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!pending.nonFinite && isTurnOf(site, sample))
      return;
    if (!site.spare.empty()) {
      pending.kept = std::move(site.spare.back());
      site.spare.pop_back();
    }
  }
  pending.kept.assign(pending.values.begin(), pending.values.end());
  pending.values = pending.kept;
}

void StatisticsRecorder::recycle(Site &site, Batch &batch) {
  for (auto &[sample, visits] : batch)
    for (Pending &pending : visits)
      if (pending.kept.capacity() != 0)
        site.spare.push_back(std::move(pending.kept));
}

bool StatisticsRecorder::isTurnOf(const Site &site, int64_t sample) const {
  return givesInTurn && turn == sample && nextSite < sites.size() &&
         &sites[nextSite] == &site && !site.isHeld;
}

void StatisticsRecorder::setTurn(int64_t sample) {
  turn = sample;
  nextSite = 0;
}

const StatisticsRecorder::Pending *
StatisticsRecorder::findRefused(const Site &site,
                                const std::vector<Pending> &visits) const {
  if (!site.isWanted || ignoreNonFinite)
    return nullptr;
  for (const Pending &pending : visits)
    if (pending.nonFinite)
      return &pending;
  return nullptr;
}

StatisticsRecorder::Batch StatisticsRecorder::takeBefore(Site &site,
                                                         int64_t end) {
  Batch taken;
  while (!site.pending.empty() && site.pending.begin()->first < end)
    taken.insert(site.pending.extract(site.pending.begin()));
  return taken;
}

/// Gives what there is of `sample` to the observers, in the order of sites,
/// if all before it are done. No other thread gives anything meanwhile: it
/// would have to be the turn of another sample, and that comes when this one
/// ends.
void StatisticsRecorder::giveInTurn(int64_t sample) {
  std::unique_lock<std::mutex> lock(mutex);
  while (turn == sample && nextSite < sites.size()) {
    Site &site = sites[nextSite];
    auto found = site.pending.find(sample);
    if (found == site.pending.end() || findRefused(site, found->second))
      return;
    Batch batch = takeBefore(site, sample + 1);
    lock.unlock();
    give(site, batch, sample);
    lock.lock();
    recycle(site, batch);
    ++nextSite;
  }
}

/// The tensors of a group differ in shape: it has no channels.
void StatisticsRecorder::observe(Observer &observer, const Target &target,
                                 const std::vector<Chunk> &chunks,
                                 const std::vector<int64_t> &shape) {
  if (target.entry.group.empty())
    observer.updateTensors(chunks, shape);
  else
    observer.update(chunks);
}

void StatisticsRecorder::giveOrdered(Target &target, const Batch &batch,
                                     int64_t first) {
  if (batch.empty())
    return;
  std::vector<Chunk> chunks;
  for (auto &[sample, visits] : batch)
    for (const Pending &pending : visits)
      chunks.push_back(
          {pending.values.data(), int64_t(pending.values.size()), sample});
  target.observer->setBatchSample(first);
  observe(*target.observer, target, chunks,
          batch.begin()->second.front().shape);
}

void StatisticsRecorder::give(Site &site, Batch &batch, int64_t first) {
  for (auto [index, target] : llvm::enumerate(site.targets)) {
    if (batch.empty())
      break;
    if (site.isOrdered) {
      if (index > 0 || site.values == 0)
        giveOrdered(*target, batch, first);
      continue;
    }
    Statistics stats = target->observer->statistics();
    int64_t batches = stats.batches;
    for (auto &[sample, visits] : batch)
      for (const Pending &pending : visits)
        calibration::merge(stats, pending.statistics[index]);
    stats.batches = batches + !stats.empty();
    target->observer->resume(stats);
  }
  if (site.isOrdered && site.values > 0) {
    site.left = site.values;
    site.held = std::exchange(batch, {});
  }
  for (Site *each : site.updates) {
    giveOrdered(*each->targets.front(), each->held, first);
    if (--each->left > 0)
      continue;
    if (each == &site)
      batch = std::exchange(each->held, {});
    else
      each->held.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two forms of one network on the same samples, some at a time, with an
// observer at each result that stands for integers.

#include "MeasureDifferences.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <cmath>
#include <map>
#include <mutex>

using namespace mlir;
using namespace qbackend;

/// A form that isn't exact is run as plain code, which takes its time.
static constexpr int64_t kMostSamples = 100;

/// How many samples' results are in memory.
static constexpr int64_t kChunk = 20;

void FormDifferences::bound(ModuleOp module) {
  llvm::Expected<func::FuncOp> network = findEntry(module, entry);
  if (!network) {
    llvm::consumeError(network.takeError());
    return;
  }
  for (const EngineDialectInterface *engine : getEngines(module.getContext())) {
    auto found = engine->getDifferences(*network, form);
    if (!found)
      continue;
    results = std::move(*found);
    exact = module.clone();
    return;
  }
}

namespace {
/// A copy of a module whose results are observed.
class ObservedResults {
public:
  llvm::Error prepare(ModuleOp original, StringRef entry,
                      ArrayRef<ResultDifference> results,
                      const SampleRequest &request);

  /// Runs on at most `count` samples that follow, and returns how many.
  llvm::Expected<int64_t> run(int64_t count) {
    values.clear();
    int64_t done = 0;
    if (llvm::Error error =
            network->run(count, "", [&](int64_t, int64_t finished) {
              done += finished;
              return llvm::Error::success();
            }))
      return std::move(error);
    return done;
  }

  int64_t getSampleCount() const { return network->getSampleCount(); }

  /// Of each observer and the first sample of a call.
  std::map<std::pair<int64_t, int64_t>, std::vector<float>> values;

private:
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<NetworkRun> network;
  std::mutex mutex;
};
} // namespace

/// Whether a result is of floats that stand for integers.
static bool isMeasured(Value value, const ResultDifference &result) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32() && result.scale > 0;
}

llvm::Error ObservedResults::prepare(ModuleOp original, StringRef entry,
                                     ArrayRef<ResultDifference> results,
                                     const SampleRequest &request) {
  module = original.clone();
  llvm::Expected<func::FuncOp> function = findEntry(*module, entry);
  if (!function)
    return function.takeError();
  OpBuilder builder(module->getContext());
  ObserverFields fields;
  fields.dtype = builder.getIntegerType(8, /*isSigned=*/false);
  auto config = ObserverAttr::get(module->getContext(), fields);
  SymbolTable symbols(*module);
  Operation *end = function->getBody().front().getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(results, SmallVector<Value>(end->getOperands()))) {
    if (!isMeasured(value, result))
      continue;
    builder.setInsertionPointToStart(module->getBody());
    auto observer = ObserverOp::create(builder, end->getLoc(), "result", config,
                                       FloatAttr(), FloatAttr(), FloatAttr(),
                                       IntegerAttr());
    symbols.insert(observer, builder.getInsertionPoint());
    builder.setInsertionPoint(end);
    // An observer is moved before a transpose that it reads, and sees the
    // elements in another order then: in a row they have but one.
    auto rank = cast<RankedTensorType>(value.getType()).getRank();
    if (rank > 1)
      value = tensor::CollapseShapeOp::create(
          builder, end->getLoc(), value,
          ReassociationIndices(llvm::to_vector(llvm::seq<int64_t>(rank))));
    ObserveOp::create(builder, end->getLoc(), value.getType(), value,
                      FlatSymbolRefAttr::get(observer.getSymNameAttr()));
  }
  auto runner = findNetworkRunner(module->getContext());
  if (!runner)
    return runner.takeError();
  auto run = (*runner)->prepare(
      *module, *function, request, [this](const ObservedTensor &tensor) {
        std::lock_guard<std::mutex> lock(mutex);
        values[{tensor.site, tensor.sample}] = tensor.values.vec();
      });
  if (!run)
    return run.takeError();
  network = std::move(*run);
  return network->open();
}

llvm::Expected<std::optional<MeasuredDifference>>
FormDifferences::measure(ModuleOp lowered, const SampleRequest &request) {
  llvm::Expected<func::FuncOp> function = findEntry(lowered, entry);
  if (!function)
    return function.takeError();
  Operation *end = function->getBody().front().getTerminator();
  MeasuredDifference measured;
  // The place of each observer among the results.
  SmallVector<unsigned> places;
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    bool isObserved = isMeasured(value, results[i]);
    measured.steps.push_back(isObserved ? 0 : -1);
    if (isObserved)
      places.push_back(i);
  }
  // What comes through a pipe comes once.
  if (request.data.empty() || request.data == "-" || places.empty())
    return std::nullopt;
  ObservedResults exactRun, otherRun;
  if (llvm::Error error = exactRun.prepare(*exact, entry, results, request))
    return std::move(error);
  if (llvm::Error error = otherRun.prepare(lowered, entry, results, request))
    return std::move(error);
  int64_t total = exactRun.getSampleCount();
  if (request.samples >= 0)
    total = std::min(total, request.samples);
  total = std::min(total, kMostSamples);
  while (measured.samples < total) {
    int64_t count = std::min(kChunk, total - measured.samples);
    llvm::Expected<int64_t> done = exactRun.run(count);
    if (!done)
      return done.takeError();
    llvm::Expected<int64_t> other = otherRun.run(count);
    if (!other)
      return other.takeError();
    if (*done == 0)
      break;
    measured.samples += *done;
    for (auto &[key, values] : exactRun.values) {
      unsigned place = places[key.first];
      const std::vector<float> &others = otherRun.values[key];
      for (auto [a, b] : llvm::zip(values, others))
        measured.steps[place] =
            std::max<int64_t>(measured.steps[place],
                              std::llround(std::abs(double(a) - double(b)) /
                                           results[place].scale));
    }
  }
  return measured;
}

LogicalResult FormDifferences::emitRemark(ModuleOp lowered,
                                          const SampleRequest &request) {
  if (!exact)
    return success();
  auto measured = measure(lowered, request);
  if (!measured)
    return emitError(lowered.getLoc()) << "the forms can't be compared: "
                                       << llvm::toString(measured.takeError());
  llvm::Expected<func::FuncOp> network = findEntry(lowered, entry);
  if (!network)
    return emitError(lowered.getLoc()) << llvm::toString(network.takeError());
  remarkDifferences(*network, form, results, *measured);
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a float network with a quantized form of it, operator by
// operator, in one pass over the samples.

#include "ComparisonFunction.h"
#include "MatchNetworks.h"

#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <map>
#include <mutex>

using namespace mlir;
using namespace qbackend;
using arrays::NamedArray;
using evaluation::ErrorSums;
using evaluation::OperatorErrors;

//===----------------------------------------------------------------------===//
// Both networks
//===----------------------------------------------------------------------===//

/// Runs passes on a copy of `module`.
static llvm::Expected<OwningOpRef<ModuleOp>>
runOnCopy(ModuleOp module,
          llvm::function_ref<void(OpPassManager &)> addPasses) {
  OwningOpRef<ModuleOp> copy(module.clone());
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diag.str();
    return success();
  });
  PassManager manager(module.getContext());
  addPasses(manager);
  if (failed(manager.run(*copy)))
    return makeError("{0}", message);
  return copy;
}

/// The entry of `module`, whose body is one block of values.
static llvm::Expected<func::FuncOp> findNetwork(ModuleOp module,
                                                StringRef entry) {
  auto function = findEntry(module, entry);
  if (!function)
    return function.takeError();
  if (!function->getBody().hasOneBlock())
    return makeError("'{0}' has branches; operators are compared in networks "
                     "that are one block",
                     function->getName());
  return function;
}

static std::string spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Fails unless both can be run on the same arrays.
static llvm::Error checkSignatures(func::FuncOp real, func::FuncOp quantized) {
  auto check = [](TypeRange types, TypeRange others,
                  StringRef what) -> llvm::Error {
    if (types.size() != others.size())
      return makeError("the networks have {0} and {1} {2}s", types.size(),
                       others.size(), what);
    for (auto [i, type, other] : llvm::enumerate(types, others))
      if (type != other)
        return makeError("{0} {1} is {2} in one network and {3} in the other; "
                         "operators are compared where both take and give the "
                         "same floats",
                         what, i, spellType(type), spellType(other));
    return llvm::Error::success();
  };
  if (llvm::Error error = check(real.getArgumentTypes(),
                                quantized.getArgumentTypes(), "argument"))
    return error;
  return check(real.getResultTypes(), quantized.getResultTypes(), "result");
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// What the operators of a sample did. Samples run in any order, and their sums
/// are added in the order of samples, so that nothing depends on the threads.
class Collector {
public:
  Collector(std::vector<OperatorErrors> &operators, ArrayRef<Site> sites)
      : operators(operators), sites(sites) {}

  /// Called by the compiled code.
  void add(int64_t index, const runtime::UnrankedMemRef *tensor);

  /// Adds up what the samples before `end` did.
  void flush(int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    auto last = samples.lower_bound(end);
    for (auto it = samples.begin(); it != last; ++it)
      for (auto [op, sums] : llvm::zip_equal(operators, it->second.sums)) {
        op.cumulative.merge(sums.cumulative);
        op.local.merge(sums.local);
        op.fromInputs.merge(sums.fromInputs);
        op.own.merge(sums.own);
        op.weight.merge(sums.weight);
        op.bias.merge(sums.bias);
        op.clip.merge(sums.clip);
        op.round.merge(sums.round);
      }
    samples.erase(samples.begin(), last);
  }

private:
  struct Sums {
    ErrorSums cumulative, local, fromInputs, own, weight, bias, clip, round;
  };
  struct Sample {
    std::vector<Sums> sums;
    /// Results of the quantized network that were not compared yet.
    std::map<unsigned, std::vector<float>> cumulative;
    std::vector<float> exact, fromInputs;
  };

  void addStatistics(calibration::Statistics &statistics,
                     ArrayRef<float> values, int64_t channels, int64_t sample);
  void addRange(Sums &sums, const OperatorErrors &op, ArrayRef<float> exact,
                ArrayRef<float> values, int64_t channels);

  std::vector<OperatorErrors> &operators;
  ArrayRef<Site> sites;
  std::map<int64_t, Sample> samples;
  std::mutex mutex;
};
} // namespace

/// The errors of clipping and of rounding `values` to the range of `op`, in
/// proportion to the `exact` result.
void Collector::addRange(Sums &sums, const OperatorErrors &op,
                         ArrayRef<float> exact, ArrayRef<float> values,
                         int64_t channels) {
  double lowest = op.range->getLowest(), highest = op.range->getHighest();
  double scale = op.range->scale;
  std::vector<float> clipped(exact), rounded(exact);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!std::isfinite(exact[i]) || !std::isfinite(value))
      continue;
    double inside = std::clamp<double>(value, lowest, highest);
    double step = std::nearbyint(inside / scale) * scale;
    clipped[i] = exact[i] + (inside - value);
    rounded[i] = exact[i] + (step - inside);
  }
  sums.clip.add(exact, clipped, channels);
  sums.round.add(exact, rounded, channels);
}

/// Counts `values`; the order of samples doesn't matter.
void Collector::addStatistics(calibration::Statistics &statistics,
                              ArrayRef<float> values, int64_t channels,
                              int64_t sample) {
  calibration::ObserverOptions options;
  options.recordAll = true;
  options.channelAxis = 1;
  auto observer = calibration::Observer::create(options);
  int64_t size = values.size();
  observer->updateTensors({{values.data(), size, sample}},
                          {channels ? size / channels : 0, channels, 1});
  std::lock_guard<std::mutex> lock(mutex);
  calibration::merge(statistics, observer->statistics());
}

void Collector::add(int64_t index, const runtime::UnrankedMemRef *tensor) {
  const Site &site = sites[index];
  OperatorErrors &op = operators[site.op];
  int64_t number = runtime::Executable::getCurrentSample();
  Sample *sample;
  {
    std::lock_guard<std::mutex> lock(mutex);
    sample = &samples[number];
  }
  sample->sums.resize(operators.size());
  Sums &sums = sample->sums[site.op];
  std::vector<float> values = tensor->copy<float>();
  int64_t channels = tensor->rank > 0 ? tensor->getSizes().back() : 1;
  // Code in a sandbox may say things in any order.
  if (site.role != Role::Cumulative && site.role != Role::Exact &&
      values.size() != sample->exact.size())
    return;
  switch (site.role) {
  case Role::Cumulative:
    sample->cumulative[site.op] = std::move(values);
    break;
  case Role::Exact: {
    if (auto it = sample->cumulative.find(site.op);
        it != sample->cumulative.end() && it->second.size() == values.size()) {
      sums.cumulative.add(values, it->second, channels);
      addStatistics(op.quantizedStatistics, it->second, channels, number);
      sample->cumulative.erase(it);
    }
    addStatistics(op.statistics, values, channels, number);
    sample->exact = std::move(values);
    sample->fromInputs.clear();
    break;
  }
  case Role::Weight:
    sums.weight.add(sample->exact, values, channels);
    break;
  case Role::Bias:
    sums.bias.add(sample->exact, values, channels);
    break;
  case Role::FromInputs:
    sums.fromInputs.add(sample->exact, values, channels);
    sample->fromInputs = std::move(values);
    break;
  case Role::Local: {
    sums.local.add(sample->exact, values, channels);
    ArrayRef<float> before =
        sample->fromInputs.empty() ? sample->exact : sample->fromInputs;
    if (op.range)
      addRange(sums, op, sample->exact, before, channels);
    // As if the rest were exact.
    std::vector<float> own(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      own[i] = double(sample->exact[i]) + (double(values[i]) - before[i]);
    sums.own.add(sample->exact, own, channels);
    break;
  }
  }
  if (site.isLast) {
    sample->exact = {};
    sample->fromInputs = {};
  }
}

/// Adds the results of a run to those of runs before.
static void append(std::vector<NamedArray> &outputs,
                   ArrayRef<arrays::Array> results) {
  if (outputs.empty())
    for (auto [i, result] : llvm::enumerate(results)) {
      outputs.push_back({"output" + std::to_string(i),
                         arrays::Array{result.type, result.shape, {}}});
      auto &shape = outputs.back().array.shape;
      if (shape.empty())
        shape.push_back(1);
      shape[0] = 0;
    }
  for (auto [output, result] : llvm::zip_equal(outputs, results)) {
    output.array.shape[0] += result.shape.empty() ? 1 : result.shape[0];
    output.array.data.insert(output.array.data.end(), result.data.begin(),
                             result.data.end());
  }
}

llvm::Expected<OperatorComparison>
qbackend::compareOperators(ModuleOp realModule, ModuleOp quantizedModule,
                           const PreparePipelineOptions &prepare,
                           const RunOptions &options) {
  auto prepared = runOnCopy(realModule, [&](OpPassManager &manager) {
    if (!isObserved(realModule))
      addPreparePipeline(manager, prepare);
  });
  if (!prepared)
    return prepared.takeError();
  // The reference form has the layouts of the prepared network, which raising
  // it again would choose anew.
  bool isRaised =
      quantizedModule->walk([](OperatorOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  auto raised = runOnCopy(quantizedModule, [&](OpPassManager &manager) {
    if (!isRaised)
      addRaisePipeline(manager, {});
  });
  if (!raised)
    return raised.takeError();
  ModuleOp module = **prepared;
  auto real = findNetwork(module, options.entry);
  if (!real)
    return real.takeError();
  auto quantized = findNetwork(**raised, options.entry);
  if (!quantized)
    return quantized.takeError();
  if (llvm::Error error = checkSignatures(*real, *quantized))
    return error;
  if (!quantized
           ->walk([](Operation *op) {
             return llvm::any_of(op->getResults(), isQuantizedTensor)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           })
           .wasInterrupted())
    return makeError("the quantized network has no scales: it is plain integer "
                     "code, or float; give the form before, of "
                     "lower-to=qnnpack or lower-to=reference");

  if (quantized
          ->walk([](Operation *op) {
            auto *dialect = op->getDialect();
            auto *engine =
                dialect
                    ? dialect->getRegisteredInterface<EngineDialectInterface>()
                    : nullptr;
            return engine && engine->isImported(op) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
          })
          .wasInterrupted())
    return makeError("the quantized network came as integers with ratios of "
                     "scales, so that its numbers can't be compared; compare "
                     "its results, without --layers");

  auto fixed = findFixedArguments(*real, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  ComparisonFunction both = createComparison(module, *real, *quantized);
  OperatorComparison comparison;
  comparison.operators = std::move(both.operators);
  size_t results = real->getNumResults();
  real->erase();
  Collector collector(comparison.operators, both.sites);
  SampleRun run;
  auto executable = compileModule(
      module, both.function.getName(), /*observe=*/{},
      {{kComparisonHook,
        [&](int64_t index, const runtime::UnrankedMemRef *tensor) {
          collector.add(index, tensor);
        }}},
      options.compile);
  if (!executable)
    return executable.takeError();
  run.executable = std::move(*executable);
  run.options.fixed = std::move(*fixed);
  if (llvm::Error error =
          run.load(options.data, options.inputScale, both.function))
    return error;
  run.options.maxSamples = options.samples;
  run.options.threads = options.threads;
  llvm::Error error =
      run.run("comparing",
              [&](int64_t first, int64_t count,
                  ArrayRef<arrays::Array> arrays) -> llvm::Error {
                collector.flush(first + count);
                append(comparison.outputs, arrays.take_front(results));
                append(comparison.otherOutputs, arrays.drop_front(results));
                return llvm::Error::success();
              });
  if (error)
    return error;
  return comparison;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a float network with a quantized form of it, operator by
// operator, in one pass over the samples.

#include "ErrorCollector.h"
#include "MatchNetworks.h"
#include "Steps/NetworkSteps.h"
#include "Steps/StepComparison.h"

#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Numerics/ExactSum.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <map>
#include <mutex>

using namespace mlir;
using namespace qbackend;
using arrays::NamedArray;
using evaluation::ComparisonTotals;
using evaluation::OperatorErrors;
using evaluation::QuantizedRange;

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
static llvm::Error checkSignatures(func::FuncOp original,
                                   func::FuncOp quantized) {
  auto check = [](TypeRange types, TypeRange others,
                  StringRef what) -> llvm::Error {
    if (types.size() != others.size())
      return makeError("the networks have {0} and {1} {2}s", types.size(),
                       others.size(), what);
    for (auto [i, type, other] : llvm::enumerate(types, others))
      if (type != other)
        return makeError("{0} {1} is {2} in one network and {3} in the other; "
                         "operators are compared where both take and give the "
                         "same",
                         what, i, spellType(type), spellType(other));
    return llvm::Error::success();
  };
  if (llvm::Error error = check(original.getArgumentTypes(),
                                quantized.getArgumentTypes(), "argument"))
    return error;
  return check(original.getResultTypes(), quantized.getResultTypes(), "result");
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// Both networks as one function.
struct PreparedComparison {
  OwningOpRef<ModuleOp> module;
  ComparisonFunction both;
  /// How many results the float one has.
  size_t results = 0;
  SmallVector<bool> fixed;
};
} // namespace

/// Whether `network` has kernels of integers that came as such.
static bool hasImportedKernels(func::FuncOp network) {
  return network
      .walk([](Operation *op) {
        auto *engine = getEngine(op);
        return engine && engine->isImported(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasQuantizedTensors(func::FuncOp network) {
  return network
      .walk([](Operation *op) {
        return llvm::any_of(op->getResults(), isQuantizedTensor)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Calls `hook` with the tensors of all sites, and `results` with those of both
/// networks; says which samples these were.
static llvm::Expected<SamplePart> runFunction(
    PreparedComparison &prepared, const RunOptions &options, StringRef label,
    llvm::function_ref<void(int64_t, const runtime::UnrankedMemRef *)> hook,
    llvm::function_ref<void(int64_t, ArrayRef<arrays::Array>)> results) {
  ComparisonFunction &both = prepared.both;
  SampleRun run;
  auto executable =
      compileModule(*prepared.module, both.function.getName(), /*observe=*/{},
                    {{kComparisonHook, hook}}, options.compile);
  if (!executable)
    return executable.takeError();
  run.executable = std::move(*executable);
  run.options.fixed = prepared.fixed;
  if (llvm::Error error =
          run.load(options.data, options.inputScale, both.function))
    return error;
  auto part = takeSamples(run, both.function, options);
  if (!part)
    return part.takeError();
  llvm::Error error =
      run.run(label,
              [&](int64_t first, int64_t count,
                  ArrayRef<arrays::Array> arrays) -> llvm::Error {
                results(first + count, arrays);
                return llvm::Error::success();
              });
  if (error)
    return error;
  return part;
}

namespace {
/// Sums of f, the floats of a value, and of q, its integers.
struct ScaleFit {
  int64_t elements = 0;
  numerics::ExactSum f, q, fq, qq, ff;

  void add(double float_, double integer);
  /// Where q is on the line through all (q, f) when f is 0.
  double getZeroPoint() const;
  /// By what q less `zeroPoint` is to be multiplied to be of f's size.
  double getScale(double zeroPoint) const;
};
} // namespace

void ScaleFit::add(double float_, double integer) {
  if (!std::isfinite(float_))
    return;
  ++elements;
  f.add(float_);
  q.add(integer);
  fq.add(float_ * integer);
  qq.add(integer * integer);
  ff.add(float_ * float_);
}

double ScaleFit::getZeroPoint() const {
  double n = double(elements), sumF = f.getValue(), sumQ = q.getValue();
  double covariance = n * fq.getValue() - sumF * sumQ,
         variance = n * qq.getValue() - sumQ * sumQ;
  return covariance > 0 ? (sumQ - sumF * variance / covariance) / n : 0;
}

double ScaleFit::getScale(double zeroPoint) const {
  double square = qq.getValue() - 2 * zeroPoint * q.getValue() +
                  double(elements) * zeroPoint * zeroPoint;
  return square > 0 && ff.getValue() > 0 ? std::sqrt(ff.getValue() / square)
                                         : 1.0;
}

/// Sums of the sites of `role` and of the exact ones, by operator.
static llvm::Expected<std::vector<ScaleFit>>
sumUp(PreparedComparison &prepared, Role role, const RunOptions &options) {
  ComparisonFunction &both = prepared.both;
  std::vector<ScaleFit> fits(both.operators.size());
  // What came first.
  std::map<std::pair<int64_t, unsigned>, std::vector<float>> waiting;
  std::mutex mutex;
  auto add = [&](int64_t index, const runtime::UnrankedMemRef *tensor) {
    const Site &site = both.sites[index];
    if (site.role != role && site.role != Role::Exact)
      return;
    std::vector<float> values = tensor->copy<float>();
    std::pair<int64_t, unsigned> key(runtime::Executable::getCurrentSample(),
                                     site.op);
    std::lock_guard<std::mutex> lock(mutex);
    auto [it, isFirst] = waiting.try_emplace(key, std::move(values));
    if (isFirst)
      return;
    ArrayRef<float> exact = it->second, found = values;
    if (site.role == Role::Exact)
      std::swap(exact, found);
    for (auto [f, q] : llvm::zip(exact, found))
      fits[site.op].add(f, q);
    waiting.erase(it);
  };
  auto part = runFunction(prepared, options, "fitting scales", add,
                          [](int64_t, ArrayRef<arrays::Array>) {});
  if (!part)
    return part.takeError();
  return fits;
}

/// Scales are fitted on so many samples at most.
static constexpr int64_t kFitted = 128;

/// Both as steps: `quantized` is of integers without scales, or both are of
/// integers. Scales that floats are compared by are fitted first: to what the
/// network computes, then twice to what each step does of exact inputs, since
/// what is wrong in one isn't to change the scales of those behind it.
static llvm::Expected<PreparedComparison>
prepareSteps(ModuleOp first, ModuleOp quantized, const RunOptions &options) {
  RunOptions fit = options;
  fit.shards = 0;
  fit.samples =
      options.samples < 0 ? kFitted : std::min(kFitted, options.samples);
  std::vector<std::optional<QuantizedRange>> ranges;
  std::vector<StepComparison::Unknown> unknown;
  for (unsigned round = 0;; ++round) {
    PreparedComparison result;
    result.module = first.clone();
    auto original = findNetwork(*result.module, options.entry);
    if (!original)
      return original.takeError();
    auto other = findNetwork(quantized, options.entry);
    if (!other)
      return other.takeError();
    if (llvm::Error error = checkSignatures(*original, *other))
      return error;
    auto fixed = findFixedArguments(*original, options.sampleArguments);
    if (!fixed)
      return fixed.takeError();
    result.fixed = std::move(*fixed);
    result.results = original->getNumResults();
    StepComparison steps =
        createStepComparison(*result.module, *original, *other, ranges);
    result.both = std::move(steps.both);
    original->erase();
    if (round == 0)
      unknown = std::move(steps.unknown);
    if (round == 3 ||
        llvm::none_of(unknown, [](const auto &range) { return range.scale; }))
      return result;
    if (options.data == "-")
      return makeError("the other network has no scales; to fit them, samples "
                       "are read several times, which standard input can't "
                       "be; pass a file");
    auto fits = sumUp(result, round ? Role::Local : Role::Cumulative, fit);
    if (!fits)
      return fits.takeError();
    ranges.resize(unknown.size());
    // What the scales of inputs were off by, those of results are, too.
    std::vector<double> factors(unknown.size(), 1.0);
    for (auto [i, op] : llvm::enumerate(result.both.operators)) {
      if (!unknown[i].scale || !op.range || (*fits)[i].elements == 0)
        continue;
      QuantizedRange range = *op.range;
      if (round == 0 && unknown[i].zeroPoint)
        range.zeroPoint = std::llround(std::clamp<double>(
            (*fits)[i].getZeroPoint(), range.quantMin, range.quantMax));
      // Of operators that say theirs, none is left in q.
      factors[i] = (*fits)[i].getScale(
          round == 0 && unknown[i].zeroPoint ? double(range.zeroPoint) : 0.0);
      if (round != 0 && !op.inputs.empty()) {
        double sum = 0;
        for (unsigned input : op.inputs)
          sum += factors[input];
        factors[i] *= sum / double(op.inputs.size());
      }
      range.scale *= factors[i];
      ranges[i] = range;
    }
  }
}

static llvm::Expected<PreparedComparison>
prepareComparison(ModuleOp originalModule, ModuleOp quantizedModule,
                  const PreparePipelineOptions &prepare,
                  const RunOptions &options) {
  // Engines come along with it, and no pass may have run yet.
  originalModule.getContext()->getOrLoadDialect<QBackendDialect>();
  auto first = findNetwork(originalModule, options.entry);
  if (!first)
    return first.takeError();
  auto second = findNetwork(quantizedModule, options.entry);
  if (!second)
    return second.takeError();
  if (hasIntegerArithmetic(*first)) {
    if (!hasIntegerArithmetic(*second))
      return makeError("the first network is of integers, and the other one is "
                       "not; give the float one first");
    return prepareSteps(originalModule, quantizedModule, options);
  }
  auto prepared = runOnCopy(originalModule, [&](OpPassManager &manager) {
    if (!isObserved(originalModule))
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
  auto original = findNetwork(module, options.entry);
  if (!original)
    return original.takeError();
  auto quantized = findNetwork(**raised, options.entry);
  if (!quantized)
    return quantized.takeError();
  if (llvm::Error error = checkSignatures(*original, *quantized))
    return error;
  if (!hasQuantizedTensors(*quantized) || hasImportedKernels(*quantized)) {
    if (hasIntegerArithmetic(*second))
      return prepareSteps(module, quantizedModule, options);
    return makeError("the other network has no integers; give the quantized "
                     "form of the first one");
  }
  PreparedComparison result;
  auto fixed = findFixedArguments(*original, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  result.fixed = std::move(*fixed);
  result.both = createComparison(module, *original, *quantized);
  result.results = original->getNumResults();
  original->erase();
  result.module = std::move(*prepared);
  return result;
}

/// Runs on the samples of `options`, and returns which those are.
static llvm::Expected<SamplePart> runComparison(PreparedComparison &prepared,
                                                const RunOptions &options,
                                                ComparisonTotals &totals) {
  ComparisonFunction &both = prepared.both;
  evaluation::ErrorCollector collector(both.operators, both.sites,
                                       totals.operators);
  return runFunction(
      prepared, options, "comparing",
      [&](int64_t index, const runtime::UnrankedMemRef *tensor) {
        collector.add(index, tensor);
      },
      [&](int64_t end, ArrayRef<arrays::Array> arrays) {
        collector.flush(end);
        appendResults(arrays.take_front(prepared.results), totals.outputs);
        appendResults(arrays.drop_front(prepared.results), totals.otherOutputs);
      });
}

/// What all parts have to be of.
static llvm::Expected<std::string>
describeComparison(ModuleOp original, ModuleOp quantized,
                   const PreparePipelineOptions &prepare,
                   const RunOptions &options, int64_t total) {
  auto samples = arrays::hashSamples(options.data, options.inputScale);
  if (!samples)
    return samples.takeError();
  std::string text;
  llvm::raw_string_ostream(text)
      << getModelHash(original) << " " << getModelHash(quantized) << " "
      << prepare.backend.getValue() << " " << prepare.qconfig.getValue() << " "
      << *samples << " " << options.inputScale << " " << options.sampleArguments
      << " " << total;
  return hashText(text);
}

llvm::Expected<Parts>
qbackend::compareOperatorsInPart(ModuleOp original, ModuleOp quantized,
                                 const PreparePipelineOptions &prepare,
                                 const RunOptions &options) {
  auto prepared = prepareComparison(original, quantized, prepare, options);
  if (!prepared)
    return prepared.takeError();
  ComparisonTotals totals;
  auto part = runComparison(*prepared, options, totals);
  if (!part)
    return part.takeError();
  auto of =
      describeComparison(original, quantized, prepare, options, part->total);
  if (!of)
    return of.takeError();
  Parts result{"layers", std::move(*of), {}};
  result.results.emplace(getSamplesName(part->first, part->end),
                         evaluation::toJSON(totals));
  return result;
}

/// The totals of all samples by those of `parts`.
static llvm::Error joinParts(const PreparedComparison &prepared,
                             const Parts &parts, int64_t total,
                             ComparisonTotals &totals) {
  auto ordered = orderSamples(parts, total);
  if (!ordered)
    return ordered.takeError();
  for (const llvm::json::Value *value : *ordered) {
    auto more = evaluation::readTotals(*value, prepared.both.operators.size());
    if (!more)
      return more.takeError();
    totals.add(*more);
  }
  return llvm::Error::success();
}

llvm::Expected<OperatorComparison>
qbackend::compareOperators(ModuleOp original, ModuleOp quantized,
                           const PreparePipelineOptions &prepare,
                           const RunOptions &options, PartsReader readParts) {
  auto prepared = prepareComparison(original, quantized, prepare, options);
  if (!prepared)
    return prepared.takeError();
  ComparisonTotals totals;
  if (readParts) {
    auto total = countSamples(prepared->both.function, options);
    if (!total)
      return total.takeError();
    auto of = describeComparison(original, quantized, prepare, options, *total);
    if (!of)
      return of.takeError();
    Parts parts{"layers", std::move(*of), {}};
    if (llvm::Error error = readParts(parts))
      return error;
    if (llvm::Error error = joinParts(*prepared, parts, *total, totals))
      return error;
  } else {
    auto part = runComparison(*prepared, options, totals);
    if (!part)
      return part.takeError();
  }
  OperatorComparison comparison;
  comparison.operators = std::move(prepared->both.operators);
  for (auto [op, sums] :
       llvm::zip_equal(comparison.operators, totals.operators)) {
    op.cumulative = sums.cumulative.getSums();
    op.local = sums.local.getSums();
    op.fromInputs = sums.fromInputs.getSums();
    op.own = sums.own.getSums();
    op.weight = sums.weight.getSums();
    op.bias = sums.bias.getSums();
    op.clip = sums.clip.getSums();
    op.round = sums.round.getSums();
    op.statistics = std::move(sums.statistics);
    op.quantizedStatistics = std::move(sums.quantizedStatistics);
  }
  comparison.outputs = std::move(totals.outputs);
  comparison.otherOutputs = std::move(totals.otherOutputs);
  return comparison;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What networks cost to run, predicted and measured: between any two operators
// the compiled code says what time it is.

#include "qbackend/Insight/Cost/ReportCost.h"

#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <chrono>
#include <utility>

using namespace mlir;
using namespace qbackend;

static constexpr StringLiteral kHook = "qbackend_runtime_mark";

namespace {
/// The time between two marks is that of the operator before the second one.
class Stopwatch {
public:
  explicit Stopwatch(size_t operators) : seconds(operators) {}

  /// Called by the compiled code: with 0 at its begin, with `i + 1` after
  /// operator `i`.
  void mark(int64_t index) {
    auto now = Clock::now();
    if (index > 0)
      seconds[index - 1] += std::chrono::duration<double>(now - last).count();
    // What this took is nobody's.
    last = Clock::now();
  }

  std::vector<double> seconds;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last;
};
} // namespace

/// Puts marks into `function`: number 0 at its begin, `i + 1` before op `i` of
/// `ops`.
static void addMarks(func::FuncOp function, ArrayRef<Operation *> ops) {
  OpBuilder builder(function);
  Location loc = function.getLoc();
  auto unranked = UnrankedTensorType::get(builder.getF32Type());
  auto hook = func::FuncOp::create(
      builder, loc, kHook,
      builder.getFunctionType({builder.getIndexType(), unranked}, {}));
  hook.setPrivate();
  builder.setInsertionPointToStart(&function.getBody().front());
  Value nothing = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{1},
                                          builder.getF32Type());
  nothing = tensor::CastOp::create(builder, loc, unranked, nothing);
  auto mark = [&](int64_t index) {
    Value number = arith::ConstantIndexOp::create(builder, loc, index);
    func::CallOp::create(builder, loc, hook, ValueRange{number, nothing});
  };
  mark(0);
  for (auto [i, op] : llvm::enumerate(ops)) {
    builder.setInsertionPoint(op);
    mark(i + 1);
  }
}

/// Compiles `module`, which has marks of `stopwatch`.
static llvm::Expected<SampleRun> prepareRun(ModuleOp module,
                                            func::FuncOp function,
                                            Stopwatch &stopwatch,
                                            const RunOptions &options) {
  auto fixed = findFixedArguments(function, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  auto executable =
      compileModule(module, function.getName(), /*observe=*/{},
                    {{kHook,
                      [&](int64_t index, const runtime::UnrankedMemRef *) {
                        stopwatch.mark(index);
                      }}},
                    options.compile);
  if (!executable)
    return executable.takeError();
  SampleRun run;
  run.executable = std::move(*executable);
  run.options.fixed = std::move(*fixed);
  run.options.maxSamples = options.samples;
  run.options.threads = 1;
  if (llvm::Error error = run.load(options.data, options.inputScale, function))
    return error;
  return run;
}

/// Runs `module`, which is used up, with marks.
static llvm::Error measure(ModuleOp module, func::FuncOp function,
                           NetworkCost &cost, const RunOptions &options) {
  SmallVector<Operation *> ends;
  for (const OperatorCost &entry : cost.operators)
    ends.push_back(entry.op->getNextNode());
  addMarks(function, ends);
  Stopwatch stopwatch(cost.operators.size());
  auto prepared = prepareRun(module, function, stopwatch, options);
  if (!prepared)
    return prepared.takeError();
  SampleRun run = std::move(*prepared);
  int64_t samples = 0;
  llvm::Error error = run.run(
      "measuring", [&](int64_t, int64_t count, ArrayRef<arrays::Array>) {
        // The first run warms caches.
        if (samples == 0)
          std::fill(stopwatch.seconds.begin(), stopwatch.seconds.end(), 0.0);
        samples += count;
        return llvm::Error::success();
      });
  if (error)
    return error;
  if (samples < 2)
    return makeError("{0} samples are too few to measure on; the first one "
                     "warms caches",
                     samples);
  for (auto [entry, seconds] :
       llvm::zip_equal(cost.operators, stopwatch.seconds))
    entry.measuredSeconds = seconds / (samples - 1);
  return llvm::Error::success();
}

llvm::Expected<NetworkCost>
qbackend::reportCost(ModuleOp module, const RunOptions &options, bool profile) {
  PassManager manager(module.getContext());
  addRaisePipeline(manager, {});
  if (failed(manager.run(module)))
    return makeError("the operators of the module can't be found");
  auto function = findEntry(module, options.entry);
  if (!function)
    return function.takeError();
  if (!function->getBody().hasOneBlock())
    return makeError("'{0}' has branches; the cost is that of a network that "
                     "is one block",
                     function->getName());
  NetworkCost cost = findCost(*function);
  if (profile)
    if (llvm::Error error = measure(module, *function, cost, options))
      return error;
  return cost;
}

llvm::Expected<double> qbackend::measureCall(ModuleOp module,
                                             const RunOptions &options) {
  constexpr size_t maxCalls = 50;
  constexpr double maxSeconds = 1;
  OwningOpRef<ModuleOp> copy(module.clone());
  auto function = findEntry(*copy, options.entry);
  if (!function)
    return function.takeError();
  SmallVector<Operation *> ends;
  function->walk([&](func::ReturnOp op) { ends.push_back(op); });
  addMarks(*function, ends);
  Stopwatch stopwatch(ends.size());
  auto prepared = prepareRun(*copy, *function, stopwatch, options);
  if (!prepared)
    return prepared.takeError();
  SampleRun run = std::move(*prepared);
  std::vector<double> calls;
  double sum = 0;
  // Of the first call nothing counts: it warms caches.
  auto isEnough = [&] {
    return calls.size() > 1 && (calls.size() > maxCalls || sum > maxSeconds);
  };
  run.options.isStopped = isEnough;
  while (!isEnough()) {
    size_t before = calls.size();
    llvm::Error error =
        run.run("", [&](int64_t, int64_t, ArrayRef<arrays::Array>) {
          double seconds = 0;
          for (double &part : stopwatch.seconds)
            seconds += std::exchange(part, 0);
          calls.push_back(seconds);
          sum += seconds;
          return llvm::Error::success();
        });
    if (error) {
      if (!isEnough())
        return error;
      llvm::consumeError(std::move(error));
    }
    if (calls.size() == before)
      return makeError("there are no samples to measure the time of a call on");
    if (llvm::Error error =
            run.load(options.data, options.inputScale, *function))
      return error;
  }
  auto middle = calls.begin() + 1 + (calls.size() - 1) / 2;
  std::nth_element(calls.begin() + 1, middle, calls.end());
  return *middle;
}

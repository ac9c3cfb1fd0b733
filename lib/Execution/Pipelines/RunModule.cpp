// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules of any stage: float, observed, reference, lowered.

#include "qbackend/Execution/Pipelines/RunModule.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Execution/Samples/Progress.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using arrays::NamedArray;
using runtime::Executable;

static constexpr StringLiteral kHook = "qbackend_runtime_observe";

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::vector<arrays::SampleArgument>
qbackend::getSampleArguments(func::FuncOp function, ArrayRef<bool> fixed) {
  std::vector<arrays::SampleArgument> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    arrays::SampleArgument &argument = arguments.emplace_back();
    argument.name = getArgumentName(function, i);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      argument.rank = tensor.getRank();
    argument.isFixed = fixed[i];
    argument.isNamed = hasArgumentName(function, i);
  }
  return arguments;
}

/// Whether operators read `value` in no other role than that of a parameter.
static bool isParameter(Value value) {
  bool isRead = false;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      Operation *user = use.getOwner();
      if (isa<TransposeOp, tensor::CastOp, tensor::ExpandShapeOp,
              tensor::CollapseShapeOp>(user)) {
        worklist.append(user->result_begin(), user->result_end());
        continue;
      }
      auto op = dyn_cast<OperatorOp>(user);
      if (!op || use.getOperandNumber() < op.getInputs().size())
        return false;
      isRead = true;
    }
  }
  return isRead;
}

llvm::Expected<SmallVector<bool>>
qbackend::findFixedArguments(func::FuncOp function, StringRef samples) {
  unsigned count = function.getNumArguments();
  if (!samples.empty()) {
    SmallVector<bool> fixed(count, true);
    SmallVector<StringRef> numbers;
    samples.split(numbers, ',');
    for (StringRef number : numbers) {
      unsigned index;
      if (number.trim().getAsInteger(10, index) || index >= count)
        return makeError("sample-arguments has '{0}', function '{1}' has the "
                         "arguments 0 to {2}",
                         number, function.getName(), int(count) - 1);
      fixed[index] = false;
    }
    return fixed;
  }
  SmallVector<bool> fixed(count, false);
  std::optional<int64_t> batch;
  for (unsigned i = 0; i < count; ++i) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || type.getRank() == 0 || isParameter(function.getArgument(i))) {
      fixed[i] = true;
      continue;
    }
    int64_t leading = type.getDimSize(0);
    if (ShapedType::isDynamic(leading))
      continue;
    if (!batch)
      batch = leading;
    fixed[i] = leading != *batch;
  }
  // Of numbers only, none is more of a sample than another.
  if (llvm::all_of(fixed, [](bool isFixed) { return isFixed; }))
    fixed.assign(count, false);
  return fixed;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

void qbackend::addExecutionPipeline(OpPassManager &manager,
                                    const ExecutionPipelineOptions &options) {
  ImportQuantizationPassOptions import;
  import.castsOnly = true;
  manager.addPass(createImportQuantizationPass(import));
  // Inlining first leaves the float code of operators; what is quantized
  // in the reference form are then quantize and dequantize alone.
  manager.addNestedPass<func::FuncOp>(createInlineOperatorsPass());
  LowerObserversPassOptions observers;
  observers.hook = options.hook;
  manager.addPass(createLowerObserversPass(observers));
  manager.addPass(createLowerEnginesPass());
}

llvm::Expected<std::unique_ptr<Executable>> qbackend::compileModule(
    ModuleOp module, StringRef entry, Executable::HookFunction observe,
    ArrayRef<Executable::Hook> hooks, const runtime::CompileOptions &compile) {
  OwningOpRef<ModuleOp> copy(module.clone());
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diag.str();
    return success(diag.getSeverity() == DiagnosticSeverity::Error);
  });
  PassManager manager(module.getContext());
  // What comes out is verified before it is compiled.
  manager.enableVerifier(false);
  ExecutionPipelineOptions options;
  SmallVector<Executable::Hook> all(hooks);
  if (observe) {
    options.hook = kHook.str();
    all.emplace_back(kHook, std::move(observe));
  }
  addExecutionPipeline(manager, options);
  if (failed(manager.run(*copy)))
    return makeError("the module can't be run: {0}", message);
  runtime::CompileOptions signedness = compile;
  if (auto function = module.lookupSymbol<func::FuncOp>(entry)) {
    signedness.unsignedArguments = findUnsignedArguments(function);
    signedness.unsignedResults = findUnsignedResults(function);
  }
  return Executable::compile(std::move(copy), entry, signedness, all);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Error SampleRun::setScale(StringRef scale) {
  auto parsed = parseInputScale(scale);
  if (!parsed)
    return parsed.takeError();
  options.inputScale = *parsed;
  options.requireScale = scale.empty();
  return llvm::Error::success();
}

llvm::Error SampleRun::load(StringRef path, StringRef scale,
                            func::FuncOp function) {
  SmallVector<bool> fixed;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    fixed.push_back(options.isFixed(i));
  std::vector<arrays::SampleArgument> arguments =
      getSampleArguments(function, fixed);
  auto opened = arrays::SampleSource::open(path, function.getName(), arguments);
  if (!opened)
    return opened.takeError();
  source = std::move(*opened);
  // What has headers was looked at before, see checkSamples.
  return setScale(scale);
}

llvm::Error SampleRun::skip(int64_t count) {
  constexpr int64_t block = 64;
  for (int64_t done = 0; done < count;) {
    auto arrays = source->read(std::min(block, count - done));
    if (!arrays)
      return arrays.takeError();
    size_t first = 0;
    while (options.isFixed(first))
      ++first;
    int64_t read = (*arrays)[first].array.shape[0];
    if (read == 0)
      return makeError("there are {0} samples, none is left after the first "
                       "{1}",
                       done, count);
    done += read;
  }
  skipped += count;
  return llvm::Error::success();
}

llvm::Error SampleRun::run(StringRef label, runtime::SampleCallback callback) {
  int64_t total = source->size();
  if (total >= 0)
    total -= skipped;
  if (options.maxSamples >= 0)
    total =
        total >= 0 ? std::min(total, options.maxSamples) : options.maxSamples;
  if (label.empty())
    return runtime::runSamples(*executable, *source, callback, options);
  arrays::ProgressBar progress(label, total);
  llvm::Error error =
      runtime::runSamples(*executable, *source, callback, options, &progress);
  progress.finish();
  return error;
}

static void appendResult(const arrays::Array &result, NamedArray &output) {
  output.array.shape[0] += result.shape.empty() ? 1 : result.shape[0];
  output.array.data.insert(output.array.data.end(), result.data.begin(),
                           result.data.end());
}

void qbackend::appendResults(ArrayRef<arrays::Array> results,
                             std::vector<NamedArray> &outputs) {
  if (outputs.empty())
    for (auto [i, result] : llvm::enumerate(results)) {
      outputs.push_back(
          {"output" + std::to_string(i), arrays::Array{result.type, {}, {}}});
      outputs.back().array.shape = result.shape;
      if (result.shape.empty())
        outputs.back().array.shape.push_back(1);
      outputs.back().array.shape[0] = 0;
    }
  for (auto [output, result] : llvm::zip(outputs, results))
    appendResult(result, output);
}

/// Whether samples are the dynamic leading dimension of the arguments, but not
/// of that result: it is of all samples, or a constant.
static bool isOfAllSamples(const SampleRun &run,
                           const runtime::TensorSignature &output) {
  if (!output.shape.empty() && output.shape[0] < 0)
    return false;
  for (auto [i, input] : llvm::enumerate(run.executable->getInputs()))
    if (!run.options.isFixed(i) && !input.shape.empty() && input.shape[0] >= 0)
      return false;
  return true;
}

llvm::Expected<std::vector<NamedArray>> SampleRun::collect(StringRef label) {
  std::vector<NamedArray> outputs;
  auto add = [&](int64_t first, int64_t,
                 ArrayRef<arrays::Array> results) -> llvm::Error {
    if (first == 0) {
      appendResults(results, outputs);
      return llvm::Error::success();
    }
    for (auto [output, result, signature] :
         llvm::zip(outputs, results, executable->getOutputs())) {
      if (!isOfAllSamples(*this, signature))
        appendResult(result, output);
      else if (output.array.data != result.data)
        return makeError("result '{0}' of '{1}', {2}, has no dimension for "
                         "samples, and they give different ones; export the "
                         "network with the batch that it is run with, or run "
                         "it on one sample",
                         output.name, executable->getEntry(), signature.str());
    }
    return llvm::Error::success();
  };
  llvm::Error error = run(label, add);
  if (error)
    return error;
  return outputs;
}

/// How many samples `run` has for `options`; -1: only reading tells.
static int64_t countSamples(const SampleRun &run, const RunOptions &options) {
  int64_t total = run.source->size();
  if (options.samples < 0)
    return total;
  return total < 0 ? options.samples : std::min(total, options.samples);
}

llvm::Expected<int64_t> qbackend::countSamples(func::FuncOp function,
                                               const RunOptions &options) {
  SampleRun run;
  auto fixed = findFixedArguments(function, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  run.options.fixed = std::move(*fixed);
  if (llvm::Error error = run.load(options.data, options.inputScale, function))
    return error;
  int64_t total = ::countSamples(run, options);
  if (total < 0)
    return makeError("parts need the number of samples, which standard input "
                     "doesn't tell; pass --samples");
  return total;
}

llvm::Expected<SamplePart> qbackend::takeSamples(SampleRun &run,
                                                 func::FuncOp function,
                                                 const RunOptions &options) {
  run.options.maxSamples = options.samples;
  run.options.threads = options.threads;
  if (options.shards == 0)
    return SamplePart();
  if (options.shard < 0 || options.shard >= options.shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", options.shard,
                     options.shards, options.shards - 1);
  int64_t total = ::countSamples(run, options);
  if (total < 0)
    return makeError("a shard needs the number of samples, which standard "
                     "input doesn't tell; pass --samples");
  int64_t batch = 1;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (!run.options.isFixed(i) && tensor.getRank() > 0 &&
          !tensor.isDynamicDim(0))
        batch = std::max<int64_t>(tensor.getDimSize(0), 1);
  int64_t batches = (total + batch - 1) / batch;
  SamplePart part{batches * options.shard / options.shards * batch,
                  batches * (options.shard + 1) / options.shards * batch,
                  total};
  part.end = std::min(part.end, total);
  if (part.first >= part.end)
    return makeError("shard {0} of {1} has no samples: {2} samples are {3} "
                     "batches",
                     options.shard, options.shards, total, batches);
  if (llvm::Error error = run.skip(part.first))
    return error;
  run.options.maxSamples = part.end - part.first;
  return part;
}

llvm::Expected<std::vector<NamedArray>>
qbackend::runModule(ModuleOp module, const RunOptions &options, StringRef label,
                    SamplePart *part) {
  auto function = findEntry(module, options.entry);
  if (!function)
    return function.takeError();
  if (llvm::Error error =
          checkSamples(*function, {options.data, options.inputScale,
                                   options.sampleArguments, options.samples}))
    return error;
  SampleRun run;
  auto executable = compileModule(module, function->getName(), /*observe=*/{},
                                  /*hooks=*/{}, options.compile);
  if (!executable)
    return executable.takeError();
  run.executable = std::move(*executable);
  auto fixed = findFixedArguments(*function, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  run.options.fixed = std::move(*fixed);
  if (llvm::Error error = run.load(options.data, options.inputScale, *function))
    return error;
  auto taken = takeSamples(run, *function, options);
  if (!taken)
    return taken.takeError();
  if (part)
    *part = *taken;
  return run.collect(label);
}

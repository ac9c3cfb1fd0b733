// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules of any stage: real-valued, observed, reference, lowered.

#include "qbackend/Pipelines/Execution.h"

#include "qbackend/Conversion/Passes.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Runtime/Error.h"
#include "qbackend/Runtime/Progress.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace qbackend;
using runtime::Executable;
using runtime::NamedArray;

static constexpr StringLiteral kHook = "qbackend_runtime_observe";

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

llvm::Expected<func::FuncOp> qbackend::findEntry(ModuleOp module,
                                                 StringRef name) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      functions.push_back(function);
  auto list = [&] {
    SmallVector<StringRef> names;
    for (func::FuncOp function : functions)
      names.push_back(function.getName());
    return llvm::join(names, ", ");
  };
  if (functions.empty())
    return makeError("the module has no public function with a body to run");
  SmallVector<StringRef> wanted = {name};
  if (name.empty())
    wanted = {"main", "forward"};
  for (StringRef candidate : wanted)
    for (func::FuncOp function : functions)
      if (function.getName() == candidate)
        return function;
  if (!name.empty())
    return makeError("no function '{0}' in the module; it has {1}", name,
                     list());
  if (functions.size() > 1)
    return makeError("which function to run? The module has {0}; name one "
                     "'main', make the others private, or pass --entry to "
                     "qbackend-run",
                     list());
  return functions.front();
}

std::string qbackend::getArgumentName(func::FuncOp function, unsigned index) {
  std::string name = getLocationName(function.getArgument(index).getLoc());
  return name.empty() ? "arg" + std::to_string(index) : name;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Each observe becomes a call of the hook, or nothing.
static void lowerObserves(ModuleOp module, bool observing) {
  SmallVector<ObserveOp> ops;
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) { ops.push_back(op); });
  OpBuilder builder(module.getContext());
  func::FuncOp hook;
  if (observing && !ops.empty()) {
    auto unranked = UnrankedTensorType::get(builder.getF32Type());
    builder.setInsertionPointToStart(module.getBody());
    hook = func::FuncOp::create(
        builder, module.getLoc(), kHook,
        builder.getFunctionType({builder.getIndexType(), unranked}, {}));
    hook.setPrivate();
    hook.setArgAttr(1, "bufferization.access", builder.getStringAttr("read"));
  }
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (hook) {
      builder.setInsertionPoint(op);
      Value index =
          arith::ConstantIndexOp::create(builder, op.getLoc(), int64_t(i));
      Value cast = tensor::CastOp::create(
          builder, op.getLoc(), hook.getArgumentTypes()[1], op.getInput());
      func::CallOp::create(builder, op.getLoc(), hook, ValueRange{index, cast});
    }
    op.replaceAllUsesWith(op.getInput());
    op.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<ObserverOp, BackendConfigOp, QConfigMappingOp>(op))
      op.erase();
}

llvm::Expected<std::unique_ptr<Executable>>
qbackend::compileModule(ModuleOp module, StringRef entry, bool observing,
                        ArrayRef<Executable::Symbol> symbols) {
  OwningOpRef<ModuleOp> copy(module.clone());
  // Inlining first leaves the real-valued code of operators; what is quantized
  // in the reference form are then quantize and dequantize alone.
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diag.str();
    return success(diag.getSeverity() == DiagnosticSeverity::Error);
  });
  PassManager pm(module.getContext());
  pm.addPass(createInlineOperatorsPass());
  bool failedToLower = failed(pm.run(*copy));
  if (!failedToLower) {
    lowerObserves(*copy, observing);
    PassManager lower(module.getContext());
    lower.addPass(createConvertQBackendToQNNPackPass());
    lower.addPass(createConvertQNNPackToLinalgPass());
    failedToLower = failed(lower.run(*copy));
  }
  if (failedToLower)
    return makeError("the module can't be run: {0}", message);
  return Executable::compile(std::move(copy), entry, {}, symbols);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// A number or a quotient; 1 if `text` is empty.
static llvm::Expected<double> parseScale(StringRef text) {
  if (text.empty())
    return 1.0;
  auto [over, under] = text.split('/');
  double numerator, denominator = 1.0;
  if (over.getAsDouble(numerator) ||
      (!under.empty() && under.getAsDouble(denominator)) ||
      !(denominator != 0.0))
    return makeError("input-scale '{0}' is not a number or a quotient like "
                     "1/255",
                     text);
  return numerator / denominator;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Error SampleRun::load(StringRef path, StringRef scale,
                            func::FuncOp function) {
  std::vector<runtime::SampleArgument> arguments;
  for (auto [i, signature] : llvm::enumerate(executable->getInputs()))
    arguments.push_back({getArgumentName(function, i),
                         static_cast<int64_t>(signature.shape.size())});
  auto opened =
      runtime::SampleSource::open(path, function.getName(), arguments);
  if (!opened)
    return opened.takeError();
  source = std::move(*opened);
  auto parsed = parseScale(scale);
  if (!parsed)
    return parsed.takeError();
  options.inputScale = *parsed;
  options.requireScale = scale.empty();
  if (!scale.empty())
    return llvm::Error::success();
  for (auto [input, signature] :
       llvm::zip(source->getHeaders(), executable->getInputs()))
    if (runtime::isInteger(input.array.type) &&
        runtime::isFloat(signature.type))
      return makeError("array '{0}' is {1}, the network takes {2}: say what "
                       "to multiply by, input-scale=1/255 for images or "
                       "input-scale=1 for plain numbers",
                       input.name, runtime::getElementName(input.array.type),
                       runtime::getElementName(signature.type));
  return llvm::Error::success();
}

llvm::Error SampleRun::skip(int64_t count) {
  constexpr int64_t block = 64;
  for (int64_t done = 0; done < count;) {
    auto arrays = source->read(std::min(block, count - done));
    if (!arrays)
      return arrays.takeError();
    int64_t read = (*arrays)[0].array.shape[0];
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
  runtime::ProgressBar progress(label, total);
  llvm::Error error =
      runtime::runSamples(*executable, *source, callback, options, &progress);
  progress.finish();
  return error;
}

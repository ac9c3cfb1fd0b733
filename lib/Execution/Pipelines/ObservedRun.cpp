// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observed modules, compiled in memory and run on samples.

#include "qbackend/Execution/Pipelines/ObservedRun.h"

#include "HookIndex.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Analysis/Entry.h"

using namespace mlir;
using namespace qbackend;
using arrays::Array;
using arrays::NamedArray;

/// Eight samples of numbers with mean 0 and variance 1, the same every time;
/// within the range of the argument if it has one.
static std::vector<NamedArray>
createSyntheticInputs(func::FuncOp function,
                      const runtime::Executable &executable,
                      ArrayRef<bool> fixed) {
  constexpr int64_t samples = 8;
  std::vector<NamedArray> inputs;
  uint64_t state = 0x9E3779B97F4A7C15;
  auto uniform = [&] {
    // xorshift64*, Vigna 2016.
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return double((state * 0x2545F4914F6CDD1D) >> 40) / double(1 << 24);
  };
  for (auto [i, signature] : llvm::enumerate(executable.getInputs())) {
    SmallVector<int64_t> shape(signature.shape);
    for (int64_t &extent : shape)
      if (extent < 0)
        extent = 1;
    if (!fixed[i]) {
      if (shape.empty())
        shape.push_back(1);
      shape[0] *= samples;
    }
    NamedArray input{getArgumentName(function, i),
                     Array::zeros(signature.type, shape)};
    auto range =
        function.getArgAttrOfType<DenseF64ArrayAttr>(i, kRangeAttrName);
    if (signature.type == arrays::ElementType::F32)
      for (float &value : input.array.as<float>()) {
        if (range) {
          value = range[0] + uniform() * (range[1] - range[0]);
          continue;
        }
        double sum = -6.0;
        for (int term = 0; term < 12; ++term)
          sum += uniform();
        value = sum;
      }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

runtime::Executable::HookFunction
qbackend::getObserveHook(ObserveCallback observed) {
  return [observed = std::move(observed)](
             int64_t index, const runtime::UnrankedMemRef *tensor) {
    std::vector<float> scratch;
    observed({getHookSite(index), runtime::Executable::getCurrentSample(),
              getHookChannelAxis(index),
              llvm::SmallVector<int64_t>(tensor->getSizes()),
              tensor->getElements(scratch)});
  };
}

llvm::Expected<std::unique_ptr<ObservedRun>>
ObservedRun::compile(ModuleOp module, func::FuncOp function,
                     const SampleRequest &request, ObserveCallback observed) {
  // An extent that is a slip of the pen shouldn't take all memory. Samples that
  // are made up are in memory at once.
  int64_t maxElements = int64_t(1) << (request.data.empty() ? 26 : 31);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    double elements = 1;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        elements *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (elements > maxElements)
      return makeError("'{0}' has more than {1} elements, too many to run on; "
                       "give ranges in a calibration table",
                       getArgumentName(function, i), maxElements);
  }
  auto executable = compileModule(module, function.getName(),
                                  getObserveHook(std::move(observed)));
  if (!executable)
    return executable.takeError();
  auto fixed = findFixedArguments(function, request.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  auto result = std::make_unique<ObservedRun>();
  result->request = request;
  result->function = function;
  result->samples.executable = std::move(*executable);
  result->samples.options.fixed = std::move(*fixed);
  result->samples.options.threads = request.threads;
  result->samples.options.allowNonFinite = request.allowNonFinite;
  return result;
}

llvm::Error ObservedRun::open() {
  if (!request.data.empty())
    return samples.load(request.data, request.inputScale, function);
  synthetic = createSyntheticInputs(function, *samples.executable,
                                    samples.options.fixed);
  std::vector<const NamedArray *> pointers;
  for (const NamedArray &array : synthetic)
    pointers.push_back(&array);
  samples.source =
      arrays::SampleSource::create(pointers, samples.options.fixed);
  return llvm::Error::success();
}

llvm::Error
ObservedRun::run(int64_t count, StringRef label,
                 llvm::function_ref<llvm::Error(int64_t, int64_t)> finished) {
  samples.options.maxSamples = count;
  return samples.run(label, [&](int64_t first, int64_t done, ArrayRef<Array>) {
    return finished(first, done);
  });
}

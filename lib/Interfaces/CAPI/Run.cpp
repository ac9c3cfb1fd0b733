// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs networks of the C interface, and compares results.

#include "Model.h"

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Execution/Runtime/ThreadPool.h"
#include "qbackend/Insight/Comparison/ComparisonJson.h"
#include "qbackend/Support/Shape.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;
using arrays::Array;
using arrays::ElementType;
using arrays::NamedArray;

struct QBackendResults {
  /// Of one call; or of several, put together.
  std::vector<runtime::ResultBuffer> buffers;
  std::vector<NamedArray> arrays;
};

//===----------------------------------------------------------------------===//
// Arrays of a caller
//===----------------------------------------------------------------------===//

/// As many as NumPy has. A number that is none may be any.
static constexpr size_t kMostDims = 64;

bool capi::checkArrays(ArrayRef<QBackendArray> arrays,
                       QBackendDiagnosticCallback callback, void *user) {
  for (auto [i, array] : llvm::enumerate(arrays)) {
    auto fail = [&, i = i](const Twine &what) {
      reportError("array " + Twine(i) + " " + what, callback, user);
      return false;
    };
    // C may have any number there, which C++ must not read as the enumeration.
    int type = 0;
    static_assert(sizeof(type) == sizeof(array.type));
    std::memcpy(&type, &array.type, sizeof(type));
    if (type < QBACKEND_F32 || type > QBACKEND_F16)
      return fail("has the element type " + Twine(type) +
                  ", which QBackendElementType doesn't have");
    if (array.rank > kMostDims)
      return fail("has " + Twine(array.rank) +
                  " dimensions, expected at most " + Twine(kMostDims));
    if (array.rank != 0 && !array.shape)
      return fail("has no shape: it is null");
    std::optional<int64_t> bytes =
        arrays::getNumBytes(toElementType(array.type), getShape(array));
    if (!bytes)
      return fail("has a shape that no memory holds: " +
                  formatShape(getShape(array)));
    if (*bytes != 0 && !array.data)
      return fail("has no data: it is null");
  }
  return true;
}

namespace {
class CallerSource : public arrays::SampleSource {
public:
  CallerSource(ArrayRef<QBackendArray> arrays, ArrayRef<std::string> names,
               ArrayRef<bool> fixed)
      : arrays(arrays), names(names), fixed(fixed) {
    for (auto [array, isFixed] : llvm::zip(arrays, fixed))
      if (!isFixed) {
        total = array.rank ? array.shape[0] : 0;
        break;
      }
  }

  int64_t size() const override { return total; }

  std::vector<NamedArray> getHeaders() const override {
    std::vector<NamedArray> headers;
    for (auto [i, array] : llvm::enumerate(arrays)) {
      headers.push_back({names[i], {toElementType(array.type), {}, {}}});
      headers.back().array.shape.assign(getShape(array));
      if (!fixed[i] && array.rank)
        headers.back().array.shape[0] = -1;
    }
    return headers;
  }

  llvm::Expected<std::vector<NamedArray>> read(int64_t count) override {
    count = std::min(count, total - done);
    std::vector<NamedArray> result;
    for (auto [i, array] : llvm::enumerate(arrays)) {
      ElementType type = toElementType(array.type);
      result.push_back({names[i], {type, {}, {}}});
      Array &part = result.back().array;
      part.shape.assign(getShape(array));
      int64_t first = 0;
      if (!fixed[i]) {
        part.shape[0] = count;
        first = done;
      }
      int64_t bytes = *arrays::getNumBytes(type, part.shape);
      // Of no rows, none has bytes.
      int64_t row = fixed[i] || count == 0 ? 0 : bytes / count;
      auto *data = static_cast<const uint8_t *>(array.data) + first * row;
      part.data.assign(data, data + bytes);
    }
    done += count;
    return result;
  }

private:
  SmallVector<QBackendArray> arrays;
  SmallVector<std::string> names;
  SmallVector<bool> fixed;
  int64_t total = 0, done = 0;
};
} // namespace

std::unique_ptr<arrays::SampleSource>
capi::createSource(ArrayRef<QBackendArray> arrays, ArrayRef<std::string> names,
                   ArrayRef<bool> fixed) {
  return std::make_unique<CallerSource>(arrays, names, fixed);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Whether the arrays are one batch that the function can read where it is.
static bool isOneBatch(const runtime::Executable &executable,
                       ArrayRef<QBackendArray> arrays) {
  if (arrays.size() != executable.getInputs().size())
    return false;
  for (auto [array, input] : llvm::zip(arrays, executable.getInputs())) {
    ElementType type = toElementType(array.type);
    if (!runtime::holds(input.type, type) || array.rank != input.shape.size() ||
        reinterpret_cast<uintptr_t>(array.data) % alignof(std::max_align_t))
      return false;
    for (auto [d, extent] : llvm::enumerate(input.shape))
      // Samples of a dynamic batch run one by one.
      if (array.shape[d] != (extent < 0 && d == 0 ? 1 : extent) &&
          (extent >= 0 || d == 0))
        return false;
    int64_t count = llvm::product_of(getShape(array));
    if (input.type == ElementType::F32) {
      // A sum of zeros is one, unless one of them is 0 times NaN or infinity:
      // runSamples says which.
      float sum = 0;
      for (float value :
           llvm::ArrayRef(static_cast<const float *>(array.data), count))
        sum += 0 * value;
      if (!(sum == 0))
        return false;
    } else if (arrays::isFloat(input.type)) {
      return false;
    }
  }
  return true;
}

/// Compiles the network into `executable`, one of its members, unless it is
/// compiled.
static LogicalResult compile(QBackendModel &model, bool contract,
                             std::shared_ptr<runtime::Executable> &executable) {
  if (executable)
    return success();
  FailureOr<func::FuncOp> function = model.findFunction();
  if (failed(function))
    return failure();
  runtime::CompileOptions options;
  options.contract = contract;
  auto compiled = compileModule(*model.module, function->getName(),
                                /*observe=*/{}, /*hooks=*/{}, options);
  if (!compiled)
    return model.session.error() << llvm::toString(compiled.takeError());
  executable = std::move(*compiled);
  return success();
}

static llvm::Expected<std::unique_ptr<QBackendResults>>
run(SampleRun &run, ArrayRef<QBackendArray> arrays,
    ArrayRef<std::string> names) {
  auto results = std::make_unique<QBackendResults>();
  if (arrays.size() != names.size())
    return llvm::createStringError("'" + run.executable->getEntry() +
                                   "' takes " + Twine(names.size()) +
                                   " arrays (" + llvm::join(names, ", ") +
                                   "); found " + Twine(arrays.size()));
  if (isOneBatch(*run.executable, arrays)) {
    if (run.options.isStopped && run.options.isStopped())
      return llvm::createStringError("interrupted");
    SmallVector<runtime::ArrayView> views;
    for (const QBackendArray &array : arrays)
      views.push_back({toElementType(array.type), getShape(array), array.data});
    results->buffers.resize(run.executable->getOutputs().size());
    auto pool =
        runtime::ThreadPool::create(runtime::countThreads(run.options.threads));
    if (llvm::Error error =
            run.executable->run(views, results->buffers, pool.get()))
      return error;
    return results;
  }
  for (auto [i, name] : llvm::enumerate(names))
    for (auto [k, other] : llvm::enumerate(names))
      if (k < i && !run.options.isFixed(i) && !run.options.isFixed(k) &&
          arrays[i].rank && arrays[k].rank &&
          arrays[i].shape[0] != arrays[k].shape[0])
        return llvm::createStringError(
            "array '" + other + "' has " + Twine(arrays[k].shape[0]) +
            " samples, but array '" + name + "' has " +
            Twine(arrays[i].shape[0]) + "; give each the same number");
  run.source = createSource(arrays, names, run.options.fixed);
  auto outputs = run.collect("");
  if (!outputs)
    return outputs.takeError();
  results->arrays = std::move(*outputs);
  return results;
}

/// Sets a run up as `options` say.
static llvm::Error setUp(SampleRun &run, func::FuncOp function,
                         const QBackendRunOptions &options) {
  auto fixed = findFixedArguments(function, toRef(options.sampleArguments));
  if (!fixed)
    return fixed.takeError();
  run.options.fixed = *fixed;
  run.options.threads = options.threads;
  if (options.isStopped)
    run.options.isStopped = [isStopped = options.isStopped,
                             stopUser = options.stopUser] {
      return isStopped(stopUser) != 0;
    };
  return run.setScale(toRef(options.inputScale));
}

QBackendStatus
qbackendModelRun(QBackendModel *model, const QBackendArray *arguments,
                 size_t numArguments, const QBackendRunOptions *options,
                 QBackendResults **results, QBackendDiagnosticCallback callback,
                 void *user) {
  if (!checkPointers({{"model", model}, {"results", results}}, callback, user))
    return QBACKEND_FAILURE;
  *results = nullptr;
  if (numArguments &&
      !checkPointers({{"arguments", arguments}}, callback, user))
    return QBACKEND_FAILURE;
  ArrayRef<QBackendArray> arrays(arguments, numArguments);
  SampleRun sampleRun;
  SmallVector<std::string> names;
  {
    ModelScope scope(*model, callback, user);
    FailureOr<func::FuncOp> function = model->findFunction();
    bool contract = options && options->contract;
    auto &executable = contract ? model->contracted : model->executable;
    if (failed(function) || failed(compile(*model, contract, executable)))
      return QBACKEND_FAILURE;
    sampleRun.executable = executable;
    names = getArgumentNames(*function);
    if (llvm::Error error = setUp(sampleRun, *function,
                                  options ? *options : QBackendRunOptions{})) {
      model->session.error() << llvm::toString(std::move(error));
      return QBACKEND_FAILURE;
    }
  }
  // Of another number, which is an error, not all need be there.
  if (arrays.size() == names.size() && !checkArrays(arrays, callback, user))
    return QBACKEND_FAILURE;
  auto found = run(sampleRun, arrays, names);
  if (!found) {
    reportError(llvm::toString(found.takeError()), callback, user);
    return QBACKEND_FAILURE;
  }
  *results = found->release();
  return QBACKEND_SUCCESS;
}

size_t qbackendResultsGetNum(const QBackendResults *results) {
  return results ? results->buffers.size() + results->arrays.size() : 0;
}

QBackendArray qbackendResultsGet(const QBackendResults *results, size_t index) {
  if (index >= qbackendResultsGetNum(results))
    return {QBACKEND_F32, nullptr, 0, nullptr};
  if (!results->arrays.empty()) {
    const Array &array = results->arrays[index].array;
    return {static_cast<QBackendElementType>(array.type), array.shape.data(),
            array.shape.size(), array.data.data()};
  }
  const runtime::ResultBuffer &buffer = results->buffers[index];
  return {static_cast<QBackendElementType>(buffer.type), buffer.shape.data(),
          buffer.shape.size(), buffer.data};
}

void qbackendResultsDestroy(QBackendResults *results) { delete results; }

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::vector<NamedArray> copyArrays(ArrayRef<QBackendArray> arrays) {
  std::vector<NamedArray> result;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    Array copy = Array::zeros(toElementType(array.type), getShape(array));
    if (!copy.data.empty())
      std::memcpy(copy.data.data(), array.data, copy.data.size());
    result.push_back({"output" + std::to_string(i), std::move(copy)});
  }
  return result;
}

QBackendStatus qbackendCompare(const QBackendArray *base,
                               const QBackendArray *other, size_t count,
                               char **output,
                               QBackendDiagnosticCallback callback,
                               void *user) {
  if (!checkPointers({{"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  if (count &&
      !checkPointers({{"base", base}, {"other", other}}, callback, user))
    return QBACKEND_FAILURE;
  if (!checkArrays({base, count}, callback, user) ||
      !checkArrays({other, count}, callback, user))
    return QBACKEND_FAILURE;
  auto comparisons = evaluation::compare(copyArrays({base, count}),
                                         copyArrays({other, count}));
  if (!comparisons) {
    reportError(llvm::toString(comparisons.takeError()), callback, user);
    return QBACKEND_FAILURE;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(evaluation::toJSON(*comparisons));
  return Session(callback, user).finish(text, output);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an executable on many samples, on several threads, in order.

#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Runtime/Interrupt.h"
#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Execution/Runtime/ThreadPool.h"
#include "qbackend/Execution/Samples/Progress.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/Shape.h"

#include "RunContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

static std::string describe(const NamedArray &named, size_t index) {
  return named.name.empty() ? "input " + std::to_string(index)
                            : "array '" + named.name + "'";
}

//===----------------------------------------------------------------------===//
// Checks before the first run
//===----------------------------------------------------------------------===//

/// Returns the signature with its leading dimension as `N`: `float32 Nx3x8x8`.
static std::string describeSamples(const TensorSignature &input) {
  std::string text = (getElementName(input.type) + " N").str();
  if (input.shape.size() > 1)
    text += "x" + formatShape(ArrayRef(input.shape).drop_front());
  return text;
}

static Error checkArray(const NamedArray &named, size_t index,
                        const TensorSignature &input, bool isFixed) {
  const Array &array = named.array;
  std::string what = describe(named, index);
  if (!isFixed && input.shape.empty())
    return createStringError("argument " + Twine(index) +
                             " of the function is a scalar, so that it has no "
                             "dimension for samples; call it sample by sample");
  bool matches = array.shape.size() == input.shape.size();
  for (size_t d = isFixed ? 0 : 1; matches && d < input.shape.size(); ++d)
    matches = input.shape[d] < 0 || input.shape[d] == array.shape[d];
  if (!matches)
    return createStringError(
        what + " is " + getElementName(array.type) + " " +
        formatShape(array.shape) + "; expected " +
        (isFixed ? (getElementName(input.type) + " " + formatShape(input.shape))
                       .str()
                 : describeSamples(input)));
  bool convertible = array.type == input.type ||
                     input.type == ElementType::F32 ||
                     input.type == ElementType::F64 ||
                     (isInteger(array.type) && isInteger(input.type));
  if (!convertible)
    return createStringError(what + " holds " + getElementName(array.type) +
                             ", which is not converted to " +
                             getElementName(input.type) +
                             "; convert it with .astype");
  return Error::success();
}

static Error checkBytes(const NamedArray &named, size_t index) {
  const Array &array = named.array;
  std::optional<int64_t> bytes = getNumBytes(array.type, array.shape);
  if (bytes && uint64_t(*bytes) == array.data.size())
    return Error::success();
  return createStringError(
      describe(named, index) + " has " + Twine(array.data.size()) +
      " bytes, which do not fit its shape " + formatShape(array.shape));
}

/// Fails if one of the values is not finite; `first` is the number of the
/// array's first sample.
static Error checkFinite(const NamedArray &named, size_t index, int64_t first) {
  if (!isFloat(named.array.type))
    return Error::success();
  if (named.array.type == ElementType::F32) {
    // A sum of zeros is one, unless one of them is 0 times NaN or infinity.
    float sum = 0;
    for (float value : named.array.as<float>())
      sum += 0 * value;
    if (sum == 0)
      return Error::success();
  }
  Expected<std::vector<float>> values = toFloat(named.array, named.name);
  if (!values)
    return values.takeError();
  auto isBad = [](float v) { return !std::isfinite(v); };
  int64_t count = count_if(*values, isBad);
  if (count == 0)
    return Error::success();
  int64_t place = find_if(*values, isBad) - values->begin();
  int64_t samples = named.array.shape.empty() ? 1 : named.array.shape[0];
  int64_t size = int64_t(values->size()) / samples;
  return createStringError(
      describe(named, index) + " has " + Twine(count) +
      (count == 1 ? " value that is" : " values that are") +
      " NaN or infinite in float32, first in sample " +
      Twine(first + place / size) +
      "; remove these samples or fix how they are prepared");
}

//===----------------------------------------------------------------------===//
// Conversion of one chunk
//===----------------------------------------------------------------------===//

template <typename T> static T load(const uint8_t *data, int64_t index) {
  T value;
  memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

/// Returns element `index` of an integer array. A uint64 past the end of int64
/// is out of every range that is asked for, so it is returned as `tooLarge`.
static int64_t loadInteger(const Array &array, int64_t index, bool &tooLarge) {
  const uint8_t *data = array.data.data();
  switch (array.type) {
  case ElementType::I8:
    return load<int8_t>(data, index);
  case ElementType::I16:
    return load<int16_t>(data, index);
  case ElementType::U16:
    return load<uint16_t>(data, index);
  case ElementType::I32:
    return load<int32_t>(data, index);
  case ElementType::U32:
    return load<uint32_t>(data, index);
  case ElementType::I64:
    return load<int64_t>(data, index);
  case ElementType::U64: {
    uint64_t value = load<uint64_t>(data, index);
    tooLarge |= value > uint64_t(INT64_MAX);
    return static_cast<int64_t>(value);
  }
  default:
    return load<uint8_t>(data, index);
  }
}

/// Converts `array` to the type of the input. Integers have to fit.
static Expected<Array> convertTo(Array array, const TensorSignature &input,
                                 double scale, const std::string &what,
                                 int64_t firstSample) {
  bool scaled = isInteger(array.type) && isFloat(input.type);
  if (holds(input.type, array.type))
    return array;
  Array result = Array::zeros(input.type, array.shape);
  int64_t count = array.getNumElements();
  if (isFloat(input.type)) {
    // float64 to float64 returned above, so that float is wide enough for all
    // but large integers, which become double below.
    Expected<std::vector<float>> values = toFloat(array, what);
    if (!values)
      return values.takeError();
    for (int64_t i = 0; i != count; ++i) {
      double value = (*values)[i];
      if (scaled) {
        bool tooLarge = false;
        int64_t integer = loadInteger(array, i, tooLarge);
        value =
            (tooLarge ? double(uint64_t(integer)) : double(integer)) * scale;
      }
      if (input.type == ElementType::F32)
        result.as<float>()[i] = static_cast<float>(value);
      else
        result.as<double>()[i] = value;
    }
    return result;
  }
  int64_t bits = 8 * getElementSize(input.type);
  for (int64_t i = 0; i != count; ++i) {
    bool tooLarge = false;
    int64_t value = loadInteger(array, i, tooLarge);
    // Either reading of a signless integer is fine: [-2^(b-1), 2^b).
    if (tooLarge || value < (isUnsigned(input.type) ? 0 : minIntN(bits)) ||
        (bits < 64 && value >= int64_t(1) << bits))
      return createStringError(
          what + " has a value that does not fit " +
          getElementName(input.type) + " in sample " +
          Twine(firstSample +
                (array.shape.empty()
                     ? 0
                     : i / std::max<int64_t>(1, count / array.shape[0]))));
    memcpy(&result.data[i * bits / 8], &value, bits / 8);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// What a chunk gave: results, or why there are none.
struct ChunkResult {
  int64_t count = 0;
  std::string error;
  std::vector<Array> arrays;
};

/// Runs chunks on several threads and hands them over in order. Each call has
/// `perCall` threads for itself.
class SampleLoop {
public:
  SampleLoop(const Executable &executable, SampleSource &source,
             SampleCallback callback, const SampleOptions &options,
             ProgressBar *progress, int64_t chunkSize, bool isStatic,
             unsigned threads, unsigned perCall)
      : executable(executable), source(source), callback(callback),
        options(options), progress(progress), chunkSize(chunkSize),
        isStatic(isStatic), perCall(perCall), window(int64_t(threads) * 4) {}

  Error run(unsigned threads) {
    // If the system gives no more threads, those that there are do it.
    std::vector<pthread_t> pool;
    while (pool.size() + 1 < threads) {
      std::optional<pthread_t> thread = startThread([this] { work(); });
      if (!thread)
        break;
      pool.push_back(*thread);
    }
    work();
    for (pthread_t thread : pool)
      pthread_join(thread, nullptr);
    if (!message.empty())
      return createStringError(message);
    return Error::success();
  }

  /// Returns how many samples there were.
  int64_t getNumSamples() const { return numSamples; }

private:
  void work() {
    std::unique_ptr<ThreadPool> pool =
        ThreadPool::create(isSandboxed() ? 1 : perCall);
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      // Finished chunks that wait for an earlier one are held in memory.
      changed.wait(lock,
                   [&] { return stop || atEnd || next < delivered + window; });
      if (stop || atEnd)
        return;
      int64_t first = numSamples;
      ChunkResult result;
      std::vector<NamedArray> inputs = readChunk(result);
      if (atEnd && result.error.empty() && inputs.empty()) {
        changed.notify_all();
        return;
      }
      int64_t chunk = next++;
      lock.unlock();
      if (result.error.empty())
        runChunk(first, inputs, result, pool.get());
      lock.lock();
      pending.emplace(chunk, std::move(result));
      deliver(lock);
    }
  }

  /// Reads what is next; nothing at the end.
  std::vector<NamedArray> readChunk(ChunkResult &result) {
    if (options.isStopped && options.isStopped()) {
      result.error = "interrupted";
      atEnd = true;
      return {};
    }
    int64_t wanted = chunkSize;
    if (options.maxSamples >= 0)
      wanted = std::min(wanted, options.maxSamples - numSamples);
    Expected<std::vector<NamedArray>> inputs = source.read(wanted);
    if (!inputs) {
      result.error = toString(inputs.takeError());
      atEnd = true;
      return {};
    }
    for (auto [i, named] : enumerate(*inputs))
      if (!options.isFixed(i)) {
        result.count = named.array.shape[0];
        break;
      }
    numSamples += result.count;
    atEnd = result.count < chunkSize || numSamples == options.maxSamples;
    if (result.count == 0)
      return {};
    if (isStatic && result.count < chunkSize)
      result.error = std::to_string(numSamples) +
                     " samples cannot be cut into batches of " +
                     std::to_string(chunkSize) +
                     ", the function's leading dimension";
    return std::move(*inputs);
  }

  void runChunk(int64_t first, std::vector<NamedArray> &arrays,
                ChunkResult &result, ThreadPool *pool) {
    std::vector<Array> inputs;
    std::vector<const Array *> pointers;
    for (auto [i, named] : enumerate(arrays)) {
      const TensorSignature &signature = executable.getInputs()[i];
      auto fail = [&](Error error) {
        result.error = toString(std::move(error));
      };
      if (countInterrupts() != interrupts)
        return fail(createStringError("interrupted"));
      // Those on standard input say only here what they are.
      if (Error error = checkArray(named, i, signature, options.isFixed(i)))
        return fail(std::move(error));
      if (Error error = checkBytes(named, i))
        return fail(std::move(error));
      if (!options.allowNonFinite)
        if (Error error = checkFinite(named, i, first))
          return fail(std::move(error));
      if (isInteger(named.array.type) && isFloat(signature.type) &&
          options.requireScale)
        return fail(createStringError(
            describe(named, i) + " is " + getElementName(named.array.type) +
            ", the network takes " + getElementName(signature.type) +
            ": say what to multiply by, input-scale=1/255 for images or "
            "input-scale=1 for plain numbers"));
      Expected<Array> input =
          convertTo(std::move(named.array), signature, options.inputScale,
                    describe(named, i), first);
      if (!input)
        return fail(input.takeError());
      inputs.push_back(std::move(*input));
    }
    for (const Array &input : inputs)
      pointers.push_back(&input);
    result.arrays.resize(executable.getOutputs().size());
    SampleScope scope(first);
    if (Error error = executable.run(pointers, result.arrays, pool))
      result.error =
          "sample " + std::to_string(first) + ": " + toString(std::move(error));
  }

  /// Hands over what is next in order, unless another thread is doing it.
  void deliver(std::unique_lock<std::mutex> &lock) {
    if (delivering)
      return;
    delivering = true;
    while (!stop) {
      auto it = pending.find(delivered);
      if (it == pending.end())
        break;
      ChunkResult result = std::move(it->second);
      pending.erase(it);
      int64_t first = delivered * chunkSize;
      lock.unlock();
      if (result.error.empty())
        if (Error error = callback(first, result.count, result.arrays))
          result.error = toString(std::move(error));
      if (progress && result.error.empty())
        progress->advance(result.count);
      lock.lock();
      if (!result.error.empty()) {
        message = result.error;
        stop = true;
      }
      ++delivered;
      changed.notify_all();
    }
    delivering = false;
  }

  const Executable &executable;
  SampleSource &source;
  SampleCallback callback;
  const SampleOptions &options;
  ProgressBar *progress;
  int64_t chunkSize;
  bool isStatic;
  unsigned perCall;
  int64_t window;
  unsigned interrupts = countInterrupts();

  std::mutex mutex;
  std::condition_variable changed;
  int64_t numSamples = 0; // Read so far.
  bool atEnd = false;     // Nothing is left to read.
  int64_t next = 0;       // Chunk to start.
  int64_t delivered = 0;  // Chunks handed over.
  bool delivering = false, stop = false;
  std::string message;
  std::map<int64_t, ChunkResult> pending;
};
} // namespace

Error qbackend::runtime::runSamples(const Executable &executable,
                                    ArrayRef<const NamedArray *> arguments,
                                    SampleCallback callback,
                                    const SampleOptions &options,
                                    ProgressBar *progress) {
  for (auto [i, named] : enumerate(arguments))
    if (Error error = checkBytes(*named, i))
      return error;
  for (auto [i, named] : enumerate(arguments))
    if (!named->array.shape.empty() && !arguments[0]->array.shape.empty() &&
        named->array.shape[0] != arguments[0]->array.shape[0])
      return createStringError(describe(*arguments[0], 0) + " has " +
                               Twine(arguments[0]->array.shape[0]) +
                               " samples, but " + describe(*named, i) +
                               " has " + Twine(named->array.shape[0]) +
                               "; give each the same number");
  std::unique_ptr<SampleSource> source = SampleSource::create(arguments);
  return runSamples(executable, *source, callback, options, progress);
}

Error qbackend::runtime::runSamples(const Executable &executable,
                                    SampleSource &source,
                                    SampleCallback callback,
                                    const SampleOptions &options,
                                    ProgressBar *progress) {
  ArrayRef<TensorSignature> inputs = executable.getInputs();
  std::vector<NamedArray> headers = source.getHeaders();
  int64_t available = source.size();
  // A stream has no headers, but as many arrays as it was opened for.
  if (available >= 0 && headers.size() != inputs.size())
    return createStringError("'" + executable.getEntry() + "' takes " +
                             Twine(inputs.size()) + " arrays; found " +
                             Twine(headers.size()));
  if (inputs.empty())
    return createStringError("'" + executable.getEntry() +
                             "' has no arguments, so that there are no samples "
                             "to run it on");
  int64_t chunkSize = -1;
  for (auto [i, input] : enumerate(inputs)) {
    if (available >= 0) {
      if (!options.isFixed(i) && !headers[i].array.shape.empty())
        headers[i].array.shape[0] = available;
      if (Error error = checkArray(headers[i], i, input, options.isFixed(i)))
        return error;
    }
    if (options.isFixed(i))
      continue;
    int64_t batch = input.shape.empty() ? -1 : input.shape[0];
    if (batch >= 0 && chunkSize >= 0 && batch != chunkSize)
      return createStringError(
          "the arguments of '" + executable.getEntry() +
          "' have the leading dimensions " + Twine(chunkSize) + " and " +
          Twine(batch) +
          "; those that hold samples have to be the batch: say "
          "which with sample-arguments=");
    if (batch >= 0)
      chunkSize = batch;
  }
  bool isStatic = chunkSize >= 0;
  if (!isStatic)
    chunkSize = options.chunkSize;
  if (chunkSize <= 0)
    return createStringError("the batch is " + Twine(chunkSize) +
                             "; it has to be at least 1");
  int64_t numSamples = available;
  if (options.maxSamples >= 0 && available >= 0)
    numSamples = std::min(available, options.maxSamples);
  if (numSamples == 0 || options.maxSamples == 0)
    return createStringError(
        (headers.empty() ? "standard input" : describe(headers[0], 0)) +
        " has no samples; give at least one");
  if (isStatic && numSamples > 0 && numSamples % chunkSize != 0)
    return createStringError(
        Twine(numSamples) + " samples cannot be cut into batches of " +
        Twine(chunkSize) + ", the function's leading dimension; give " +
        (numSamples < chunkSize ? Twine(chunkSize)
                                : Twine(numSamples - numSamples % chunkSize)) +
        " samples, or export the model with a dynamic batch or a batch of 1");

  unsigned threads = countThreads(options.threads);
  unsigned calls = threads;
  if (numSamples > 0)
    calls = std::min<int64_t>(calls, llvm::divideCeil(numSamples, chunkSize));
  SampleLoop loop(executable, source, callback, options, progress, chunkSize,
                  isStatic, calls, threads / calls);
  if (Error error = loop.run(calls))
    return error;
  if (loop.getNumSamples() == 0 && wasStandardInputRead())
    return createStringError("standard input was read for something else "
                             "before, and can be read once; pass a file");
  if (loop.getNumSamples() == 0)
    return createStringError("standard input has no samples; give at least "
                             "one");
  return Error::success();
}

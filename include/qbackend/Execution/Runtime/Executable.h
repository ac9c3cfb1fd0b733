// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module of upstream dialects to machine code in this process, and
// runs it on arrays.

#ifndef QBACKEND_EXECUTION_RUNTIME_EXECUTABLE_H
#define QBACKEND_EXECUTION_RUNTIME_EXECUTABLE_H

#include "qbackend/Execution/Samples/ArrayFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qbackend::arrays {
class ProgressBar;
class SampleSource;
} // namespace qbackend::arrays

namespace qbackend::runtime {

class ThreadPool;

/// Registers the upstream dialects that an `Executable` can be made of, and
/// the interfaces that its pipeline needs.
void registerRuntimeDialects(mlir::DialectRegistry &registry);

struct CompileOptions {
  /// LLVM's optimization level, 0 to 3. Loops are vectorized from 2 on. 3 also
  /// unrolls them: a network takes about 4 times as long to compile, and its
  /// NCHW convolutions run up to 4 times as fast.
  unsigned optLevel = 2;
  /// The target of generated kernels, see qbackend-generate-kernels; empty: the
  /// best one for this machine.
  std::string target;
  /// Sums of float products are rounded once for each addition where the
  /// processor can: faster, with other last bits, which depend on it.
  bool contract = false;
  /// The module is of buffers, as that of generated kernels, and taken as it
  /// is: where it reads and writes is not known. In a sandbox only.
  bool onBuffers = false;
  /// Which arguments and results hold unsigned integers, which the IR doesn't
  /// say. Empty: none.
  llvm::SmallVector<bool> unsignedArguments, unsignedResults;
};

/// A tensor argument or result of a compiled function.
struct TensorSignature {
  /// Integers of the IR have no sign: unless the options say that they are
  /// unsigned, they are given as I8, I16, I32, I64, and arrays of the unsigned
  /// type are accepted for them too.
  arrays::ElementType type;
  /// -1 where the extent is dynamic.
  llvm::SmallVector<int64_t> shape;

  /// Writes the signature as `float32 1x3x8x8`.
  std::string str() const;
};

bool isUnsigned(arrays::ElementType type);

/// Whether an array of type `array` has the bits of an input of type `input`.
bool holds(arrays::ElementType input, arrays::ElementType array);

/// What a hook receives for an argument of type `tensor<*xT>`: a ranked
/// descriptor {allocated, aligned, offset, sizes[rank], strides[rank]}.
struct UnrankedMemRef {
  int64_t rank;
  void *descriptor;

  llvm::ArrayRef<int64_t> getSizes() const {
    return {static_cast<const int64_t *>(descriptor) + 3, size_t(rank)};
  }
  llvm::ArrayRef<int64_t> getStrides() const {
    return {static_cast<const int64_t *>(descriptor) + 3 + rank, size_t(rank)};
  }
  /// The address of element 0. The others are at the sum of index * stride.
  template <typename T> const T *getData() const {
    return static_cast<T *const *>(descriptor)[1] +
           static_cast<const int64_t *>(descriptor)[2];
  }
  /// The elements in row-major order, whatever the strides are: those that
  /// there are if they lie so, else a copy in `scratch`.
  template <typename T>
  llvm::ArrayRef<T> getElements(std::vector<T> &scratch) const {
    llvm::ArrayRef<int64_t> sizes = getSizes(), strides = getStrides();
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    const T *data = getData<T>();
    // Rows, and blocks of rows, that lie one behind the other.
    int64_t block = 1, dims = rank;
    while (dims > 0 && (sizes[dims - 1] == 1 || strides[dims - 1] == block))
      block *= sizes[--dims];
    if (block == count)
      return {data, size_t(count)};
    scratch.resize(count);
    for (int64_t i = 0; i < count; i += block) {
      int64_t rest = i / block, offset = 0;
      for (int64_t d = dims; d-- > 0; rest /= sizes[d])
        offset += rest % sizes[d] * strides[d];
      std::copy(data + offset, data + offset + block, scratch.begin() + i);
    }
    return scratch;
  }
  template <typename T> std::vector<T> copy() const {
    std::vector<T> scratch;
    return getElements(scratch).vec();
  }
};

/// A dense row-major tensor that somebody else keeps.
struct ArrayView {
  arrays::ElementType type;
  llvm::ArrayRef<int64_t> shape;
  const void *data;
};

/// A dense row-major result, in the memory that the code allocated for it where
/// that can be had without a copy.
struct ResultBuffer {
  arrays::ElementType type = arrays::ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  void *data = nullptr;
  /// What `data` is part of.
  std::unique_ptr<void, decltype(&std::free)> owner{nullptr, &std::free};
};

/// A function compiled to machine code.
class Executable {
public:
  /// What a function of the module without a body does: one that it declares as
  /// `func.func private @name(index, tensor<*xf32>)`. It may be called from
  /// several threads at once. It must only read the tensor.
  using HookFunction = std::function<void(int64_t, const UnrankedMemRef *)>;
  /// The name of such a function, and what it does.
  using Hook = std::pair<llvm::StringRef, HookFunction>;

  /// Compiles `module`, which is used up, to call its function `entry`.
  ///
  /// The module is at the level of tensors and holds upstream dialects only.
  /// Arguments and results of `entry` have to be ranked tensors. No floating
  /// point operation is reordered, contracted (unless `options` say so) or
  /// approximated, but that exp and
  /// tanh of vectors may be the neighbour of the nearest f32, once in 100,000
  /// times. Constants are not copied: the module's context has to outlive the
  /// executable.
  static llvm::Expected<std::unique_ptr<Executable>>
  compile(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry,
          const CompileOptions &options = {}, llvm::ArrayRef<Hook> hooks = {});

  ~Executable();

  llvm::ArrayRef<TensorSignature> getInputs() const { return inputs; }
  llvm::ArrayRef<TensorSignature> getOutputs() const { return outputs; }
  llvm::StringRef getEntry() const { return entry; }

  /// Calls the function. Safe to call from several threads at once.
  ///
  /// `arguments` have to be of the signature's types (of either sign) and
  /// shapes. A result whose type in `results` is an integer of the right width
  /// keeps that type, so that i8 can be asked for as U8; else it gets the
  /// signature's. Shapes and data are set.
  ///
  /// Large kernels run on the threads of `pool`, if any; results don't depend
  /// on it.
  llvm::Error run(llvm::ArrayRef<const arrays::Array *> arguments,
                  llvm::MutableArrayRef<arrays::Array> results,
                  ThreadPool *pool = nullptr) const;

  /// The same on memory of the caller, which is read where it is: each argument
  /// has to be aligned as what malloc returns is. Results have the signature's
  /// types.
  llvm::Error run(llvm::ArrayRef<ArrayView> arguments,
                  llvm::MutableArrayRef<ResultBuffer> results,
                  ThreadPool *pool = nullptr) const;

  /// Returns the first sample of the chunk that `runSamples` is running on this
  /// thread, for hooks that have to be independent of the order; else -1.
  static int64_t getCurrentSample();

private:
  Executable();

  /// Calls the function. `words` become the descriptors of the results, one
  /// after another; their buffers are the caller's.
  llvm::Error call(llvm::ArrayRef<ArrayView> arguments,
                   llvm::SmallVectorImpl<int64_t> &words,
                   ThreadPool *pool) const;

  struct Impl;
  std::unique_ptr<Impl> impl;
  std::string entry;
  std::vector<TensorSignature> inputs;
  std::vector<TensorSignature> outputs;
};

struct SampleOptions {
  /// What each element is multiplied by when an integer array is fed to a
  /// float input: 1/255.0 for images. Float arrays are never scaled.
  double inputScale = 1.0;
  /// How many samples to run at once if the leading dimension is dynamic.
  int64_t chunkSize = 1;
  /// How many threads to use; 0 is one for each core. Each runs a call; where
  /// there are fewer calls than threads, several share one.
  unsigned threads = 1;
  /// Stops after so many samples; -1 is all of them.
  int64_t maxSamples = -1;
  /// Takes inputs that are NaN or infinite.
  bool allowNonFinite = false;
  /// Refuses integer arrays for a float input: nobody said `inputScale`.
  bool requireScale = false;
  /// Asked before each chunk; true stops the run with the error "interrupted".
  std::function<bool()> isStopped;
  /// Which arguments hold no samples, but are the same in each call: their
  /// arrays have the shape of the argument. Empty: none.
  llvm::SmallVector<bool> fixed;

  bool isFixed(size_t argument) const {
    return argument < fixed.size() && fixed[argument];
  }
};

/// Receives the results for `count` samples from `first` on.
///
/// Calls come in the order of the samples and never two at once, but from
/// several threads. An error stops the run.
using SampleCallback = llvm::function_ref<llvm::Error(
    int64_t first, int64_t count, llvm::ArrayRef<arrays::Array> results)>;

/// Runs `executable` on each of N samples.
///
/// The leading dimension of each array of `arguments`, in the order of the
/// function's arguments, is N. Samples are cut into chunks of the function's
/// leading dimension B; N has to be a multiple of a static B. Arrays of another
/// type are converted to a float input by value (see `inputScale`); NaN and
/// infinity are errors, unless they are allowed. Results do not depend on the
/// number of threads.
llvm::Error runSamples(const Executable &executable,
                       llvm::ArrayRef<const arrays::NamedArray *> arguments,
                       SampleCallback callback,
                       const SampleOptions &options = {},
                       arrays::ProgressBar *progress = nullptr);

/// The same on samples that are read as they are needed.
llvm::Error runSamples(const Executable &executable,
                       arrays::SampleSource &source, SampleCallback callback,
                       const SampleOptions &options = {},
                       arrays::ProgressBar *progress = nullptr);

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_EXECUTABLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples that are read as they are needed, so that memory doesn't depend on
// how many there are.

#ifndef QBACKEND_EXECUTION_SAMPLES_SAMPLESOURCE_H
#define QBACKEND_EXECUTION_SAMPLES_SAMPLESOURCE_H

#include "qbackend/Execution/Samples/ArrayFile.h"

#include <memory>

namespace qbackend::arrays {

/// What a function takes for one argument: the name that its array has, and the
/// rank of the array with the dimension of the samples.
struct SampleArgument {
  std::string name;
  int64_t rank = 0;
  /// Whether the array holds no samples: every call takes all of it (weights,
  /// a state, a number).
  bool isFixed = false;
  /// Whether `name` is one that somebody chose, not made up of a number.
  bool isNamed = true;
};

/// Samples for the arguments of a function.
class SampleSource {
public:
  virtual ~SampleSource();

  /// Opens `path` for the arguments of `function`:
  ///
  /// - a .npy or .npz, `FILE:ARRAY` of one, or several with commas;
  /// - a directory: all its .npy and .npz files, by name. A file whose array
  ///   has no dimension for samples is one sample;
  /// - "-": .npy arrays one after another on standard input, each a sample or
  ///   several; in turn if there is more than one argument.
  ///
  /// Arrays belong to arguments by name, or by place if no name is the same.
  /// Where arguments have no names, arrays that can be none of them by their
  /// rank, as labels beside images, are left out.
  static llvm::Expected<std::unique_ptr<SampleSource>>
  open(llvm::StringRef path, llvm::StringRef function,
       llvm::ArrayRef<SampleArgument> arguments);

  /// Makes a source of arrays in memory, one for each argument; `fixed` says
  /// which of them hold no samples, none if it is empty.
  static std::unique_ptr<SampleSource>
  create(llvm::ArrayRef<const NamedArray *> arrays,
         llvm::ArrayRef<bool> fixed = {});

  /// Returns the number of samples; -1 if only reading them tells.
  virtual int64_t size() const = 0;

  /// Returns for each argument its name, the type of its array, and the shape
  /// with -1 for the number of samples, but of what is fixed; empty if only
  /// reading tells.
  virtual std::vector<NamedArray> getHeaders() const = 0;

  /// Returns what is to be said of arrays that were taken by their place,
  /// although they have names: one text each.
  virtual std::vector<std::string> getWarnings() const { return {}; }

  /// Reads the next `count` samples, or those that are left: an array for each
  /// argument. Nothing is left if the first extent of samples is 0.
  virtual llvm::Expected<std::vector<NamedArray>> read(int64_t count) = 0;
};

/// Whether what is at `path`, which is one that SampleSource::open takes, can't
/// be opened a second time: standard input, or a pipe.
bool isReadOnce(llvm::StringRef path);

/// Returns a hash, "sha256:...", of the bytes of all files at `path` in their
/// order, the names of arrays that it picks, and `scale`; wherever they are.
/// Empty if what is there is read once, or `path` is empty.
llvm::Expected<std::string> hashSamples(llvm::StringRef path,
                                        llvm::StringRef scale);

/// Fails if there is nothing to read at `path`, or what is there is no array.
/// What is read once is not touched.
llvm::Error checkSamplePath(llvm::StringRef path);

} // namespace qbackend::arrays

#endif // QBACKEND_EXECUTION_SAMPLES_SAMPLESOURCE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be known to be wrong with samples before anything is compiled.

#ifndef QBACKEND_PIPELINES_CHECKSAMPLES_H
#define QBACKEND_PIPELINES_CHECKSAMPLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// What the user says about samples, as the options of a run have it.
struct SampleRequest {
  /// Path of the samples, see SampleSource::open; empty: none.
  std::string data;
  /// What integer data is multiplied by, as text; empty: not given.
  std::string inputScale;
  /// Numbers of the arguments that hold samples, see findFixedArguments.
  std::string sampleArguments;
  /// How many samples to use; -1: all.
  int64_t samples = -1;
};

/// A number above 0 or a quotient ("1/255"); 1 if `text` is empty.
llvm::Expected<double> parseInputScale(llvm::StringRef text);

/// Fails if `request` can't be followed, whatever the network: for a check
/// before all work. Reads no more than headers.
llvm::Error checkSampleRequest(const SampleRequest &request);

/// Fails if the arrays are not such that `function` takes them. Warns, at its
/// module, of what would have no effect: a scale of real numbers, more samples
/// than there are, arrays that are taken by their place; and at what writes it,
/// of state that samples don't show. `function` is prepared so far that
/// findFixedArguments knows its weights.
llvm::Error checkSamples(mlir::func::FuncOp function,
                         const SampleRequest &request);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CHECKSAMPLES_H

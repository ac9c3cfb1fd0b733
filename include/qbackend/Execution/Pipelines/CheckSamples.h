// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be known to be wrong with samples before anything is compiled.

#ifndef QBACKEND_EXECUTION_PIPELINES_CHECKSAMPLES_H
#define QBACKEND_EXECUTION_PIPELINES_CHECKSAMPLES_H

#include "qbackend/Pipelines/NetworkRunner.h"

namespace qbackend {

/// A number above 0 or a quotient ("1/255"); 1 if `text` is empty.
llvm::Expected<double> parseInputScale(llvm::StringRef text);

/// Fails if `request` can't be followed, whatever the network: for a check
/// before all work. Reads no more than headers.
llvm::Error checkSampleRequest(const SampleRequest &request);

/// Fails if the arrays are not such that `function` takes them. Warns, at its
/// module, of what would have no effect: a scale of floats, more samples
/// than there are, arrays that are taken by their place; and at what writes it,
/// of state that samples don't show. `function` is prepared so far that
/// findFixedArguments knows its weights.
llvm::Error checkSamples(mlir::func::FuncOp function,
                         const SampleRequest &request);

} // namespace qbackend

#endif // QBACKEND_EXECUTION_PIPELINES_CHECKSAMPLES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's threads, where the system gives few.

#ifndef QBACKEND_TOOLS_THREADS_H
#define QBACKEND_TOOLS_THREADS_H

namespace qbackend {

/// From now on contexts have no threads if the system gives too few of them
/// (`ulimit -u`): MLIR would end the process at the first it misses.
void limitThreads();

} // namespace qbackend

#endif // QBACKEND_TOOLS_THREADS_H

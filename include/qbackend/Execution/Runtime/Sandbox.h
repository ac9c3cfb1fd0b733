// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code in processes that can do nothing but compute.

#ifndef QBACKEND_EXECUTION_RUNTIME_SANDBOX_H
#define QBACKEND_EXECUTION_RUNTIME_SANDBOX_H

#include "llvm/Support/Error.h"

namespace qbackend::runtime {

/// From now on what `Executable::compile` makes is called in child processes,
/// each of which has given up all system calls as `restrictSystemCalls` does:
/// it reads arguments from its one socket and writes results to it. It is for
/// all of the process, so that no way to run a module can forget it. Results
/// are the same. Fails where the system has no filters of system calls.
llvm::Error useSandbox();

/// Whether there was a `useSandbox`.
bool isSandboxed();

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_SANDBOX_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that give up system calls, for ever.

#ifndef QBACKEND_SUPPORT_SYSTEMCALLS_H
#define QBACKEND_SUPPORT_SYSTEMCALLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace qbackend {

/// Leaves this thread the system calls that get and give back memory, wait for
/// a lock, and end it, and reading and writing of the open file `file`. All
/// others fail with EPERM. Memory that can be run can't be had.
llvm::Error restrictSystemCalls(int file);

/// Leaves this process, of one thread, and those that it forks what a compiler
/// needs. It reads the files and folders of `read` and those of the system, and
/// writes in the folders of `written`; it starts no program, has no network,
/// sees no other process and, from Linux 6.12 on, sends signals to none. With
/// `startsPrograms` it starts those that it reads, which are as restricted.
llvm::Error restrictProcess(llvm::ArrayRef<std::string> read,
                            llvm::ArrayRef<std::string> written,
                            bool startsPrograms = false);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_SYSTEMCALLS_H

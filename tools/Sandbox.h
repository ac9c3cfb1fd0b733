// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --sandbox of the tools.

#ifndef QBACKEND_TOOLS_SANDBOX_H
#define QBACKEND_TOOLS_SANDBOX_H

#include "llvm/Support/CommandLine.h"

namespace qbackend {

extern llvm::cl::opt<bool> sandboxOption;

/// If `--sandbox` is among the arguments, does all that the tool does in a
/// child, whose end is this process's: parses, compiles and runs with the files
/// that the arguments name, and writes in the folders of outputs (`-o`,
/// `--html`, `--svg`). If that crashes, it is an error. To be called before
/// anything is read or a thread is there. With `startsPrograms` the child starts
/// programs of the system, or which the arguments name.
void enterSandbox(const char *tool, int argc, char **argv,
                  bool startsPrograms = false);

} // namespace qbackend

#endif // QBACKEND_TOOLS_SANDBOX_H

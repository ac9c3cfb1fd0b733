// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool with a table of options reads its arguments.

#ifndef QBACKEND_TOOLS_TOOL_H
#define QBACKEND_TOOLS_TOOL_H

#include "qbackend/Support/Manual.h"

#include "llvm/Support/CommandLine.h"

#include <optional>

namespace qbackend {

/// Reads the options, of which those in `category` are listed; `overview` is
/// the head of --help. Returns an exit code if there is nothing left to do: 0
/// after documentation, else that of an error it said. After reportFaults.
std::optional<int> readOptions(const Program &program,
                               llvm::cl::OptionCategory &category,
                               llvm::StringRef overview, int argc, char **argv);

} // namespace qbackend

#endif // QBACKEND_TOOLS_TOOL_H

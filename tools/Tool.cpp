// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool with a table of options reads its arguments.

#include "Tool.h"

#include "Faults.h"
#include "Version.h"

namespace cl = llvm::cl;

std::optional<int> qbackend::readOptions(const Program &program,
                                         cl::OptionCategory &category,
                                         llvm::StringRef overview, int argc,
                                         char **argv) {
  addVersionPrinter();
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    cl::HideUnrelatedOptions(category, *command);
  if (printDocumentation(argc, argv, program))
    return 0;
  if (llvm::Error error = checkArguments({argv + 1, argv + argc}, program))
    return fail(std::move(error));
  cl::ParseCommandLineOptions(argc, argv, overview);
  return std::nullopt;
}

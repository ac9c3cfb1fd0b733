// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool with a table of options reads its arguments, and what it runs in.

#ifndef QBACKEND_TOOLS_TOOL_H
#define QBACKEND_TOOLS_TOOL_H

#include "qbackend/Execution/Runtime/PassThreads.h"
#include "qbackend/Support/Manual.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

namespace qbackend {

/// Reads the options, of which those in `category` are listed; `overview` is
/// the head of --help. Returns an exit code if there is nothing left to do: 0
/// after documentation, else that of an error it said. After reportFaults.
std::optional<int> readOptions(const Program &program,
                               llvm::cl::OptionCategory &category,
                               llvm::StringRef overview, int argc, char **argv);

/// A context with the dialects of `registry`, whose errors go to standard error
/// with the lines that they are about.
class ToolContext {
public:
  explicit ToolContext(const mlir::DialectRegistry &registry)
      : context(registry), handler(sources, &context) {
    threads.giveTo(context);
    // Errors are about an op; all of it may be megabytes.
    context.printOpOnDiagnostic(false);
  }

  operator mlir::MLIRContext *() { return &context; }

private:
  runtime::PassThreads threads;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler;
};

} // namespace qbackend

#endif // QBACKEND_TOOLS_TOOL_H

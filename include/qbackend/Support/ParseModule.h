// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of whatever origin, as text or bytecode.

#ifndef QBACKEND_SUPPORT_PARSEMODULE_H
#define QBACKEND_SUPPORT_PARSEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace qbackend {

/// Why MLIR's parser can't be given a source.
struct SourceError {
  /// Counted from 1; 0: the whole source.
  unsigned line = 0, column = 0;
  /// A diagnostic, in its style.
  std::string message;
};

/// What is wrong with a source that would end the process, or keep it busy for
/// ever, in MLIR's parser; nothing if it can be parsed, with errors or without.
///
/// MLIR says of its bytecode that it is trusted input. Damaged bytecode is an
/// error only now and then, so that bytecode is read in a child process first,
/// with limits of time and memory; and with it a text whose aliases could nest
/// attributes to any depth. Of other text brackets are counted, more than 256
/// levels are an error: the parser, the verifier and the printer call
/// themselves for each. `registry` has the dialects that the source can use.
std::optional<SourceError> checkSource(llvm::MemoryBufferRef source,
                                       const mlir::DialectRegistry &registry);

/// Reads a whole file, or standard input for `-`. A pipe is called `<path>`: a
/// handler that shows the line of a diagnostic opens the file again, and would
/// wait for ever.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readSource(llvm::StringRef path);

/// Parses and verifies the main buffer of `sources` after `checkSource`. What
/// is wrong goes to the diagnostic handlers of `context`; then the result is
/// null.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
            mlir::MLIRContext *context);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_PARSEMODULE_H

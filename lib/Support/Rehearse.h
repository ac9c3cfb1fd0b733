// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing in a child process, to see whether it comes to an end.

#ifndef QBACKEND_LIB_SUPPORT_REHEARSE_H
#define QBACKEND_LIB_SUPPORT_REHEARSE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace qbackend {

/// What ended a child that has parsed a source.
struct ParsingFailure {
  /// A diagnostic.
  std::string message;
  /// Whether the source is to blame, not the machine or who ended the program.
  bool isOfSource = true;
  /// Whether there was a child at all.
  bool isStarted = true;
  /// The first error that the parser had found before, and where; empty if
  /// none.
  std::string error;
  unsigned line = 0, column = 0;
};

/// Parses, verifies and prints `source` in a child with limits. Returns what
/// ended it, unless it came to an end by itself.
std::optional<ParsingFailure>
rehearseParsing(llvm::MemoryBufferRef source,
                const mlir::DialectRegistry &registry);

} // namespace qbackend

#endif // QBACKEND_LIB_SUPPORT_REHEARSE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing in a child process, to see whether it comes to an end.

#ifndef QBACKEND_LIB_PARSER_REHEARSE_H
#define QBACKEND_LIB_PARSER_REHEARSE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace qbackend {

/// Parses, verifies and prints `source` in a child with limits. Returns what
/// ended it, a diagnostic, unless it came to an end by itself.
std::optional<std::string>
rehearseParsing(llvm::MemoryBufferRef source,
                const mlir::DialectRegistry &registry);

} // namespace qbackend

#endif // QBACKEND_LIB_PARSER_REHEARSE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keywords that an editor can complete.

#ifndef QBACKEND_LIB_DIALECT_QBACKEND_KEYWORDS_H
#define QBACKEND_LIB_DIALECT_QBACKEND_KEYWORDS_H

#include "mlir/IR/OpImplementation.h"

namespace qbackend::detail {

/// Parses a keyword if there is one. Where text is to be completed, one of
/// `known` is; others are for the caller to refuse.
inline mlir::ParseResult
parseOptionalKeywordLike(mlir::AsmParser &parser, llvm::StringRef *keyword,
                         llvm::ArrayRef<llvm::StringRef> known) {
  return mlir::failure(failed(parser.parseOptionalKeyword(keyword, known)) &&
                       failed(parser.parseOptionalKeyword(keyword)));
}

/// The same of a keyword that there has to be.
inline mlir::ParseResult
parseKeywordLike(mlir::AsmParser &parser, llvm::StringRef *keyword,
                 llvm::ArrayRef<llvm::StringRef> known) {
  return mlir::failure(failed(parser.parseOptionalKeyword(keyword, known)) &&
                       failed(parser.parseKeyword(keyword)));
}

} // namespace qbackend::detail

#endif // QBACKEND_LIB_DIALECT_QBACKEND_KEYWORDS_H

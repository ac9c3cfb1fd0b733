// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of nested patterns, for the attribute and the op that hold them.

#ifndef QBACKEND_LIB_DIALECT_QBACKEND_PATTERNNODE_H
#define QBACKEND_LIB_DIALECT_QBACKEND_PATTERNNODE_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend::detail {

/// A name of an operator, in quotes unless it is a bare word.
mlir::FailureOr<mlir::StringAttr> parseOperatorName(mlir::AsmParser &parser);
void printOperatorName(mlir::AsmPrinter &printer, llvm::StringRef name);

/// `relu(add(conv2d, _))`. The text may nest 64 deep.
mlir::FailureOr<PatternNodeAttr> parsePatternNode(mlir::AsmParser &parser);
void printPatternNode(mlir::AsmPrinter &printer, PatternNodeAttr node);

} // namespace qbackend::detail

#endif // QBACKEND_LIB_DIALECT_QBACKEND_PATTERNNODE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The discardable attribute of functions that says what their code moves.

#ifndef QBACKEND_DIALECT_QBACKEND_MOVES_H
#define QBACKEND_DIALECT_QBACKEND_MOVES_H

#include "llvm/ADT/StringRef.h"

namespace qbackend {

/// Of a function: the values of the network as it was given that are others in
/// another shape or layout, since passes merge, cancel and drop such code. An
/// array of [NAME, SOURCE, KIND, BEFORE], all strings: the value called NAME is
/// SOURCE, a name or the number of an argument ("#0"), KIND is "reshape" or
/// "transpose", and BEFORE is the value before it in the code, "" of the first.
/// `qbackend-normalize-code` (or `qbackend-raise`) records them, and
/// `qbackend-observe` counts them.
inline constexpr llvm::StringLiteral kMovesAttrName = "qbackend.moves";

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_MOVES_H

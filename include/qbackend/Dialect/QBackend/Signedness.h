// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ends of a network say about integers, whose types have no sign.

#ifndef QBACKEND_DIALECT_QBACKEND_SIGNEDNESS_H
#define QBACKEND_DIALECT_QBACKEND_SIGNEDNESS_H

#include "llvm/ADT/StringRef.h"

namespace qbackend {

/// The unit attribute of an argument or a result, a tensor of signless integers,
/// that is of unsigned ones for the caller.
inline constexpr llvm::StringLiteral kUnsignedAttrName = "qbackend.unsigned";

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_SIGNEDNESS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that are only a part of what the network computes there.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Whether `op` is a piece of a function that was not recognised: a sum or
/// product with a number between code that is no operator. Integers in the
/// middle of what nobody knows lose its precision, and save nothing.
bool isPieceOfUnrecognized(OperatorOp op);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H

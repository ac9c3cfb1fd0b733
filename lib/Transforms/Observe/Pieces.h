// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that are only a part of what the network computes there.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "llvm/ADT/DenseSet.h"

namespace qbackend {

/// Whether `op` is a piece of a function that was not recognised: a sum or
/// product with a number between code that is no operator. Integers in the
/// middle of what nobody knows lose its precision, and save nothing.
bool isPieceOfUnrecognized(OperatorOp op);

/// Those of `statics`, the operators that would have observers, that only move
/// values (reshape, transpose, concatenation, ...) of code that is no operator:
/// each is in a set of such operators, connected by values that they give or
/// read, that this code gives a value or reads one of, and with whose values no
/// other operator that is to be quantized, no quantized argument and no
/// quantized result has to do. Integers would lose
/// the precision of these values, and save nothing.
llvm::DenseSet<mlir::Operation *>
findMovesOfUnrecognized(llvm::ArrayRef<OperatorOp> statics);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_PIECES_H

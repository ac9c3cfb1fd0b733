// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What int8.conv2d says of a sum, by the text of its attributes.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_READING_READKERNEL_H
#define QBACKEND_LIB_INSIGHT_PROOF_READING_READKERNEL_H

#include "Terms/Term.h"

#include "qbackend/Execution/Int8/Int8.h"

namespace qbackend::proof {

/// The byte that `op` makes of `sum`, of 32 bits, by the multiplier `m`; the
/// sum if it has no requantization.
Term makeKernelByte(int8::Conv2dOp op, Term sum, Term m, Terms &terms);

/// The element that `op` stores for that byte, with the byte `residual` of the
/// other tensor, which is null if there is none.
Term makeKernelResult(int8::Conv2dOp op, Term byte, Term residual,
                      Terms &terms);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_READING_READKERNEL_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed-point requantization, #qnnpack.requantization, as a term.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_READING_FIXEDPOINT_H
#define QBACKEND_LIB_INSIGHT_PROOF_READING_FIXEDPOINT_H

#include "Terms/Term.h"

#include "qbackend/Dialect/QNNPack/QNNPack.h"

namespace qbackend::proof {

/// round(value * multiplier / 2^shift) in 32 bits, its low ones, of a `value`
/// of 32 bits, as Requantization.td defines it of the exact product;
/// `multiplier` has 64 bits, a number of 31, and `shift` 66, a number in [2,
/// 62].
Term roundProduct(Term value, Term multiplier, Term shift,
                  numerics::Rounding rounding, Terms &terms);

/// The same by the only multiplier of `requantization`, behind its
/// `left_shift`.
Term scaleByFixedPoint(Term value, qnnpack::RequantizationAttr requantization,
                       Terms &terms);

/// clamp(value, lo - zeroPoint, hi - zeroPoint) + zeroPoint in the low `width`
/// bits, of a `value` of 32.
Term addZeroPoint(Term value, int64_t zeroPoint, int64_t lo, int64_t hi,
                  Terms &terms, unsigned width = 8);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_READING_FIXEDPOINT_H

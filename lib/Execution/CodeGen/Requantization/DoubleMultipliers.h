// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed-point multipliers m / 2^s as f64, where sums times these, rounded to
// nearest, are the integers of the fixed-point formula. That takes half the
// instructions of products of 64 bits where vectors have f64.
//
// With s <= 44, v * m / 2^s has at most 53 bits if it is less than 2^8, which
// f64 holds; more is clamped, and rounding keeps it beyond the limit. Ties are
// where roundings differ: a layer that may have one keeps fixed point.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DOUBLEMULTIPLIERS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DOUBLEMULTIPLIERS_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace qbackend::codegen {

/// The bits of the f64 of each of `multipliers`, packed as int8.conv2d has
/// them, for sums of a magnitude of at most `bound`. Nothing: one has no f64 by
/// which all those sums are rounded as `rounding` says, up to clamping to
/// bytes.
std::optional<std::vector<int64_t>>
findDoubleMultipliers(llvm::ArrayRef<int64_t> multipliers,
                      numerics::Rounding rounding, int64_t bound);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DOUBLEMULTIPLIERS_H

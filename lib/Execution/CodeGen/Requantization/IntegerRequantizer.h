// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requantization by integers that gives what floats give, for every sum.
//
// A multiplier is an integer of 24 bits times 2^-k: with it shifted by at most
// 7, so that all channels have one `shift`, the product P = sum * multiplier
// has 64 bits and is exact. Floats round it to 24 bits, and that to an integer,
// both to even. A number between -256 and 256 is an integer and a half behind
// the first rounding, a tie, if it was that up to half a unit of its last
// place:
//
//   |P - (n + 1/2) 2^shift| <= 2^(j - 24 + shift), 2^j <= |n + 1/2| < 2^(j + 1)
//
// for such a tie has an even mantissa itself. All others are rounded to the
// nearest integer, whichever comes first. Larger numbers are clamped. A sum of
// more than 24 bits, which floats round before, is so large that it is clamped,
// too, if the multiplier is 2^-15 or more.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_INTEGERREQUANTIZER_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_INTEGERREQUANTIZER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>
#include <vector>

namespace qbackend::codegen {

/// Multipliers by integers: each is `multipliers` * 2^-shift.
struct IntegerMultipliers {
  int64_t shift;
  std::vector<int32_t> multipliers;
};

/// Returns the multipliers of all channels as integers. Nothing: one of them is
/// less than 2^-15, is 1 or more, or more than 2^7 times another one.
std::optional<IntegerMultipliers>
findIntegerMultipliers(llvm::ArrayRef<float> multipliers);

/// Returns the function `(sum: i32, multiplier: i32) -> i32` of the module of
/// `symbols`, which is added if there is none: the integer that floats make of
/// the sum, if it is between -256 and 256; else one on the same side of these.
mlir::func::FuncOp getRequantizer(mlir::Location loc, int64_t shift,
                                  mlir::SymbolTable &symbols);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_INTEGERREQUANTIZER_H

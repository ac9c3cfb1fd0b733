// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of operators as a table for a terminal.

#ifndef QBACKEND_INSIGHT_COMPARISON_OPERATORTABLE_H
#define QBACKEND_INSIGHT_COMPARISON_OPERATORTABLE_H

#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace qbackend::evaluation {

/// How many operators are explained below the table.
inline constexpr size_t kExplained = 5;

/// Prints a line for each of `findings`, the worst first, in `width` columns at
/// most, then what is wrong with the first ones and what to change, in full.
void printOperators(llvm::ArrayRef<OperatorErrors> operators,
                    llvm::ArrayRef<Finding> findings, unsigned width,
                    llvm::raw_ostream &os);

/// Prints what is wrong with the operators of `findings` and what to change, in
/// full, with what it gives if it was tried.
void printFindings(llvm::ArrayRef<OperatorErrors> operators,
                   llvm::ArrayRef<Finding> findings, unsigned width,
                   llvm::raw_ostream &os);

/// The parts of an operator's own error in percent of their sum: weight, bias,
/// clipping, rounding.
std::array<double, 4> getParts(const OperatorErrors &op);

/// "31.4", "inf" of a number of dB.
std::string formatDecibels(double value);

} // namespace qbackend::evaluation

#endif // QBACKEND_INSIGHT_COMPARISON_OPERATORTABLE_H

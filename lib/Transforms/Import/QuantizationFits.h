// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of one number compute: quantization, or something else.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFITS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFITS_H

#include "QuantizationForms.h"

namespace qbackend {

/// How a staircase differs from what is expected.
enum class Difference { None, Ties, ZeroPoint, Scale, Limits, Rounding };

/// The same in words.
llvm::StringRef getReason(Difference difference);

/// `program`, a function of integers of up to 8 bits, as a form without a
/// source. The sign is that which the integers are read with.
std::optional<QuantizationForm> fitDequantize(const ElementProgram &program);

/// `program`, a function of integers of 32 bits, as their product with a scale.
std::optional<QuantizationForm> fitSums(const ElementProgram &program);

/// Whether `program`, from floats to integers, quantizes by the scales
/// and zero points of `form`, whose limits become those of both.
Difference fitQuantize(const ElementProgram &program, QuantizationForm &form);

/// `program`, floats by floats, as a form without a source.
OrRefusal<QuantizationForm> fitFakeQuantize(const ElementProgram &program);

/// Whether `program`, floats by floats, gives multiples of one
/// number, and more than a few of them: it rounds, to whatever integers, and
/// scales them.
bool isStaircase(const ElementProgram &program);

/// Whether `program` gives numbers near those that it is given, with fewer
/// bits: 15 of 24 at most; f16 and TF32 have 11.
bool hasFewerBits(const ElementProgram &program);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFITS_H

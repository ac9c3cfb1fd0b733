// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer ops whose constant operands leave them without a value.

#ifndef QBACKEND_OPERATORS_UNDEFINEDARITHMETIC_H
#define QBACKEND_OPERATORS_UNDEFINEDARITHMETIC_H

#include "qbackend/Operators/ConstantEvaluator.h"

#include <string>

namespace qbackend {

/// What the constants and attributes of `op` leave undefined, as "has the shift
/// -128; expected one in [2, 62]": shifts of arith and index by the width or
/// more, unless a select chooses whether the result is used, and what TOSA 1.0
/// requires of the shifts and multipliers of tosa.rescale, tosa.apply_scale,
/// tosa.mul and its shift ops. In bodies of structured ops, too, whose
/// constants are elements of operands. nullopt: nothing, or what isn't
/// constant.
std::optional<std::string> findUndefined(mlir::Operation *op,
                                         ConstantEvaluator &constants);

} // namespace qbackend

#endif // QBACKEND_OPERATORS_UNDEFINEDARITHMETIC_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op of arith or math on scalars is as a term.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_READSCALARS_H
#define QBACKEND_LIB_INSIGHT_PROOF_READSCALARS_H

#include "Reading/Position.h"

#include "mlir/IR/Operation.h"

#include <variant>

namespace qbackend::proof {

/// A number, or an index that is a sum of loops. An index that is computed from
/// numbers is a term of 64 bits.
using Scalar = std::variant<Term, Linear>;
using Values = llvm::DenseMap<mlir::Value, Scalar>;

/// The result of `op`. Where it isn't defined for all operands, `defined` gets
/// the condition. An error if the op has no meaning here: nothing is guessed.
llvm::Expected<Scalar> readScalarOp(mlir::Operation *op,
                                    llvm::ArrayRef<Scalar> operands,
                                    Scope &scope, Term &defined);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_READSCALARS_H

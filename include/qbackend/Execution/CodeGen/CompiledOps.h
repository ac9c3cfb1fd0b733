// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that are compiled, and what each asserts at run time.

#ifndef QBACKEND_EXECUTION_CODEGEN_COMPILEDOPS_H
#define QBACKEND_EXECUTION_CODEGEN_COMPILEDOPS_H

#include "mlir/IR/OperationSupport.h"

#include <optional>

namespace qbackend::codegen {

/// What an op has to keep to: `qbackend-check-bounds` asserts it in front of
/// the op, if not said otherwise.
enum class RuntimeCheck {
  /// No operand is wrong for it.
  None,
  /// The divisor isn't 0, and signed quotients are numbers of the type.
  SignedDivision,
  UnsignedDivision,
  /// What a map divides by, and a basis, are positive constants. Others aren't
  /// compiled: canonicalization makes poison of a quotient by 0.
  ConstantDivision,
  /// The step of a loop is positive.
  Step,
  /// Elements, slices and extents are those of the tensors.
  Bounds,
};

/// The check of an op of this name; nullopt if none such is compiled. One table
/// for what a network may consist of and for what is checked: an op is in both
/// or in neither.
std::optional<RuntimeCheck> findCompiledOp(mlir::OperationName name);

/// The dialects of those ops, in the order of the alphabet.
llvm::ArrayRef<llvm::StringRef> getCompiledDialects();

} // namespace qbackend::codegen

#endif // QBACKEND_EXECUTION_CODEGEN_COMPILEDOPS_H

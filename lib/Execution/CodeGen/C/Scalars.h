// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on scalars as expressions of C.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_C_SCALARS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_C_SCALARS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <set>
#include <string>

namespace qbackend::codegen {

/// The type of C for a scalar, without `const`; nothing: there is none.
std::optional<std::string> getCType(mlir::Type type);

/// The literal of a number.
std::string spellNumber(mlir::TypedAttr number);

/// Spells ops, and collects the helper functions that these call.
class ScalarWriter {
public:
  /// The expression that `op` is, without parentheses around it, of
  /// `operands`, which are expressions that bind as tightly as a name. Nothing:
  /// the op has no expression.
  std::optional<std::string> spell(mlir::Operation *op,
                                   llvm::ArrayRef<std::string> operands);

  /// The definitions of the helpers, in a fixed order.
  std::string spellHelpers() const;

  /// Whether functions of <math.h> are called.
  bool callsMath() const { return usesMath; }

private:
  std::optional<std::string> spellInteger(mlir::Operation *op,
                                          llvm::ArrayRef<std::string> operands);
  std::optional<std::string> spellFloat(mlir::Operation *op,
                                        llvm::ArrayRef<std::string> operands);
  std::optional<std::string> spellCast(mlir::Operation *op,
                                       llvm::ArrayRef<std::string> operands);
  std::optional<std::string> spellMath(mlir::Operation *op,
                                       llvm::ArrayRef<std::string> operands);
  /// The call of a helper, `text` of which has `$T` for `type`, `$U` for its
  /// unsigned one and `$N` for the helper's name.
  std::string call(llvm::StringRef name, mlir::Type type, llvm::StringRef text,
                   llvm::ArrayRef<std::string> operands);
  /// The call of a helper that returns the low bits of `number`, an unsigned
  /// expression of its `arguments`, extended by their sign: of an integer that
  /// C has in a larger one. `$W` is the unsigned type that is computed in.
  std::string narrow(mlir::Type type, llvm::StringRef name,
                     llvm::StringRef arguments, llvm::StringRef number,
                     llvm::ArrayRef<std::string> operands);
  /// a op b, which wraps.
  std::string wrap(mlir::Operation *op, llvm::StringRef symbol,
                   llvm::StringRef helper,
                   llvm::ArrayRef<std::string> operands);
  /// Whether an index is made of counters and constants, which address buffers:
  /// it can't be too large for ptrdiff_t.
  bool isPosition(mlir::Value index);

  llvm::DenseMap<mlir::Value, bool> positions;
  std::set<std::string> helpers;
  bool usesMath = false;
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_C_SCALARS_H

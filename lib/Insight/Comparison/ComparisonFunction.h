// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of a float network and of a quantized form of it, in which
// each operator is there once more for each cause of error.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H

#include "qbackend/Insight/Comparison/OperatorErrors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// The function that the code calls with the number of a site and its tensor.
inline constexpr llvm::StringLiteral kComparisonHook =
    "qbackend_runtime_compare";

/// What a hook is called with.
enum class Role {
  /// The result in the quantized network; first of all.
  Cumulative,
  /// The result in the float one; then follow those of it that differ.
  Exact,
  Weight,
  Bias,
  FromInputs,
  Local,
};

struct Site {
  unsigned op;
  Role role;
  /// Of its operator: nothing else is to come.
  bool isLast = false;
};

struct ComparisonFunction {
  /// Takes what both networks take; gives what the float one gives, then what
  /// the other one does.
  mlir::func::FuncOp function;
  /// All but the sums.
  std::vector<evaluation::OperatorErrors> operators;
  std::vector<Site> sites;
};

/// Adds the function to `module`, which holds `real`, whose operators are
/// fused. `quantized` is in another module.
ComparisonFunction createComparison(mlir::ModuleOp module,
                                    mlir::func::FuncOp real,
                                    mlir::func::FuncOp quantized);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H

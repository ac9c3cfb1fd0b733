// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of a float network and of a quantized form of it, in which
// each operator is there once more for each cause of error.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H

#include "qbackend/Insight/Comparison/OperatorErrors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

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

/// Puts the code of both networks into one function, and calls of the hook
/// behind it.
class ComparisonFunctionBuilder {
public:
  ComparisonFunction takeResult() { return std::move(result); }

protected:
  /// In `module`, which holds `first`.
  ComparisonFunctionBuilder(mlir::ModuleOp module, mlir::func::FuncOp first,
                            mlir::func::FuncOp second);

  /// Clones `network`, on the arguments of the function.
  void addNetwork(mlir::func::FuncOp network, mlir::IRMapping &values);
  void addSite(unsigned number, Role role, mlir::Value tensor);
  /// Returns what both networks do.
  void finish(const mlir::IRMapping &firstValues,
              const mlir::IRMapping &secondValues);

  mlir::Value dequantize(mlir::Value integers);

  mlir::func::FuncOp first, second, hook;
  mlir::OpBuilder builder;
  ComparisonFunction result;
};

/// The integers of `type`; nullopt if they aren't per tensor.
std::optional<evaluation::QuantizedRange> getRange(mlir::Type type);

/// The extents of `value`; -1 of a dimension that is dynamic, as in the C
/// interface.
std::vector<int64_t> getExtents(mlir::Value value);

/// Adds the function to `module`, which holds `original`, whose operators are
/// fused. `quantized` is in another module.
ComparisonFunction createComparison(mlir::ModuleOp module,
                                    mlir::func::FuncOp original,
                                    mlir::func::FuncOp quantized);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONFUNCTION_H

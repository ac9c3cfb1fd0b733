// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of constants, seen through layout ops, casts and arithmetic.

#ifndef QBACKEND_OPERATORS_CONSTANTEVALUATOR_H
#define QBACKEND_OPERATORS_CONSTANTEVALUATOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace qbackend {

class ScalarProgram;

/// Evaluates values that depend on constants only. Results are remembered, so
/// asking again costs nothing. Sizes are bounded by what the IR holds already:
/// nothing is broadcast to more than the size of its own type.
///
/// What is remembered is known by its address, which the next op may get: as
/// long as an evaluator lives, ops are erased by a rewriter that it listens to
/// (`IRRewriter rewriter(context, &constants)`), and by nothing else.
class ConstantEvaluator : public mlir::RewriterBase::Listener {
public:
  /// The elements of `value`, of its own shaped type, or null if it isn't
  /// constant or the data isn't there (a resource without a blob). Sees through
  /// constant ops of all dialects, layout ops of tosa and tensor, all ops that
  /// ScalarOp.h has, structured ops without reductions, and pure ops that their
  /// folder knows.
  mlir::DenseElementsAttr evaluate(mlir::Value value);

  /// The number that all elements of `value` have, or that the scalar `value`
  /// is (a rank-0 tensor, an arith.constant, a conversion of one); nullopt if
  /// there is no such number.
  std::optional<double> getSplat(mlir::Value value);

  /// True if `value` depends on constants only, whether or not their data is
  /// there.
  bool isConstant(mlir::Value value);

  /// The scalar `value` as a function of loops and of constants, and if wanted
  /// of `variable`; see ScalarProgram.
  std::optional<ScalarProgram> readScalar(mlir::Value value,
                                          mlir::Value variable = {});

  /// Forgets the results of `op` and of all ops inside of it.
  void notifyOperationErased(mlir::Operation *op) override;

private:
  mlir::DenseElementsAttr evaluateUncached(mlir::Operation *op,
                                           mlir::Value value);

  llvm::DenseMap<mlir::Value, mlir::DenseElementsAttr> cache;
  llvm::DenseMap<mlir::Value, bool> constness;
};

} // namespace qbackend

#endif // QBACKEND_OPERATORS_CONSTANTEVALUATOR_H

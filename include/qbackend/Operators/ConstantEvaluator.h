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
  /// arith.constant, tosa.const, reshape, transpose, slice, expand_shape,
  /// collapse_shape, cast, pad, broadcast, fill, yield-only and elementwise
  /// generics, and the elementwise ops of tosa and arith.
  mlir::DenseElementsAttr evaluate(mlir::Value value);

  /// The number that all elements of `value` have, or that the scalar `value`
  /// is (a rank-0 tensor, an arith.constant, a conversion of one); nullopt if
  /// there is no such number.
  std::optional<double> getSplat(mlir::Value value);

  /// True if `value` depends on constants only, whether or not their data is
  /// there.
  bool isConstant(mlir::Value value);

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

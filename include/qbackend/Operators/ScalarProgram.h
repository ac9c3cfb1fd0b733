// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar code that depends on positions and constants only, as a list of steps.

#ifndef QBACKEND_OPERATORS_SCALARPROGRAM_H
#define QBACKEND_OPERATORS_SCALARPROGRAM_H

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <vector>

namespace qbackend {

/// A scalar that is a function of loops (`linalg.index`), of constants and
/// their elements, and if wanted of one more value. Computes what running the
/// code does, each step rounded or wrapped to its type. The IR that it was read
/// from has to stay.
class ScalarProgram {
public:
  /// The elements of a constant of any shape; null if it is none, or its data
  /// isn't there.
  using Lookup = llvm::function_ref<mlir::DenseElementsAttr(mlir::Value)>;
  /// No index is computed in more steps than this.
  static constexpr size_t kMaxSteps = 256;

  /// Of a scalar in the region of a structured op, or in front of it; nullopt
  /// if it depends on anything else, or on what isn't known here.
  static std::optional<ScalarProgram> read(mlir::Value value, Lookup lookup,
                                           mlir::Value variable = {},
                                           size_t maxSteps = kMaxSteps);
  /// Of an element of the result of `op`, whose loops are the dimensions:
  /// `operands` are the elements of its operands, and `maps` where each is
  /// read.
  static std::optional<ScalarProgram>
  readOp(mlir::Operation *op, llvm::ArrayRef<mlir::DenseElementsAttr> operands,
         llvm::ArrayRef<mlir::AffineMap> maps);

  /// The number where loop `i` is at `loops[i]`, which are as many as the op
  /// has; nullopt where it has none (a division by 0). Truth values are 0 and
  /// 1.
  std::optional<double> evaluate(llvm::ArrayRef<int64_t> loops,
                                 int64_t variable = 0) const;
  /// The numbers at all positions of loops of these sizes, in row-major order
  /// and some at a time; false if there is a position without.
  bool evaluateAll(
      llvm::ArrayRef<int64_t> sizes,
      llvm::function_ref<void(llvm::ArrayRef<ScalarNumber>)> visit) const;

  /// Of the number.
  ScalarType getType() const { return steps[result].type; }
  /// The loops it depends on.
  const llvm::SmallBitVector &getLoops() const { return loops; }
  bool dependsOn(unsigned loop) const {
    return loop < loops.size() && loops.test(loop);
  }
  bool dependsOnVariable() const { return usesVariable; }

private:
  /// Operands of steps are steps.
  struct Step : ScalarStep {
    enum Kind {
      /// Of the table of ops, constants among them.
      Compute,
      /// Loop `detail`.
      Loop,
      Variable,
      /// The element of `table` at `map` of the loops, or at its operands.
      Element,
      ElementAt,
      /// The least or largest result of `map`.
      AffineMin,
      AffineMax,
      /// Result `detail` of `op`, by its folder.
      Fold,
    };
    Kind kind = Compute;
    mlir::AffineMap map = {};
    mlir::DenseElementsAttr table = {};
    mlir::Operation *op = nullptr;
  };
  class Reader;
  class Runner;

  void addLoops(mlir::AffineMap map);

  std::vector<Step> steps;
  /// The step that is the number.
  unsigned result = 0;
  llvm::SmallBitVector loops;
  bool usesVariable = false;
};

} // namespace qbackend

#endif // QBACKEND_OPERATORS_SCALARPROGRAM_H

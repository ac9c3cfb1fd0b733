// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar code that depends on positions, not on elements: which pixel a resize
// reads, by what an average divides at the border.

#ifndef QBACKEND_LIB_OPERATORS_LINALG_INDEXEXPRESSION_H
#define QBACKEND_LIB_OPERATORS_LINALG_INDEXEXPRESSION_H

#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace qbackend::forms {

/// A scalar in the body of a structured op, or in front of it, that is a
/// function of the op's loops (`linalg.index`), of constants, and if wanted of
/// one more value. Computes what running the code does, each step rounded to
/// its type.
class IndexExpression {
public:
  /// nullopt if `value` depends on anything else, or on what isn't known here.
  static std::optional<IndexExpression> read(mlir::Value value,
                                             ConstantEvaluator &constants,
                                             mlir::Value variable = {});

  /// The value where loop `i` is at `loops[i]`, which are as many as the op
  /// has; nullopt where it has none (a division by 0). Integers are exact up to
  /// 2^53.
  std::optional<double> evaluate(llvm::ArrayRef<int64_t> loops,
                                 int64_t variable = 0) const;

  /// The loops it depends on.
  const llvm::SmallBitVector &getLoops() const { return loops; }
  bool dependsOn(unsigned loop) const {
    return loop < loops.size() && loops.test(loop);
  }
  bool dependsOnVariable() const { return usesVariable; }

private:
  /// An integer, or the bits of a real in `real`.
  struct Number {
    int64_t integer = 0;
    double real = 0;
  };
  enum class Code {
    Constant,
    Loop,
    Variable,
    Table,
    // Integers.
    AddI,
    SubI,
    MulI,
    DivS,
    DivU,
    FloorDivS,
    CeilDivS,
    RemS,
    RemU,
    MinS,
    MaxS,
    MinU,
    MaxU,
    And,
    Or,
    Xor,
    CompareI,
    // Reals.
    AddF,
    SubF,
    MulF,
    DivF,
    Maximum,
    Minimum,
    MaxNum,
    MinNum,
    CompareF,
    NegateF,
    AbsF,
    Floor,
    Ceil,
    Round,
    RoundEven,
    Truncate,
    // Between them.
    Select,
    Cast,
    CastU,
    SignedToReal,
    UnsignedToReal,
    RealToSigned,
    RealToUnsigned,
    CastReal,
    // Affine maps; `table` has no part in them.
    AffineMin,
    AffineMax,
  };
  struct Step {
    Code code = Code::Constant;
    /// Of the result: bits of an integer, 0 for f32, -1 for f64.
    int width = 64;
    /// Of the operands, if that is another one.
    int operandWidth = 64;
    /// Loop, or predicate.
    int64_t detail = 0;
    Number number = {};
    llvm::SmallVector<unsigned, 3> operands = {};
    mlir::AffineMap map = {};
    mlir::DenseElementsAttr table = {};
  };
  class Reader;

  static bool apply(const Step &step, llvm::ArrayRef<Number> numbers,
                    llvm::ArrayRef<int64_t> loops, int64_t variable,
                    Number &result);

  llvm::SmallVector<Step> steps;
  llvm::SmallBitVector loops;
  bool usesVariable = false;
};

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_LINALG_INDEXEXPRESSION_H

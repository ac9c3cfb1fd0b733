// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op computes for one element, as a tree that hides how it is spelled,
// and in which dialect.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_SCALAREXPRESSION_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_SCALAREXPRESSION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include <deque>
#include <functional>

namespace qbackend {
struct ScalarStep;
} // namespace qbackend

namespace qbackend::forms {

enum class ScalarKind {
  Constant,
  /// An element of a tensor.
  Operand,
  /// The element of destination `number`, before.
  Init,
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Negate,
  Exp,
  ExpM1,
  Tanh,
  Log,
  Log1P,
  Erf,
  Abs,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  /// a to the power of b
  Power,
  /// a > b; how equal and unordered operands compare is left out.
  Greater,
  /// a ? b : c
  Select,
  /// Something without a meaning here.
  Other,
};

struct Scalar {
  ScalarKind kind = ScalarKind::Other;
  double number = 0;
  /// The tensor of an operand, which element of it, and if that is the element
  /// of the result's own position.
  mlir::Value value = {};
  mlir::AffineMap map = {};
  bool full = false;
  /// The type of the result whose element this is.
  mlir::RankedTensorType resultType = {};
  const Scalar *a = nullptr, *b = nullptr, *c = nullptr;
  /// How deep the expression is, and how large if all that it reads twice is
  /// there twice: what walks over expressions sees a tree. Operators have a few
  /// dozen; what is deeper or larger than the limits is `Other`.
  unsigned depth = 1, size = 1;
  static constexpr unsigned kMaxDepth = 256, kMaxSize = 4096;
};

/// Reads and remembers the expressions of ops. Scalars live as long as this.
class ScalarExpressions {
public:
  explicit ScalarExpressions(ConstantEvaluator &constants)
      : constants(constants) {}

  /// What the only result of `op` is: the body of a linalg op (reductions
  /// included), or an elementwise op on tensors. Null for other ops.
  const Scalar *read(mlir::Operation *op);
  /// One of the results of a linalg op, which may have several.
  const Scalar *readResult(mlir::OpResult result);
  /// The same as `read`, of an op that computes each element of an f32 tensor
  /// from the elements of its operands, and not from its destination.
  const Scalar *readElementwise(mlir::Operation *op);
  /// What computes the element that `operand` is: the expression of the op
  /// that computes its tensor, or another operand if that only moves elements.
  /// Null if it is neither.
  const Scalar *expand(const Scalar *operand);
  /// `scalar` without the moves that leave each element at its position.
  const Scalar *skipIdentities(const Scalar *scalar);
  /// `scalar` without any moves: broadcasts, transpositions, unit dimensions.
  const Scalar *skipMoves(const Scalar *scalar);

  /// The number `scalar` is, if it is one: constants in all spellings.
  std::optional<double> getNumber(const Scalar *scalar);
  /// True if `scalar` is an element of a tensor that isn't constant.
  bool isActivation(const Scalar *scalar);
  static bool equal(const Scalar *lhs, const Scalar *rhs);
  /// The element of `value` that `map` says, of an op with this result.
  const Scalar *createOperand(mlir::Value value, mlir::AffineMap map,
                              mlir::RankedTensorType resultType);

  /// The float tensors before `root` that elementwise ops, moves of elements
  /// and, with `reduced`, reductions lead to, the nearest first: those that
  /// reductions read, or without `reduced` the others.
  llvm::ArrayRef<mlir::Value> reach(mlir::Operation *root, bool reduced);

  ConstantEvaluator &constants;

private:
  const Scalar *create(ScalarKind kind, const Scalar *a = nullptr,
                       const Scalar *b = nullptr, const Scalar *c = nullptr);
  const Scalar *createNumber(double number);
  const Scalar *createInit(unsigned index);
  const Scalar *readBody(mlir::OpResult result);
  const Scalar *readTensorOp(mlir::Operation *op);
  const Scalar *readTosaOp(mlir::Operation *op);
  const Scalar *createArithmetic(ScalarKind kind, const Scalar *a,
                                 const Scalar *b);
  const Scalar *expandUncached(const Scalar *operand);
  const Scalar *remap(const Scalar *scalar, mlir::AffineMap map,
                      mlir::RankedTensorType resultType);
  const Scalar *createSelect(const Scalar *condition, const Scalar *a,
                             const Scalar *b, bool isNanGuard);
  const Scalar *combine(mlir::Operation *op,
                        llvm::ArrayRef<const Scalar *> operands);
  /// One step of `op`; its operands are among `known`.
  const Scalar *combine(const ScalarStep &step, mlir::Operation *op,
                        llvm::ArrayRef<const Scalar *> known);

  std::deque<Scalar> scalars;
  llvm::DenseMap<mlir::Operation *, const Scalar *> known;
  llvm::DenseMap<const Scalar *, const Scalar *> expanded;
  /// Without reductions, and with them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> reached[2];
};

/// What a kind with operands computes of numbers, in f64; NaN for others.
/// Operands that it doesn't have may be null.
void compute(ScalarKind kind, llvm::ArrayRef<const double *> operands,
             size_t count, double *results);
double compute(ScalarKind kind, double a, double b = 0, double c = 0);

/// The op that computes `value`, seen through casts between static and dynamic
/// sizes.
mlir::Value skipCasts(mlir::Value value);
mlir::Operation *getProducer(mlir::Value value);

/// True if nothing but one op reads `value`; ops that have it as a destination
/// they don't read are not counted.
bool hasOneReader(mlir::Value value);

/// The loop along which `operand`, which has one value for each channel,
/// varies.
std::optional<unsigned> getChannelLoop(const Scalar *operand);

/// The ranked f32 tensor type of `value`, or null.
mlir::RankedTensorType getFloatType(mlir::Value value);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Matches patterns of scalars against what one op or a chain of ops computes:
/// a pattern that meets an operand where it wants an operation looks into the
/// op that computes the operand.
class ScalarMatcher {
public:
  using Pattern = std::function<bool(ScalarMatcher &, const Scalar *)>;

  explicit ScalarMatcher(ScalarExpressions &expressions)
      : expressions(expressions) {}
  bool match(const Scalar *scalar, const Pattern &pattern) {
    input = {};
    return scalar && pattern(*this, scalar);
  }

  /// What `x` stood for.
  const Scalar *input = nullptr;
  ScalarExpressions &expressions;

  /// The one activation that the pattern is a function of.
  static Pattern x();
  static Pattern number(double number);
  /// Any number.
  static Pattern capture(double &number);
  static Pattern unary(ScalarKind kind, Pattern a);
  /// Either operand order where the operation has none.
  static Pattern binary(ScalarKind kind, Pattern a, Pattern b);
  static Pattern oneOf(std::vector<Pattern> patterns);
  /// A number for each channel.
  static Pattern channel(const Scalar *&operand);
};

/// Equal but for rounding to f32.
bool isClose(double lhs, double rhs);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_SCALAREXPRESSION_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op and those before it compute, as a function of numbers. Functions
// are told apart by their values, so that it doesn't matter how they are
// spelled.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_FORMULA_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_FORMULA_H

#include "Reading/Expressions/Reduction.h"
#include <map>

namespace qbackend::forms {

/// A node of a formula. Its operands come before it.
struct Formula {
  ScalarKind kind = ScalarKind::Constant;
  double number = 0;
  /// Of an operand: the number of the variable.
  unsigned variable = 0;
  const Formula *a = nullptr, *b = nullptr, *c = nullptr;
};

/// Where a tensor is read: the dimension of the result that each of its
/// dimensions is; none: its size is 1.
using Position = llvm::SmallVector<std::optional<unsigned>>;

struct Variable {
  enum Kind { Input, Parameter, Reduction };
  Kind kind;
  /// Of parameters: the tensor and where it is read.
  mlir::Value value = {};
  Position position = {};
  /// Of reductions: Add or Max, of what, and over which dimensions of the
  /// input. Those of size 1 are left out.
  ScalarKind reduction = ScalarKind::Add;
  const Formula *element = nullptr;
  llvm::SmallVector<unsigned> axes = {};
};

/// Values of a formula or a variable at several points.
using Samples = std::vector<double>;

/// Reads what ops compute as formulas of one activation, of reductions of it
/// and of parameters.
class FormulaReader {
public:
  /// `input` is variable 0. With `splatsAreParameters`, so are constants with
  /// several equal elements that are broadcast. `type` is the shape that the
  /// formula has, if it isn't the input's: that differs in dimensions of 1.
  FormulaReader(ScalarExpressions &expressions, mlir::Value input,
                bool splatsAreParameters = false,
                mlir::RankedTensorType type = {});

  /// What `op` computes for each element; null if it isn't such a formula, or
  /// not of the shape of the input.
  const Formula *read(mlir::Operation *op);

  /// The values of `formula`, from those of the variables it has.
  Samples evaluate(const Formula *formula,
                   llvm::ArrayRef<Samples> variableValues) const;

  /// How many nodes of one of these kinds there are.
  unsigned count(llvm::ArrayRef<ScalarKind> kinds) const;
  /// The finite numbers that were read, without 0.
  llvm::SmallVector<double> getNumbers() const;
  /// The variables that `formula` has.
  llvm::SmallVector<unsigned> getVariables(const Formula *formula) const;
  mlir::RankedTensorType getType() const { return type; }
  mlir::Value getInput() const { return input; }

  std::vector<Variable> variables;
  /// Whether a splat was read that could have been a parameter.
  bool hasBroadcastSplat = false;

private:
  const Formula *create(Formula formula);
  const Formula *readScalar(const Scalar *scalar, const Position &loops);
  const Formula *readScalarUncached(const Scalar *scalar,
                                    const Position &loops);
  const Formula *readValue(mlir::Value value, Position position);
  const Formula *readUncached(mlir::Value value, const Position &position);
  const Formula *readReduced(const Reduction &reduction,
                             const Position &position);
  bool isInputPosition(Position position);
  bool isFull(mlir::Value value, const Position &position) const;

  ScalarExpressions &expressions;
  mlir::Value input;
  mlir::RankedTensorType type;
  bool splatsAreParameters;
  std::deque<Formula> formulas;
  /// Values and scalars, each where it is read.
  std::map<std::pair<const void *, Position>, const Formula *> known;
  /// Which dimension of the input each reduced loop is. Loops are numbered from
  /// the rank of the input.
  std::vector<std::optional<unsigned>> reducedDims;
  unsigned depth = 0;
};

/// The dimensions that aren't 1.
llvm::SmallVector<unsigned> getProperDims(mlir::RankedTensorType type);

/// Whether both have the same dimensions but for those of 1.
bool differsInUnitDims(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs);

/// Sorts the dimensions of `type` that are reduced, without those of size 1
/// unless all are.
void dropUnitAxes(llvm::SmallVectorImpl<unsigned> &axes,
                  mlir::RankedTensorType type);

/// The operands of a copy or a change of unit dimensions: what it reads where
/// `value` is read at `position`; null for other ops.
mlir::Value getCopied(mlir::Value value, Position &position);

/// If `op` changes the shape by more than unit dimensions: what it changes.
mlir::Value getRegrouped(mlir::Operation *op);

/// Activations before `root` that it may be a function of, the nearest first.
/// `reduced`: those that reductions read instead of those that `root` does.
/// With `views`, not of the root's rank, but of its shape without dimensions
/// of 1.
llvm::SmallVector<mlir::Value> getCandidates(mlir::Operation *root,
                                             bool reduced,
                                             ScalarExpressions &expressions,
                                             bool views = false);

/// The numbers of a constant, of which there is one for each position along
/// `dims` of what it is read for; null if they differ along other ones, too.
mlir::DenseElementsAttr gatherAlong(const Variable &parameter,
                                    llvm::ArrayRef<unsigned> dims,
                                    ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_FORMULA_H

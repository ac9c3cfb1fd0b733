// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element of a tensor is computed from, position by position and across
// ops, as a function that can be asked for its values.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTPROGRAM_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTPROGRAM_H

#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Operators/ScalarOp.h"

#include "mlir/IR/AffineMap.h"

namespace qbackend {

/// A number, or one for each index of a dimension.
struct ChannelNumbers {
  llvm::SmallVector<ScalarNumber> values;
  std::optional<int64_t> axis;
};

/// A function of one number, by steps of the table of ops; its constants may
/// differ from channel to channel.
class ElementProgram {
public:
  /// How many channels it has, at least 1, and along which dimension; nullopt
  /// if all are the same.
  size_t getNumChannels() const { return channels; }
  std::optional<int64_t> getAxis() const { return axis; }
  ScalarType getInputType() const { return slots.front().step.type; }
  ScalarType getType() const { return slots.back().step.type; }
  /// Its constants in channel `channel`.
  llvm::SmallVector<double> getConstants(size_t channel) const;

  /// The number for each of `inputs`, in channel `channel`; NaN where it has
  /// none (a conversion of what is out of range). Integers are extended by
  /// their sign.
  std::vector<double> evaluate(llvm::ArrayRef<double> inputs,
                               size_t channel) const;

private:
  friend class ElementProgramReader;
  struct Slot {
    enum Kind { Input, Constant, Step } kind;
    ScalarStep step = {};
    ChannelNumbers numbers = {};
  };

  bool run(llvm::ArrayRef<double> inputs, size_t channel,
           llvm::MutableArrayRef<double> results) const;

  /// The input first, the result last.
  std::vector<Slot> slots;
  size_t channels = 1;
  std::optional<int64_t> axis;
};

/// Reads what is computed element by element: by ops of arith, math and tosa on
/// tensors of one shape, in regions of structured ops, and through both.
class ElementProgramReader {
public:
  explicit ElementProgramReader(ConstantEvaluator &constants)
      : constants(constants) {}

  /// Calls `visit` with each value that alone says what `result` is, the last
  /// computed first, until it returns true; those are tensors, or scalars in a
  /// region. Looks at a bounded number of ops. What is constant is read like
  /// what isn't, back to the constant that has the most to say.
  void visitSources(mlir::Value result,
                    llvm::function_ref<bool(mlir::Value)> visit);

  /// Whether there is a step from floats to integers, or to the next of
  /// them, between the result and the source that is visited.
  bool rounds() const { return isRounded; }

  /// Whether there is one that rounds by what other code does, too: numbers of
  /// fewer bits, bits that are masked, remainders, large numbers that are
  /// added.
  bool mayRound() const { return isRounded || mayBeRounded; }

  /// `result` as a function of `source`, which was visited for it; nullopt if
  /// its constants differ along two dimensions.
  std::optional<ElementProgram> read(mlir::Value result, mlir::Value source);

  /// The tensor whose elements `value`, an argument of a region, is; `value`
  /// itself if it is anything else.
  static mlir::Value getTensor(mlir::Value value);

  /// Whether `user` computes elements from `value` and from constants that are
  /// the same everywhere, or for each index of a dimension, and from nothing
  /// else.
  bool isStepFrom(mlir::Operation *user, mlir::Value value);

private:
  /// A value by those before it.
  struct Definition {
    ScalarSteps steps;
    llvm::SmallVector<mlir::Value, 3> operands;
    /// Of operands that are constants.
    llvm::SmallVector<std::optional<ChannelNumbers>, 3> numbers;
  };
  const Definition *define(mlir::Value value);
  std::optional<Definition> defineUncached(mlir::Value value);
  std::optional<Definition> defineArgument(mlir::BlockArgument argument);
  std::optional<Definition> defineTensor(mlir::OpResult result);
  std::optional<Definition> defineScalar(mlir::OpResult result);
  /// Keeps open only those operands that have the most to say.
  bool closeConstants(Definition &definition,
                      llvm::ArrayRef<mlir::AffineMap> maps);
  /// The constant `value`, read at the positions `map`.
  std::optional<ChannelNumbers> getNumbers(mlir::Value value,
                                           mlir::AffineMap map);
  /// How much constant `value` of the result's shape has to say: nothing if it
  /// is a parameter.
  unsigned getContent(mlir::Value value, unsigned depth = 0);
  /// Whether `value` is a constant, or a number for each index of a dimension
  /// that only constants say.
  bool isParameter(mlir::Value value, unsigned depth = 0);
  bool isBefore(mlir::Value lhs, mlir::Value rhs);

  ConstantEvaluator &constants;
  /// Of the result that is read.
  mlir::Block *block = nullptr;
  llvm::ArrayRef<int64_t> shape;
  bool isConstant = false, isRounded = false, mayBeRounded = false;
  llvm::DenseMap<mlir::Value, std::optional<Definition>> definitions;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTPROGRAM_H

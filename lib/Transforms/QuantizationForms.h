// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads code that quantizes and dequantizes, however it is spelled.

#ifndef QBACKEND_LIB_TRANSFORMS_QUANTIZATIONFORMS_H
#define QBACKEND_LIB_TRANSFORMS_QUANTIZATIONFORMS_H

#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Transforms/Remarks.h"

#include "mlir/IR/AffineMap.h"

namespace qbackend {

struct ScalarStep;

/// A number, or one for each index of a dimension of the result.
struct ChannelNumbers {
  llvm::SmallVector<double> values;
  std::optional<int64_t> axis;
};

/// One step from a tensor to one of the same shape.
struct ElementStep {
  enum Kind {
    Multiply,
    Divide,
    Add,
    Subtract,
    Max,
    Min,
    Round,
    /// A real number to an integer of `width` bits.
    ToInteger,
    /// An integer to a real number, or to one of more bits.
    ToReal,
    Widen,
  };
  Kind kind;
  ChannelNumbers numbers = {};
  bool isSigned = true;
  unsigned width = 0;
  /// The tensor before this step; null inside of an op.
  mlir::Value input = {};
};

/// What dequantizes numbers, and maybe quantized them before.
struct QuantizationForm {
  /// The tensor that is quantized, or the integers that are dequantized.
  mlir::Value source;
  /// Whether `source` holds integers.
  bool isDequantize = false;
  ChannelNumbers scales, zeroPoints;
  /// The smallest and largest integer; of a type if nothing else is said.
  double min = 0, max = 0;
  /// Of the integers, where there are some: the sign that they are read with.
  std::optional<bool> isSigned;
};

/// Reads the form that ends with the result of an op. Looks at a bounded number
/// of ops.
class QuantizationReader {
public:
  explicit QuantizationReader(ConstantEvaluator &constants)
      : constants(constants) {}

  /// The form whose end is `result`. There is a reason why not if it rounds
  /// like one and yet can't be understood.
  OrRefusal<QuantizationForm> read(mlir::Value result);

private:
  using Steps = llvm::SmallVectorImpl<ElementStep>;

  /// Appends the steps of one op, the last one first, and returns the tensor
  /// before them; null, and nothing is appended, if it is no such op.
  mlir::Value readOp(mlir::Value result, Steps &steps);
  mlir::Value readRegion(mlir::Operation *op, Steps &steps);
  /// The same for an op on elements, or on tensors without broadcast.
  mlir::Value readScalar(
      mlir::Operation *op, Steps &steps,
      llvm::function_ref<std::optional<ChannelNumbers>(mlir::Value)> lookUp);
  using NumbersOf = llvm::function_ref<std::optional<ChannelNumbers>(unsigned)>;
  /// Appends one step of what an op computes, unless it changes no number;
  /// returns which of its operands it is a step from.
  static std::optional<unsigned> readStep(const ScalarStep &step, Steps &steps,
                                          NumbersOf numbersOf);
  /// The constant `value`, read at the positions `map`.
  std::optional<ChannelNumbers> getNumbers(mlir::Value value,
                                           mlir::AffineMap map);
  /// The same, in the shape of a result of rank `rank`.
  std::optional<ChannelNumbers> getTensorNumbers(mlir::Value value,
                                                 int64_t rank);

  ConstantEvaluator &constants;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_QUANTIZATIONFORMS_H

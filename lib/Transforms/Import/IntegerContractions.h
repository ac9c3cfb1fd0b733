// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads integer matmuls and convolutions with int32 accumulators as those of
// the dequantized operands.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCONTRACTIONS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCONTRACTIONS_H

#include "QuantizationForms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <functional>

namespace qbackend {

/// `f32(sum((x - zx) * (w - zw)) + b) * s` is a product of floats if `x`
/// is quantized by a scale `sx` and `zx`, `w` is constant or quantized, too,
/// and `s = sx * sw`. What moves elements between the quantize, the contraction
/// and the dequantize is moved with them.
class ContractionImporter {
public:
  /// The numbers that a quantize before `op` gives, at `op`.
  using CreatePair = std::function<OrRefusal<mlir::Value>(
      mlir::Operation *op, const QuantizationForm &form)>;
  /// Those of constant integers.
  using CreateConstant = std::function<OrRefusal<mlir::Value>(
      mlir::Operation *op, mlir::DenseElementsAttr integers,
      const QuantizationForm &form)>;

  ContractionImporter(ConstantEvaluator &constants, CreatePair createPair,
                      CreateConstant createConstant)
      : constants(constants), createPair(std::move(createPair)),
        createConstant(std::move(createConstant)) {}

  /// The floats `sums * scale`, computed at `op`, where `sums` is a
  /// tensor of i32. What was created before a refusal is dead. There is a
  /// reason if a contraction was met.
  OrRefusal<mlir::Value> import(mlir::Operation *op, mlir::Value sums,
                                double scale);

private:
  /// An operand of a contraction.
  struct Factor {
    mlir::Value integers;
    /// The number of the operand.
    unsigned operand = 0;
    int64_t zeroPoint = 0;
    bool isSigned = true;
  };
  std::optional<int64_t> getInteger(mlir::Value value, mlir::Operation *op);
  std::optional<Factor> getFactor(mlir::Value value, mlir::linalg::LinalgOp op);
  OrRefusal<mlir::Value> importSums(mlir::Value sums, double scale);
  OrRefusal<mlir::Value> importStructured(mlir::linalg::LinalgOp op,
                                          double scale);
  OrRefusal<mlir::Value> importTosa(mlir::Operation *op, double scale);
  /// The numbers of `lhs` and `rhs`, whose products have the scale `scale`.
  OrRefusal<std::pair<mlir::Value, mlir::Value>>
  importFactors(const Factor &lhs, const Factor &rhs, double scale);
  OrRefusal<mlir::Value> importBytes(const Factor &factor, double &scale);
  OrRefusal<mlir::Value> importConstant(mlir::Value sums, double scale);
  /// What moves elements from its first operand, with `asFloat` as that; null
  /// if `op` does anything else. Paddings are `zeroPoint`.
  mlir::Value createMovement(mlir::Operation *op,
                             llvm::function_ref<mlir::Value()> getFloat,
                             int64_t zeroPoint);

  ConstantEvaluator &constants;
  CreatePair createPair;
  CreateConstant createConstant;
  mlir::Operation *user = nullptr;
  /// How many values were read for it: what adds a value to itself, and that to
  /// itself, has more paths than ops.
  unsigned steps = 0;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCONTRACTIONS_H

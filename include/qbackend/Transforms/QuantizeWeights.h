// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a qconfig makes of an operator, and of its weight.

#ifndef QBACKEND_TRANSFORMS_QUANTIZEWEIGHTS_H
#define QBACKEND_TRANSFORMS_QUANTIZEWEIGHTS_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Numerics/QuantParams.h"

namespace qbackend {

/// The ways in which an operator is quantized.
enum class QuantizationMode {
  /// Activations and weights are integers, by parameters from calibration.
  Static,
  /// The input is quantized at run time, the result is float.
  Dynamic,
  /// Activations are float.
  WeightOnly,
  /// Everything is float, with the precision of 16 bits.
  Float16,
};

/// Whether `dtype` is a float of 16 bits: f16 or bf16.
bool isHalf(mlir::Type dtype);

QuantizationMode getQuantizationMode(QConfigAttr qconfig);

/// Whether the weight of `op` is one that a qconfig's weight observer is for.
/// That of a normalization is not.
bool hasQuantizedWeight(OperatorOp op);

/// Why `op` can't be quantized as `qconfig` says; empty if it can.
std::string whyNotQuantizable(OperatorOp op, QConfigAttr qconfig);

/// The per-tensor type of integers of `dtype`, with their whole range: the
/// engine clamps to the type, whatever range an observer had.
mlir::quant::UniformQuantizedType
getQuantizedElement(mlir::Type dtype, double scale, int64_t zeroPoint);

/// How the numbers of a weight become integers of [min, max]: by one scale and
/// zero point, or one for each row.
struct WeightParameters {
  llvm::SmallVector<numerics::QuantParams, 0> channels;
  int64_t min = 0, max = 0;
};

/// What the qconfig of `op` makes of a weight with these numbers. Fails, and
/// says so at `op`, if one of them is not finite, or the qconfig has no
/// integers.
mlir::FailureOr<WeightParameters>
getWeightParameters(OperatorOp op, llvm::ArrayRef<float> weight);

/// Puts the weight of `op`, which is a constant, as its qconfig wants it: the
/// integers, or 16-bit floats, are the constant, and what the operator reads
/// are the numbers that they stand for. With static activations the bias
/// becomes int32, as the kernels have it. A parameter that was put so before
/// stays. Unless `fold` is set, 8-bit weights and biases stay float constants,
/// which the code quantizes and dequantizes.
mlir::LogicalResult quantizeParameters(OperatorOp op, bool fold = true,
                                       bool realBias = false);

/// The table of an embedding, as `quantizeParameters` leaves it: an i8 constant
/// with an entry in each byte, and the scale and zero point of each row.
struct QuantizedTable {
  mlir::DenseElementsAttr entries, scales, zeroPoints;
};

/// The table behind `weight`; nothing if it isn't one.
std::optional<QuantizedTable> getQuantizedTable(mlir::Value weight);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_QUANTIZEWEIGHTS_H

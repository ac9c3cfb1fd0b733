// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constants behind ops of the qnnpack dialect, from their types: what a
// verifier checks and a lowering emits. The arithmetic is that of Numerics.

#ifndef QBACKEND_DIALECT_QNNPACK_PARAMETERS_H
#define QBACKEND_DIALECT_QNNPACK_PARAMETERS_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Tables.h"

#include <array>
#include <optional>
#include <utility>

namespace qbackend::qnnpack {

/// f32(1 / scale).
float getInverse(double scale);

/// The scales and the zero points of the weight type `weight`: one, or one for
/// each output channel.
llvm::SmallVector<double> getWeightScales(mlir::Type weight);
llvm::SmallVector<int64_t> getWeightZeroPoints(mlir::Type weight);

/// Multiplier of the accumulator of an op with a weight: one, or one for each
/// output channel.
llvm::SmallVector<float> getRequantizationMultipliers(mlir::Type input,
                                                      mlir::Type weight,
                                                      mlir::Type output);

/// Multiplier of the product of two integers in mul.
float getMulMultiplier(mlir::Type lhs, mlir::Type rhs, mlir::Type output);

/// Ratios of the scales of the operands of add to that of its result.
std::pair<float, float> getAddRatios(mlir::Type lhs, mlir::Type rhs,
                                     mlir::Type output);

/// Fixed-point form of these ratios.
numerics::AddMultipliers getAddMultipliers(mlir::Type lhs, mlir::Type rhs,
                                           mlir::Type output);

/// Multiplier of the accumulator of prelu, that of ATen for either sign.
float getPreluMultiplier(mlir::Type input, mlir::Type weight,
                         mlir::Type output);

/// The integer of 1 in the type of the slopes of prelu, less its zero point.
int32_t getPreluOne(mlir::quant::UniformQuantizedType weight);

/// The integer of `value` in `type`.
int64_t quantizeNumber(float value, mlir::quant::UniformQuantizedType type);

/// The table of an activation function: entry `i` is the output integer of the
/// input whose byte is `i`. Null for an op that is not evaluated by a table.
/// `code` says which of ATen's two codes; the others have but one.
std::optional<std::array<int8_t, 256>>
getTable(mlir::Operation *op,
         numerics::AtenCode code = numerics::AtenCode::Scalar);

/// What adding or multiplying by `scalar` does to integers of `type`.
numerics::ScalarResult
getAddScalarResult(mlir::quant::UniformQuantizedType type, double scalar);
numerics::ScalarResult
getMulScalarResult(mlir::quant::UniformQuantizedType type, double scalar);

} // namespace qbackend::qnnpack

#endif // QBACKEND_DIALECT_QNNPACK_PARAMETERS_H

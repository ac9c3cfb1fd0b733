// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of QNNPackToTosa share. TOSA computes on signed integers:
// the integer q of an unsigned type is stored as q - 128, and so are zero
// points and bounds. This is called the stored form here.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOTOSA_TENSORS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOTOSA_TENSORS_H

#include "../LoweringPattern.h"

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::qnnpack_to_tosa {

using mlir::ImplicitLocOpBuilder;
using mlir::Value;

/// Why an op has no TOSA form, for those that were tried.
using Reasons = llvm::DenseMap<mlir::Operation *, std::string>;

/// The pattern sets of the files of this library.
using Populate = void(const mlir::TypeConverter &converter,
                      mlir::RewritePatternSet &patterns, Reasons &reasons);
Populate populateConvolutionPatterns, populateElementwisePatterns,
    populatePoolingPatterns, populateShapePatterns, populateSoftmaxPatterns;

//===----------------------------------------------------------------------===//
// Stored form
//===----------------------------------------------------------------------===//

/// What is subtracted from integers of `type`: 128 if it is unsigned.
int64_t getStoredOffset(mlir::quant::QuantizedType type);

/// The zero point, stored.
int64_t getStoredZeroPoint(mlir::quant::UniformQuantizedType type);

/// `value`, of a quantized type, as the tensor of signed integers that TOSA
/// computes on; and back to the quantized `type`.
Value toStored(ImplicitLocOpBuilder &b, Value value);
Value fromStored(ImplicitLocOpBuilder &b, Value value,
                 mlir::RankedTensorType type);

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value constant(ImplicitLocOpBuilder &b, llvm::ArrayRef<int8_t> values,
               llvm::ArrayRef<int64_t> shape);
Value constant(ImplicitLocOpBuilder &b, llvm::ArrayRef<int32_t> values,
               llvm::ArrayRef<int64_t> shape);

/// The same of integers of `element`, which are in its range.
Value constant(ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> values,
               llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// A tensor of one integer, of rank 1: what TOSA calls a scalar.
Value byte(ImplicitLocOpBuilder &b, int64_t value);
Value word(ImplicitLocOpBuilder &b, int64_t value);

/// An i32 that broadcasts to tensors of rank `rank`.
Value splat(ImplicitLocOpBuilder &b, int64_t value, int64_t rank);

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A multiplier as TOSA's rescale wants it: integer / 2^shift, with the integer
/// in [0, 2^31) and the shift in [2, 62].
struct FixedPoint {
  int32_t integer;
  int8_t shift;
};

/// `multiplier`, which is positive. Exact for any f32 that changes a result: 24
/// bits of a mantissa fit 31, and a product with an i32 of less than 2^-32 is
/// 0.
FixedPoint toFixedPoint(double multiplier);

/// TOSA's rescale to integers of `element`: (value - from) * multiplier + to,
/// rounded to nearest with ties up, saturated. One multiplier, or one for each
/// channel of the last dimension.
Value rescale(ImplicitLocOpBuilder &b, Value value,
              llvm::ArrayRef<FixedPoint> multipliers, int64_t from, int64_t to,
              mlir::Type element);

/// The same of a requantization; null if TOSA doesn't round like that.
Value rescale(ImplicitLocOpBuilder &b, Value value,
              qnnpack::RequantizationAttr requantization, int64_t from,
              int64_t to, mlir::Type element);

/// Why there is no rescale for it.
inline constexpr llvm::StringLiteral kRounding =
    "TOSA rounds half up or twice, not as its requantization does";

/// `value - zeroPoint` in i32.
Value center(ImplicitLocOpBuilder &b, Value value, int64_t zeroPoint);

/// The smallest and the largest stored integer of a result.
struct OutputRange {
  int64_t lo;
  int64_t hi;
};

/// That of `type`; `relu` raises it to the zero point.
OutputRange getOutputRange(mlir::quant::UniformQuantizedType type, bool relu);

/// clamp(value, range); `value` itself if the range is that of its type.
Value clamp(ImplicitLocOpBuilder &b, Value value, OutputRange range);

/// The stored integers of `type` for float `accumulators * multipliers`.
/// `bounds`, one for each multiplier, is the largest magnitude of an
/// accumulator: where TOSA leaves the product undefined for it, accumulators
/// are limited first, far beyond where the result saturates.
Value requantize(ImplicitLocOpBuilder &b, Value accumulators,
                 llvm::ArrayRef<float> multipliers,
                 llvm::ArrayRef<int64_t> bounds,
                 mlir::quant::UniformQuantizedType type, bool relu);

/// A table lookup: `function` maps an integer of `from` to one of `to`.
Value lookup(ImplicitLocOpBuilder &b, Value value,
             mlir::quant::UniformQuantizedType from,
             mlir::quant::UniformQuantizedType to,
             llvm::function_ref<int64_t(int64_t)> function);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value reshape(ImplicitLocOpBuilder &b, Value value,
              llvm::ArrayRef<int64_t> shape);

/// [start, end) of dimension `axis`, which is static.
Value slice(ImplicitLocOpBuilder &b, Value value, int64_t axis, int64_t start,
            int64_t end);

Value concat(ImplicitLocOpBuilder &b, mlir::ValueRange values, int64_t axis);

/// `value` with ones before its shape, up to `rank`.
Value raiseRank(ImplicitLocOpBuilder &b, Value value, int64_t rank);

/// Windows along height and width, and how TOSA wants their image: windows
/// and padding cover it exactly, so pixels that no window reads are cut off.
struct Windows {
  llvm::SmallVector<int64_t, 2> kernel;
  llvm::SmallVector<int64_t, 2> stride;
  llvm::SmallVector<int64_t, 2> dilation = {1, 1};
  /// Top, bottom, left, right.
  llvm::SmallVector<int64_t, 4> padding = {0, 0, 0, 0};

  /// Cuts the image and changes the padding to an output of the given shape.
  Value fit(ImplicitLocOpBuilder &b, Value image,
            llvm::ArrayRef<int64_t> output);
};

/// Whether only the batch of the image is dynamic.
bool isStaticImage(mlir::ShapedType type);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

class LoweringBuilder : public ReplacementBuilder {
public:
  using Context = Reasons &;
  LoweringBuilder(mlir::Operation *op, mlir::OpBuilder &builder,
                  const mlir::TypeConverter &converter, Reasons &reasons)
      : ReplacementBuilder(op, builder, converter), reasons(reasons) {}

  /// No replacement, and why: to be returned before anything is built.
  Value decline(mlir::Operation *op, std::string reason) const {
    reasons[op] = std::move(reason);
    return {};
  }

private:
  Reasons &reasons;
};

} // namespace qbackend::qnnpack_to_tosa

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOTOSA_TENSORS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of QNNPackToLinalg share: scalar arithmetic in the body of
// a linalg.generic, and the tensors around it.

#ifndef QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_SCALARS_H
#define QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_SCALARS_H

#include "../LoweringPattern.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::qnnpack {

using mlir::ImplicitLocOpBuilder;
using mlir::Value;

/// The pattern sets of the files of this library. With `signedBytes`, see
/// `getStored`.
using Populate = void(const mlir::TypeConverter &converter,
                      mlir::RewritePatternSet &patterns, bool signedBytes);
Populate populateActivationPatterns, populateConvolutionPatterns,
    populateElementwisePatterns, populateLinearPatterns,
    populateEmbeddingPatterns, populateNormalizationPatterns,
    populatePoolingPatterns, populateResizePatterns, populateShapePatterns;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Whether integers of `type`, unsigned bytes, can be held less 128.
bool canShift(mlir::Type type);

/// The type of what bytes hold for integers of `type`: that type, or with
/// `signedBytes` for an unsigned one these integers less 128, as signed bytes.
/// The bits of a byte and a zero point differ; floats don't. Formulas are
/// chosen by `type`: the engine has others for signed integers.
mlir::quant::UniformQuantizedType
getStored(mlir::quant::UniformQuantizedType type, bool signedBytes);

/// The integer in `to` of `value`, an i32 integer in `from`, of the same exact
/// number: one of them is the stored type of the other.
Value restate(ImplicitLocOpBuilder &b, Value value,
              mlir::quant::UniformQuantizedType from,
              mlir::quant::UniformQuantizedType to);

/// Scalar constants of type i32, f32 and i8. The last one takes the low byte.
Value i32Constant(ImplicitLocOpBuilder &b, int64_t value);
Value f32Constant(ImplicitLocOpBuilder &b, float value);
Value byteConstant(ImplicitLocOpBuilder &b, int64_t value);

/// `value`, of the storage of `type`, extended to i32.
Value extend(ImplicitLocOpBuilder &b, Value value,
             mlir::quant::QuantizedType type);

/// `value`, of the storage of `type`, less its zero point, as i32.
Value center(ImplicitLocOpBuilder &b, Value value,
             mlir::quant::UniformQuantizedType type);

/// The smallest and the largest integer of a result.
struct OutputRange {
  int64_t lo;
  int64_t hi;
};

/// That of the storage of `type`; `relu` raises it to the zero point.
OutputRange getOutputRange(mlir::quant::UniformQuantizedType type, bool relu);

/// max(lo, min(hi, value)) on i32, where a bound that `value` can't cross,
/// because it is in `known`, is left out.
Value clampI32(ImplicitLocOpBuilder &b, Value value, OutputRange range,
               OutputRange known = {INT32_MIN, INT32_MAX});

/// What happens to a product of 2^31 or more.
enum class Overflow {
  ToLowest, // QNNPACK: the conversion gives the smallest int32
  ToHighest // XNNPACK: clamped before the conversion
};

/// clamp(rne(f32(accumulator) * multiplier) + zeroPoint, range) in the byte of
/// the result. `largest` bounds the magnitude of the product: the handling of
/// overflow is left out where there can be none.
Value requantize(ImplicitLocOpBuilder &b, Value accumulator, Value multiplier,
                 int64_t zeroPoint, OutputRange range, double largest,
                 Overflow overflow);

/// round(value * multiplier / 2^shift) of the i32 or i64 `value`, in i32, as
/// `requantization` says. `multiplier`, i32, and `shift`, i8, are those of the
/// element, or null where there is only one.
Value applyFixedPoint(ImplicitLocOpBuilder &b, Value value,
                      RequantizationAttr requantization, Value multiplier = {},
                      Value shift = {});

/// clamp(value + zeroPoint, range) of an i32 as an integer of `bits`, without a
/// sum that wraps.
Value addZeroPoint(ImplicitLocOpBuilder &b, Value value, int64_t zeroPoint,
                   OutputRange range, unsigned bits = 8);

/// The float, f32, of `value` in the storage of `type`.
Value dequantizeScalar(ImplicitLocOpBuilder &b, Value value,
                       mlir::quant::UniformQuantizedType type);

/// The same by fma(scale, q, -f32(scale * zeroPoint)), as ATen's vector code:
/// `q` is the integer in `type`, `value` in its `stored` type.
Value dequantizeFusedScalar(ImplicitLocOpBuilder &b, Value value,
                            mlir::quant::UniformQuantizedType stored,
                            mlir::quant::UniformQuantizedType type);

/// clamp(zeroPoint + rne(scaled), range) of the f32 `scaled`, which is in steps
/// of the result; NaN and magnitudes of 2^63 and more give the lowest integer.
/// At most 16 bits of storage. `zeroPoint` is an i32.
Value roundScalar(ImplicitLocOpBuilder &b, Value scaled, Value zeroPoint,
                  OutputRange range);

/// The i32 integer of the f32 `value`, by its scale's reciprocal `inverse`, in
/// [lo, hi]. At most 16 bits of storage. `zeroPoint` is an i32.
Value quantizeScalar(ImplicitLocOpBuilder &b, Value value, Value inverse,
                     Value zeroPoint, OutputRange range);

/// As above, with the parameters of `type`, and in its storage.
Value quantizeScalar(ImplicitLocOpBuilder &b, Value value,
                     mlir::quant::UniformQuantizedType type, OutputRange range);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// An uninitialised tensor of `type`, with its dynamic dimensions those of
/// `like`.
Value emptyLike(ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                Value like);

/// A tensor of `type` filled with the scalar `value`.
Value filled(ImplicitLocOpBuilder &b, Value value, mlir::RankedTensorType type,
             Value like);

using Body =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, mlir::ValueRange)>;

/// In the body of a linalg.generic: what `compute(true)` gives for the first
/// `vectors` positions of the last dimensions of `shape`, taken as one, and
/// what `compute(false)` gives for the rest. The dimensions are those from
/// `first` on, and static. Only what is needed is computed.
Value vectorOrScalar(ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape,
                     int64_t first, int64_t vectors,
                     llvm::function_ref<Value(bool isVector)> compute);

/// A linalg.generic with the given maps, one for each input and the last for
/// `init`. The body gets an element of each input, then one of `init`.
Value generic(ImplicitLocOpBuilder &b, mlir::ValueRange inputs, Value init,
              llvm::ArrayRef<mlir::AffineMap> maps,
              llvm::ArrayRef<mlir::utils::IteratorType> loops, Body body);

/// The same with parallel loops only.
Value parallel(ImplicitLocOpBuilder &b, mlir::ValueRange inputs, Value init,
               llvm::ArrayRef<mlir::AffineMap> maps, Body body);

/// A linalg.generic on tensors of one shape; the result has element type
/// `element`.
Value elementwise(ImplicitLocOpBuilder &b, mlir::ValueRange inputs,
                  mlir::Type element, Body body);

/// Shorthands of loop kinds: 'p' parallel, 'r' reduction.
llvm::SmallVector<mlir::utils::IteratorType> loopKinds(llvm::StringRef kinds);

/// The image `input` of integers with `value` around it. `sizes` has two
/// numbers for each spatial dimension: top, bottom, left, right. The input
/// itself if all of them are 0.
Value padImage(ImplicitLocOpBuilder &b, Value input, int64_t value,
               llvm::ArrayRef<int64_t> sizes);

/// Constant tensors; of a single value, which all elements have, if there is
/// one value only.
Value constantTensor(ImplicitLocOpBuilder &b, llvm::ArrayRef<float> values,
                     llvm::ArrayRef<int64_t> shape);
Value constantTensor(ImplicitLocOpBuilder &b, llvm::ArrayRef<int32_t> values,
                     llvm::ArrayRef<int64_t> shape);
Value constantTensor(ImplicitLocOpBuilder &b, llvm::ArrayRef<int8_t> values,
                     llvm::ArrayRef<int64_t> shape);
Value constantTensor(ImplicitLocOpBuilder &b, llvm::ArrayRef<int16_t> values,
                     llvm::ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// With `signedBytes`, see `getStored`.
class LoweringBuilder : public ReplacementBuilder {
public:
  using Context = bool;
  LoweringBuilder(mlir::Operation *op, mlir::OpBuilder &builder,
                  const mlir::TypeConverter &converter, bool signedBytes)
      : ReplacementBuilder(op, builder, converter), signedBytes(signedBytes) {}

  /// What bytes hold of `value`, a tensor of a quantized type.
  mlir::quant::UniformQuantizedType stored(Value value) const {
    return getStored(getQuantizedType(value.getType()), signedBytes);
  }

  const bool signedBytes;
};

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_CONVERSION_QNNPACKTOLINALG_SCALARS_H

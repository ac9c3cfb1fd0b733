// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, rescaling and shapes in TOSA.

#include "Tensors.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack_to_tosa;

//===----------------------------------------------------------------------===//
// Stored form
//===----------------------------------------------------------------------===//

// A multiplier of 1.
static constexpr FixedPoint kOne = {1 << 30, 30};

int64_t qnnpack_to_tosa::getStoredOffset(quant::QuantizedType type) {
  return type.isSigned() ? 0 : 128;
}

int64_t qnnpack_to_tosa::getStoredZeroPoint(quant::UniformQuantizedType type) {
  return type.getZeroPoint() - getStoredOffset(type);
}

/// The rescale that changes the signedness of bytes, and no number.
static Value changeSign(ImplicitLocOpBuilder &b, Value value, bool toSigned) {
  Value multiplier = word(b, kOne.integer), shift = byte(b, kOne.shift);
  Value inputZero = byte(b, toSigned ? 128 : 0);
  Value outputZero = byte(b, toSigned ? 0 : 128);
  return tosa::RescaleOp::create(
      b, value.getType(), value, multiplier, shift, inputZero, outputZero,
      /*scale32=*/true, tosa::RoundingMode::SINGLE_ROUND,
      /*per_channel=*/false, /*input_unsigned=*/toSigned,
      /*output_unsigned=*/!toSigned);
}

Value qnnpack_to_tosa::toStored(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto quantized = cast<quant::QuantizedType>(type.getElementType());
  Type storage = b.getIntegerType(quantized.getStorageTypeIntegralWidth());
  Value bytes =
      b.createOrFold<quant::StorageCastOp>(type.clone(storage), value);
  if (quantized.isSigned())
    return bytes;
  return changeSign(b, bytes, /*toSigned=*/true);
}

Value qnnpack_to_tosa::fromStored(ImplicitLocOpBuilder &b, Value value,
                                  RankedTensorType type) {
  if (!cast<quant::QuantizedType>(type.getElementType()).isSigned())
    value = changeSign(b, value, /*toSigned=*/false);
  return quant::StorageCastOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T>
static Value denseConstant(ImplicitLocOpBuilder &b, ArrayRef<T> values,
                           ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  return tosa::ConstOp::create(b, type, DenseElementsAttr::get(type, values));
}

Value qnnpack_to_tosa::constant(ImplicitLocOpBuilder &b,
                                ArrayRef<int8_t> values,
                                ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getI8Type());
}

Value qnnpack_to_tosa::constant(ImplicitLocOpBuilder &b,
                                ArrayRef<int32_t> values,
                                ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getI32Type());
}

Value qnnpack_to_tosa::constant(ImplicitLocOpBuilder &b,
                                ArrayRef<int64_t> values,
                                ArrayRef<int64_t> shape, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  SmallVector<APInt> integers = llvm::map_to_vector(values, [&](int64_t value) {
    return APInt(bits, value, /*isSigned=*/true);
  });
  return denseConstant(b, ArrayRef<APInt>(integers), shape, element);
}

Value qnnpack_to_tosa::byte(ImplicitLocOpBuilder &b, int64_t value) {
  return constant(b, ArrayRef<int8_t>{static_cast<int8_t>(value)}, {1});
}

Value qnnpack_to_tosa::word(ImplicitLocOpBuilder &b, int64_t value) {
  return splat(b, value, /*rank=*/1);
}

Value qnnpack_to_tosa::splat(ImplicitLocOpBuilder &b, int64_t value,
                             int64_t rank) {
  return constant(b, ArrayRef<int32_t>{static_cast<int32_t>(value)},
                  SmallVector<int64_t>(rank, 1));
}

static Value shapeConstant(ImplicitLocOpBuilder &b, ArrayRef<int64_t> sizes) {
  int64_t rank = sizes.size();
  return tosa::ConstShapeOp::create(
      b, tosa::shapeType::get(b.getContext(), rank),
      cast<DenseIntElementsAttr>(DenseElementsAttr::get(
          RankedTensorType::get({rank}, b.getIndexType()), sizes)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

FixedPoint qnnpack_to_tosa::toFixedPoint(double multiplier) {
  int exponent;
  double fraction = std::frexp(multiplier, &exponent); // in [1/2, 1)
  int64_t integer = std::llround(std::ldexp(fraction, 31));
  int shift = 31 - exponent;
  if (integer == int64_t(1) << 31) {
    integer >>= 1;
    --shift;
  }
  if (shift < 2) // 1 is beyond any byte already.
    return {INT32_MAX, 2};
  if (shift > 62) {
    integer = shift - 62 > 31 ? 0 : integer >> (shift - 62);
    shift = 62;
  }
  return {static_cast<int32_t>(integer), static_cast<int8_t>(shift)};
}

/// A rescale with the given multipliers and shifts. Sums of 48 bits have
/// multipliers of 16.
static Value createRescale(ImplicitLocOpBuilder &b, Value value,
                           ArrayRef<int32_t> integers, ArrayRef<int8_t> shifts,
                           tosa::RoundingMode rounding, int64_t from,
                           int64_t to, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t count = integers.size();
  auto zeroPoint = [&](Type element, int64_t value) {
    return constant(b, ArrayRef<int64_t>{value}, {1}, element);
  };
  bool scale32 = !type.getElementType().isInteger(48);
  Value multiplier = constant(b, SmallVector<int64_t>(integers), {count},
                              scale32 ? b.getI32Type() : b.getI16Type());
  Value shift = constant(b, shifts, {count});
  Value inputZero = zeroPoint(type.getElementType(), from);
  Value outputZero = zeroPoint(element, to);
  return tosa::RescaleOp::create(
      b, type.clone(element), value, multiplier, shift, inputZero, outputZero,
      scale32, rounding,
      /*per_channel=*/count != 1, /*input_unsigned=*/false,
      /*output_unsigned=*/false);
}

Value qnnpack_to_tosa::rescale(ImplicitLocOpBuilder &b, Value value,
                               qnnpack::RequantizationAttr requantization,
                               int64_t from, int64_t to, Type element) {
  bool isTwice = requantization.getRounding() == numerics::Rounding::Double;
  if (!isTwice && requantization.getRounding() != numerics::Rounding::HalfUp)
    return {};
  tosa::RoundingMode rounding = isTwice ? tosa::RoundingMode::DOUBLE_ROUND
                                        : tosa::RoundingMode::SINGLE_ROUND;
  if (int64_t left = requantization.getLeftShift()) {
    // 2^30 / 2^30 leaves the integer less its zero point.
    value = createRescale(b, value, {1 << 30}, {30},
                          tosa::RoundingMode::SINGLE_ROUND, from, /*to=*/0,
                          b.getI32Type());
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> ones(type.getRank(), 1);
    int32_t bits[] = {static_cast<int32_t>(left)};
    value = tosa::LogicalLeftShiftOp::create(
        b, type, value, constant(b, ArrayRef<int32_t>(bits), ones));
    from = 0;
  }
  return createRescale(b, value, requantization.getMultiplier(),
                       requantization.getShift(), rounding, from, to, element);
}

Value qnnpack_to_tosa::rescale(ImplicitLocOpBuilder &b, Value value,
                               ArrayRef<FixedPoint> multipliers, int64_t from,
                               int64_t to, Type element) {
  SmallVector<int32_t> integers;
  SmallVector<int8_t> shifts;
  for (FixedPoint multiplier : multipliers) {
    integers.push_back(multiplier.integer);
    shifts.push_back(multiplier.shift);
  }
  return createRescale(b, value, integers, shifts,
                       tosa::RoundingMode::SINGLE_ROUND, from, to, element);
}

Value qnnpack_to_tosa::center(ImplicitLocOpBuilder &b, Value value,
                              int64_t zeroPoint) {
  return rescale(b, value, kOne, zeroPoint, 0, b.getI32Type());
}

OutputRange qnnpack_to_tosa::getOutputRange(quant::UniformQuantizedType type,
                                            bool relu) {
  int64_t lo = relu ? type.getZeroPoint() : type.getStorageTypeMin();
  return {lo - getStoredOffset(type),
          type.getStorageTypeMax() - getStoredOffset(type)};
}

Value qnnpack_to_tosa::clamp(ImplicitLocOpBuilder &b, Value value,
                             OutputRange range) {
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits = element.getIntOrFloatBitWidth();
  if (range.lo <= llvm::minIntN(bits) && range.hi >= llvm::maxIntN(bits))
    return value;
  return tosa::ClampOp::create(b, value.getType(), value,
                               b.getIntegerAttr(element, range.lo),
                               b.getIntegerAttr(element, range.hi));
}

Value qnnpack_to_tosa::requantize(ImplicitLocOpBuilder &b, Value accumulators,
                                  ArrayRef<float> multipliers,
                                  ArrayRef<int64_t> bounds,
                                  quant::UniformQuantizedType type, bool relu) {
  bool uniform = llvm::all_equal(multipliers);
  SmallVector<FixedPoint> fixed;
  SmallVector<int32_t> limits;
  bool limited = false;
  for (auto [multiplier, bound] : llvm::zip_equal(multipliers, bounds)) {
    FixedPoint point = toFixedPoint(multiplier);
    // TOSA: value in [-2^(shift - 1), 2^(shift - 1)).
    int64_t limit = (int64_t(1) << (point.shift - 1)) - 1;
    limited |= bound > limit;
    limits.push_back(static_cast<int32_t>(std::min<int64_t>(limit, INT32_MAX)));
    if (fixed.empty() || !uniform)
      fixed.push_back(point);
  }
  if (limited) {
    auto accType = cast<RankedTensorType>(accumulators.getType());
    SmallVector<int64_t> shape(accType.getRank(), 1);
    if (llvm::all_equal(limits))
      limits.resize(1);
    shape.back() = limits.size();
    SmallVector<int32_t> negated =
        llvm::map_to_vector(limits, [](int32_t limit) { return -limit; });
    accumulators = tosa::MinimumOp::create(b, accType, accumulators,
                                           constant(b, limits, shape));
    accumulators = tosa::MaximumOp::create(b, accType, accumulators,
                                           constant(b, negated, shape));
  }
  Value bytes = rescale(b, accumulators, fixed, 0, getStoredZeroPoint(type),
                        b.getI8Type());
  return clamp(b, bytes, getOutputRange(type, relu));
}

Value qnnpack_to_tosa::lookup(ImplicitLocOpBuilder &b, Value value,
                              quant::UniformQuantizedType from,
                              quant::UniformQuantizedType to,
                              llvm::function_ref<int64_t(int64_t)> function) {
  SmallVector<int8_t> entries;
  for (int64_t stored = INT8_MIN; stored <= INT8_MAX; ++stored)
    entries.push_back(static_cast<int8_t>(
        function(stored + getStoredOffset(from)) - getStoredOffset(to)));
  return tosa::TableOp::create(b, value.getType(), value,
                               constant(b, entries, {256}));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The sizes of `shape` as TOSA writes them: -1 is for the one that isn't
/// known.
static SmallVector<int64_t> spell(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [](int64_t size) {
    return ShapedType::isDynamic(size) ? int64_t(-1) : size;
  });
}

Value qnnpack_to_tosa::reshape(ImplicitLocOpBuilder &b, Value value,
                               ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return tosa::ReshapeOp::create(b, type.clone(shape), value,
                                 shapeConstant(b, spell(shape)));
}

Value qnnpack_to_tosa::slice(ImplicitLocOpBuilder &b, Value value, int64_t axis,
                             int64_t start, int64_t end) {
  auto type = cast<RankedTensorType>(value.getType());
  if (start == 0 && end == type.getDimSize(axis))
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), shape(type.getShape());
  starts[axis] = start;
  shape[axis] = end - start;
  Value first = shapeConstant(b, starts);
  Value sizes = shapeConstant(b, spell(shape));
  return tosa::SliceOp::create(b, type.clone(shape), value, first, sizes);
}

Value qnnpack_to_tosa::concat(ImplicitLocOpBuilder &b, ValueRange values,
                              int64_t axis) {
  if (values.size() == 1)
    return values.front();
  auto type = cast<RankedTensorType>(values.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value value : values)
    shape[axis] += cast<RankedTensorType>(value.getType()).getDimSize(axis);
  return tosa::ConcatOp::create(b, type.clone(shape), values,
                                static_cast<uint32_t>(axis));
}

Value qnnpack_to_tosa::raiseRank(ImplicitLocOpBuilder &b, Value value,
                                 int64_t rank) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(rank - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  return reshape(b, value, shape);
}

Value Windows::fit(ImplicitLocOpBuilder &b, Value image,
                   ArrayRef<int64_t> output) {
  for (int i : {0, 1}) {
    int64_t covered =
        (output[1 + i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1;
    int64_t size = cast<RankedTensorType>(image.getType()).getDimSize(1 + i);
    int64_t after = covered - padding[2 * i] - size;
    padding[2 * i + 1] = std::max<int64_t>(0, after);
    if (after < 0)
      image = slice(b, image, 1 + i, 0, size + after);
  }
  return image;
}

bool qnnpack_to_tosa::isStaticImage(ShapedType type) {
  return !ShapedType::isDynamicShape(type.getShape().drop_front());
}

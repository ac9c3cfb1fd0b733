// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions: tables of 256 entries, one linalg.generic each; softmax
// four.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Tables.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// clamp(q, range) on the bytes of `input`.
static Value clampBytes(ImplicitLocOpBuilder &b, Value input,
                        quant::UniformQuantizedType type, OutputRange range) {
  OutputRange stored = getOutputRange(type, /*relu=*/false);
  Type element = cast<ShapedType>(input.getType()).getElementType();
  auto number = [&](ImplicitLocOpBuilder &b, int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(),
                                           value, /*isSigned=*/true,
                                           /*implicitTrunc=*/true)));
  };
  return elementwise(
      b, input, element,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value value = args[0];
        bool isSigned = type.isSigned();
        if (range.lo > stored.lo) {
          Value lo = number(b, range.lo);
          value = isSigned ? Value(arith::MaxSIOp::create(b, value, lo))
                           : Value(arith::MaxUIOp::create(b, value, lo));
        }
        if (range.hi < stored.hi) {
          Value hi = number(b, range.hi);
          value = isSigned ? Value(arith::MinSIOp::create(b, value, hi))
                           : Value(arith::MinUIOp::create(b, value, hi));
        }
        return value;
      });
}

// relu(q) -> max(q, zp), on bytes
static Value lowerRelu(ReluOp op, ReluOp::Adaptor adaptor, LoweringBuilder &b) {
  auto type = b.stored(op.getInput());
  return clampBytes(b, adaptor.getInput(), type,
                    getOutputRange(type, /*relu=*/true));
}

// clamp(q) -> min(max(q, Q(min)), Q(max)), on bytes
static Value lowerClamp(ClampOp op, ClampOp::Adaptor adaptor,
                        LoweringBuilder &b) {
  auto type = getQuantizedType(op.getInput().getType());
  auto bytes = b.stored(op.getInput());
  int64_t offset = bytes.getZeroPoint() - type.getZeroPoint();
  OutputRange range = {
      quantizeNumber(op.getMin().convertToFloat(), type) + offset,
      quantizeNumber(op.getMax().convertToFloat(), type) + offset};
  return clampBytes(b, adaptor.getInput(), bytes, range);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The entry of `table` for each byte of `input`, plus `offset` of the element,
/// an index; it may be null.
static Value lookUp(ImplicitLocOpBuilder &b, Value input,
                    ArrayRef<int8_t> table,
                    function_ref<Value(ImplicitLocOpBuilder &)> offset = {}) {
  Value entries =
      constantTensor(b, table, {static_cast<int64_t>(table.size())});
  return elementwise(b, input, b.getI8Type(),
                     [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       Value index = arith::IndexCastUIOp::create(
                           b, b.getIndexType(), args[0]);
                       if (offset)
                         index = arith::AddIOp::create(b, index, offset(b));
                       return tensor::ExtractOp::create(b, entries, index);
                     });
}

/// As ATen on one thread: `vector` for the first 64 * floor(n / 64) of the `n`
/// elements of `input`, in row-major order, `scalar` for the rest.
static Value lookUpVectorized(ImplicitLocOpBuilder &b, Value input,
                              ArrayRef<int8_t> vector,
                              ArrayRef<int8_t> scalar) {
  auto type = cast<RankedTensorType>(input.getType());
  if (vector == scalar)
    return lookUp(b, input, scalar);
  if (type.hasStaticShape()) {
    int64_t n = type.getNumElements();
    int64_t count = numerics::countVectorElements(n);
    if (count == n || count == 0)
      return lookUp(b, input, count ? vector : scalar);
  }
  // Both tables, one after the other.
  SmallVector<int8_t> entries(vector);
  llvm::append_range(entries, scalar);
  SmallVector<Value> sizes;
  Value n = arith::ConstantIndexOp::create(b, 1);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    sizes.push_back(b.createOrFold<tensor::DimOp>(input, d));
    n = arith::MulIOp::create(b, n, sizes.back());
  }
  Value rest =
      arith::RemUIOp::create(b, n, arith::ConstantIndexOp::create(b, 64));
  Value count = arith::SubIOp::create(b, n, rest);
  return lookUp(b, input, entries, [&](ImplicitLocOpBuilder &b) -> Value {
    Value position = arith::ConstantIndexOp::create(b, 0);
    for (auto [d, size] : llvm::enumerate(sizes)) {
      Value row = arith::MulIOp::create(b, position, size);
      Value column = linalg::IndexOp::create(b, d);
      position = arith::AddIOp::create(b, row, column);
    }
    Value isVector =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, count);
    Value vectors = arith::ConstantIndexOp::create(b, 0);
    Value scalars = arith::ConstantIndexOp::create(b, 256);
    return arith::SelectOp::create(b, isVector, vectors, scalars);
  });
}

/// `table`, from the bytes of `input` to those of `output`, as one between the
/// bytes that are held.
static std::array<int8_t, 256> shiftTable(const std::array<int8_t, 256> &table,
                                          Value input, Value output,
                                          bool signedBytes) {
  uint8_t index = signedBytes && canShift(input.getType()) ? 0x80 : 0,
          entry = signedBytes && canShift(output.getType()) ? 0x80 : 0;
  std::array<int8_t, 256> shifted;
  for (int byte = 0; byte < 256; ++byte)
    shifted[byte ^ index] = static_cast<int8_t>(table[byte] ^ entry);
  return shifted;
}

// f(q) -> T[q]: 256 entries, computed here
static Value lowerTable(TableOpInterface op, ValueRange operands,
                        LoweringBuilder &b) {
  auto getShifted = [&](numerics::AtenCode code) {
    return shiftTable(*getTable(op, code), op->getOperand(0), op->getResult(0),
                      b.signedBytes);
  };
  std::array<int8_t, 256> scalar = getShifted(numerics::AtenCode::Scalar);
  if (!op.isVectorized())
    return lookUp(b, operands[0], scalar);
  return lookUpVectorized(b, operands[0],
                          getShifted(numerics::AtenCode::Vector), scalar);
}

//===----------------------------------------------------------------------===//
// Slopes in a tensor
//===----------------------------------------------------------------------===//

// prelu(q, w) -> requantize((q - zx) * (q > zx ? one : w - zw))
static Value lowerPrelu(PreluOp op, PreluOp::Adaptor adaptor,
                        LoweringBuilder &b) {
  Type input = op.getInput().getType(), weight = op.getWeight().getType(),
       output = op.getOutput().getType();
  auto x = b.stored(op.getInput()), w = b.stored(op.getWeight()),
       y = b.stored(op.getOutput());
  float multiplier = getPreluMultiplier(input, weight, output);
  int64_t one = getPreluOne(getQuantizedType(weight));
  auto type = b.resultType(op);
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  bool perChannel = cast<ShapedType>(weight).getDimSize(0) != 1;
  AffineMap slope = AffineMap::get(rank, 0,
                                   perChannel ? b.getAffineDimExpr(rank - 1)
                                              : b.getAffineConstantExpr(0));
  return parallel(
      b, {adaptor.getInput(), adaptor.getWeight()},
      emptyLike(b, type, adaptor.getInput()), {identity, slope, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value zero = i32Constant(b, 0);
        Value difference = center(b, args[0], x);
        Value positive = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                               difference, zero);
        Value unit = i32Constant(b, one), slope = center(b, args[1], w);
        Value factor = arith::SelectOp::create(b, positive, unit, slope);
        Value product = arith::MulIOp::create(b, difference, factor);
        return requantize(b, product, f32Constant(b, multiplier),
                          y.getZeroPoint(), getOutputRange(y, /*relu=*/false),
                          255.0 * 255.0 * multiplier, Overflow::ToLowest);
      });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// e[j] = T[q[j] + 255 - max q], y[j] = min(255, ((e[j] << 8) + S / 2) / S)
static Value lowerSoftmax(SoftmaxOp op, SoftmaxOp::Adaptor adaptor,
                          LoweringBuilder &b) {
  auto type = b.resultType(op);
  auto x = b.stored(op.getInput()), y = b.stored(op.getOutput());
  int64_t rank = type.getRank(), axis = op.getAxis();
  Value input = adaptor.getInput();

  std::array<uint32_t, 256> exponentials =
      numerics::softmaxTable(x.getScale(), type.getDimSize(axis));
  SmallVector<int32_t> entries(exponentials.begin(), exponentials.end());
  Value table = constantTensor(b, ArrayRef<int32_t>(entries), {256});

  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap dropped = identity.dropResult(axis);
  SmallVector<utils::IteratorType> reduction(rank,
                                             utils::IteratorType::parallel);
  reduction[axis] = utils::IteratorType::reduction;
  // One number per row, starting from `start`.
  auto rows = [&](Value start) -> Value {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < rank; ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(b, input, d));
    Value empty = tensor::EmptyOp::create(b, shape, start.getType(), sizes);
    return linalg::FillOp::create(b, start, empty).getResult(0);
  };
  Value largest =
      generic(b, input, rows(byteConstant(b, x.getStorageTypeMin())),
              {identity, dropped}, reduction,
              [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                if (x.isSigned())
                  return arith::MaxSIOp::create(b, args[0], args[1]);
                return arith::MaxUIOp::create(b, args[0], args[1]);
              });
  Value numerators = parallel(
      b, {input, largest}, emptyLike(b, type.clone(b.getI32Type()), input),
      {identity, dropped, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        // In bytes, so that it can be seen to be one.
        Value below = arith::SubIOp::create(b, args[0], args[1]);
        Value index = arith::IndexCastUIOp::create(
            b, b.getIndexType(),
            arith::AddIOp::create(b, below, byteConstant(b, 255)));
        return tensor::ExtractOp::create(b, table, index);
      });
  Value sums =
      generic(b, numerators, rows(i32Constant(b, 0)), {identity, dropped},
              reduction, [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                return arith::AddIOp::create(b, args[0], args[1]);
              });
  // floor(n / S) is trunc((n + 0.5) * f64(1 / S)): the exact number is half
  // of 1 / S away from an integer or more, and n < 2^32 makes an error of
  // 2^-20 / S. Vectors have no division of integers. Of more than 512
  // elements S may wrap, even to 0, of which an infinity makes 255.
  Type f64 = b.getF64Type();
  auto asFloat = [&](ImplicitLocOpBuilder &b, double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  Value reciprocals = elementwise(
      b, sums, f64, [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value one = asFloat(b, 1);
        Value sum = arith::UIToFPOp::create(b, f64, args[0]);
        return arith::DivFOp::create(b, one, sum);
      });
  return parallel(
      b, {numerators, sums, reciprocals}, emptyLike(b, type, input),
      {identity, dropped, dropped, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value scaled = arith::ShLIOp::create(b, args[0], i32Constant(b, 8));
        Value half = arith::ShRUIOp::create(b, args[1], i32Constant(b, 1));
        Value n = arith::UIToFPOp::create(
            b, f64, arith::AddIOp::create(b, scaled, half));
        Value product = arith::MulFOp::create(
            b, arith::AddFOp::create(b, n, asFloat(b, 0.5)), args[2]);
        product = arith::MinNumFOp::create(b, product, asFloat(b, 255));
        Value integer = arith::FPToSIOp::create(b, b.getI32Type(), product);
        if (y.getStorageTypeMin() != 0)
          integer = arith::AddIOp::create(
              b, integer, i32Constant(b, y.getStorageTypeMin()));
        return arith::TruncIOp::create(b, b.getI8Type(), integer);
      });
}

void qnnpack::populateActivationPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerRelu, lowerClamp,
               lowerPrelu, lowerSoftmax);
  patterns.add<InterfaceLowering<TableOpInterface, LoweringBuilder>>(
      converter, patterns.getContext(), signedBytes, lowerTable);
}

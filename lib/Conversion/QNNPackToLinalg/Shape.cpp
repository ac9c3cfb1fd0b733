// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cat, transpose, reshape, slice, pad and repeat.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Resize.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

/// The integers of `input`, of type `x`, in type `y`.
static Value convert(ImplicitLocOpBuilder &b, Value input,
                     quant::UniformQuantizedType x,
                     quant::UniformQuantizedType y, OutputRange range,
                     bool relu) {
  bool same =
      x.getScale() == y.getScale() && x.getZeroPoint() == y.getZeroPoint();
  if (same && !relu)
    return input;
  return elementwise(
      b, input, b.getI8Type(),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        if (!same)
          return quantizeScalar(b, dequantizeScalar(b, args[0], x), y, range);
        Value integer = clampI32(b, extend(b, args[0], x), range,
                                 getOutputRange(y, /*relu=*/false));
        return arith::TruncIOp::create(b, b.getI8Type(), integer);
      });
}

/// The integers of `input`, of type `type`, stored as `x`, in type `y`, as
/// ATen's code for channels-last images computes them.
static Value convertChannels(ImplicitLocOpBuilder &b, Value input,
                             quant::UniformQuantizedType x,
                             quant::UniformQuantizedType type,
                             quant::UniformQuantizedType y, OutputRange range) {
  if (x.getScale() == y.getScale() && x.getZeroPoint() == y.getZeroPoint())
    return convert(b, input, x, y, range,
                   /*relu=*/range.lo > y.getStorageTypeMin());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
  int64_t vectors = numerics::countVectorChannels(shape[3]);
  return elementwise(
      b, input, b.getI8Type(),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value asFloat =
            vectorOrScalar(b, shape, /*first=*/3, vectors, [&](bool isVector) {
              return isVector ? dequantizeFusedScalar(b, args[0], x, type)
                              : dequantizeScalar(b, args[0], x);
            });
        // The reciprocal of the double, unlike elsewhere.
        Value inverse = f32Constant(b, 1.0 / y.getScale());
        Value integer = quantizeScalar(b, asFloat, inverse,
                                       i32Constant(b, y.getZeroPoint()), range);
        return arith::TruncIOp::create(b, b.getI8Type(), integer);
      });
}

// cat(x...) -> the inputs, requantized where their parameters differ, side by
// side
static Value lowerCat(CatOp op, CatOp::Adaptor adaptor, LoweringBuilder &b) {
  auto y = b.stored(op.getOutput());
  OutputRange range = getOutputRange(y, op.getRelu());
  RankedTensorType type = b.resultType(op);
  int64_t axis = op.getAxis(), offset = 0;
  Value result = emptyLike(b, type, adaptor.getInputs().front());
  for (auto [original, input] :
       llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
    auto inputType = cast<RankedTensorType>(input.getType());
    auto x = b.stored(original);
    Value piece =
        op.getChannelsLast()
            ? convertChannels(b, input, x, getQuantizedType(original.getType()),
                              y, range)
            : convert(b, input, x, y, range, op.getRelu());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    offsets[axis] = b.getIndexAttr(offset);
    result = tensor::InsertSliceOp::create(
        b, piece, result, offsets, tensor::getMixedSizes(b, b.getLoc(), input),
        strides);
    offset += inputType.getDimSize(axis);
  }
  return result;
}

// transpose(x) -> linalg.transpose of the bytes
static Value lowerTranspose(TransposeOp op, TransposeOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  RankedTensorType type = b.resultType(op);
  SmallVector<Value> sizes;
  for (auto [d, source] : llvm::enumerate(op.getPermutation()))
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, adaptor.getInput(), source));
  Value init = tensor::EmptyOp::create(b, type, sizes);
  return linalg::TransposeOp::create(b, adaptor.getInput(), init,
                                     op.getPermutation())
      ->getResult(0);
}

static ReassociationIndices allDims(int64_t rank) {
  return llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
}

/// Elements per entry of the first dimension.
static int64_t countTail(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size :
       type.getShape().drop_front(std::min<int64_t>(1, type.getRank())))
    count *= size;
  return count;
}

// reshape(x) -> tensor.collapse_shape and tensor.expand_shape of the bytes
static Value lowerReshape(ReshapeOp op, ReshapeOp::Adaptor adaptor,
                          LoweringBuilder &b) {
  Value input = adaptor.getInput();
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType to = b.resultType(op);
  if (from == to)
    return input;
  // One op, where dimensions are only merged or only split.
  bool dynamic = !from.hasStaticShape();
  if (!dynamic || countTail(from) == countTail(to))
    if (auto groups = getReassociationIndicesForReshape(from, to)) {
      if (from.getRank() > to.getRank())
        return tensor::CollapseShapeOp::create(b, to, input, *groups);
      if (from.getRank() < to.getRank() && !dynamic)
        return tensor::ExpandShapeOp::create(b, to, input, *groups);
    }
  // By way of a vector of all elements.
  int64_t size = dynamic ? ShapedType::kDynamic : from.getNumElements();
  auto flat = RankedTensorType::get({size}, from.getElementType());
  if (from.getRank() == 0)
    input = tensor::ExpandShapeOp::create(b, flat, input,
                                          ArrayRef<ReassociationIndices>());
  else if (from.getRank() > 1)
    input = tensor::CollapseShapeOp::create(
        b, flat, input,
        ArrayRef<ReassociationIndices>{allDims(from.getRank())});
  if (to.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, to, input,
                                           ArrayRef<ReassociationIndices>());
  if (to.getRank() == 1)
    return input;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : to.getShape())
    sizes.push_back(b.getIndexAttr(dim));
  if (dynamic) {
    Value count = tensor::DimOp::create(b, input, 0);
    Value tail =
        arith::ConstantIndexOp::create(b, std::max<int64_t>(1, countTail(to)));
    sizes[0] = Value(arith::DivUIOp::create(b, count, tail));
  }
  return tensor::ExpandShapeOp::create(
      b, to, input, ArrayRef<ReassociationIndices>{allDims(to.getRank())},
      sizes);
}

// slice(x) -> tensor.extract_slice of the bytes
static Value lowerSlice(SliceOp op, SliceOp::Adaptor adaptor,
                        LoweringBuilder &b) {
  RankedTensorType type = b.resultType(op);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), adaptor.getInput());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim))
      sizes[dim] = b.getIndexAttr(type.getDimSize(dim));
  return tensor::ExtractSliceOp::create(
      b, type, adaptor.getInput(),
      getAsIndexOpFoldResult(b.getContext(), op.getOffsets()), sizes,
      getAsIndexOpFoldResult(b.getContext(), op.getStrides()));
}

// pad(x, v) -> tensor.pad of the bytes with Q(v)
static Value lowerPad(PadOp op, PadOp::Adaptor adaptor, LoweringBuilder &b) {
  auto element = getQuantizedType(op.getOutput().getType());
  int64_t integer = quantizeNumber(op.getValue().convertToFloat(), element) +
                    b.stored(op.getOutput()).getZeroPoint() -
                    element.getZeroPoint();
  Value value = arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getI8Type(), int8_t(integer)));
  return tensor::PadOp::create(
      b, b.resultType(op), adaptor.getInput(),
      getAsIndexOpFoldResult(b.getContext(), op.getLow()),
      getAsIndexOpFoldResult(b.getContext(), op.getHigh()), value);
}

// repeat(x)[i] -> x[i mod n]
static Value lowerRepeat(RepeatOp op, RepeatOp::Adaptor adaptor,
                         LoweringBuilder &b) {
  Value input = adaptor.getInput();
  RankedTensorType type = b.resultType(op);
  int64_t rank = type.getRank();
  SmallVector<Value> inputSizes(rank), sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (op.getMultiples()[dim] == 1 && !type.isDynamicDim(dim))
      continue;
    Value size = tensor::DimOp::create(b, input, dim);
    inputSizes[dim] = size;
    if (type.isDynamicDim(dim))
      sizes.push_back(arith::MulIOp::create(
          b, size, arith::ConstantIndexOp::create(b, op.getMultiples()[dim])));
  }
  Value init = tensor::EmptyOp::create(b, type, sizes);
  return parallel(b, {}, init, {b.getMultiDimIdentityMap(rank)},
                  [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
                    SmallVector<Value> position;
                    for (int64_t dim = 0; dim < rank; ++dim) {
                      position.push_back(linalg::IndexOp::create(b, dim));
                      if (op.getMultiples()[dim] != 1)
                        position.back() = arith::RemUIOp::create(
                            b, position.back(), inputSizes[dim]);
                    }
                    return tensor::ExtractOp::create(b, input, position);
                  });
}

void qnnpack::populateShapePatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerCat, lowerTranspose,
               lowerReshape, lowerSlice, lowerPad, lowerRepeat);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cat, transpose, reshape, slice, pad and repeat.

#include "Tensors.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Quantize.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

// cat(x...) -> clamp(concat(x, or table(x) where the parameters differ))
static Value lowerCat(CatOp op, CatOp::Adaptor adaptor, LoweringBuilder &b) {
  auto y = getQuantizedType(op.getOutput().getType());
  SmallVector<Value> pieces;
  for (auto [original, input] :
       llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
    auto x = getQuantizedType(original.getType());
    if (x.getScale() == y.getScale() && x.getZeroPoint() == y.getZeroPoint()) {
      pieces.push_back(input);
      continue;
    }
    pieces.push_back(lookup(b, input, x, y, [&](int64_t q) -> int64_t {
      float asFloat = numerics::dequantize(q, x.getScale(), x.getZeroPoint());
      return numerics::quantize(asFloat, y.getScale(), y.getZeroPoint(),
                                y.getStorageTypeMin(), y.getStorageTypeMax());
    }));
  }
  return clamp(b, concat(b, pieces, op.getAxis()),
               getOutputRange(y, op.getRelu()));
}

// transpose(x) -> transpose(x)
static Value lowerTranspose(TransposeOp op, TransposeOp::Adaptor adaptor,
                            LoweringBuilder &b) {
  if (op.getPermutation().empty())
    return adaptor.getInput();
  return tosa::TransposeOp::create(
      b, b.resultType(op), adaptor.getInput(),
      SmallVector<int32_t>(op.getPermutation().begin(),
                           op.getPermutation().end()));
}

// reshape(x) -> reshape(x)
static Value lowerReshape(ReshapeOp op, ReshapeOp::Adaptor adaptor,
                          LoweringBuilder &b) {
  return reshape(b, adaptor.getInput(), b.resultType(op).getShape());
}

// slice(x) -> slice(x), one dimension after the other; steps are declined
static Value lowerSlice(SliceOp op, SliceOp::Adaptor adaptor,
                        LoweringBuilder &b) {
  if (llvm::any_of(op.getStrides(), [](int64_t stride) { return stride != 1; }))
    return b.decline(op, "TOSA has no slices with steps");
  RankedTensorType type = b.resultType(op);
  Value result = adaptor.getInput();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim)) {
      int64_t offset = op.getOffsets()[dim];
      result = slice(b, result, dim, offset, offset + type.getDimSize(dim));
    }
  return result;
}

// pad(x, v) -> pad(x, Q(v))
static Value lowerPad(PadOp op, PadOp::Adaptor adaptor, LoweringBuilder &b) {
  auto element = getQuantizedType(op.getOutput().getType());
  SmallVector<int64_t> amounts;
  for (auto [low, high] : llvm::zip_equal(op.getLow(), op.getHigh()))
    llvm::append_range(amounts, ArrayRef{low, high});
  if (amounts.empty())
    return adaptor.getInput();
  Value shape = tosa::ConstShapeOp::create(
      b, tosa::shapeType::get(b.getContext(), amounts.size()),
      b.getIndexTensorAttr(amounts));
  int64_t value = quantizeNumber(op.getValue().convertToFloat(), element);
  return tosa::PadOp::create(b, b.resultType(op), adaptor.getInput(), shape,
                             byte(b, value - getStoredOffset(element)));
}

// repeat(x) -> tile(x)
static Value lowerRepeat(RepeatOp op, RepeatOp::Adaptor adaptor,
                         LoweringBuilder &b) {
  if (op.getMultiples().empty())
    return adaptor.getInput();
  Value multiples = tosa::ConstShapeOp::create(
      b, tosa::shapeType::get(b.getContext(), op.getMultiples().size()),
      b.getIndexTensorAttr(op.getMultiples()));
  return tosa::TileOp::create(b, b.resultType(op), adaptor.getInput(),
                              multiples);
}

void qnnpack_to_tosa::populateShapePatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            Reasons &reasons) {
  addLowerings(converter, patterns, reasons, lowerCat, lowerTranspose,
               lowerReshape, lowerSlice, lowerPad, lowerRepeat);
}

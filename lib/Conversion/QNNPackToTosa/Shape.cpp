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

namespace {
// cat(x...) -> clamp(concat(x, or table(x) where the parameters differ))
struct LowerCat : Lowering<CatOp> {
  using Lowering::Lowering;

  Value rewrite(CatOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    auto y = getQuantizedType(op.getOutput().getType());
    SmallVector<Value> pieces;
    for (auto [original, input] :
         llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
      auto x = getQuantizedType(original.getType());
      if (x.getScale() == y.getScale() &&
          x.getZeroPoint() == y.getZeroPoint()) {
        pieces.push_back(input);
        continue;
      }
      pieces.push_back(lookup(b, input, x, y, [&](int64_t q) -> int64_t {
        float real = numerics::dequantize(q, x.getScale(), x.getZeroPoint());
        return numerics::quantize(real, y.getScale(), y.getZeroPoint(),
                                  y.getStorageTypeMin(), y.getStorageTypeMax());
      }));
    }
    return clamp(b, concat(b, pieces, op.getAxis()),
                 getOutputRange(y, op.getRelu()));
  }
};

// transpose(x) -> transpose(x)
struct LowerTranspose : Lowering<TransposeOp> {
  using Lowering::Lowering;

  Value rewrite(TransposeOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    if (op.getPermutation().empty())
      return adaptor.getInput();
    return tosa::TransposeOp::create(
        b, resultType(op), adaptor.getInput(),
        SmallVector<int32_t>(op.getPermutation().begin(),
                             op.getPermutation().end()));
  }
};

// reshape(x) -> reshape(x)
struct LowerReshape : Lowering<ReshapeOp> {
  using Lowering::Lowering;

  Value rewrite(ReshapeOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    return reshape(b, adaptor.getInput(), resultType(op).getShape());
  }
};

// slice(x) -> slice(x), one dimension after the other; steps are declined
struct LowerSlice : Lowering<SliceOp> {
  using Lowering::Lowering;

  Value rewrite(SliceOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    if (llvm::any_of(op.getStrides(),
                     [](int64_t stride) { return stride != 1; }))
      return decline(op, "TOSA has no slices with steps");
    RankedTensorType type = resultType(op);
    Value result = adaptor.getInput();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim)) {
        int64_t offset = op.getOffsets()[dim];
        result = slice(b, result, dim, offset, offset + type.getDimSize(dim));
      }
    return result;
  }
};

// pad(x, v) -> pad(x, Q(v))
struct LowerPad : Lowering<PadOp> {
  using Lowering::Lowering;

  Value rewrite(PadOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
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
    return tosa::PadOp::create(b, resultType(op), adaptor.getInput(), shape,
                               byte(b, value - getStoredOffset(element)));
  }
};

// repeat(x) -> tile(x)
struct LowerRepeat : Lowering<RepeatOp> {
  using Lowering::Lowering;

  Value rewrite(RepeatOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    if (op.getMultiples().empty())
      return adaptor.getInput();
    Value multiples = tosa::ConstShapeOp::create(
        b, tosa::shapeType::get(b.getContext(), op.getMultiples().size()),
        b.getIndexTensorAttr(op.getMultiples()));
    return tosa::TileOp::create(b, resultType(op), adaptor.getInput(),
                                multiples);
  }
};
} // namespace

void qnnpack_to_tosa::populateShapePatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            Reasons &reasons) {
  patterns.add<LowerCat, LowerTranspose, LowerReshape, LowerSlice, LowerPad,
               LowerRepeat>(converter, patterns.getContext(), reasons);
}

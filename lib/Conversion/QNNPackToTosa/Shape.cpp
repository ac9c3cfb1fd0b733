// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cat, transpose and reshape.

#include "Tensors.h"

#include "qbackend/Numerics/Quantize.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

namespace {
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

struct LowerReshape : Lowering<ReshapeOp> {
  using Lowering::Lowering;

  Value rewrite(ReshapeOp op, Adaptor adaptor,
                ImplicitLocOpBuilder &b) const override {
    return reshape(b, adaptor.getInput(), resultType(op).getShape());
  }
};
} // namespace

void qnnpack_to_tosa::populateShapePatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            Reasons &reasons) {
  patterns.add<LowerCat, LowerTranspose, LowerReshape>(
      converter, patterns.getContext(), reasons);
}

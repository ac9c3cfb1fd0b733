// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embedding tables: a linalg.generic that reads the row of each index, after a
// cf.assert that there is one.

#include "Scalars.h"

#include "qbackend/Numerics/Embedding.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

namespace {
/// What the entries of each row are multiplied by, and what is added then.
struct Rows {
  Value scales;
  Value biases;
};
} // namespace

/// Constants, if the operands are.
static Rows getRows(ImplicitLocOpBuilder &b, Value scales, Value zeroPoints,
                    numerics::EmbeddingBits bits) {
  auto scaleValues = ConstantElements<float>::read(scales),
       zeroValues = ConstantElements<float>::read(zeroPoints);
  if (scaleValues && zeroValues) {
    SmallVector<float> factors, biases;
    for (int64_t i = 0; i < scaleValues->size(); ++i) {
      numerics::EmbeddingRow row =
          numerics::embeddingRow((*scaleValues)[i], (*zeroValues)[i], bits);
      factors.push_back(row.scale);
      biases.push_back(row.bias);
    }
    int64_t rows = biases.size();
    return {constantTensor(b, ArrayRef<float>(factors), {rows}),
            constantTensor(b, ArrayRef<float>(biases), {rows})};
  }
  Type f32 = b.getF32Type();
  auto store = [&](ImplicitLocOpBuilder &b, Value value) -> Value {
    if (bits == numerics::EmbeddingBits::Eight)
      return value;
    Value half = arith::TruncFOp::create(b, b.getF16Type(), value);
    return arith::ExtFOp::create(b, f32, half);
  };
  Value biases =
      elementwise(b, {zeroPoints, scales}, f32,
                  [&](ImplicitLocOpBuilder &b, ValueRange args) {
                    Value product = arith::MulFOp::create(b, args[0], args[1]);
                    return store(b, arith::NegFOp::create(b, product));
                  });
  if (bits == numerics::EmbeddingBits::Four)
    scales = elementwise(b, scales, f32,
                         [&](ImplicitLocOpBuilder &b, ValueRange args) {
                           return store(b, args[0]);
                         });
  return {scales, biases};
}

/// The entry of `table`, an unsigned i8; `isPacked`: two share a byte.
static Value readEntry(ImplicitLocOpBuilder &b, bool isPacked, Value table,
                       Value row, Value column) {
  if (!isPacked)
    return tensor::ExtractOp::create(b, table, ValueRange{row, column});
  Value two = arith::ConstantIndexOp::create(b, 2);
  Value byte = tensor::ExtractOp::create(
      b, table, ValueRange{row, arith::DivUIOp::create(b, column, two)});
  Value parity = arith::RemUIOp::create(b, column, two);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value odd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, parity, zero);
  Value high = arith::ShRUIOp::create(b, byte, byteConstant(b, 4));
  Value low = arith::AndIOp::create(b, byte, byteConstant(b, 15));
  return arith::SelectOp::create(b, odd, high, low);
}

// embedding(t, i) -> fma(s[i], t[i, j], -f32(z[i] * s[i])), i within the table
template <typename OpTy>
static Value lowerLookup(OpTy op, typename OpTy::Adaptor adaptor,
                         LoweringBuilder &b) {
  constexpr bool isPacked = std::is_same_v<OpTy, Embedding4BitOp>;
  Value table = adaptor.getTable(), indices = adaptor.getIndices();
  Rows rows = getRows(b, adaptor.getScales(), adaptor.getZeroPoints(),
                      isPacked ? numerics::EmbeddingBits::Four
                               : numerics::EmbeddingBits::Eight);
  RankedTensorType type = b.resultType(op);
  int64_t rank = type.getRank();
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < rank - 1; ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, indices, d));
  Value init = tensor::EmptyOp::create(b, type, sizes);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap leading = AffineMap::get(rank, 0, identity.getResults().drop_back(),
                                     b.getContext());
  int64_t count = op.getTable().getType().getDimSize(0);
  return parallel(
      b, indices, init, {leading, identity},
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        // A negative index is a large one here.
        Value row = arith::IndexCastUIOp::create(b, b.getIndexType(), args[0]);
        Value exists =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row,
                                  arith::ConstantIndexOp::create(b, count));
        cf::AssertOp::create(b, exists,
                             "an index of the embedding is outside of its " +
                                 std::to_string(count) + " rows");
        Value integer = readEntry(b, isPacked, table, row,
                                  linalg::IndexOp::create(b, rank - 1));
        Value asFloat = arith::UIToFPOp::create(b, b.getF32Type(), integer);
        Value scale = tensor::ExtractOp::create(b, rows.scales, row);
        Value bias = tensor::ExtractOp::create(b, rows.biases, row);
        return math::FmaOp::create(b, scale, asFloat, bias);
      });
}

void qnnpack::populateEmbeddingPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerLookup<EmbeddingByteOp>,
               lowerLookup<Embedding4BitOp>);
}

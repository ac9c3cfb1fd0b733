// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes that fold as they are made.

#include "Layout.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qbackend;

Value qbackend::createComposedTranspose(OpBuilder &builder, Location loc,
                                        Value value,
                                        ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> composed(permutation);
  while (auto producer = value.getDefiningOp<TransposeOp>()) {
    composed = applyPermutation(producer.getPermutation(), composed);
    value = producer.getInput();
  }
  if (llvm::is_sorted(composed))
    return value;
  return TransposeOp::create(builder, loc, value, composed);
}

Value qbackend::createFoldedTranspose(OpBuilder &builder, Location loc,
                                      Value value,
                                      ArrayRef<int64_t> permutation) {
  Value composed = createComposedTranspose(builder, loc, value, permutation);
  auto transpose = composed.getDefiningOp<TransposeOp>();
  ElementsAttr elements;
  if (!transpose || !matchPattern(transpose.getInput(), m_Constant(&elements)))
    return composed;
  DenseElementsAttr transposed =
      transposeElements(elements, transpose.getPermutation());
  if (!transposed)
    return composed;
  transpose.erase();
  return arith::ConstantOp::create(builder, loc, transposed);
}

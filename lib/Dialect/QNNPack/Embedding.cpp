// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of embedding_byte and embedding_4bit.

#include "Verify.h"

using namespace mlir;
using namespace qbackend::qnnpack;

/// Shapes of a lookup in a table with `perByte` columns in a byte.
template <typename OpTy>
static LogicalResult verifyLookup(OpTy op, int64_t perByte) {
  ShapedType table = op.getTable().getType();
  if (!table.hasStaticShape())
    return op.emitOpError() << "has a dynamic table " << table
                            << "; only the indices may be dynamic";
  int64_t rows = table.getDimSize(0);
  for (auto [name, value] :
       {std::pair<StringRef, Value>{"scales", op.getScales()},
        {"zero_points", op.getZeroPoints()}}) {
    int64_t count = cast<ShapedType>(value.getType()).getDimSize(0);
    if (count != rows)
      return op.emitOpError()
             << name << " has type " << value.getType() << ", expected " << rows
             << " numbers, one per row of the table";
  }
  SmallVector<int64_t> expected(op.getIndices().getType().getShape());
  expected.push_back(table.getDimSize(1) * perByte);
  ShapedType output = op.getOutput().getType();
  if (output.getShape() != ArrayRef(expected))
    return op.emitOpError()
           << "the output is " << output << ", expected "
           << RankedTensorType::get(expected, output.getElementType())
           << ", a row of the table for each index";
  return success();
}

LogicalResult EmbeddingByteOp::verify() {
  return verifyLookup(*this, /*perByte=*/1);
}

LogicalResult Embedding4BitOp::verify() {
  return verifyLookup(*this, /*perByte=*/2);
}

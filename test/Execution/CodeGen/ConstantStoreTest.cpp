// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a constant are used as they are only where the attribute has what
// LLVM stores.

#include "qbackend/Execution/CodeGen/ConstantStore.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using qbackend::codegen::getElementBytes;

/// Two different elements of `type`: no splat.
static DenseElementsAttr makeConstant(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  const APInt values[] = {APInt(bits, 1), APInt(bits, 0)};
  return DenseElementsAttr::get(RankedTensorType::get({2}, type),
                                ArrayRef(values));
}

TEST(ConstantStoreTest, ElementsOfWholeBytesAreThoseInMemory) {
  MLIRContext context;
  for (unsigned bits : {8u, 16u, 32u, 64u}) {
    ArrayRef<char> bytes =
        getElementBytes(makeConstant(IntegerType::get(&context, bits)));
    ASSERT_EQ(bytes.size(), 2 * bits / 8) << bits;
    EXPECT_EQ(bytes[0], 1) << bits;
    EXPECT_EQ(bytes[bits / 8], 0) << bits;
  }
}

TEST(ConstantStoreTest, OtherWidthsAreStoredOtherwise) {
  // An i3 has five bits to spare, an i24 a byte less than its four in memory.
  MLIRContext context;
  for (unsigned bits : {1u, 3u, 7u, 24u, 48u, 96u})
    EXPECT_TRUE(
        getElementBytes(makeConstant(IntegerType::get(&context, bits))).empty())
        << bits;
}

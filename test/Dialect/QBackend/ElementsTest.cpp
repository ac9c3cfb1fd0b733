// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes of constants against the definition, element by element, and
// numbers that are read where they are.

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

using namespace mlir;
using namespace qbackend;

namespace {
class ElementsTest : public testing::Test {
protected:
  ElementsTest() : builder(&context) {}

  /// Bytes that differ from those of all other elements nearby.
  std::vector<char> makeBytes(RankedTensorType type) {
    size_t width = type.getElementTypeBitWidth() / 8;
    std::vector<char> bytes(type.getNumElements() * width);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(i / width * 7 + i % width * 31 + i / 256);
    return bytes;
  }

  void check(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation,
             Type element) {
    auto type = RankedTensorType::get(shape, element);
    std::vector<char> source = makeBytes(type);
    DenseElementsAttr result = transposeElements(
        DenseElementsAttr::getFromRawBuffer(type, source), permutation);
    ASSERT_TRUE(result);
    ArrayRef<char> bytes = result.getRawData();
    ASSERT_EQ(bytes.size(), source.size());
    size_t width = element.getIntOrFloatBitWidth() / 8;
    ArrayRef<int64_t> to = result.getType().getShape();
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      int64_t rest = i, from = 0;
      SmallVector<int64_t> at(shape.size());
      for (size_t dim = shape.size(); dim-- > 0; rest /= to[dim])
        at[permutation[dim]] = rest % to[dim];
      for (size_t dim = 0; dim < shape.size(); ++dim)
        from = from * shape[dim] + at[dim];
      ASSERT_EQ(0, std::memcmp(&bytes[i * width], &source[from * width], width))
          << "element " << i;
    }
  }

  MLIRContext context;
  Builder builder;
};
} // namespace

TEST_F(ElementsTest, TransposeEveryWidth) {
  for (Type element :
       {Type(builder.getI8Type()), Type(builder.getF16Type()),
        Type(builder.getF32Type()), Type(builder.getI64Type()),
        Type(builder.getIntegerType(24)), Type(builder.getIntegerType(128))})
    check({19, 70}, {1, 0}, element);
}

TEST_F(ElementsTest, TransposeEveryOrder) {
  // Also of dimensions that merge, are one, and are more than a panel.
  const std::vector<std::vector<int64_t>> shapes = {
      {3, 1, 5, 4}, {2, 17, 3, 33}, {1, 1, 1, 1}, {300, 1, 2, 9}};
  for (const std::vector<int64_t> &shape : shapes) {
    SmallVector<int64_t> permutation(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    do
      check(shape, permutation, builder.getF32Type());
    while (std::next_permutation(permutation.begin(), permutation.end()));
  }
  check({}, {}, builder.getF32Type());
  check({520, 530}, {1, 0}, builder.getF32Type());
}

TEST_F(ElementsTest, TransposeNothing) {
  auto type = RankedTensorType::get({3, 0}, builder.getF32Type());
  DenseElementsAttr result = transposeElements(
      DenseElementsAttr::get(type, ArrayRef<float>()), {1, 0});
  EXPECT_EQ(result.getType(),
            RankedTensorType::get({0, 3}, builder.getF32Type()));
}

TEST_F(ElementsTest, ViewIsNoCopy) {
  auto type = RankedTensorType::get({4}, builder.getF32Type());
  auto dense = DenseElementsAttr::get(type, {1.0f, 2.0f, 3.0f, 4.0f});
  SmallVector<float> storage;
  std::optional<ArrayRef<float>> view = viewFloats(dense, storage);
  ASSERT_TRUE(view);
  EXPECT_EQ(static_cast<const void *>(view->data()),
            static_cast<const void *>(dense.getRawData().data()));
  EXPECT_TRUE(hasFloats(dense));

  auto splat = DenseElementsAttr::get(type, 0.5f);
  EXPECT_EQ(*viewFloats(splat, storage), ArrayRef({0.5f, 0.5f, 0.5f, 0.5f}));

  auto integers = DenseElementsAttr::get(type.clone(builder.getI32Type()), 1);
  EXPECT_FALSE(viewFloats(integers, storage));
  EXPECT_FALSE(hasFloats(integers));
}

TEST_F(ElementsTest, ViewOfTransposes) {
  context.loadDialect<arith::ArithDialect, QBackendDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  OpBuilder b(module->getBodyRegion());
  Location loc = builder.getUnknownLoc();
  // Panels are of 64 rows: fewer, as many, one more, and two and some.
  const std::vector<std::vector<int64_t>> permutations = {
      {2, 0, 1}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
  for (int64_t rows : {1, 3, 64, 65, 130})
    for (const std::vector<int64_t> &permutation : permutations) {
      SmallVector<int64_t> shape = {5, 7, 9};
      shape[permutation[0]] = rows;
      auto type = RankedTensorType::get(shape, builder.getF32Type());
      auto elements =
          DenseElementsAttr::getFromRawBuffer(type, makeBytes(type));
      DenseElementsAttr expected = transposeElements(elements, permutation);
      Value constant = arith::ConstantOp::create(b, loc, elements);
      Value transpose = TransposeOp::create(b, loc, constant, permutation);
      SmallVector<float> storage, all;
      std::optional<ArrayRef<float>> view = viewFloats(transpose, storage);
      ASSERT_TRUE(view && hasFloats(transpose));
      ArrayRef<char> bytes = expected.getRawData();
      ASSERT_EQ(view->size() * sizeof(float), bytes.size());
      EXPECT_EQ(0, std::memcmp(view->data(), bytes.data(), bytes.size()));
      EXPECT_TRUE(forEachPanel(transpose, [&](int64_t first,
                                              ArrayRef<float> numbers) {
        EXPECT_EQ(first * int64_t(view->size()) / rows, int64_t(all.size()));
        all.append(numbers.begin(), numbers.end());
        return true;
      }));
      ASSERT_EQ(all.size(), view->size());
      EXPECT_EQ(0, std::memcmp(all.data(), bytes.data(), bytes.size()));

      Value same = arith::ConstantOp::create(b, loc, expected);
      EXPECT_EQ(hashFloats(transpose), hashFloats(same));
      if (rows > 1) {
        EXPECT_NE(hashFloats(transpose), hashFloats(constant));
      }
    }
  Value nothing = TransposeOp::create(
      b, loc,
      arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              RankedTensorType::get({2, 2}, builder.getI32Type()), 1)),
      ArrayRef<int64_t>{1, 0});
  SmallVector<float> storage;
  EXPECT_FALSE(viewFloats(nothing, storage));
  EXPECT_FALSE(viewFloats(Value(), storage));
  EXPECT_FALSE(hashFloats(nothing));
  EXPECT_FALSE(
      forEachPanel(nothing, [](int64_t, ArrayRef<float>) { return true; }));
}

TEST_F(ElementsTest, ViewOfResources) {
  auto type = RankedTensorType::get({3}, builder.getF32Type());
  const float numbers[] = {1.5f, -2.5f, 3.5f};
  alignas(float) char bytes[sizeof(numbers) + 1];
  for (size_t offset : {0, 1}) {
    std::memcpy(bytes + offset, numbers, sizeof(numbers));
    auto resource = DenseResourceElementsAttr::get(
        type, "numbers",
        UnmanagedAsmResourceBlob::allocateWithAlign(
            ArrayRef(bytes + offset, sizeof(numbers)), /*align=*/1));
    SmallVector<float> storage;
    EXPECT_EQ(*viewFloats(resource, storage), ArrayRef(numbers));
    EXPECT_EQ(storage.empty(), offset == 0);
    EXPECT_TRUE(hasFloats(resource));
  }
  // Not all of its bytes are there.
  auto cut = DenseResourceElementsAttr::get(
      type, "cut",
      UnmanagedAsmResourceBlob::allocateWithAlign(ArrayRef(bytes, 4),
                                                  /*align=*/1));
  EXPECT_FALSE(hasFloats(cut));
  EXPECT_TRUE(hasWholeData(DenseElementsAttr::get(type, 0.5f)));
  EXPECT_FALSE(hasWholeData(cut));
  // 2^64 bytes are none of 64 bits, and 2^64 elements neither.
  for (int64_t extent : {int64_t(1) << 31, int64_t(1) << 32}) {
    auto wrapped = DenseResourceElementsAttr::get(
        RankedTensorType::get({extent, extent}, builder.getF32Type()),
        "wrapped",
        UnmanagedAsmResourceBlob::allocateWithAlign(ArrayRef<char>(),
                                                    /*align=*/1));
    SmallVector<float> storage;
    EXPECT_FALSE(viewFloats(wrapped, storage));
    EXPECT_FALSE(hasFloats(wrapped));
    EXPECT_FALSE(hasWholeData(wrapped));
    EXPECT_FALSE(transposeElements(wrapped, {1, 0}));
  }
}

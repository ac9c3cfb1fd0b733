// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing .npy and .npz, and what is said about damaged files.

#include "qbackend/Execution/Samples/ArrayFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <zip.h>

using namespace llvm;
using namespace qbackend::arrays;

namespace {
class ArrayFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("qbackend-arrays", directory));
  }
  void TearDown() override { sys::fs::remove_directories(directory); }

  std::string path(StringRef name) { return (directory + "/" + name).str(); }

  std::string write(StringRef name, StringRef bytes) {
    std::error_code error;
    raw_fd_ostream(path(name), error) << bytes;
    return path(name);
  }

  std::string contents(StringRef name) {
    auto buffer = MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  /// Writes a version 1 .npy with this header and this data.
  std::string writeNpyText(StringRef header, StringRef data) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(header.size());
    bytes += char(header.size() >> 8);
    return write("a.npy", (bytes + header + data).str());
  }

  std::string readError(StringRef file) {
    auto arrays = readArrays(file);
    return arrays ? "no error" : toString(arrays.takeError());
  }

  SmallString<128> directory;
};

template <typename T>
Array make(ElementType type, ArrayRef<int64_t> shape, ArrayRef<T> values) {
  Array array = Array::zeros(type, shape);
  memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}
} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(ArrayFileTest, EveryTypeSurvivesNpz) {
  const ElementType types[] = {
      ElementType::F32, ElementType::F64, ElementType::I8,  ElementType::U8,
      ElementType::I16, ElementType::U16, ElementType::I32, ElementType::U32,
      ElementType::I64, ElementType::U64, ElementType::F16, ElementType::Bool};
  std::vector<NamedArray> arrays;
  for (ElementType type : types) {
    Array array = Array::zeros(type, {2, 3});
    for (size_t i = 0; i != array.data.size(); ++i)
      array.data[i] = type == ElementType::Bool ? i % 2 : i * 37 + 1;
    arrays.push_back({("a/" + getElementName(type)).str(), array});
  }
  arrays.push_back({"scalar", Array::zeros(ElementType::F32, {})});
  arrays.push_back({"empty", Array::zeros(ElementType::F32, {0, 7})});
  ASSERT_EQ(toString(writeNpz(path("a.npz"), arrays)), "");
  auto read = readArrays(path("a.npz"));
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->size(), arrays.size());
  for (size_t i = 0; i != arrays.size(); ++i) {
    EXPECT_EQ((*read)[i].name, arrays[i].name);
    EXPECT_EQ((*read)[i].array.type, arrays[i].array.type);
    EXPECT_EQ((*read)[i].array.shape, arrays[i].array.shape);
    EXPECT_EQ((*read)[i].array.data, arrays[i].array.data);
  }
}

TEST_F(ArrayFileTest, SameArraysGiveSameBytes) {
  NamedArray array{"x", make<float>(ElementType::F32, {2}, {1.5f, -2.0f})};
  ASSERT_EQ(toString(writeNpz(path("a.npz"), array)), "");
  ASSERT_EQ(toString(writeNpz(path("b.npz"), array)), "");
  EXPECT_FALSE(contents("a.npz").empty());
  EXPECT_EQ(contents("a.npz"), contents("b.npz"));
}

TEST_F(ArrayFileTest, EmptyNpz) {
  ASSERT_EQ(toString(writeNpz(path("a.npz"), {})), "");
  auto read = readArrays(path("a.npz"));
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_TRUE(read->empty());
}

TEST_F(ArrayFileTest, NpyHasAnEmptyName) {
  Array array = make<int64_t>(ElementType::I64, {3}, {-1, 0, INT64_MAX});
  ASSERT_EQ(toString(writeNpy(path("a.npy"), array)), "");
  EXPECT_EQ(contents("a.npy").size(), 128u + 24u);
  auto read = readArrays(path("a.npy"));
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ((*read)[0].name, "");
  EXPECT_EQ((*read)[0].array.data, array.data);
}

TEST_F(ArrayFileTest, FortranOrderIsTransposed) {
  // [[1, 2, 3], [4, 5, 6]] column by column.
  auto read = readArrays(writeNpyText(
      "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
      StringRef("\1\4\2\5\3\6", 6)));
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ((*read)[0].array.data, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ArrayFileTest, DeflatedEntries) {
  Array array = Array::zeros(ElementType::F32, {1000});
  ASSERT_EQ(toString(writeNpy(path("a.npy"), array)), "");
  std::string npy = contents("a.npy");
  zip_t *zip = zip_open(path("z.npz").c_str(), ZIP_CREATE, nullptr);
  zip_file_add(zip, "x.npy", zip_source_buffer(zip, npy.data(), npy.size(), 0),
               0);
  zip_set_file_compression(zip, 0, ZIP_CM_DEFLATE, 9);
  ASSERT_EQ(zip_close(zip), 0);
  EXPECT_LT(contents("z.npz").size(), 1000u);
  auto read = readArrays(path("z.npz"));
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ((*read)[0].name, "x");
  EXPECT_EQ((*read)[0].array.data, array.data);
}

TEST_F(ArrayFileTest, TruncatedNpy) {
  ASSERT_EQ(
      toString(writeNpy(path("a.npy"), Array::zeros(ElementType::F32, {4}))),
      "");
  std::string bytes = contents("a.npy");
  for (size_t length : {0u, 3u, 9u, 40u, 130u, 143u}) {
    std::string error =
        readError(write("t.npy", StringRef(bytes).take_front(length)));
    EXPECT_HAS(error, "t.npy'") << length;
    EXPECT_NE(error, "no error") << length;
  }
  EXPECT_HAS(readError(write("t.npy", StringRef(bytes).drop_back(1))),
             "is truncated: found 15 of 16 bytes of its data");
  EXPECT_HAS(readError(write("t.npy", bytes + "x")),
             "has more data than its shape 4 of float32 needs");
}

TEST_F(ArrayFileTest, DamagedNpz) {
  NamedArray array{"x", Array::zeros(ElementType::F32, {64})};
  ASSERT_EQ(toString(writeNpz(path("a.npz"), array)), "");
  std::string bytes = contents("a.npz");
  EXPECT_HAS(readError(write("t.npz", StringRef(bytes).drop_back(30))),
             "is a damaged .npz");
  // A flipped bit in the data fails the checksum.
  bytes[250] ^= 1;
  EXPECT_HAS(readError(write("t.npz", bytes)), "array 'x' in '");
  EXPECT_HAS(readError(path("t.npz")), "is damaged");
}

TEST_F(ArrayFileTest, HeaderOfGigabytes) {
  StringRef bytes("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12);
  EXPECT_HAS(readError(write("t.npy", bytes)),
             "has a header of 2147483647 bytes, expected at most 65536");
}

TEST_F(ArrayFileTest, ImpossibleShapesAllocateNothing) {
  EXPECT_HAS(readError(writeNpyText("{'descr': '<f4', 'fortran_order': False, "
                                    "'shape': (4611686018427387904,), }\n",
                                    "")),
             "has the impossible shape 4611686018427387904");
  EXPECT_HAS(readError(writeNpyText("{'descr': '<f4', 'fortran_order': False, "
                                    "'shape': (1000000000000,), }\n",
                                    "abc")),
             "is truncated: found 3 of 4000000000000 bytes");
}

TEST_F(ArrayFileTest, OtherElementTypes) {
  auto header = [](StringRef type) {
    return ("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }")
        .str();
  };
  EXPECT_HAS(readError(writeNpyText(header("'>f4'"), "abcd")),
             "has big-endian elements ('>f4'); convert it with "
             ".astype('<f4')");
  EXPECT_HAS(readError(writeNpyText(header("'|O'"), "abcd")),
             "holds Python objects");
  EXPECT_HAS(readError(writeNpyText(header("'<c8'"), "abcdefgh")),
             "has element type '<c8'");
  EXPECT_HAS(readError(writeNpyText(header("[('a', '<f4')]"), "abcd")),
             "has a structured element type");
  EXPECT_HAS(readError(writeNpyText("{'descr': ", "")),
             "has a malformed .npy header");
  // What NumPy takes for no dictionary, or for one with another shape.
  const std::string whole =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)";
  EXPECT_EQ(readError(writeNpyText(whole + "}  \n", "abcd")), "no error");
  for (const char *end : {"} x", ", }}", " 'shape': (1,)}", ", 'shape': (1,)}",
                          ", 'order': 1}", ",, }"})
    EXPECT_HAS(readError(writeNpyText(whole + end, "abcd")),
               "has a malformed .npy header");
}

TEST_F(ArrayFileTest, NotAnArrayFile) {
  EXPECT_HAS(readError(write("a.txt", "hello, world")),
             "is neither a .npy nor a .npz file");
  EXPECT_HAS(readError(path("missing.npz")), "No such file");
  EXPECT_HAS(readError(directory), "is a directory");
  EXPECT_HAS(toString(writeNpy(path("no/such/a.npy"),
                               Array::zeros(ElementType::F32, {1}))),
             "cannot write '");
}

TEST(ToFloatTest, ConvertsByValue) {
  EXPECT_EQ(*toFloat(make<uint8_t>(ElementType::U8, {3}, {0, 128, 255})),
            (std::vector<float>{0, 128, 255}));
  EXPECT_EQ(*toFloat(make<int8_t>(ElementType::I8, {2}, {-128, 127})),
            (std::vector<float>{-128, 127}));
  EXPECT_EQ(*toFloat(make<double>(ElementType::F64, {2}, {0.1, -1e300})),
            (std::vector<float>{0.1f, -INFINITY}));
  // 2^24 + 1 is half way between two floats.
  EXPECT_EQ(*toFloat(make<int32_t>(ElementType::I32, {1}, {16777217})),
            (std::vector<float>{16777216.0f}));
}

TEST(ToFloatTest, Halves) {
  // 1, -2, 65504 (largest), 2^-24 (smallest), -0, infinity.
  std::vector<float> values = *toFloat(make<uint16_t>(
      ElementType::F16, {6}, {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00}));
  EXPECT_EQ(values, (std::vector<float>{1.0f, -2.0f, 65504.0f, 0x1p-24f, -0.0f,
                                        INFINITY}));
  EXPECT_TRUE(std::signbit(values[4]));
  EXPECT_TRUE(std::isnan(
      (*toFloat(make<uint16_t>(ElementType::F16, {1}, {0x7e00})))[0]));
}

TEST(ToFloatTest, DataThatDoesNotFitTheShape) {
  Array array = Array::zeros(ElementType::F32, {2});
  array.data.pop_back();
  auto values = toFloat(array, "x");
  ASSERT_FALSE(bool(values));
  EXPECT_HAS(toString(values.takeError()), "array 'x' has 7 bytes");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads golden vectors of PyTorch's engine (see test/Integration/golden), for
// tests that compute them with the scalar formulas.

#ifndef QBACKEND_TEST_NUMERICS_GOLDENCASE_H
#define QBACKEND_TEST_NUMERICS_GOLDENCASE_H

#include "../TestData.h"

#include "qbackend/Numerics/QuantParams.h"
#include "qbackend/Numerics/Tables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace qbackend::numerics {

namespace json = llvm::json;

inline std::vector<double> getNumbers(const json::Value *value) {
  std::vector<double> result;
  if (!value)
    return result;
  if (auto number = value->getAsNumber())
    return {*number};
  for (const json::Value &element : *value->getAsArray())
    result.push_back(*element.getAsNumber());
  return result;
}

inline std::vector<int64_t> getIntegers(const json::Value *value) {
  std::vector<int64_t> result;
  for (double number : getNumbers(value))
    result.push_back(static_cast<int64_t>(number));
  return result;
}

/// Plain numbers, or quantized ones with one or several parameters.
struct Tensor {
  Tensor() = default;
  explicit Tensor(const json::Object &object)
      : dtype(object.getString("dtype")->str()),
        shape(getIntegers(object.get("shape"))),
        data(getNumbers(object.get("data"))),
        scales(getNumbers(object.get("scale"))),
        zeroPoints(getIntegers(object.get("zero_point"))) {
    if (object.get("axis")) {
      scales = getNumbers(object.get("scales"));
      zeroPoints = getIntegers(object.get("zero_points"));
    }
  }

  double scale(size_t channel = 0) const {
    return scales.size() == 1 ? scales[0] : scales.at(channel);
  }
  int64_t zeroPoint(size_t channel = 0) const {
    return scales.size() == 1 ? zeroPoints[0] : zeroPoints.at(channel);
  }
  QuantParams params() const { return {scale(), zeroPoint()}; }
  bool isSigned() const { return dtype != "u8"; }
  TableType type() const { return {scale(), zeroPoint(), isSigned()}; }
  QuantRange range() const {
    return quantizedRange(isSigned(), dtype == "s32" ? 32 : 8, {}, false);
  }
  int64_t channels() const { return shape[1]; }
  int64_t height() const { return shape[2]; }
  int64_t width() const { return shape[3]; }

  /// Whether (h, w) is inside the image.
  bool contains(int64_t h, int64_t w) const {
    return h >= 0 && h < height() && w >= 0 && w < width();
  }
  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return static_cast<int64_t>(
        data[((n * channels() + c) * height() + h) * width() + w]);
  }

  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<double> data;
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
};

struct Case {
  explicit Case(const json::Object &object)
      : name(object.getString("name")->str()),
        inputs(*object.getObject("inputs")), attrs(*object.getObject("attrs")),
        debug(object.getObject("debug")),
        expected(*object.getObject("expected")) {}

  Tensor input(llvm::StringRef name) const {
    const json::Object *object = inputs.getObject(name);
    return object ? Tensor(*object) : Tensor();
  }
  std::vector<int64_t> integers(llvm::StringRef name) const {
    return getIntegers(attrs.get(name));
  }
  float number(llvm::StringRef name) const {
    return static_cast<float>(*attrs.getNumber(name));
  }
  bool flag(llvm::StringRef name) const {
    return attrs.getBoolean(name).value_or(false);
  }
  std::string text(llvm::StringRef name) const {
    return attrs.getString(name).value_or("").str();
  }

  std::string name;
  const json::Object &inputs, &attrs;
  const json::Object *debug;
  Tensor expected;
};

/// Calls `function` on each case of an operator's file.
inline void forEachCase(llvm::StringRef op, size_t count,
                        llvm::function_ref<void(const Case &)> function) {
  std::string path =
      getTestData(("../Integration/golden/" + op + ".json").str());
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(buffer) << path;
  llvm::Expected<json::Value> root = json::parse((*buffer)->getBuffer());
  ASSERT_TRUE(!!root) << path << llvm::toString(root.takeError());
  const json::Array &cases = *root->getAsObject()->getArray("cases");
  EXPECT_EQ(cases.size(), count) << path;
  for (const json::Value &value : cases) {
    Case test(*value.getAsObject());
    SCOPED_TRACE((op + " " + test.name).str());
    function(test);
  }
}

/// Compares results bit for bit; reports the first difference.
inline void expectData(const std::vector<double> &actual, const Case &test) {
  const std::vector<double> &expected = test.expected.data;
  ASSERT_EQ(actual.size(), expected.size());
  size_t differences = 0, first = 0;
  for (size_t i = actual.size(); i-- > 0;)
    if (actual[i] != expected[i]) {
      ++differences;
      first = i;
    }
  EXPECT_EQ(differences, 0u)
      << "first at " << first << ": " << actual[first] << ", expected "
      << expected[first] << ", of " << actual.size();
}

/// Product of the extents after `axis`.
inline int64_t innerSize(const std::vector<int64_t> &shape, int64_t axis) {
  int64_t size = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    size *= shape[i];
  return size;
}

} // namespace qbackend::numerics

#endif // QBACKEND_TEST_NUMERICS_GOLDENCASE_H

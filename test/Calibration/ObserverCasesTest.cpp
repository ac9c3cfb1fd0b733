// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers against what PyTorch's observers returned (observer_cases.json).

#include "../TestData.h"

#include "qbackend/Calibration/Observer.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::calibration;
namespace json = llvm::json;

namespace {

/// Returns a number; infinities are strings.
double toDouble(const json::Value &value) {
  if (auto string = value.getAsString())
    return *string == "inf" ? HUGE_VAL : -HUGE_VAL;
  return *value.getAsNumber();
}

std::vector<double> getNumbers(const json::Object &object,
                               llvm::StringRef field) {
  std::vector<double> result;
  for (const json::Value &value : *object.getArray(field))
    result.push_back(toDouble(value));
  return result;
}

/// Appends the values of nested arrays to `data` and their sizes to `shape`.
void flatten(const json::Value &value, std::vector<float> &data,
             std::vector<int64_t> &shape, size_t depth = 0) {
  const json::Array *array = value.getAsArray();
  if (!array) {
    data.push_back(static_cast<float>(toDouble(value)));
    return;
  }
  if (depth == shape.size())
    shape.push_back(array->size());
  for (const json::Value &element : *array)
    flatten(element, data, shape, depth + 1);
}

ObserverOptions getOptions(const json::Object &object) {
  const std::pair<llvm::StringRef, ObserverKind> kinds[] = {
      {"MinMaxObserver", ObserverKind::MinMax},
      {"MovingAverageMinMaxObserver", ObserverKind::MovingAverageMinMax},
      {"PerChannelMinMaxObserver", ObserverKind::PerChannelMinMax},
      {"MovingAveragePerChannelMinMaxObserver",
       ObserverKind::MovingAveragePerChannelMinMax},
      {"HistogramObserver", ObserverKind::Histogram}};
  const std::pair<llvm::StringRef, numerics::QScheme> schemes[] = {
      {"per_tensor_affine", numerics::QScheme::PerTensorAffine},
      {"per_tensor_symmetric", numerics::QScheme::PerTensorSymmetric},
      {"per_channel_affine", numerics::QScheme::PerChannelAffine},
      {"per_channel_symmetric", numerics::QScheme::PerChannelSymmetric},
      {"per_channel_affine_float_qparams",
       numerics::QScheme::PerChannelAffineFloatQParams}};
  ObserverOptions options;
  for (auto &[name, kind] : kinds)
    if (name == *object.getString("class"))
      options.kind = kind;
  if (auto name = object.getString("qscheme"))
    for (auto &[candidate, scheme] : schemes)
      if (candidate == *name)
        options.scheme = scheme;
  options.isSigned = object.getString("dtype").value_or("quint8") == "qint8";
  options.reduceRange = object.getBoolean("reduce_range").value_or(false);
  if (auto min = object.getInteger("quant_min"))
    options.customRange = {*min, *object.getInteger("quant_max")};
  if (auto eps = object.getNumber("eps"))
    options.eps = static_cast<float>(*eps);
  if (auto constant = object.getNumber("averaging_constant"))
    options.averagingConstant = static_cast<float>(*constant);
  options.bins = object.getInteger("bins").value_or(2048);
  options.channelAxis = object.getInteger("ch_axis").value_or(0);
  return options;
}

/// Equal as doubles, with the sign of a zero.
void expectSame(const std::vector<double> &actual,
                const std::vector<double> &expected, const char *what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i], expected[i]) << what << ' ' << i;
    EXPECT_EQ(std::signbit(actual[i]), std::signbit(expected[i])) << what;
  }
}

std::vector<double> widen(const std::vector<float> &values) {
  return std::vector<double>(values.begin(), values.end());
}

void checkCase(const json::Object &test) {
  ObserverOptions options = getOptions(*test.getObject("observer"));
  std::unique_ptr<Observer> observer = Observer::create(options);
  for (const json::Value &batch : *test.getArray("batches")) {
    std::vector<float> data;
    std::vector<int64_t> shape;
    flatten(batch, data, shape);
    observer->update(data.data(), shape);
  }
  const Statistics &stats = observer->statistics();
  auto getRanges = [&](float range, const std::vector<float> &channels,
                       const std::vector<float> &averages) {
    if (isMovingAverage(options.kind) && !averages.empty())
      return widen(averages);
    if (isPerChannel(options.kind))
      return widen(channels);
    return std::vector<double>{range};
  };
  expectSame(getRanges(stats.min, stats.channelMins, stats.averageMins),
             getNumbers(test, "min_val"), "min");
  expectSame(getRanges(stats.max, stats.channelMaxs, stats.averageMaxs),
             getNumbers(test, "max_val"), "max");
  std::vector<double> scales, zeroPoints;
  if (options.scheme == numerics::QScheme::PerChannelAffineFloatQParams) {
    for (auto params : Observer::floatQParams(stats, options)) {
      scales.push_back(params.scale);
      zeroPoints.push_back(params.zeroPoint);
    }
  } else {
    for (auto params : Observer::qparams(stats, options)) {
      scales.push_back(params.scale);
      zeroPoints.push_back(params.zeroPoint);
    }
  }
  expectSame(scales, getNumbers(test, "scale"), "scale");
  expectSame(zeroPoints, getNumbers(test, "zero_point"), "zero point");
  if (options.kind != ObserverKind::Histogram)
    return;
  auto [min, max] = searchHistogramRange(stats, options.bits);
  EXPECT_EQ(min, *test.getNumber("search_min"));
  EXPECT_EQ(max, *test.getNumber("search_max"));
  std::vector<double> histogram(options.bins);
  for (const json::Value &bin : *test.getArray("histogram_nonzero"))
    histogram[*(*bin.getAsArray())[0].getAsInteger()] =
        toDouble((*bin.getAsArray())[1]);
  expectSame(widen(stats.histogram), histogram, "bin");
}

TEST(ObserverCases, AllMatchPyTorch) {
  auto buffer = llvm::MemoryBuffer::getFile(getTestData("observer_cases.json"));
  ASSERT_TRUE(buffer);
  llvm::Expected<json::Value> root = json::parse((*buffer)->getBuffer());
  ASSERT_TRUE(!!root) << llvm::toString(root.takeError());
  const json::Array &cases = *root->getAsObject()->getArray("cases");
  EXPECT_EQ(cases.size(), 29u);
  for (const json::Value &value : cases) {
    const json::Object &test = *value.getAsObject();
    SCOPED_TRACE(test.getString("id")->str());
    checkCase(test);
  }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the results of two networks differ, and how many classes are right.

#include "qbackend/Insight/Comparison/Compare.h"

#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>

using namespace qbackend;
using namespace qbackend::evaluation;
using arrays::NamedArray;
using llvm::ArrayRef;
using llvm::StringRef;

/// The index of the largest of each row's elements.
static std::vector<int64_t> getTop1(ArrayRef<float> values, int64_t rows) {
  std::vector<int64_t> result;
  int64_t columns = rows ? values.size() / rows : 0;
  for (int64_t row = 0; row < rows; ++row) {
    ArrayRef<float> scores = values.slice(row * columns, columns);
    result.push_back(std::max_element(scores.begin(), scores.end()) -
                     scores.begin());
  }
  return result;
}

/// In what share of the samples `classes` are those of `expected`.
static double getShare(ArrayRef<int64_t> classes, ArrayRef<int64_t> expected) {
  int64_t right = 0;
  for (auto [found, label] : llvm::zip(classes, expected))
    right += found == label;
  return classes.empty() ? 0.0 : double(right) / classes.size();
}

llvm::Expected<std::vector<int64_t>> evaluation::readLabels(StringRef path,
                                                            int64_t count) {
  auto [file, name] = path.rsplit(':');
  auto arrays = arrays::readArrays(name.empty() ? path : file);
  if (!arrays)
    return arrays.takeError();
  for (NamedArray &array : *arrays) {
    if (!name.empty() ? array.name != name : arrays->size() != 1)
      continue;
    auto values = arrays::toFloat(array.array, array.name);
    if (!values)
      return values.takeError();
    if (int64_t(values->size()) < count)
      return makeError("'{0}' has {1} labels for {2} samples", path,
                       values->size(), count);
    return std::vector<int64_t>(values->begin(), values->begin() + count);
  }
  return makeError("'{0}' has no such array; say FILE:ARRAY", path);
}

static llvm::Expected<Comparison> compareResult(const NamedArray &first,
                                                const NamedArray &second,
                                                StringRef labelsPath) {
  if (first.array.shape != second.array.shape)
    return makeError("{0} is {1} in one module, {2} in the other", first.name,
                     arrays::formatShape(first.array.shape),
                     arrays::formatShape(second.array.shape));
  auto a = arrays::toFloat(first.array, first.name);
  if (!a)
    return a.takeError();
  auto b = arrays::toFloat(second.array, second.name);
  if (!b)
    return b.takeError();
  Comparison result;
  result.name = first.name;
  result.elements = a->size();
  double signal = 0, noise = 0, otherSignal = 0, product = 0;
  for (auto [x, y] : llvm::zip(*a, *b)) {
    double difference = double(x) - double(y);
    signal += double(x) * x;
    noise += difference * difference;
    otherSignal += double(y) * y;
    product += double(x) * y;
    result.maxDifference = std::max(result.maxDifference, std::abs(difference));
    result.different += x != y;
  }
  result.sqnr = noise == 0 ? std::numeric_limits<double>::infinity()
                           : 10 * std::log10(signal / noise);
  if (signal > 0 && otherSignal > 0)
    result.cosine = product / std::sqrt(signal * otherSignal);
  else
    result.cosine = signal == otherSignal;
  if (first.array.shape.size() != 2)
    return result;
  int64_t rows = first.array.shape[0];
  std::vector<int64_t> top = getTop1(*a, rows), topOther = getTop1(*b, rows);
  result.top1Agreement = getShare(top, topOther);
  if (labelsPath.empty())
    return result;
  auto labels = readLabels(labelsPath, rows);
  if (!labels)
    return labels.takeError();
  result.accuracy = {getShare(top, *labels), getShare(topOther, *labels)};
  return result;
}

llvm::Expected<std::vector<Comparison>>
evaluation::compare(ArrayRef<NamedArray> base, ArrayRef<NamedArray> other,
                    StringRef labels) {
  if (base.size() != other.size())
    return makeError("the modules have {0} and {1} results", base.size(),
                     other.size());
  std::vector<Comparison> results;
  for (auto [first, second] : llvm::zip(base, other)) {
    auto result = compareResult(first, second, labels);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

llvm::Expected<std::vector<Accuracy>>
evaluation::countRight(ArrayRef<NamedArray> results, StringRef labels) {
  std::vector<Accuracy> counts;
  for (const NamedArray &result : results) {
    if (result.array.shape.size() != 2)
      continue;
    int64_t rows = result.array.shape[0];
    auto values = arrays::toFloat(result.array, result.name);
    if (!values)
      return values.takeError();
    auto classes = readLabels(labels, rows);
    if (!classes)
      return classes.takeError();
    Accuracy accuracy{result.name, 0, rows};
    for (auto [found, label] : llvm::zip(getTop1(*values, rows), *classes))
      accuracy.right += found == label;
    counts.push_back(std::move(accuracy));
  }
  if (counts.empty())
    return makeError("no result has a row of scores for each sample, so that "
                     "there are no classes to compare with the labels");
  return counts;
}

void evaluation::print(const Accuracy &accuracy, llvm::raw_ostream &os) {
  os << accuracy.name << ": accuracy "
     << llvm::format("%.4f", double(accuracy.right) /
                                 std::max<int64_t>(accuracy.samples, 1))
     << ", " << accuracy.right << " of " << accuracy.samples
     << " samples are right\n";
}

void evaluation::print(const Comparison &comparison, llvm::raw_ostream &os) {
  os << comparison.name << ": SQNR ";
  if (comparison.sqnr == std::numeric_limits<double>::infinity())
    os << "inf";
  else
    os << llvm::format("%.2f", comparison.sqnr);
  os << " dB, max difference " << llvm::format("%.6g", comparison.maxDifference)
     << ", " << comparison.different << " of " << comparison.elements
     << " elements differ";
  if (comparison.top1Agreement)
    os << ", top-1 agreement "
       << llvm::format("%.4f", *comparison.top1Agreement);
  if (comparison.accuracy)
    os << ", accuracy " << llvm::format("%.4f", comparison.accuracy->first)
       << " and " << llvm::format("%.4f", comparison.accuracy->second);
  os << "\n";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the results of two networks differ, and how many classes are right.

#include "qbackend/Insight/Comparison/Compare.h"

#include "qbackend/Support/Error.h"
#include "qbackend/Support/Shape.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>
#include <utility>

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
                                                            int64_t samples) {
  if (path.empty())
    return std::vector<int64_t>();
  auto [file, name] = path.rsplit(':');
  auto arrays = arrays::readArrays(name.empty() ? path : file);
  if (!arrays)
    return arrays.takeError();
  for (NamedArray &array : *arrays) {
    if (!name.empty() ? array.name != name : arrays->size() != 1)
      continue;
    const arrays::Array &labels = array.array;
    int64_t count = labels.getNumElements();
    if (!arrays::isInteger(labels.type) || count == 0 || labels.shape.empty() ||
        labels.shape[0] != count)
      return makeError("'{0}' has {1} {2}, expected the number of a class for "
                       "each sample: a vector of integers",
                       path, arrays::getElementName(labels.type),
                       formatShape(labels.shape));
    // Classes are few enough for a float.
    auto values = arrays::toFloat(labels, array.name);
    if (!values)
      return values.takeError();
    if (samples >= 0 && samples < count)
      values->resize(samples);
    return std::vector<int64_t>(values->begin(), values->end());
  }
  return makeError("'{0}' has no such array; say FILE:ARRAY", path);
}

/// Why `labels` are not the classes of the rows of `result`.
static llvm::Error checkLabels(ArrayRef<int64_t> labels,
                               const NamedArray &result) {
  ArrayRef<int64_t> shape = result.array.shape;
  if (int64_t(labels.size()) != shape[0])
    return makeError("there are {0} labels for the {1} samples of {2}; give "
                     "one for each",
                     labels.size(), shape[0], result.name);
  for (auto [sample, label] : llvm::enumerate(labels))
    if (label < 0 || label >= shape[1])
      return makeError("the label of sample {0} is {1}, expected one of the "
                       "classes 0 to {2} of {3}",
                       sample, label, shape[1] - 1, result.name);
  return llvm::Error::success();
}

/// Which of the results have a row of scores for each of the samples that the
/// labels are of. An error if none has.
static llvm::Expected<llvm::SmallVector<size_t>>
findScores(ArrayRef<NamedArray> results, ArrayRef<int64_t> labels) {
  llvm::SmallVector<size_t> found;
  std::string why = "no result has a row of scores for each sample, so that "
                    "there are no classes to compare with the labels";
  bool isFirst = true;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (result.array.shape.size() != 2)
      continue;
    llvm::Error error = checkLabels(labels, result);
    if (!error)
      found.push_back(i);
    std::string text = llvm::toString(std::move(error));
    if (std::exchange(isFirst, false))
      why = text;
  }
  if (found.empty())
    return makeError("{0}", why);
  return found;
}

static llvm::Expected<Accuracy> getAccuracy(const NamedArray &scores,
                                            ArrayRef<int64_t> labels) {
  auto values = arrays::toFloat(scores.array, scores.name);
  if (!values)
    return values.takeError();
  Accuracy accuracy{scores.name, 0, int64_t(labels.size())};
  for (auto [found, label] :
       llvm::zip(getTop1(*values, accuracy.samples), labels))
    accuracy.right += found == label;
  return accuracy;
}

static llvm::Expected<Comparison> compareResult(const NamedArray &first,
                                                const NamedArray &second) {
  if (first.array.shape != second.array.shape)
    return makeError("{0} is {1} in one module, {2} in the other", first.name,
                     formatShape(first.array.shape),
                     formatShape(second.array.shape));
  auto a = arrays::toFloat(first.array, first.name);
  if (!a)
    return a.takeError();
  auto b = arrays::toFloat(second.array, second.name);
  if (!b)
    return b.takeError();
  Comparison result;
  result.name = first.name;
  result.isFloat = arrays::isFloat(first.array.type);
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
  return result;
}

llvm::Expected<std::vector<Comparison>>
evaluation::compare(ArrayRef<NamedArray> base, ArrayRef<NamedArray> other,
                    ArrayRef<int64_t> labels) {
  if (base.size() != other.size())
    return makeError("the modules have {0} and {1} results", base.size(),
                     other.size());
  std::vector<Comparison> results;
  for (auto [first, second] : llvm::zip(base, other)) {
    auto result = compareResult(first, second);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  if (labels.empty())
    return results;
  auto found = findScores(base, labels);
  if (!found)
    return found.takeError();
  for (size_t i : *found) {
    auto right = getAccuracy(base[i], labels);
    auto otherRight = getAccuracy(other[i], labels);
    if (!right || !otherRight)
      return llvm::joinErrors(right.takeError(), otherRight.takeError());
    results[i].accuracy = {right->getShare(), otherRight->getShare()};
  }
  return results;
}

double evaluation::getWorstSqnr(ArrayRef<Comparison> comparisons) {
  bool hasFloats = llvm::any_of(
      comparisons, [](const Comparison &each) { return each.isFloat; });
  double worst = std::numeric_limits<double>::infinity();
  for (const Comparison &comparison : comparisons) {
    if (comparison.isFloat != hasFloats)
      continue;
    worst = std::min(worst, std::isnan(comparison.sqnr)
                                ? -std::numeric_limits<double>::infinity()
                                : comparison.sqnr);
  }
  return worst;
}

llvm::Expected<std::vector<Accuracy>>
evaluation::countRight(ArrayRef<NamedArray> results, ArrayRef<int64_t> labels) {
  auto found = findScores(results, labels);
  if (!found)
    return found.takeError();
  std::vector<Accuracy> counts;
  for (size_t i : *found) {
    auto right = getAccuracy(results[i], labels);
    if (!right)
      return right.takeError();
    counts.push_back(std::move(*right));
  }
  return counts;
}

void evaluation::print(const Accuracy &accuracy, llvm::raw_ostream &os) {
  os << accuracy.name << ": accuracy "
     << llvm::format("%.4f", accuracy.getShare()) << ", " << accuracy.right
     << " of " << accuracy.samples << " samples are right\n";
}

void evaluation::print(const Comparison &comparison, llvm::raw_ostream &os) {
  os << comparison.name << ": SQNR ";
  if (comparison.sqnr == std::numeric_limits<double>::infinity())
    os << "inf";
  else if (std::isnan(comparison.sqnr))
    os << "nan"; // Without a sign, which NaN has by chance.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the elements of a layer's input that meet its weight.

#include "qbackend/Calibration/Patches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;
using numerics::ExactSum;

/// How many pixels of a sample have products, evenly spread: neighbours are
/// alike.
static constexpr int64_t kPixels = 16;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

void Geometry::forEachPixel(
    const float *data, ArrayRef<int64_t> shape,
    llvm::function_ref<void(int64_t, int64_t, ArrayRef<const float *>)> visit)
    const {
  int64_t extents[3] = {1, 1, 1}, outer = 1;
  int64_t rank = shape.size() - 1;
  if (isLinear) {
    for (int64_t extent : shape.drop_back())
      outer *= extent;
  } else {
    outer = shape[0];
    for (int64_t i = 1; i < rank; ++i)
      extents[3 - rank + i] = shape[i];
  }
  int64_t results[3];
  for (int d = 0; d < 3; ++d)
    results[d] = std::max<int64_t>(0, (extents[d] + before[d] + after[d] -
                                       dilation[d] * (kernel[d] - 1) - 1) /
                                              stride[d] +
                                          1);
  int64_t total = outer * results[0] * results[1] * results[2], number = 0;
  SmallVector<const float *> elements(getPositions());
  for (int64_t n = 0; n < outer; ++n)
    for (int64_t d = 0; d < results[0]; ++d)
      for (int64_t h = 0; h < results[1]; ++h)
        for (int64_t w = 0; w < results[2]; ++w) {
          const int64_t pixel[3] = {d, h, w};
          getElements(data, n, extents, pixel, elements);
          visit(number++, total, elements);
        }
}

void Geometry::getElements(const float *data, int64_t n, const int64_t *extents,
                           const int64_t *pixel,
                           MutableArrayRef<const float *> elements) const {
  int64_t next = 0;
  for (int64_t a = 0; a < kernel[0]; ++a)
    for (int64_t b = 0; b < kernel[1]; ++b)
      for (int64_t c = 0; c < kernel[2]; ++c) {
        const int64_t tap[3] = {a, b, c};
        int64_t offset = n;
        bool isInside = true;
        for (int i = 0; i < 3; ++i) {
          int64_t at = pixel[i] * stride[i] - before[i] + tap[i] * dilation[i];
          isInside &= at >= 0 && at < extents[i];
          offset = offset * extents[i] + at;
        }
        elements[next++] = isInside ? data + offset * channels : nullptr;
      }
}

std::vector<int64_t> Geometry::toNumbers() const {
  std::vector<int64_t> numbers = {isLinear, channels, groups};
  for (const int64_t *triple : {kernel, stride, dilation, before, after})
    numbers.insert(numbers.end(), triple, triple + 3);
  return numbers;
}

bool Geometry::fromNumbers(ArrayRef<int64_t> numbers, Geometry &geometry) {
  // Beyond, sizes would not fit in memory, nor products of them in a number.
  constexpr int64_t most = int64_t(1) << 20;
  if (numbers.size() != 18 || llvm::any_of(numbers, [](int64_t number) {
        return number < 0 || number > most;
      }))
    return false;
  geometry.isLinear = numbers[0];
  geometry.channels = numbers[1];
  geometry.groups = numbers[2];
  ArrayRef<int64_t> rest = numbers.drop_front(3);
  for (int64_t *triple : {geometry.kernel, geometry.stride, geometry.dilation,
                          geometry.before, geometry.after}) {
    llvm::copy(rest.take_front(3), triple);
    rest = rest.drop_front(3);
  }
  return numbers[0] <= 1 && geometry.groups > 0 && geometry.channels > 0 &&
         geometry.channels % geometry.groups == 0 &&
         llvm::all_of(numbers.slice(3, 9), [](int64_t n) { return n > 0; }) &&
         geometry.kernel[0] * geometry.kernel[1] <= most &&
         geometry.getPositions() <= most &&
         geometry.getPositions() * geometry.channels <= int64_t(1) << 26;
}

bool isChosenPixel(uint64_t number, uint64_t total) {
  // Fibonacci hashing, Knuth, vol. 3, 6.4.
  uint64_t hash = (number * 0x9E3779B97F4A7C15) >> 32;
  return total <= uint64_t(kPixels) || hash * total < (uint64_t(kPixels) << 32);
}

void moveChannelsLast(std::vector<float> &values,
                      llvm::SmallVectorImpl<int64_t> &shape, int64_t axis) {
  if (axis + 1 >= int64_t(shape.size()))
    return;
  int64_t outer = 1, inner = 1, channels = shape[axis];
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  std::vector<float> moved(values.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < inner; ++i)
        moved[(o * inner + i) * channels + c] =
            values[(o * channels + c) * inner + i];
  values = std::move(moved);
  shape.erase(shape.begin() + axis);
  shape.push_back(channels);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t PatchSums::countProducts(int64_t blockSize) const {
  int64_t row = geometry.getRowSize(), rest = row % blockSize;
  auto triangle = [](int64_t n) { return n * (n + 1) / 2; };
  return geometry.groups *
         (row / blockSize * triangle(blockSize) + triangle(rest));
}

int64_t PatchSums::getBlockSize() const {
  // With longer blocks there are more products.
  int64_t low = 1, high = geometry.getRowSize();
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    if (countProducts(middle) <= kProducts)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

PatchSums::PatchSums(const Geometry &geometry) : geometry(geometry) {
  sums.resize(geometry.getPositions() * geometry.channels);
  productSums.resize(sums.size());
  products.resize(countProducts(getBlockSize()));
}

PatchSample PatchSums::measure(const std::vector<float> &values,
                               ArrayRef<int64_t> shape, int64_t sample) const {
  const int64_t channels = geometry.channels, groups = geometry.groups;
  const int64_t columns = channels / groups, row = geometry.getRowSize();
  const int64_t block = getBlockSize();
  auto getNumber = [](const float *element, int64_t at) {
    float number = element ? element[at] : 0.0f;
    return std::isfinite(number) ? double(number) : 0.0;
  };
  PatchSample result;
  result.sums.resize(sums.size());
  result.productSums.resize(sums.size());
  result.products.resize(products.size());
  std::vector<double> patch(row);
  geometry.forEachPixel(
      values.data(), shape,
      [&](int64_t number, int64_t total, ArrayRef<const float *> elements) {
        ++result.pixels;
        bool isChosen = isChosenPixel(sample * total + number, total);
        result.productPixels += isChosen;
        for (auto [p, element] : llvm::enumerate(elements))
          for (int64_t c = 0; element && c < channels; ++c) {
            double value = getNumber(element, c);
            result.sums[p * channels + c] += value;
            if (isChosen)
              result.productSums[p * channels + c] += value;
          }
        if (!isChosen)
          return;
        double *next = result.products.data();
        for (int64_t group = 0; group < groups; ++group) {
          for (auto [p, element] : llvm::enumerate(elements))
            for (int64_t c = 0; c < columns; ++c)
              patch[p * columns + c] = getNumber(element, group * columns + c);
          for (int64_t first = 0; first < row; first += block)
            for (int64_t i = first; i < std::min(first + block, row); ++i)
              for (int64_t j = first; j <= i; ++j)
                *next++ += patch[i] * patch[j];
        }
      });
  return result;
}

/// Adds numbers that are sums of one sample: in one order, as doubles.
static void addAll(std::vector<ExactSum> &to, ArrayRef<double> from) {
  for (auto [sum, number] : llvm::zip_equal(to, from))
    sum.add(number);
}

void PatchSums::add(const PatchSample &sample) {
  pixels += sample.pixels;
  productPixels += sample.productPixels;
  addAll(sums, sample.sums);
  addAll(productSums, sample.productSums);
  addAll(products, sample.products);
}

void PatchSums::add(const PatchSums &other) {
  pixels += other.pixels;
  productPixels += other.productPixels;
  for (auto member :
       {&PatchSums::sums, &PatchSums::productSums, &PatchSums::products})
    for (auto [sum, more] : llvm::zip_equal(this->*member, other.*member))
      sum.add(more);
}

PatchMoments PatchSums::getMoments(bool withProducts) const {
  PatchMoments result;
  result.geometry = geometry;
  result.pixels = pixels;
  result.productPixels = productPixels;
  for (const ExactSum &sum : sums)
    result.sums.push_back(sum.getValue());
  for (const ExactSum &sum : productSums)
    result.productSums.push_back(sum.getValue());
  if (!withProducts || productPixels == 0)
    return result;
  const int64_t row = geometry.getRowSize(), block = getBlockSize();
  result.products.resize(geometry.groups * row * row);
  const ExactSum *next = products.data();
  for (int64_t group = 0; group < geometry.groups; ++group) {
    float *matrix = &result.products[group * row * row];
    for (int64_t i = 0; i < row; ++i) {
      int64_t first = i / block * block;
      double mean = result.productSums[geometry.getIndex(group, i)];
      for (int64_t j = 0; j < first; ++j)
        matrix[i * row + j] = matrix[j * row + i] =
            mean * result.productSums[geometry.getIndex(group, j)] /
            double(productPixels);
      for (int64_t j = first; j <= i; ++j)
        matrix[i * row + j] = matrix[j * row + i] = (next++)->getValue();
    }
  }
  return result;
}

void PatchMoments::rescale(ArrayRef<float> factors, ArrayRef<float> shifts) {
  const int64_t channels = geometry.channels, row = geometry.getRowSize();
  const int64_t columns = channels / geometry.groups;
  const double count = productPixels;
  for (int64_t group = 0; !products.empty() && group < geometry.groups; ++group)
    for (int64_t i = 0; i < row; ++i)
      for (int64_t j = 0; j < row; ++j) {
        int64_t a = group * columns + i % columns;
        int64_t b = group * columns + j % columns;
        double left = productSums[geometry.getIndex(group, i)];
        double right = productSums[geometry.getIndex(group, j)];
        // E[(f x - s) (g y - t)], times the number of pixels.
        float &product = products[(group * row + i) * row + j];
        product = double(factors[a]) * factors[b] * product -
                  double(factors[a]) * shifts[b] * left -
                  double(shifts[a]) * factors[b] * right +
                  double(shifts[a]) * shifts[b] * count;
      }
  for (size_t i = 0; i < sums.size(); ++i) {
    int64_t c = i % channels;
    sums[i] = factors[c] * sums[i] - double(shifts[c]) * pixels;
    productSums[i] = factors[c] * productSums[i] - double(shifts[c]) * count;
  }
}

} // namespace qbackend::calibration

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a layer reads on average, and parameters that follow from it.

#include "CorrectedLayer.h"

using namespace mlir;
using namespace qbackend;

Moments CorrectedLayer::measure(const std::vector<float> &input,
                                ArrayRef<int64_t> shape, int64_t sample) const {
  std::vector<float> clamped(input.size()), rounded(input.size());
  float low = numerics::dequantize(min, scale, zeroPoint);
  float high = numerics::dequantize(max, scale, zeroPoint);
  for (size_t i = 0; i < input.size(); ++i) {
    clamped[i] = std::clamp(input[i], low, high);
    rounded[i] = numerics::fakeQuantize(input[i], scale, zeroPoint, min, max);
  }
  int64_t channels = geometry.channels, positions = geometry.getPositions();
  Moments result;
  auto addUp = [&](const std::vector<float> &from, std::vector<double> &sums) {
    sums.assign(positions * channels, 0.0);
    geometry.forEachPixel(
        from.data(), shape,
        [&](int64_t, int64_t total, ArrayRef<const float *> elements) {
          result.pixels = total;
          for (auto [p, element] : llvm::enumerate(elements))
            for (int64_t c = 0; element && c < channels; ++c)
              sums[p * channels + c] += element[c];
        });
  };
  addUp(clamped, result.original);
  addUp(rounded, result.quantized);
  if (!round)
    return result;
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  result.products.assign(groups * rowSize * rowSize, 0.0f);
  result.productSums.assign(positions * channels, 0.0);
  std::vector<float> row(rowSize);
  geometry.forEachPixel(
      rounded.data(), shape,
      [&](int64_t number, int64_t total, ArrayRef<const float *> elements) {
        if (!calibration::isChosenPixel(sample * total + number, total))
          return;
        ++result.productPixels;
        for (auto [p, element] : llvm::enumerate(elements))
          for (int64_t c = 0; element && c < channels; ++c)
            result.productSums[p * channels + c] += element[c];
        for (int64_t group = 0; group < groups; ++group) {
          for (auto [p, element] : llvm::enumerate(elements))
            for (int64_t c = 0; c < columns; ++c)
              row[p * columns + c] =
                  element ? element[group * columns + c] : 0.0f;
          float *matrix = &result.products[group * rowSize * rowSize];
          for (int64_t i = 0; i < rowSize; ++i)
            if (float left = row[i])
              for (int64_t j = 0; j < rowSize; ++j)
                matrix[i * rowSize + j] += left * row[j];
        }
      });
  return result;
}

void CorrectedLayer::takeMoments(calibration::PatchMoments found) {
  moments.original = found.sums;
  moments.quantized = std::move(found.sums);
  moments.pixels = found.pixels;
  moments.products = std::move(found.products);
  moments.productSums = std::move(found.productSums);
  moments.productPixels = found.productPixels;
}

void CorrectedLayer::roundWeight(bool isCentred) {
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  if (moments.products.empty() || moments.productPixels == 0)
    return;
  // The ends of the range are what scales come from: they stay.
  int64_t perScale = weight.numbers.size() / parameters.channels.size();
  std::vector<double> matrix(rowSize * rowSize), gradient(rowSize);
  std::vector<int64_t> integers(rowSize);
  for (int64_t group = 0; group < groups; ++group) {
    auto getMean = [&](int64_t i) {
      return moments.productSums[i / columns * geometry.channels +
                                 group * columns + i % columns] /
             moments.productPixels;
    };
    for (int64_t i = 0; i < rowSize; ++i)
      for (int64_t j = 0; j < rowSize; ++j) {
        double product = moments.products[(group * rowSize + i) * rowSize + j] /
                         double(moments.productPixels);
        // What all pixels have in common, the bias takes.
        matrix[i * rowSize + j] =
            isCentred ? product - getMean(i) * getMean(j) : product;
      }
    for (int64_t r = 0; r < getGroupRows(); ++r) {
      int64_t row = group * getGroupRows() + r;
      float *numbers = &weight.numbers[row * rowSize];
      auto [least, largest] = std::minmax_element(
          weight.numbers.begin() + row * rowSize / perScale * perScale,
          weight.numbers.begin() + (row * rowSize / perScale + 1) * perScale);
      float low = *least, high = *largest;
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (int64_t i = 0; i < rowSize; ++i) {
        integers[i] = quantize(row, numbers[i]);
        double error =
            double(numbers[i]) - double(dequantize(row, integers[i]));
        for (int64_t j = 0; j < rowSize; ++j)
          gradient[j] += error * matrix[i * rowSize + j];
      }
      bool isChanged = true;
      for (int sweep = 0; isChanged && sweep < 20; ++sweep) {
        isChanged = false;
        for (int64_t i = 0; i < rowSize; ++i) {
          if (numbers[i] == low || numbers[i] == high)
            continue;
          double now = dequantize(row, integers[i]);
          int64_t nearest = quantize(row, numbers[i]);
          double atNearest = dequantize(row, nearest);
          int64_t beside = nearest + (numbers[i] > atNearest ? 1 : -1);
          int64_t other = integers[i] == nearest ? beside : nearest;
          if (other < parameters.min || other > parameters.max)
            continue;
          // (d + t e)^T H (d + t e) - d^T H d, with the row's error d.
          double step = now - double(dequantize(row, other));
          double change =
              2 * step * gradient[i] + step * step * matrix[i * rowSize + i];
          if (!(change < -1e-12 * step * step * matrix[i * rowSize + i]))
            continue;
          // Only what is read back as that integer, and leaves the range.
          float number = std::clamp(dequantize(row, other), low, high);
          if (quantize(row, number) != other)
            continue;
          integers[i] = other;
          for (int64_t j = 0; j < rowSize; ++j)
            gradient[j] += step * matrix[i * rowSize + j];
          isChanged = true;
        }
      }
      for (int64_t i = 0; i < rowSize; ++i)
        if (integers[i] != quantize(row, numbers[i]))
          numbers[i] = std::clamp(dequantize(row, integers[i]), low, high);
    }
  }
}

bool CorrectedLayer::canCorrect(func::FuncOp function) const {
  OperatorOp layer = op;
  auto bias = readFloats(layer.getBias());
  return bias && int64_t(bias->size()) == weight.getRows() &&
         layer->getParentOfType<func::FuncOp>() == function;
}

LayerWeight CorrectedLayer::getQuantizedWeight() const {
  LayerWeight result = weight;
  int64_t rowSize = weight.getRowSize();
  for (auto [i, number] : llvm::enumerate(result.numbers))
    number = dequantize(i / rowSize, quantize(i / rowSize, number));
  return result;
}

std::optional<SmallVector<float, 0>>
CorrectedLayer::getBias(ArrayRef<double> quantizedSums) const {
  auto bias = readFloats(OperatorOp(op).getBias());
  std::optional<LayerWeight> original = readLayerWeight(op);
  if (!bias || int64_t(bias->size()) != weight.getRows() || !original ||
      moments.pixels == 0 || quantizedSums.size() != moments.original.size())
    return std::nullopt;
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  for (auto [row, number] : llvm::enumerate(*bias)) {
    double sum = 0;
    int64_t first = int64_t(row) / getGroupRows() * columns;
    for (int64_t i = 0; i < rowSize; ++i) {
      int64_t at = i / columns * geometry.channels + first + i % columns;
      float quantized =
          dequantize(row, quantize(row, weight.numbers[row * rowSize + i]));
      sum +=
          double(original->numbers[row * rowSize + i]) * moments.original[at] -
          double(quantized) * quantizedSums[at];
    }
    number = double(number) + sum / moments.pixels;
  }
  return bias;
}

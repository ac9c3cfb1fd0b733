// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer whose parameters are corrected by what it reads.

#ifndef QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTEDLAYER_H
#define QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTEDLAYER_H

#include "qbackend/Pipelines/Layers.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <vector>

namespace qbackend {

/// What pixels of a layer's input hold on average.
struct Moments {
  /// Sums over all pixels of the float input, clamped to the range of its
  /// integers, and the quantized one, for each position of the kernel and each
  /// channel. What is cut off is no reason to move what isn't.
  std::vector<double> original, quantized;
  int64_t pixels = 0;
  /// Sums of products over some pixels, for each group: the rows of a symmetric
  /// matrix in the order of a row of the weight.
  std::vector<float> products;
  /// Sums of the quantized input over these pixels, as above.
  std::vector<double> productSums;
  int64_t productPixels = 0;

  void add(const Moments &other) {
    auto sum = [](auto &to, const auto &from) {
      if (to.empty())
        to = from;
      else
        for (size_t i = 0; i < to.size(); ++i)
          to[i] += from[i];
    };
    sum(original, other.original);
    sum(quantized, other.quantized);
    sum(products, other.products);
    sum(productSums, other.productSums);
    pixels += other.pixels;
    productPixels += other.productPixels;
  }

  /// Has the products of `other` instead of its own.
  void takeProducts(Moments other) {
    products = std::move(other.products);
    productSums = std::move(other.productSums);
    productPixels = other.productPixels;
  }
};

/// A layer of a calibrated module: its parameters as they are, what it reads,
/// and what follows from that.
struct CorrectedLayer {
  OperatorOp op;
  LayerWeight weight;
  WeightParameters parameters;
  calibration::Geometry geometry;
  int64_t groups = 1;
  /// Of the input.
  float scale = 1;
  int64_t zeroPoint = 0, min = 0, max = 255;
  bool round = false;

  Moments moments;
  /// Those of samples that others are to be added before, by number.
  std::map<int64_t, Moments> pending;

  int64_t getGroupRows() const { return weight.getRows() / groups; }
  const numerics::QuantParams &getParameters(int64_t row) const {
    return parameters.channels.size() == 1 ? parameters.channels[0]
                                           : parameters.channels[row];
  }
  int64_t quantize(int64_t row, float number) const {
    const numerics::QuantParams &params = getParameters(row);
    return numerics::quantize(number, params.scale, params.zeroPoint,
                              parameters.min, parameters.max);
  }
  float dequantize(int64_t row, int64_t integer) const {
    const numerics::QuantParams &params = getParameters(row);
    return numerics::dequantize(integer, params.scale, params.zeroPoint);
  }

  /// What `input` adds to the moments, as it is and quantized.
  Moments measure(const std::vector<float> &input,
                  llvm::ArrayRef<int64_t> shape, int64_t sample) const;

  /// Has the moments of a table, where inputs are as they are, not quantized.
  void takeMoments(calibration::PatchMoments found);

  /// Rounds each number of the weight to one of the integers beside it.
  void roundWeight(bool isCentred);

  /// Whether it has a bias of constant numbers and is in `function`.
  bool canCorrect(mlir::func::FuncOp function) const;

  /// The numbers that the integers of the weight stand for.
  LayerWeight getQuantizedWeight() const;

  /// The bias with which the mean of the result is that of `op`, where the
  /// weight is quantized and inputs have the sums `quantized`; nothing if there
  /// is no bias.
  std::optional<llvm::SmallVector<float, 0>>
  getBias(llvm::ArrayRef<double> quantized) const;
};

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_CORRECTIONS_CORRECTEDLAYER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a convolution or linear layer reads for each element of its result, on
// average: all that corrections of its parameters take, of bounded size.

#ifndef QBACKEND_CALIBRATION_PATCHES_H
#define QBACKEND_CALIBRATION_PATCHES_H

#include "qbackend/Numerics/ExactSum.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace qbackend::calibration {

/// Which elements of its input each pixel of a layer's result is made of, over
/// three spatial dimensions: those that a layer lacks have the extent 1.
struct Geometry {
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1},
          before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
  bool isLinear = true;
  /// Input channels, of all groups.
  int64_t channels = 0, groups = 1;

  int64_t getPositions() const { return kernel[0] * kernel[1] * kernel[2]; }
  /// Numbers of a row of the weight: for each position, the channels of a
  /// group.
  int64_t getRowSize() const { return getPositions() * channels / groups; }
  /// The number, among those of all positions and channels, of number `i` of
  /// the rows of a group.
  int64_t getIndex(int64_t group, int64_t i) const {
    int64_t columns = channels / groups;
    return i / columns * channels + group * columns + i % columns;
  }

  /// Calls `visit(number, total, elements)` for each pixel of the result of
  /// `data` of `shape`, whose last dimension is the channels: for each position
  /// of the kernel the first of the input's channels, null in the padding.
  void forEachPixel(
      const float *data, llvm::ArrayRef<int64_t> shape,
      llvm::function_ref<void(int64_t, int64_t, llvm::ArrayRef<const float *>)>
          visit) const;

  /// All fields, in order; and back, if they are those of a layer.
  std::vector<int64_t> toNumbers() const;
  static bool fromNumbers(llvm::ArrayRef<int64_t> numbers, Geometry &geometry);

private:
  void getElements(const float *data, int64_t n, const int64_t *extents,
                   const int64_t *pixel,
                   llvm::MutableArrayRef<const float *> elements) const;
};

/// Whether the pixel `number` is one of about 16 of `total`: spread without a
/// period, so that borders have their share.
bool isChosenPixel(uint64_t number, uint64_t total);

/// `values` of `shape` with the dimension `axis` last.
void moveChannelsLast(std::vector<float> &values,
                      llvm::SmallVectorImpl<int64_t> &shape, int64_t axis);

/// What PatchSums say, as numbers: of float inputs, or scaled ones.
struct PatchMoments {
  Geometry geometry;
  int64_t pixels = 0, productPixels = 0;
  /// Sums as in PatchSums.
  std::vector<double> sums, productSums;
  /// For each group the whole matrix; what is in different blocks is taken for
  /// not correlated.
  std::vector<float> products;

  /// Makes them those of x[c] * factors[c] - shifts[c]; what is in the padding
  /// stays 0, so that shifts are 0 where there is any.
  void rescale(llvm::ArrayRef<float> factors, llvm::ArrayRef<float> shifts);
};

/// The sums of one call of the network: of PatchSums, as doubles.
struct PatchSample {
  int64_t pixels = 0, productPixels = 0;
  std::vector<double> sums, productSums, products;
};

/// Sums over what a layer has read in the float network. They don't depend on
/// the order of samples, nor on who has seen them.
struct PatchSums {
  /// How many products a layer has, about: 1 MB of a table.
  static constexpr int64_t kProducts = 32768;

  Geometry geometry;
  int64_t pixels = 0;
  /// Over all pixels, for each position of the kernel and each channel.
  std::vector<numerics::ExactSum> sums;
  /// Over the pixels of isChosenPixel: the same, and the products of the
  /// numbers of a row that are in one block of getBlockSize numbers: for each
  /// group and each block, the lower triangle of a symmetric matrix.
  int64_t productPixels = 0;
  std::vector<numerics::ExactSum> productSums, products;

  PatchSums() = default;
  explicit PatchSums(const Geometry &geometry);

  /// The longest block with which there are no more than kProducts, at least 1.
  int64_t getBlockSize() const;
  /// How many products there are with this geometry.
  int64_t countProducts(int64_t blockSize) const;

  /// What one call of the network adds, whose first sample is `sample`. Numbers
  /// that aren't finite count as 0. Only the geometry matters.
  PatchSample measure(const std::vector<float> &values,
                      llvm::ArrayRef<int64_t> shape, int64_t sample) const;
  void add(const PatchSample &sample);
  /// Adds those of other samples, of the same geometry.
  void add(const PatchSums &other);

  /// The numbers; products only if they are asked for.
  PatchMoments getMoments(bool withProducts) const;
};

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_PATCHES_H

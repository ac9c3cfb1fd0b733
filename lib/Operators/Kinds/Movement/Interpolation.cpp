// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares resizes with PyTorch's formulas, in its precision.

#include "Kinds/Movement/Interpolation.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Images are not larger than this.
static constexpr int64_t kMaxSize = 1 << 16;
/// Of smaller ones, each pixel is compared.
static constexpr int64_t kMaxPixels = 1 << 10;

namespace {
enum class Mode { Nearest, Bilinear, AlignCorners };

/// What one row of the result is made of: part `1 - upper` of one row of the
/// input, and `upper` of the next one, or of the same if that is the last.
struct Row {
  int64_t low, high;
  double upper;

  double getWeight(int64_t row) const {
    return (row == low ? 1 - upper : 0) + (row == high ? upper : 0);
  }
};

struct Sample {
  int64_t position[2];
  SmallVector<Tap, 4> taps;
};
} // namespace

/// By PyTorch's formula, in f32. `factor` takes the place of `out / in`.
static Row getRow(Mode mode, int64_t position, int64_t in, int64_t out,
                  std::optional<double> factor) {
  float scale = factor ? float(1.0 / *factor) : float(in) / float(out);
  if (mode == Mode::Nearest) {
    auto row = int64_t(std::floor(float(position) * scale));
    row = std::min(row, in - 1);
    return {row, row, 0};
  }
  float asFloat = 0;
  if (mode == Mode::Bilinear)
    asFloat = std::max(scale * (float(position) + 0.5f) - 0.5f, 0.0f);
  else if (out > 1)
    asFloat = float(in - 1) / float(out - 1) * float(position);
  int64_t low = std::min(int64_t(std::floor(asFloat)), in - 1);
  double upper = std::min(std::max(double(asFloat) - double(low), 0.0), 1.0);
  return {low, std::min(low + 1, in - 1), upper};
}

/// Half a dozen roundings of a position.
static double getTolerance(Mode mode, int64_t in) {
  return mode == Mode::Nearest ? 0 : 1e-6 + 4e-7 * double(in);
}

/// Whether all samples have along dimension `dim` what `getRow` says.
static bool matchesAlong(unsigned dim, ArrayRef<Sample> samples, Mode mode,
                         int64_t in, int64_t out,
                         std::optional<double> factor) {
  for (const Sample &sample : samples) {
    Row row = getRow(mode, sample.position[dim], in, out, factor);
    double missing = 1, low = 0;
    for (const Tap &tap : sample.taps) {
      int64_t index = dim == 0 ? tap.row : tap.column;
      if (row.getWeight(index) == 0 &&
          std::fabs(tap.weight) > getTolerance(mode, in))
        return false;
      missing -= tap.weight;
      low += index == row.low ? tap.weight : 0;
    }
    double tolerance = getTolerance(mode, in);
    if (!(std::fabs(missing) <= tolerance) ||
        !(std::fabs(low - row.getWeight(row.low)) <= tolerance))
      return false;
  }
  return true;
}

/// Whether the part of each pixel is the product of those of row and column.
static bool matchesTogether(ArrayRef<Sample> samples, Mode mode,
                            ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                            ArrayRef<double> factors) {
  double tolerance = getTolerance(mode, in[0]) + getTolerance(mode, in[1]);
  for (const Sample &sample : samples) {
    Row rows[2];
    for (unsigned dim : {0, 1})
      rows[dim] =
          getRow(mode, sample.position[dim], in[dim], out[dim],
                 factors.empty() ? std::nullopt : std::optional(factors[dim]));
    for (const Tap &tap : sample.taps)
      if (!(std::fabs(tap.weight - rows[0].getWeight(tap.row) *
                                       rows[1].getWeight(tap.column)) <=
            tolerance))
        return false;
  }
  return true;
}

/// Each pixel of the input once.
static void mergeTaps(SmallVectorImpl<Tap> &taps) {
  SmallVector<Tap, 4> merged;
  for (const Tap &tap : taps) {
    auto *it = llvm::find_if(merged, [&](const Tap &other) {
      return other.row == tap.row && other.column == tap.column;
    });
    if (it != merged.end())
      it->weight += tap.weight;
    else
      merged.push_back(tap);
  }
  llvm::erase_if(merged, [](const Tap &tap) { return tap.weight == 0; });
  taps.assign(merged.begin(), merged.end());
}

/// All rows in some columns, and all columns in some rows: the parts of rows
/// and columns don't depend on each other. Of small images, all pixels.
static bool readSamples(ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                        TapReader read, std::vector<Sample> &samples) {
  for (unsigned dim : {0, 1}) {
    int64_t others = out[1 - dim];
    SmallVector<int64_t> some = {0, 1, others / 3, others / 2, others - 1};
    if (out[0] * out[1] <= kMaxPixels)
      some.assign(llvm::seq<int64_t>(0, others).begin(),
                  llvm::seq<int64_t>(0, others).end());
    llvm::sort(some);
    some.erase(llvm::unique(some), some.end());
    for (int64_t position = 0; position < out[dim]; ++position)
      for (int64_t other : some) {
        if (other >= others)
          continue;
        Sample sample;
        sample.position[dim] = position;
        sample.position[1 - dim] = other;
        if (!read(sample.position[0], sample.position[1], sample.taps))
          return false;
        mergeTaps(sample.taps);
        for (const Tap &tap : sample.taps)
          if (tap.row < 0 || tap.row >= in[0] || tap.column < 0 ||
              tap.column >= in[1])
            return false;
        samples.push_back(std::move(sample));
      }
  }
  return true;
}

InterpolateAttr forms::matchInterpolation(MLIRContext *context,
                                          ArrayRef<int64_t> in,
                                          ArrayRef<int64_t> out,
                                          ArrayRef<double> factors,
                                          TapReader read) {
  for (unsigned dim : {0, 1})
    if (in[dim] < 1 || in[dim] > kMaxSize || out[dim] < 1 ||
        out[dim] > kMaxSize)
      return {};
  std::vector<Sample> samples;
  if (!readSamples(in, out, read, samples))
    return {};
  for (Mode mode : {Mode::Nearest, Mode::Bilinear, Mode::AlignCorners}) {
    auto matches = [&](unsigned dim, std::optional<double> factor) {
      return matchesAlong(dim, samples, mode, in[dim], out[dim], factor);
    };
    SmallVector<double, 2> scale;
    if (!matches(0, std::nullopt) || !matches(1, std::nullopt)) {
      if (mode == Mode::AlignCorners)
        continue;
      for (unsigned dim : {0, 1}) {
        SmallVector<double> candidates(factors);
        candidates.push_back(double(out[dim]) / double(in[dim]));
        auto *it = llvm::find_if(candidates, [&](double factor) {
          return std::floor(double(in[dim]) * factor) == double(out[dim]) &&
                 matches(dim, factor);
        });
        if (it != candidates.end())
          scale.push_back(*it);
      }
      if (scale.size() != 2)
        continue;
    }
    if (!matchesTogether(samples, mode, in, out, scale))
      continue;
    return InterpolateAttr::get(
        context,
        mode == Mode::Nearest ? InterpolateMode::Nearest
                              : InterpolateMode::Bilinear,
        mode == Mode::AlignCorners,
        scale.empty() ? DenseF64ArrayAttr()
                      : DenseF64ArrayAttr::get(context, scale));
  }
  return {};
}

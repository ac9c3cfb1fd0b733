// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms on grids of powers of two.

#include "qbackend/Calibration/Grid.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace qbackend::calibration {

static uint32_t toBits(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}

/// Returns the cell of a finite value. Integers only: arithmetic on subnormal
/// floats takes some CPUs a hundred times as long.
static int64_t getCell(uint32_t bits, int exponent) {
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude == 0)
    return 0;
  // The value is mantissa * 2^(biased - 150).
  int biased = std::max<int>(magnitude >> 23, 1);
  int64_t mantissa = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000 : 0);
  int shift = biased - 150 - exponent;
  int64_t cell =
      shift >= 0 ? mantissa << shift : mantissa >> std::min(-shift, 63);
  return bits >> 31 ? -1 - cell : cell;
}

static int chooseExponent(float min, float max) {
  float largest = std::max(std::fabs(min), std::fabs(max));
  if (largest == 0)
    return -149;
  // Cells have numbers of 23 bits, which float holds exactly.
  int exponent = std::max(-149, std::ilogb(largest) - 22);
  while (getCell(toBits(max), exponent) - getCell(toBits(min), exponent) >=
         Grid::maxCells)
    ++exponent;
  return exponent;
}

double Grid::width() const { return std::ldexp(1.0, exponent); }

void Grid::regrid(float min, float max) {
  int newExponent = chooseExponent(min, max);
  int64_t newFirst = getCell(toBits(min), newExponent);
  int64_t newLast = getCell(toBits(max), newExponent);
  std::vector<int64_t> old(newLast - newFirst + 1);
  old.swap(counts);
  // -1 - trunc(-v / 2^e) is a floor but for the ends of its cells, and an
  // arithmetic shift takes either to the wider cell.
  int shift = std::min(newExponent - exponent, 63);
  for (size_t i = 0; i < old.size(); ++i)
    if (old[i])
      counts[((first + int64_t(i)) >> shift) - newFirst] += old[i];
  exponent = newExponent;
  first = newFirst;
}

void Grid::add(const std::vector<Chunk> &chunks, float min, float max) {
  if (!(min <= max))
    return;
  if (counts.empty())
    exponent = chooseExponent(min, max);
  regrid(min, max);
  // Blocks are small enough to stay in the cache. Equal neighbours (zeros after
  // a relu) would wait for each other's counter; tables taken in turn hide
  // that.
  constexpr int64_t block = 512, tables = 4, longest = int64_t(1) << 30;
  const int64_t size = counts.size();
  std::vector<uint32_t> partial(tables * size);
  auto flush = [&] {
    for (int64_t t = 0; t < tables; ++t)
      for (int64_t c = 0; c < size; ++c)
        counts[c] += partial[t * size + c];
    std::fill(partial.begin(), partial.end(), 0);
  };
  // The factor 2^-e is a normal float, and what is less than a cell is normal.
  const bool isPlain = exponent >= -126;
  const float factor = isPlain ? std::ldexp(1.0f, -exponent) : 0;
  const int32_t cell = isPlain ? toBits(std::ldexp(1.0f, exponent)) : 0;
  const int32_t offset = static_cast<int32_t>(first);
  int32_t index[block];
  int64_t pending = 0;
  for (const Chunk &chunk : chunks) {
    int64_t i = 0;
    while (i < chunk.size) {
      if (pending >= longest) {
        flush();
        pending = 0;
      }
      int64_t count = std::min(block, chunk.size - i);
      pending += count;
      const float *x = chunk.data + i;
      i += count;
      uint32_t bad = !isPlain || count < block;
      for (int64_t j = 0; j < count; ++j)
        bad |= (toBits(x[j]) & 0x7f800000u) == 0x7f800000u;
      if (bad) {
        for (int64_t j = 0; j < count; ++j)
          if (std::isfinite(x[j]))
            ++partial[getCell(toBits(x[j]), exponent) - first];
        continue;
      }
      for (int64_t j = 0; j < block; ++j) {
        int32_t bits;
        std::memcpy(&bits, x + j, sizeof(bits));
        int32_t magnitude = bits & 0x7fffffff;
        // What is in the cells beside 0 need not be multiplied, and may be
        // subnormal before or after it.
        int32_t kept = magnitude >= cell ? magnitude : 0;
        float v;
        std::memcpy(&v, &kept, sizeof(v));
        int32_t negative = magnitude != 0 ? bits >> 31 : 0;
        index[j] = (static_cast<int32_t>(v * factor) ^ negative) - offset;
      }
      for (int64_t j = 0; j < block; j += tables)
        for (int64_t t = 0; t < tables; ++t)
          ++partial[t * size + index[j + t]];
    }
  }
  flush();
}

void Grid::merge(const Grid &other, float min, float max) {
  if (other.empty())
    return;
  if (counts.empty())
    *this = other;
  else {
    Grid addend = other;
    addend.regrid(min, max);
    regrid(min, max);
    for (size_t c = 0; c < counts.size(); ++c)
      counts[c] += addend.counts[c];
    return;
  }
  regrid(min, max);
}

std::vector<float> Grid::resample(int64_t bins, float lo, float hi, float min,
                                  float max) const {
  std::vector<double> result(bins);
  const double step = (double(hi) - lo) / bins;
  for (size_t c = 0; c < counts.size(); ++c) {
    if (!counts[c])
      continue;
    double begin = std::max<double>(width() * (first + int64_t(c)), min);
    double end = std::min<double>(width() * (first + int64_t(c) + 1), max);
    // Positions in bins.
    double from = (begin - lo) / step, to = (end - lo) / step;
    if (!(step > 0) || to < 0 || from > bins)
      continue;
    if (!(to > from)) {
      result[std::clamp<int64_t>(static_cast<int64_t>(from), 0, bins - 1)] +=
          counts[c];
      continue;
    }
    int64_t b = std::clamp<int64_t>(static_cast<int64_t>(from), 0, bins - 1);
    for (; b < bins && b < to; ++b) {
      double part = std::min<double>(b + 1, to) - std::max<double>(b, from);
      if (part > 0)
        result[b] += counts[c] * (part / (to - from));
    }
  }
  return std::vector<float>(result.begin(), result.end());
}

} // namespace qbackend::calibration

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms on grids of powers of two.

#include "qbackend/Calibration/Grid.h"

#include "CountCells.h"
#include "Vectorize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

QBACKEND_VECTORIZE
static bool areFinite(const float *x, int64_t size) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < size; ++i)
    bad |= (toBits(x[i]) & exponentBits) == exponentBits;
  return !bad;
}

const float *findNonFinite(const float *x, int64_t size) {
  for (int64_t i = 0; i < size; i += countedBlock) {
    int64_t end = std::min(i + countedBlock, size);
    if (areFinite(x + i, end - i))
      continue;
    return std::find_if(x + i, x + end,
                        [](float v) { return !std::isfinite(v); });
  }
  return nullptr;
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

Grid::Grid(float min, float max) : exponent(chooseExponent(min, max)) {
  regrid(min, max);
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

/// Finds the cells of `countedBlock` values from cell `first` on; see
/// countCells. The width 2^`exponent` and the factor 2^-`exponent` are normal
/// floats. What is in the cells beside 0 need not be multiplied, and may be
/// subnormal before or after it.
QBACKEND_VECTORIZE
static bool findCells(const float *x, int exponent, int32_t first,
                      int32_t *found) {
  const float factor = std::ldexp(1.0f, -exponent);
  const int32_t cell = toBits(std::ldexp(1.0f, exponent));
  uint32_t bad = 0;
  for (int64_t j = 0; j < countedBlock; ++j) {
    int32_t bits = toBits(x[j]), magnitude = bits & 0x7fffffff;
    bool isFinite = magnitude < static_cast<int32_t>(exponentBits);
    bad |= !isFinite;
    int32_t kept = magnitude >= cell && isFinite ? magnitude : 0;
    int32_t negative = magnitude != 0 ? bits >> 31 : 0;
    found[j] =
        (static_cast<int32_t>(fromBits(kept) * factor) ^ negative) - first;
  }
  return !bad;
}

void Grid::add(const std::vector<Chunk> &chunks, float min, float max) {
  if (!(min <= max))
    return;
  if (counts.empty())
    *this = Grid(min, max);
  else
    regrid(min, max);
  std::vector<int64_t> added = countCells(
      chunks, counts.size(),
      [&](const float *x, int32_t *found) {
        return exponent >= -126 &&
               findCells(x, exponent, static_cast<int32_t>(first), found);
      },
      [&](float v) { return getCell(toBits(v), exponent) - first; });
  for (size_t c = 0; c < counts.size(); ++c)
    counts[c] += added[c];
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

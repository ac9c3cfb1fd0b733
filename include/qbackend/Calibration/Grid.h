// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram that depends on nothing but the values: not on their order, not
// on batches, not on which of several machines saw them.

#ifndef QBACKEND_CALIBRATION_GRID_H
#define QBACKEND_CALIBRATION_GRID_H

#include <cstdint>
#include <vector>

namespace qbackend::calibration {

/// Contiguous values in memory.
struct Chunk {
  const float *data = nullptr;
  int64_t size = 0;
  /// Number of the sample they are of, to be named; -1 if that isn't known.
  int64_t sample = -1;
};

/// Returns the first of `size` values that is NaN or infinite; null if all are
/// finite.
const float *findNonFinite(const float *x, int64_t size);

/// Counts of values in cells of equal width, a power of two.
///
/// A value v is in cell trunc(v / 2^e) if v >= 0, else in cell
/// -1 - trunc(-v / 2^e): cell c goes from c * 2^e to (c + 1) * 2^e, and 0 is
/// always an edge. The exponent e is the smallest one, but at least -149 and
/// ilogb(max(|min|, |max|)) - 22, for which the range [min, max] of the values
/// is in at most 4096 cells. Wider cells are unions of narrower ones, so that
/// counts over parts of the data add up to those over all of it, exactly.
struct Grid {
  static constexpr int64_t maxCells = 4096;

  /// Base-2 logarithm of the width of a cell.
  int exponent = -149;
  /// Number of the first cell, that of the smallest value.
  int64_t first = 0;
  /// From the cell of the smallest value to that of the largest.
  std::vector<int64_t> counts;

  Grid() = default;
  /// That of the range [`min`, `max`], where nothing is counted yet.
  Grid(float min, float max);

  bool empty() const { return counts.empty(); }

  /// Width of a cell.
  double width() const;

  /// Adds the finite values of `chunks`. [`min`, `max`] is the range of all
  /// finite values so far, with these.
  void add(const std::vector<Chunk> &chunks, float min, float max);

  /// Adds the counts of `other`; [`min`, `max`] is the range of all values.
  void merge(const Grid &other, float min, float max);

  /// Returns how many values fall in each of `bins` equal parts of [`lo`,
  /// `hi`], when those of a cell are spread evenly over the part of it in
  /// [`min`, `max`]. What lies outside of [`lo`, `hi`] is left out.
  std::vector<float> resample(int64_t bins, float lo, float hi, float min,
                              float max) const;

private:
  void regrid(float min, float max);
};

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_GRID_H

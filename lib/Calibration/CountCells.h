// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how many values fall in each cell of a histogram.

#ifndef QBACKEND_LIB_CALIBRATION_COUNTCELLS_H
#define QBACKEND_LIB_CALIBRATION_COUNTCELLS_H

#include "qbackend/Calibration/Observer.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

/// How many values countCells gives to `findCells`: few enough to stay in the
/// cache.
constexpr int64_t countedBlock = 512;

/// Returns how many finite values of `chunks` are in each of `size` cells:
/// `findCells(x, cells)` finds those of `countedBlock` values and returns
/// whether all are finite, `findCell(v)` that of a finite value.
template <typename FindCells, typename FindCell>
std::vector<int64_t> countCells(const std::vector<Chunk> &chunks, int64_t size,
                                FindCells findCells, FindCell findCell) {
  // Equal neighbours (zeros after a relu) would wait for each other's counter;
  // tables taken in turn hide that. Those of 2048 cells fit the first cache.
  constexpr int64_t tables = 4, longest = int64_t(1) << 30;
  std::vector<int64_t> counts(size);
  std::vector<uint32_t> partial(tables * size);
  auto flush = [&] {
    for (int64_t t = 0; t < tables; ++t)
      for (int64_t c = 0; c < size; ++c)
        counts[c] += partial[t * size + c];
    std::fill(partial.begin(), partial.end(), 0);
  };
  int32_t cells[countedBlock];
  int64_t pending = 0;
  for (const Chunk &chunk : chunks)
    for (int64_t i = 0; i < chunk.size; i += countedBlock) {
      if ((pending += countedBlock) > longest) {
        flush();
        pending = countedBlock;
      }
      const float *x = chunk.data + i;
      int64_t count = std::min(countedBlock, chunk.size - i);
      if (count < countedBlock || !findCells(x, cells)) {
        for (int64_t j = 0; j < count; ++j)
          if (std::isfinite(x[j]))
            ++partial[findCell(x[j])];
        continue;
      }
      for (int64_t j = 0; j < countedBlock; j += tables)
        for (int64_t t = 0; t < tables; ++t)
          ++partial[t * size + cells[j + t]];
    }
  flush();
  return counts;
}

} // namespace qbackend::calibration

#endif // QBACKEND_LIB_CALIBRATION_COUNTCELLS_H

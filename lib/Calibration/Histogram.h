// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms of calibration data: counting, and growing the range.

#ifndef QBACKEND_LIB_CALIBRATION_HISTOGRAM_H
#define QBACKEND_LIB_CALIBRATION_HISTOGRAM_H

#include "qbackend/Calibration/Observer.h"

namespace qbackend::calibration {

/// Returns how many finite values of `chunks` fall in each of `bins` equal
/// parts of [`lo`, `hi`], which contains all of them (torch.histc).
std::vector<float> countHistogram(const std::vector<Chunk> &chunks,
                                  int64_t bins, float lo, float hi);

/// Returns the squared error of quantizing to `steps` values over the bins from
/// `first` to `last`, which may lie outside of the histogram, up to a factor
/// that depends on the histogram's width only: the errors in units of a bin's
/// width. Values are spread evenly in a bin. `scratch` is memory for it.
double getRangeError(const std::vector<float> &histogram, int64_t first,
                     int64_t last, double steps, std::vector<double> &scratch);

/// Returns `old`, over [`oldMin`, `oldMax`], spread over [`min`, `max`].
std::vector<float> rescaleHistogram(const std::vector<float> &old, float oldMin,
                                    float oldMax, float min, float max);

} // namespace qbackend::calibration

#endif // QBACKEND_LIB_CALIBRATION_HISTOGRAM_H

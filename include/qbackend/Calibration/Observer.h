// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers: the range of a tensor over calibration batches, and qparams from
// it. Same results as PyTorch's observers (2.x), and three more.

#ifndef QBACKEND_CALIBRATION_OBSERVER_H
#define QBACKEND_CALIBRATION_OBSERVER_H

#include "qbackend/Calibration/Grid.h"
#include "qbackend/Calibration/ObserverKinds.h"
#include "qbackend/Numerics/QuantParams.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qbackend::calibration {

using qbackend::hasStatistics;
using qbackend::isMovingAverage;
using qbackend::isPerChannel;
using qbackend::ObserverKind;
using qbackend::stringifyObserverKind;
using qbackend::symbolizeObserverKind;
using qbackend::usesGrid;

/// How to observe a value and how to quantize what was seen.
struct ObserverOptions {
  ObserverKind kind = ObserverKind::MinMax;
  bool isSigned = false;
  /// Width of the quantized type.
  unsigned bits = 8;
  /// Range of the quantized values, if not that of the type.
  std::optional<numerics::QuantRange> customRange;
  QScheme scheme = QScheme::PerTensorAffine;
  bool reduceRange = false;
  /// Smallest scale.
  float eps = numerics::defaultEps;
  /// Weight of a new batch in a moving average.
  float averagingConstant = 0.01f;
  /// Number of bins of a histogram.
  int64_t bins = 2048;
  /// Axis of the channels.
  int64_t channelAxis = 0;
  /// Parameters of FixedQParams.
  numerics::QuantParams fixedParams;
  /// How many of 100 values Percentile keeps.
  double percentile = 99.99;
  /// Records all that serves other kinds too, for a calibration table: the grid
  /// and the range of each channel.
  bool recordAll = false;
  /// Records nothing that depends on the order of batches: no histogram of
  /// PyTorch's, and the range of each batch instead of a moving average.
  bool isMergeable = false;

  /// Returns whether batches have to come whole and in order.
  bool isOrdered() const {
    return isMovingAverage(kind) ||
           (kind == ObserverKind::Histogram && !isMergeable);
  }

  /// Returns the range of the quantized values.
  numerics::QuantRange range() const;
};

/// The sum of two counts, or the last number: files may have any.
int64_t addCounts(int64_t a, int64_t b);

/// What an observer has recorded. Enough to compute parameters for any type
/// and scheme.
struct Statistics {
  /// Range of the values; min > max if none was seen.
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  /// Ranges of the channels; may be empty unless the observer is per channel.
  std::vector<float> channelMins;
  std::vector<float> channelMaxs;
  /// How many values there were of each size; may be empty unless the observer
  /// chooses its range from it.
  Grid grid;
  /// Averages of the batches' ranges, one or one for each channel; empty unless
  /// the observer is a moving average. They depend on the order of the batches.
  std::vector<float> averageMins;
  std::vector<float> averageMaxs;
  /// What averages follow from, in any order: for each batch its first sample
  /// and its range, or those of the channels, one after another. Empty unless
  /// the observer is a mergeable moving average.
  std::vector<int64_t> batchSamples;
  std::vector<float> batchMins;
  std::vector<float> batchMaxs;
  /// Number of values in each of the equal parts of [min, max]; empty unless
  /// the observer has a histogram. Not always whole numbers: when the range
  /// grows, bins are split, so that it depends on the order of the batches.
  std::vector<float> histogram;
  /// Number of batches that had a finite value.
  int64_t batches = 0;
  /// Number of finite values.
  int64_t elements = 0;
  /// Number of NaN and of infinite values. They are counted and left out.
  int64_t nans = 0;
  int64_t infinities = 0;
  /// Number of the first sample with such a value; -1 if that isn't known.
  int64_t firstNonFinite = -1;

  int64_t nonFinite() const { return addCounts(nans, infinities); }

  /// Returns whether no finite value was seen.
  bool empty() const { return !(min <= max); }
};

/// Returns what of the value `name` is not finite: "'conv1' has 3 NaN and 1
/// infinite values of 640, first in sample 7". Empty if all is finite.
std::string describeNonFinite(std::string_view name, const Statistics &stats);

/// Adds what was recorded over other data to `stats`. The result is that of
/// recording all at once, in any order: but for the histogram, the moving
/// averages and the number of batches, which depend on how the data was cut and
/// in which order it came, and are dropped. Ranges of batches are in the order
/// of samples, those of `stats` before others of the same sample.
void merge(Statistics &stats, const Statistics &other);

/// Returns whether `stats` have what `merge` drops, but for the number of
/// batches: a histogram or moving averages.
bool hasOrdered(const Statistics &stats);

/// Drops what depends on the batches, as `merge` does.
void dropBatches(Statistics &stats);

/// Records statistics of one value. Results depend on the batches and their
/// order, never on threads or on how a batch is cut into chunks.
class Observer {
public:
  /// Returns an observer of the given kind.
  static std::unique_ptr<Observer> create(const ObserverOptions &options);

  virtual ~Observer();

  /// Records a batch of `size` values. A per-channel observer takes each value
  /// as a channel of its own.
  void update(const float *data, int64_t size);

  /// Records several chunks as one batch.
  void update(const std::vector<Chunk> &chunks);

  /// Records a batch that is a tensor of the given shape, row-major.
  void update(const float *data, const std::vector<int64_t> &shape);

  /// Records several tensors of the same shape as one batch.
  void update(const std::vector<const float *> &chunks,
              const std::vector<int64_t> &shape);

  /// Records several tensors as one batch. Each has the shape, but for the
  /// first extent, which its size gives.
  void updateTensors(const std::vector<Chunk> &chunks,
                     const std::vector<int64_t> &shape);

  /// Says with which sample the batches that follow begin; otherwise that is
  /// the sample of their first chunk.
  void setBatchSample(int64_t sample) { batchSample = sample; }

  /// Forgets everything recorded.
  void reset() { stats = Statistics(); }

  /// Goes on from what an observer of these options recorded.
  void resume(const Statistics &recorded) { stats = recorded; }

  /// Returns what was recorded so far.
  const Statistics &statistics() const { return stats; }

  const ObserverOptions &getOptions() const { return options; }

  /// Returns the parameters for `stats`: one, or one for each channel. Only
  /// the statistics matter, so other options need no second pass. Empty for
  /// kinds that have no parameters of their own (Placeholder, Noop, Reuse).
  static std::vector<numerics::QuantParams>
  qparams(const Statistics &stats, const ObserverOptions &options);

  /// The same for the scheme with a float zero point.
  static std::vector<numerics::FloatQuantParams>
  floatQParams(const Statistics &stats, const ObserverOptions &options);

protected:
  explicit Observer(const ObserverOptions &options) : options(options) {}

  /// Records one batch: `chunks` of `outer` x `channels` x `inner` values.
  virtual void updateBatch(const std::vector<Chunk> &chunks, int64_t channels,
                           int64_t inner) = 0;

  ObserverOptions options;
  Statistics stats;
  int64_t batchSample = -1;
};

/// Returns the part [min, max] of the range of a histogram that loses least,
/// in squared error, when quantized to 2^bits values: PyTorch's greedy search,
/// which moves the ends inwards by quantiles of 1e-5 and stops when the error
/// grows. Only ends of bins are tried.
std::pair<float, float> searchHistogramRange(const Statistics &stats,
                                             unsigned bits);

/// Returns the range that `options`' kind chooses from a grid:
///
/// - Percentile: with n values, k = floor(n * (100 - percentile) / 200) of them
///   may be cut off at each end: the range of the cells that are left;
/// - Entropy: the part of the range, symmetric to 0 if there are values on both
///   sides of it, of least Kullback-Leibler divergence between the distribution
///   of the values and that of the quantized ones (Migacz, "8-bit inference
///   with TensorRT", 2017), zeros left out;
/// - MSE: the part of least squared error, of 128 steps for each end.
std::pair<float, float> searchGridRange(const Statistics &stats,
                                        const ObserverOptions &options);

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_OBSERVER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what each operator did to the samples, while both networks run.

#include "ErrorCollector.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::evaluation;
using llvm::ArrayRef;

void ErrorCollector::flush(int64_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  auto last = samples.lower_bound(end);
  for (auto it = samples.begin(); it != last; ++it)
    for (auto [op, sums] : llvm::zip(totals, it->second.sums)) {
      op.cumulative.add(sums.cumulative);
      op.local.add(sums.local);
      op.fromInputs.add(sums.fromInputs);
      op.own.add(sums.own);
      op.weight.add(sums.weight);
      op.bias.add(sums.bias);
      op.clip.add(sums.clip);
      op.round.add(sums.round);
    }
  samples.erase(samples.begin(), last);
}

/// The errors of clipping and of rounding `values` to the range of `op`, in
/// proportion to the `exact` result.
void ErrorCollector::addRange(Sums &sums, const OperatorErrors &op,
                              ArrayRef<float> exact, ArrayRef<float> values,
                              int64_t channels) {
  double lowest = op.range->getLowest(), highest = op.range->getHighest();
  double scale = op.range->scale;
  std::vector<float> clipped(exact), rounded(exact);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!std::isfinite(exact[i]) || !std::isfinite(value))
      continue;
    double inside = std::clamp<double>(value, lowest, highest);
    double step = std::nearbyint(inside / scale) * scale;
    clipped[i] = exact[i] + (inside - value);
    rounded[i] = exact[i] + (step - inside);
  }
  sums.clip.add(exact, clipped, channels);
  sums.round.add(exact, rounded, channels);
}

/// Counts `values`; the order of samples doesn't matter.
void ErrorCollector::addStatistics(calibration::Statistics &statistics,
                                   ArrayRef<float> values, int64_t channels,
                                   int64_t sample) {
  calibration::ObserverOptions options;
  options.recordAll = true;
  options.channelAxis = 1;
  auto observer = calibration::Observer::create(options);
  int64_t size = values.size();
  observer->updateTensors({{values.data(), size, sample}},
                          {channels ? size / channels : 0, channels, 1});
  std::lock_guard<std::mutex> lock(mutex);
  calibration::merge(statistics, observer->statistics());
}

void ErrorCollector::add(int64_t index, const runtime::UnrankedMemRef *tensor) {
  const Site &site = sites[index];
  const OperatorErrors &op = operators[site.op];
  int64_t number = runtime::Executable::getCurrentSample();
  Sample *sample;
  {
    std::lock_guard<std::mutex> lock(mutex);
    sample = &samples[number];
  }
  sample->sums.resize(operators.size());
  Sums &sums = sample->sums[site.op];
  std::vector<float> values = tensor->copy<float>();
  int64_t channels = tensor->rank > 0 ? tensor->getSizes().back() : 1;
  // Code in a sandbox may say things in any order.
  if (site.role != Role::Cumulative && site.role != Role::Exact &&
      values.size() != sample->exact.size())
    return;
  switch (site.role) {
  case Role::Cumulative:
    sample->cumulative[site.op] = std::move(values);
    break;
  case Role::Exact: {
    if (auto it = sample->cumulative.find(site.op);
        it != sample->cumulative.end() && it->second.size() == values.size()) {
      sums.cumulative.add(values, it->second, channels);
      addStatistics(totals[site.op].quantizedStatistics, it->second, channels,
                    number);
      sample->cumulative.erase(it);
    }
    addStatistics(totals[site.op].statistics, values, channels, number);
    sample->exact = std::move(values);
    sample->fromInputs.clear();
    break;
  }
  case Role::Weight:
    sums.weight.add(sample->exact, values, channels);
    break;
  case Role::Bias:
    sums.bias.add(sample->exact, values, channels);
    break;
  case Role::FromInputs:
    sums.fromInputs.add(sample->exact, values, channels);
    sample->fromInputs = std::move(values);
    break;
  case Role::Local: {
    sums.local.add(sample->exact, values, channels);
    ArrayRef<float> before =
        sample->fromInputs.empty() ? sample->exact : sample->fromInputs;
    if (op.range)
      addRange(sums, op, sample->exact, before, channels);
    // As if the rest were exact.
    std::vector<float> own(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      own[i] = double(sample->exact[i]) + (double(values[i]) - before[i]);
    sums.own.add(sample->exact, own, channels);
    break;
  }
  }
  if (site.isLast) {
    sample->exact = {};
    sample->fromInputs = {};
  }
}

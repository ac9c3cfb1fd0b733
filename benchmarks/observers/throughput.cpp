// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that observers take in a second, on one core: one line for each kind
// of observer and of data, "KIND DATA MILLIONS", and "search" for the time that
// the parameters take, in microseconds. "read" is the speed of a sum: memory's.

#include "qbackend/Calibration/Observer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

using namespace qbackend::calibration;
using Clock = std::chrono::steady_clock;

static double getSeconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The best of several times of `fn`: what other programs take is no part of
/// it.
template <typename Fn> static double getBest(Fn fn) {
  double best = 1e9;
  for (int round = 0; round < 7; ++round) {
    Clock::time_point start = Clock::now();
    fn();
    best = std::min(best, getSeconds(start));
  }
  return best;
}

int main() {
  constexpr int64_t size = int64_t(1) << 23;
  std::mt19937 random(1);
  std::vector<float> normal(size);
  for (float &v : normal)
    for (int i = 0; i < 4; ++i)
      v += random() * 0x1p-31f - 1;
  std::vector<float> relu = normal, decayed(size), zeros(size);
  for (float &v : relu)
    v = std::max(v, 0.0f);
  for (int64_t i = 0; i < size; ++i)
    decayed[i] = normal[i] * 1e-40f;
  const std::pair<const char *, const std::vector<float> *> data[] = {
      {"normal", &normal},
      {"relu", &relu},
      {"zeros", &zeros},
      {"denormal", &decayed}};
  volatile float sink;
  double seconds = getBest([&] {
    float sums[16] = {};
    for (int64_t i = 0; i < size; i += 16)
      for (int64_t l = 0; l < 16; ++l)
        sums[l] += normal[i + l];
    sink = sums[0];
  });
  (void)sink;
  std::printf("read normal %.0f\n", size / seconds / 1e6);
  for (ObserverKind kind :
       {ObserverKind::MinMax, ObserverKind::MovingAverageMinMax,
        ObserverKind::PerChannelMinMax, ObserverKind::Histogram,
        ObserverKind::Percentile, ObserverKind::Entropy, ObserverKind::MSE})
    for (auto [name, values] : data) {
      ObserverOptions options;
      options.kind = kind;
      options.channelAxis = -1;
      auto observer = Observer::create(options);
      const float *first = values->data();
      double seconds = getBest([&] {
        observer->update(first, {size / 64, 64});
      });
      double search =
          getBest([&] { Observer::qparams(observer->statistics(), options); });
      std::string_view text = stringifyObserverKind(kind);
      std::printf("%.*s %s %.0f search %.0f\n", int(text.size()), text.data(),
                  name, size / seconds / 1e6, search * 1e6);
    }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small change of a qconfig mapping that holds an accuracy.

#ifndef QBACKEND_TUNING_TUNE_H
#define QBACKEND_TUNING_TUNE_H

#include "qbackend/Tuning/Simulation.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>

namespace qbackend::tuning {

struct TuneOptions {
  NetworkOptions network;
  /// The least SQNR in dB, and how many points (hundredths) the accuracy may be
  /// below that of the real-valued network.
  std::optional<double> keepSqnr, keepAccuracy;
  /// Stops after so many seconds; none: when the search ends.
  std::optional<double> maxSeconds;
  /// Where the mapping goes. What has been measured is in PATH.partial until
  /// the search has ended.
  std::string output;
  /// Goes on from PATH.partial if it is there.
  bool resume = false;
  /// Stops when it is set.
  const std::atomic<bool> *stop = nullptr;
};

/// What was found.
struct TuneResult {
  /// Whether the program of integers holds what was to be kept.
  bool isHeld = false;
  /// Whether the search has ended by itself.
  bool isComplete = false;
  Score real, score;
  unsigned realValued = 0, operators = 0;
};

/// Writes to `options.output` the qconfig mapping of the best change of the
/// network's that it finds: the first of these that holds,
///
/// - none;
/// - one for all operators: per-channel weights, another observer, a
///   correction; several of them, the better ones first;
/// - with the best of these, the fewest operators with the qconfig `none`: one
///   after another what helps most, then those taken back that are not needed,
///   then all smaller sets while there are at most 200 of a size.
///
/// Sets are judged by simulation, what holds there by running the integers. The
/// file is the best so far at any time: replaced at once, and only by a better
/// one. Says on `log` what each step gives.
llvm::Expected<TuneResult>
tune(mlir::ModuleOp module, const TuneOptions &options, llvm::raw_ostream &log);

} // namespace qbackend::tuning

#endif // QBACKEND_TUNING_TUNE_H

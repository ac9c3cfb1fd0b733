// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small change of a qconfig mapping that holds an accuracy.

#ifndef QBACKEND_INSIGHT_TUNING_TUNE_H
#define QBACKEND_INSIGHT_TUNING_TUNE_H

#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Support/Parts.h"

#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace qbackend::tuning {

struct TuneOptions {
  NetworkOptions network;
  /// The least SQNR in dB, and how many points (hundredths) the accuracy may be
  /// below that of the float network; one of both, or both.
  std::optional<double> keepSqnr, keepAccuracy;
  /// What one call of the program may take, see measureCall; none: any time.
  std::optional<double> targetSeconds;
  /// Stops after so many seconds; none: when the search ends.
  std::optional<double> maxSeconds;
  /// Where the mapping goes. What has been measured is in PATH.partial until
  /// the search has ended.
  std::string output;
  /// Goes on from PATH.partial if it is there.
  bool resume = false;
  /// Which part of each step is measured, of how many; 0: all of it.
  int64_t shard = 0, shards = 0;
  /// Reads what parts have measured, which isn't measured again; null: nothing.
  std::function<llvm::Error(Parts &parts)> readParts;
  /// Asked before each step; true stops. What runs over samples meanwhile ends
  /// by runtime::interrupt.
  std::function<bool()> isStopped;
};

/// What was found.
struct TuneResult {
  /// Whether the program of integers keeps what is to be kept; and takes no
  /// longer than wanted.
  bool isKept = false, isHeld = false;
  /// Whether the search has ended by itself.
  bool isComplete = false;
  /// Whether there is a mapping, in the file; if not, nothing was measured.
  bool isWritten = false;
  /// Of the float network and of what was found, on the samples held back.
  Score original, score;
  /// How many samples those are, see countHeldBack; 0: the score is of the
  /// samples that the search saw.
  int64_t heldBack = 0;
  unsigned floatValued = 0, operators = 0;
  /// The multiply-accumulates of operators that stay float, of all.
  int64_t floatMacs = 0, macs = 0;
  /// The time of a call, measured where there is a target and `isKept`; and
  /// that of the network as it is, all operators in integers.
  std::optional<double> seconds, integerSeconds;
};

/// `31.24 dB, 0.9050 on 25 samples held back, 1 of 8 operators float (3.1 % of
/// the multiply-accumulates), 0.912 ms a call`.
std::string formatResult(const TuneResult &result);

/// Writes to `options.output` the qconfig mapping of the best change of the
/// network's that it finds: the first of these that holds,
///
/// - none;
/// - one for all operators: per-channel weights, another observer, a
///   correction; several of them, the better ones first;
/// - with the best of these, operators with the qconfig `none`, of the fewest
///   multiply-accumulates: one after another what gives the most for the time
///   that it is predicted to take more, then those taken back that are not
///   needed, then all smaller sets while there are at most 200 of a size.
///
/// With a target for the time, where the accuracy is kept, but the program is
/// too slow, more operators become float as long as that makes it faster. What
/// keeps the accuracy is better than what is fast and doesn't; of what keeps it
/// and is too slow, the fastest one is.
///
/// Sets are judged by simulation on three of four samples; what holds there by
/// running the integers, which have to hold on the samples held back, too. The
/// file is the best so far at any time: replaced at once, and only by a better
/// one. Says on `log` what each step gives, and at the end the front: of all
/// that was simulated, what nothing with as few multiply-accumulates in float
/// is better than. Times are measured once, and kept
/// for `resume`: all else is the same for the same times.
llvm::Expected<TuneResult>
tune(mlir::ModuleOp module, const TuneOptions &options, llvm::raw_ostream &log);

/// The name of the result of a part that has found nothing left to measure.
inline constexpr llvm::StringLiteral kCompleteName = "complete";

/// Searches as `tune` does, up to the first changes of all operators, or sets
/// of operators, that are compared with each other and aren't measured: of
/// these it measures the part of `options`. Writes nothing. What all parts have
/// measured is to be read by the next parts; and by `tune`, once a part is
/// complete.
llvm::Expected<Parts> tuneInPart(mlir::ModuleOp module,
                                 const TuneOptions &options);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_TUNE_H

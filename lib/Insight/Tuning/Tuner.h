// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for a small change of a qconfig mapping: what Tune.cpp, of changes
// of all operators, and SearchSets.cpp, of operators in floats, have in common.

#ifndef QBACKEND_LIB_INSIGHT_TUNING_TUNER_H
#define QBACKEND_LIB_INSIGHT_TUNING_TUNER_H

#include "qbackend/Insight/Tuning/Tune.h"
#include "qbackend/Support/OutputFile.h"

#include "Measurements.h"

#include <chrono>
#include <deque>
#include <set>

namespace qbackend::tuning {

/// `3.1 %`.
std::string formatShare(int64_t part, int64_t whole);

/// The multiply-accumulates of the operators of `original`.
int64_t countMacs(const Candidate &candidate, const llvm::BitVector &original);

class Tuner {
public:
  Tuner(mlir::ModuleOp module, const TuneOptions &options,
        llvm::raw_ostream &log)
      : options(options), log(log),
        measurements(module, options.network,
                     options.shards ? ""
                                    : getPathBeside(options.output, "partial")),
        start(std::chrono::steady_clock::now()) {}

  llvm::Expected<TuneResult> run();
  llvm::Expected<Parts> runPart();

private:
  llvm::Expected<Parts> prepare();
  bool isStopped() {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    stopped |= (options.isStopped && options.isStopped()) ||
               (options.maxSeconds && passed.count() > *options.maxSeconds);
    return stopped;
  }

  /// Whether what is to be kept is, on the samples of `set`.
  bool isKept(const Score &score, SampleSet set) const {
    // Of whole samples: not below by the rounding of the quotient.
    if (options.keepAccuracy &&
        *score.accuracy < *measurements.getFloatScore(set).accuracy -
                              *options.keepAccuracy / 100 - 1e-9)
      return false;
    return !options.keepSqnr || score.sqnr >= *options.keepSqnr;
  }
  bool isKept(const Score &simulated) const {
    return isKept(simulated, SampleSet::Searched);
  }

  /// Whether `a` is nearer to what is to be kept.
  bool isBetter(const Score &a, const Score &b) const {
    if (options.keepAccuracy && *a.accuracy != *b.accuracy)
      return *a.accuracy > *b.accuracy;
    return a.sqnr > b.sqnr;
  }

  /// Whether the result of these is to be replaced by the others.
  bool isBetter(const TuneResult &found, size_t changes) const;

  /// What it costs to have the operators of `original` in floats: the time that
  /// they are predicted to take more.
  double getCost(const Candidate &candidate,
                 const llvm::BitVector &original) const;

  /// The score by simulation, which becomes a point of the front.
  llvm::Expected<Score> simulate(Candidate &candidate,
                                 const llvm::BitVector &original);
  void printFront();

  llvm::Error writeBest(const Candidate &candidate,
                        const llvm::BitVector &original,
                        const TuneResult &found);
  llvm::Error consider(Candidate &candidate, const llvm::BitVector &original,
                       const Score &score);
  llvm::Expected<Candidate *> attempt(Candidate candidate);
  llvm::Error search();
  llvm::Error searchChanges();
  llvm::Error searchSets(Candidate &candidate);
  llvm::Error searchSize(Candidate &candidate, unsigned size);
  llvm::Error searchFaster();
  llvm::Error measureShare(size_t count,
                           llvm::function_ref<bool(size_t)> isMeasured,
                           llvm::function_ref<llvm::Error(size_t)> measure);
  llvm::Error measureShare(Candidate &candidate,
                           llvm::ArrayRef<llvm::BitVector> sets);

  const TuneOptions &options;
  llvm::raw_ostream &log;
  Measurements measurements;
  std::chrono::steady_clock::time_point start;
  bool stopped = false;
  /// Of a part: whether its share is measured, with which the search ends; and
  /// the keys of what is in it.
  bool hasShare = false;
  std::set<std::string> share;

  /// What was simulated.
  struct Point {
    const Candidate *candidate;
    llvm::BitVector original;
    Score score;
  };
  std::vector<Point> points;

  /// Changes of all operators that were measured; the first one is none.
  std::deque<Candidate> candidates;
  TuneResult result;
  /// What `result` is of.
  Candidate *best = nullptr;
  llvm::BitVector bestFloat;
};

} // namespace qbackend::tuning

#endif // QBACKEND_LIB_INSIGHT_TUNING_TUNER_H

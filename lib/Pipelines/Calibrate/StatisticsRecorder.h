// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tensors of a module hold while it runs, given to its observers.

#ifndef QBACKEND_LIB_PIPELINES_CALIBRATE_STATISTICSRECORDER_H
#define QBACKEND_LIB_PIPELINES_CALIBRATE_STATISTICSRECORDER_H

#include "qbackend/Calibration/Observer.h"
#include "qbackend/Calibration/Table.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/Calibrate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace qbackend {

/// What the tensors of a module hold in samples whose batch isn't complete.
/// Samples run in any order; each batch is given to the observers in the order
/// of sites and samples, so that nothing depends on the threads. Where a batch
/// is one sample and each site is passed once, that whose turn it is is given
/// while it runs: of it, one tensor is kept, not all.
class StatisticsRecorder {
public:
  /// With `all`, there is an entry for each tensor, and one for the tensors
  /// that share an observer; else one for each observer. Those of `original`
  /// have to see finite numbers, unless `options` ignore that. What runs is
  /// `entry`.
  StatisticsRecorder(mlir::ModuleOp module, mlir::ModuleOp original,
                     mlir::func::FuncOp entry, bool all,
                     const CalibrateOptions &options);

  /// Says that the run which begins now has this number as its first sample.
  void setFirstSample(int64_t number);

  /// Takes what a site saw. May be called from several threads at once.
  void add(const ObservedTensor &tensor);

  /// Gives the samples before `end` to the observers, as one batch.
  llvm::Error flush(int64_t end);

  calibration::Table getTable();

  /// The name of an entry that depends on the order of batches, and is not
  /// mergeable; empty: there is none.
  std::string findOrdered() const;

  /// Goes on from `table`, which has to be one of this module.
  llvm::Error resume(const calibration::Table &table);

private:
  struct Target {
    calibration::TableEntry entry;
    std::unique_ptr<calibration::Observer> observer;
  };

  /// What layers get of the tensor of a site, in `entry` of its target.
  struct Reader {
    Target *target;
    size_t patch;
  };

  /// What a site saw when it was passed: all of it, if an observer has to see
  /// it in order, else what is left of it once it is counted.
  struct Pending {
    Pending() = default;
    // `values` may be those of `kept`, which moves with its elements.
    Pending(Pending &&) = default;
    Pending &operator=(Pending &&) = default;

    /// Of the compiled code, or of `kept` if they are given later.
    llvm::ArrayRef<float> values;
    std::vector<float> kept;
    /// What is before the channels, the channels, and what is behind them.
    std::vector<int64_t> shape;
    std::vector<calibration::Statistics> statistics;
    std::optional<float> nonFinite;
  };

  /// By the number of the sample; in loops, and in functions that are called
  /// more than once, a sample passes a site several times.
  using Batch = std::map<int64_t, std::vector<Pending>>;

  struct Site {
    std::string name;
    std::vector<Target *> targets;
    /// How many values of the network it stands for: so often the first target,
    /// which is their observer, is updated; 0: there is none.
    int64_t values = 0;
    /// The sites, this or earlier ones, whose first target is updated in turn
    /// with what they have seen, if that is ordered.
    std::vector<Site *> updates;
    /// What it has seen, and how many updates with that are left in this batch.
    Batch held;
    int64_t left = 0;
    /// Whether a later site updates with it.
    bool isHeld = false;
    /// Memory of values that were given: what is new has to be mapped first.
    std::vector<std::vector<float>> spare;
    std::vector<Reader> readers;
    bool isOrdered = false;
    /// Whether it is of the module as it was given.
    bool isWanted = false;
    Batch pending;
  };

  static Batch takeBefore(Site &site, int64_t end);
  /// Copies what a site sees of a sample, to memory of what was given, unless
  /// its observers get it at once.
  void keepForLater(Site &site, int64_t sample, Pending &pending);
  /// Takes the memory of a batch back, with `mutex` held.
  static void recycle(Site &site, Batch &batch);
  static void observe(calibration::Observer &observer, const Target &target,
                      const std::vector<calibration::Chunk> &chunks,
                      const std::vector<int64_t> &shape);
  /// Gives a batch, which begins with the sample `first`, maybe elsewhere.
  /// What is left of it then isn't needed any more.
  static void give(Site &site, Batch &batch, int64_t first);
  static void giveOrdered(Target &target, const Batch &batch, int64_t first);

  /// Says when one observer is updated with what its observe ops, which are
  /// `sites`, see: in the order of the network's code.
  void placeUpdates(llvm::ArrayRef<ObserveOp> ops,
                    llvm::ArrayRef<size_t> sites);
  Target *addTarget(calibration::TableEntry entry,
                    calibration::ObserverOptions options, bool all);
  void addReaders(ObserveOp op, Site &site);
  void addPatches(const Site &site, std::vector<float> values,
                  llvm::SmallVector<int64_t> shape, int64_t axis,
                  int64_t sample);
  void setTurn(int64_t sample);
  /// Whether the observers of a site get what it sees of a sample at once.
  bool isTurnOf(const Site &site, int64_t sample) const;
  /// What isn't finite of what may not be; null if all is right.
  const Pending *findRefused(const Site &site,
                             const std::vector<Pending> &visits) const;
  void giveInTurn(int64_t sample);

  const bool ignoreNonFinite;
  const bool isMergeable;
  const bool recordsPatches;
  bool givesInTurn;
  int64_t firstSample = 0;
  /// All samples before this one are given, and of it the first sites.
  int64_t turn = 0;
  size_t nextSite = 0;
  std::vector<std::unique_ptr<Target>> targets;
  std::set<std::string> entryNames;
  std::vector<Site> sites;
  std::mutex mutex;
};

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_CALIBRATE_STATISTICSRECORDER_H

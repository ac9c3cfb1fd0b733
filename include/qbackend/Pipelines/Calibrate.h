// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the observers of a module.

#ifndef QBACKEND_PIPELINES_CALIBRATE_H
#define QBACKEND_PIPELINES_CALIBRATE_H

#include "mlir/IR/BuiltinOps.h"
#include "qbackend/Calibration/Table.h"
#include "qbackend/Pipelines/Corrections.h"
#include "qbackend/Pipelines/NetworkRunner.h"
#include "qbackend/Pipelines/Pipelines.h"

#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <memory>

namespace qbackend {

struct CalibratePassOptions;

struct CalibrateOptions {
  /// Function to run, see findEntry.
  std::string entry;
  /// Path of a calibration table, or its text, which begins with a brace; or
  /// `ranges`: what follows from the ranges of the arguments; empty: none.
  std::string calibration;
  /// Path of the samples; empty: none.
  std::string data;
  /// How many samples to use; -1: all.
  int64_t samples = -1;
  /// How many samples an observer sees as one batch.
  int64_t batchSize = 20;
  /// What integer data is multiplied by, as text; empty: not given.
  std::string inputScale;
  /// Numbers of the arguments that hold samples; empty: see findFixedArguments.
  std::string sampleArguments;
  /// Threads to run on; 0: one for each core. Results don't depend on it.
  unsigned threads = 0;
  /// What to do about values that are NaN or infinite: `error`, or `ignore`,
  /// which counts them and leaves them out.
  std::string nonFinite = "error";
  /// Layers to equalize: @symbol of a qconfig_mapping in the module; empty:
  /// none.
  std::string equalization;
  /// What else makes its integers better, in any order.
  llvm::SmallVector<Correction> corrections;

  /// Record all tensors, and all that any observer could ask for: for a table.
  bool recordAll = false;
  /// What the table calls the data; empty: the name of its file, if it has one.
  std::string source;
  /// The backend that the table is for; empty: not known.
  std::string backend;
  /// Which of how many parts of the samples to use; 0 parts: all of them.
  int64_t shard = 0;
  int64_t shards = 0;
  /// The caller has a part of the samples: the number of its first one, and how
  /// many there are in all, 0: not known; -1: it has all of them.
  int64_t firstSample = -1;
  int64_t totalSamples = 0;
  /// What is recorded: `ordered`, PyTorch's histograms and averages where they
  /// are asked for, or `mergeable`, see ObserverOptions. A part of the samples
  /// is mergeable, or an error if that makes a difference.
  std::string statistics = "ordered";
  /// Records what layers read, so that corrections need no samples.
  bool recordPatches = false;
  /// Gives the hash of the module as it came, see getModelHash, which a
  /// mergeable table gets and a table that is used should have; null: it is not
  /// asked for.
  std::function<std::string()> getModel;

  bool isMergeable() const { return statistics == "mergeable"; }
  bool isPart() const { return shards != 0 || firstSample >= 0; }
  /// Where to save the table during the run, and how often at most.
  std::string checkpoint;
  int64_t saveSeconds = 30;
  /// Go on from `checkpoint` if it is there.
  bool resume = false;
};

/// Copies what CalibrateOptions, passes with the CalibrationOptions of
/// Passes.td and the structs of their options have in common, but for the
/// corrections, which are names in passes.
template <typename From, typename To>
void copyCalibrationOptions(const From &from, To &to) {
  to.entry = from.entry;
  to.calibration = from.calibration;
  to.data = from.data;
  to.samples = from.samples;
  to.batchSize = from.batchSize;
  to.inputScale = from.inputScale;
  to.sampleArguments = from.sampleArguments;
  to.threads = from.threads;
  to.nonFinite = from.nonFinite;
  to.equalization = from.equalization;
}

/// What the tensors of a module hold, sample by sample: memory depends on
/// neither how many samples there are nor who has them.
class StatisticsCollector {
public:
  /// NetworkRunnerInterface::prepare.
  using PrepareRun =
      llvm::function_ref<llvm::Expected<std::unique_ptr<NetworkRun>>(
          mlir::ModuleOp module, mlir::func::FuncOp function,
          const SampleRequest &request, ObserveCallback observed)>;

  /// Has `prepare` make a run of the observed `module`, which has to outlive
  /// the result. What `options` say about where samples come from is the
  /// caller's.
  static llvm::Expected<std::unique_ptr<StatisticsCollector>>
  create(mlir::ModuleOp module, const CalibrateOptions &options,
         PrepareRun prepare);
  ~StatisticsCollector();

  /// Runs on at most `samples` of those that are open, -1: on all of them,
  /// which go on where the last run ended: how samples are cut into runs makes
  /// no difference. `label` is that of the progress bar; empty: none.
  llvm::Error run(llvm::StringRef label, int64_t samples = -1);

  /// Samples that come later begin a batch.
  llvm::Error endBatch();

  /// What was seen so far. Samples that come later begin a batch.
  llvm::Expected<calibration::Table> finish();

private:
  friend llvm::Expected<calibration::Table>
  collectStatistics(mlir::ModuleOp module, const CalibrateOptions &options);

  StatisticsCollector();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// What `options` say about samples.
SampleRequest getSampleRequest(const CalibrateOptions &options);

/// Runs the observed `module` on the samples and returns what each observer
/// saw, in the order of the observers.
llvm::Expected<calibration::Table>
collectStatistics(mlir::ModuleOp module, const CalibrateOptions &options);

/// Returns what a table is of: the kind of each operator with a weight, and the
/// weight's shape, in the order of the module, such as `conv2d 16x3x3x3; linear
/// 10x64`. The same whatever is excluded, fused or observed.
std::string getNetworkDescription(mlir::ModuleOp module);

/// Returns a hash of `module` as it is printed without places and without
/// configurations, which it may have got to be quantized: "sha256:...".
std::string getModelHash(mlir::ModuleOp module);

/// The shape of a table's entry for `tensor`: without the batch.
std::vector<int64_t> getTableShape(mlir::Value tensor);

/// Gives each observer of `module` its range, scale and zero point, from the
/// sources that qbackend-calibrate lists. Errors are emitted at the module.
mlir::LogicalResult calibrate(mlir::ModuleOp module,
                              const CalibrateOptions &options);

/// The pass qbackend-calibrate, which warns of a table that says it is of
/// another module than `getModel` gives the hash of.
std::unique_ptr<mlir::Pass>
createCalibratePass(const CalibratePassOptions &options,
                    std::function<std::string()> getModel);

/// Prepares `module` for a backend, unless it is observed already, runs it, and
/// writes the table of all its tensors to `path`: `prepare` is only for such a
/// module. What it ran on so far is in `path`.partial.
llvm::Error writeCalibrationTable(mlir::ModuleOp module,
                                  const PreparePipelineOptions &prepare,
                                  CalibrateOptions options,
                                  llvm::StringRef path);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CALIBRATE_H

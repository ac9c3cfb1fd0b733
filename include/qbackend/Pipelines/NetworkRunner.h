// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seam between what decides how a network is quantized and what runs it:
// calibration asks for a run of the observed module on samples, and is told
// each tensor that an observer sees. The wing Execution implements it by code
// compiled in memory; a host compiler can implement it on a dialect of its own.

#ifndef QBACKEND_PIPELINES_NETWORKRUNNER_H
#define QBACKEND_PIPELINES_NETWORKRUNNER_H

#include "qbackend/Support/ParameterFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace qbackend {

/// What the user says about samples, as the options of a run have it.
struct SampleRequest {
  /// Path of the samples, see SampleSource::open; empty: none.
  std::string data;
  /// What integer data is multiplied by, as text; empty: not given.
  std::string inputScale;
  /// Numbers of the arguments that hold samples, see findFixedArguments.
  std::string sampleArguments;
  /// How many samples to use; -1: all.
  int64_t samples = -1;
  /// Threads to run on; 0: one for each core.
  unsigned threads = 0;
  /// Whether samples may be NaN or infinite.
  bool allowNonFinite = false;
};

/// What one `qbackend.observe` saw in one call of the network.
struct ObservedTensor {
  /// The number of the op among those of the module, in pre-order.
  int64_t site = 0;
  /// The first sample of the call, counted from the begin of the run.
  int64_t sample = 0;
  /// Which dimension the channels are.
  int64_t channelAxis = 0;
  /// Row-major.
  llvm::SmallVector<int64_t> shape;
  /// Only while the callback runs: they may be those of the compiled code.
  llvm::ArrayRef<float> values;
};

/// Comes from several threads at once, in any order of samples; of one sample,
/// in the order of the code.
using ObserveCallback = std::function<void(const ObservedTensor &)>;

/// An observed network that is ready to run.
class NetworkRun {
public:
  virtual ~NetworkRun();

  /// Opens the samples that were asked for, from the first one on; without
  /// data, synthetic ones: the same each time, within `qbackend.range` where an
  /// argument has one.
  virtual llvm::Error open() = 0;

  /// How many samples there are; -1 if only reading tells.
  virtual int64_t getSampleCount() const = 0;

  /// Leaves out the next `count` samples.
  virtual llvm::Error skip(int64_t count) = 0;

  /// Runs on at most `count` of the samples that follow, -1: on all of them.
  /// `label` is that of a progress bar; empty: none. `finished` is called in
  /// the order of samples, never twice at once, when all tensors of `count`
  /// samples from `first` on were observed; its error ends the run.
  virtual llvm::Error
  run(int64_t count, llvm::StringRef label,
      llvm::function_ref<llvm::Error(int64_t first, int64_t count)>
          finished) = 0;
};

/// What a dialect implements so that networks of its context can be run.
class NetworkRunnerInterface
    : public mlir::DialectInterface::Base<NetworkRunnerInterface> {
public:
  explicit NetworkRunnerInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Fails if `request` can't be followed, whatever the network: for a check
  /// before all work. Reads no more than headers.
  virtual llvm::Error checkRequest(const SampleRequest &request) const = 0;

  /// Returns a hash of the files that `request.data` names and of what they are
  /// scaled by, "sha256:..."; empty if they can be read once only, or if the
  /// runner can't tell.
  virtual llvm::Expected<std::string>
  hashSamples(const SampleRequest &request) const {
    return std::string();
  }

  /// Fails if the samples are not such that `function` takes them; warns, at
  /// its module, of what would have no effect.
  virtual llvm::Error checkSamples(mlir::func::FuncOp function,
                                   const SampleRequest &request) const = 0;

  /// Prepares a run of `function`. `module`, which has to outlive the result,
  /// is not changed; it may hold ops of any dialect, of which what can't be run
  /// is an error.
  virtual llvm::Expected<std::unique_ptr<NetworkRun>>
  prepare(mlir::ModuleOp module, mlir::func::FuncOp function,
          const SampleRequest &request, ObserveCallback observed) const = 0;

  /// Reads a file of weights that is no .safetensors. Fails where this runner
  /// reads none.
  virtual llvm::Expected<ParameterFile>
  readParameters(llvm::StringRef path) const;
};

/// The runner of `context`: that of a host's dialect, if one has it, else
/// Execution's. Fails, and says what to do, if there is none.
llvm::Expected<const NetworkRunnerInterface *>
findNetworkRunner(mlir::MLIRContext *context);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_NETWORKRUNNER_H

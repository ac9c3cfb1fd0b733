// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules of any stage: float, observed, reference, lowered.

#ifndef QBACKEND_EXECUTION_PIPELINES_RUNMODULE_H
#define QBACKEND_EXECUTION_PIPELINES_RUNMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"
#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Transforms/Analysis/Entry.h"

namespace qbackend {

/// What the arrays for `function` are called and look like. `fixed` says which
/// arguments hold no samples.
std::vector<arrays::SampleArgument>
getSampleArguments(mlir::func::FuncOp function, llvm::ArrayRef<bool> fixed);

/// Which arguments of `function` hold no samples. `samples`, if any, are the
/// numbers of those that do, as "0,2"; an error if there is no such argument.
/// Otherwise: no weights of operators, no single numbers, and nothing whose
/// static leading extent differs from that of the first argument that may.
llvm::Expected<llvm::SmallVector<bool>>
findFixedArguments(mlir::func::FuncOp function, llvm::StringRef samples);

struct ExecutionPipelineOptions
    : mlir::PassPipelineOptions<ExecutionPipelineOptions> {
  Option<std::string> hook{
      *this, "hook",
      llvm::cl::desc("Name of the function that observers call; empty: none"),
      llvm::cl::init("")};
};

/// From a module of any stage to code that can be run.
void addExecutionPipeline(mlir::OpPassManager &manager,
                          const ExecutionPipelineOptions &options);

/// Compiles a copy of `module`. With `observe`, the `n`-th qbackend.observe in
/// walk order calls it with `n`, see HookIndex.h, and its tensor; otherwise it
/// does nothing. `hooks` are what else the module calls.
llvm::Expected<std::unique_ptr<runtime::Executable>>
compileModule(mlir::ModuleOp module, llvm::StringRef entry,
              runtime::Executable::HookFunction observe = {},
              llvm::ArrayRef<runtime::Executable::Hook> hooks = {},
              const runtime::CompileOptions &compile = {});

/// A compiled function and the samples to run it on.
struct SampleRun {
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<arrays::SampleSource> source;
  runtime::SampleOptions options;

  /// Opens `path` for `function`, see SampleSource. `scale` is what integer
  /// data is multiplied by: a number or a quotient ("1/255"); empty, integers
  /// for a float argument are refused, since they would calibrate, or
  /// classify, the wrong numbers.
  llvm::Error load(llvm::StringRef path, llvm::StringRef scale,
                   mlir::func::FuncOp function);

  /// Says what integer data is multiplied by, see `load`.
  llvm::Error setScale(llvm::StringRef scale);

  /// Leaves out the next `count` samples.
  llvm::Error skip(int64_t count);

  /// Runs on all samples, with a progress bar of that label; empty: without.
  llvm::Error run(llvm::StringRef label, runtime::SampleCallback callback);

  /// The same for the results of all samples: one array for each result,
  /// `output0` and so on.
  llvm::Expected<std::vector<arrays::NamedArray>>
  collect(llvm::StringRef label);

  /// How many samples were left out.
  int64_t skipped = 0;
};

/// Appends the `results` of some samples to `outputs`, which are empty at
/// first: one array for each result, `output0` and so on.
void appendResults(llvm::ArrayRef<arrays::Array> results,
                   std::vector<arrays::NamedArray> &outputs);

/// What `runModule` runs, on what.
struct RunOptions {
  /// See findEntry.
  std::string entry;
  /// Path of the samples, and what integer data is multiplied by, see
  /// SampleRun::load.
  std::string data;
  std::string inputScale;
  /// See findFixedArguments.
  std::string sampleArguments;
  /// How many samples to use; -1: all.
  int64_t samples = -1;
  /// Which part of them, of how many; of 0 parts: all.
  int64_t shard = 0, shards = 0;
  /// Threads to run on; 0: one for each core.
  unsigned threads = 0;
  /// How to compile it.
  runtime::CompileOptions compile;
};

/// A part of some samples: from `first` up to `end`, of `total`.
struct SamplePart {
  int64_t first = 0, end = 0, total = 0;
};

/// How many samples there are for `function`; fails if only reading tells.
llvm::Expected<int64_t> countSamples(mlir::func::FuncOp function,
                                     const RunOptions &options);

/// Makes `run`, which was loaded, one of the samples of `options`: of its part,
/// if there are any, which is whole batches of `function`.
llvm::Expected<SamplePart> takeSamples(SampleRun &run,
                                       mlir::func::FuncOp function,
                                       const RunOptions &options);

/// The results of `module`, of any stage, for the samples of `options`: one
/// array for each result, `output0` and so on. `label` is that of the progress
/// bar. `part`, if it is not null, is set to what they are of.
llvm::Expected<std::vector<arrays::NamedArray>>
runModule(mlir::ModuleOp module, const RunOptions &options,
          llvm::StringRef label, SamplePart *part = nullptr);

} // namespace qbackend

#endif // QBACKEND_EXECUTION_PIPELINES_RUNMODULE_H

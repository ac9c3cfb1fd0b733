// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module of any stage before conversion to a table in a file.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Transforms/Analysis/Entry.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace qbackend;

llvm::Error
qbackend::writeCalibrationTable(ModuleOp module,
                                const PreparePipelineOptions &prepareOptions,
                                CalibrateOptions options, StringRef path) {
  auto runner = findNetworkRunner(module.getContext());
  if (!runner)
    return runner.takeError();
  SampleRequest request = getSampleRequest(options);
  if (llvm::Error error = (*runner)->checkRequest(request))
    return error;
  if (options.isMergeable() || options.isPart())
    options.getModel = [hash = getModelHash(module)] { return hash; };
  if (!isObserved(module)) {
    PassManager manager(module.getContext());
    addPreparePipeline(manager, prepareOptions);
    if (failed(manager.run(module)))
      return makeError("the module can't be prepared for calibration");
    if (module.getOps<ObserverOp>().empty())
      return makeError("nothing of the module can be quantized by backend "
                       "'{0}', so there is nothing to calibrate",
                       prepareOptions.backend.getValue());
    options.backend =
        llvm::sys::path::filename(prepareOptions.backend.getValue()).str();
  }
  auto function = findEntry(module, options.entry);
  if (!function)
    return function.takeError();
  if (llvm::Error error = (*runner)->checkSamples(*function, request))
    return error;
  options.recordAll = true;
  // Samples that run are in the sums of layers before they are done.
  if (!options.recordPatches)
    options.checkpoint = getPathBeside(path, "partial");
  auto table = collectStatistics(module, options);
  if (!table)
    return table.takeError();
  for (const calibration::TableEntry &entry : table->entries) {
    if (entry.stats.nonFinite())
      emitWarning(module.getLoc())
          << calibration::describeNonFinite(entry.name, entry.stats)
          << "; they are left out";
    if (!entry.stats.empty() && entry.stats.min == 0 && entry.stats.max == 0)
      emitWarning(module.getLoc())
          << "all that '" << entry.name
          << "' has seen is 0; calibrate with data in which it varies";
  }
  if (llvm::Error error = calibration::writeTable(*table, path))
    return error;
  if (!options.checkpoint.empty())
    llvm::sys::fs::remove(options.checkpoint);
  return llvm::Error::success();
}

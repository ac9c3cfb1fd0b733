// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the observers of a module.

#ifndef QBACKEND_PIPELINES_CALIBRATE_H
#define QBACKEND_PIPELINES_CALIBRATE_H

#include "mlir/IR/BuiltinOps.h"
#include "qbackend/Calibration/Table.h"

namespace qbackend {

struct CalibrateOptions {
  /// Path of a calibration table; empty: none.
  std::string calibration;
  /// Path of the samples; empty: none.
  std::string data;
  /// How many samples to use; -1: all.
  int64_t samples = -1;
  /// How many samples an observer sees as one batch.
  int64_t batchSize = 20;
  /// What integer data is multiplied by, as text; empty: not given.
  std::string inputScale;
  /// Threads to run on; 0: one for each core. Results don't depend on it.
  unsigned threads = 0;
};

/// Runs the observed `module` on the samples and returns what each observer
/// saw, in the order of the observers.
llvm::Expected<calibration::Table>
collectStatistics(mlir::ModuleOp module, const CalibrateOptions &options);

/// Gives each observer of `module` its range, scale and zero point, from the
/// sources that qbackend-calibrate lists. Errors are emitted at the module.
mlir::LogicalResult calibrate(mlir::ModuleOp module,
                              const CalibrateOptions &options);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CALIBRATE_H

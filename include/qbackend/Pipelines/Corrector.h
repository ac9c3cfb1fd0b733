// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calibration asks for where `corrections` name changes of weights and
// biases. The wing Insight implements it.

#ifndef QBACKEND_PIPELINES_CORRECTOR_H
#define QBACKEND_PIPELINES_CORRECTOR_H

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Equalize.h"

#include "mlir/IR/DialectInterface.h"

namespace qbackend {

/// Changes the parameters of layers before and after calibration, see
/// Correction. An interface of QBackendDialect.
class CorrectorInterface
    : public mlir::DialectInterface::Base<CorrectorInterface> {
public:
  explicit CorrectorInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Before observers have ranges: `balance` is cross-layer equalization,
  /// `absorb` bias absorption by what `lookup` has of each channel. With a
  /// table, `lookup` is of it, and observers of what changes get ranges that
  /// follow from it.
  virtual void equalizeLayers(mlir::ModuleOp module, bool balance, bool absorb,
                              bool hasTable, StatisticsLookup lookup) const = 0;

  /// Of a calibrated module: `round` is adaptive rounding, `correct` bias
  /// correction, by runs on the samples of `options`. Fails, and says so, if
  /// the network doesn't run.
  virtual mlir::LogicalResult correctLayers(mlir::ModuleOp module,
                                            const CalibrateOptions &options,
                                            bool round, bool correct) const = 0;
};

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CORRECTOR_H

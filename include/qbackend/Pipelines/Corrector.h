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

/// What a table has of what the layer `op` reads, if it has something; with
/// products only if they are asked for.
using PatchLookup = llvm::function_ref<std::optional<calibration::PatchMoments>(
    OperatorOp op, bool withProducts)>;

/// Says that a value becomes x[c] * factors[c] - shifts[c].
using RescaleCallback =
    llvm::function_ref<void(mlir::Value value, llvm::ArrayRef<float> factors,
                            llvm::ArrayRef<float> shifts)>;

/// Changes the parameters of layers before and after calibration, see
/// Correction. An interface of QBackendDialect.
class CorrectorInterface
    : public mlir::DialectInterface::Base<CorrectorInterface> {
public:
  explicit CorrectorInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Before observers have ranges: `balance` is cross-layer equalization,
  /// `absorb` bias absorption by what `lookup` has of each channel. With a
  /// table, `lookup` is of it, and observers of what changes get ranges that
  /// follow from it; `rescaled` is told what becomes of each channel of the
  /// values there: x[c] * factors[c] - shifts[c].
  virtual void equalizeLayers(mlir::ModuleOp module, bool balance, bool absorb,
                              bool hasTable, StatisticsLookup lookup,
                              RescaleCallback rescaled) const = 0;

  /// Of a calibrated module: `round` is adaptive rounding, `correct` bias
  /// correction, by what `lookup`, unless it is null, has of what layers read,
  /// and by runs on the samples of `options`, if there are some. Fails, and
  /// says so, if the network doesn't run.
  virtual mlir::LogicalResult correctLayers(mlir::ModuleOp module,
                                            const CalibrateOptions &options,
                                            bool round, bool correct,
                                            PatchLookup lookup) const = 0;
};

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CORRECTOR_H

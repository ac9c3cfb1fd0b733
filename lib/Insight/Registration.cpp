// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Insight brings.

#include "qbackend/Insight/Registration.h"

#include "Corrections/CorrectLayers.h"
#include "Corrections/EqualizeLayers.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Insight/Explanation/Passes.h"
#include "qbackend/Pipelines/Corrector.h"

using namespace mlir;
using namespace qbackend;

namespace {
struct LayerCorrector final : CorrectorInterface {
  using CorrectorInterface::CorrectorInterface;

  void equalizeLayers(ModuleOp module, bool balance, bool absorb, bool hasTable,
                      StatisticsLookup lookup,
                      RescaleCallback rescaled) const override {
    LayerEqualizer equalizer(module, hasTable,
                             hasTable ? lookup : StatisticsLookup());
    if (balance)
      equalizer.equalize();
    if (absorb)
      equalizer.absorb(lookup);
    equalizer.apply(rescaled);
  }

  LogicalResult correctLayers(ModuleOp module, const CalibrateOptions &options,
                              bool round, bool correct,
                              PatchLookup lookup) const override {
    return qbackend::correctLayers(module, options, round, correct, lookup);
  }
};
} // namespace

void qbackend::registerInsight(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, QBackendDialect *dialect) {
    dialect->addInterfaces<LayerCorrector>();
  });
}

void qbackend::registerInsightPasses() { registerExplanationPasses(); }

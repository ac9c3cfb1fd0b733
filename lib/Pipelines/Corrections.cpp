// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of what reduces the error of quantization: corrections.

#include "qbackend/Pipelines/Corrections.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/ErrorHandling.h"

#include <string>
#include <vector>

using namespace mlir;
using namespace qbackend;

llvm::ArrayRef<Correction> qbackend::getCorrections() {
  static constexpr Correction all[] = {
      Correction::MseRanges, Correction::CrossLayerEqualization,
      Correction::BiasAbsorption, Correction::AdaptiveRounding,
      Correction::BiasCorrection};
  return all;
}

llvm::StringRef qbackend::getCorrectionName(Correction correction) {
  switch (correction) {
  case Correction::MseRanges:
    return "mse-ranges";
  case Correction::CrossLayerEqualization:
    return "cross-layer-equalization";
  case Correction::BiasAbsorption:
    return "bias-absorption";
  case Correction::AdaptiveRounding:
    return "adaptive-rounding";
  case Correction::BiasCorrection:
    return "bias-correction";
  }
  llvm_unreachable("unknown correction");
}

FailureOr<SmallVector<Correction>>
qbackend::parseCorrections(ArrayRef<std::string> names, Location loc,
                           StringRef subject) {
  SmallVector<Correction> result;
  for (const std::string &name : names) {
    const Correction *found =
        llvm::find_if(getCorrections(), [&](Correction correction) {
          return name == getCorrectionName(correction);
        });
    if (found == getCorrections().end()) {
      InFlightDiagnostic error = emitError(loc) << subject << " has '" << name
                                                << "', expected ";
      llvm::interleaveComma(getCorrections(), error, [&](Correction each) {
        error << getCorrectionName(each);
      });
      return error;
    }
    if (!llvm::is_contained(result, *found))
      result.push_back(*found);
  }
  return result;
}

FailureOr<SmallVector<Correction>>
qbackend::getCorrections(QConfigMappingOp mapping) {
  auto names = mapping->getAttrOfType<ArrayAttr>(kCorrectionsAttrName);
  if (!names)
    return SmallVector<Correction>();
  std::vector<std::string> texts;
  for (auto name : names.getAsRange<StringAttr>())
    texts.push_back(name.getValue().str());
  return parseCorrections(texts, mapping.getLoc(), kCorrectionsAttrName);
}

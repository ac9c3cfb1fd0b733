// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of what reduces the error of quantization: corrections.

#ifndef QBACKEND_PIPELINES_CORRECTIONS_H
#define QBACKEND_PIPELINES_CORRECTIONS_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace qbackend {

/// Corrections of a network before it is converted, in the order in which they
/// are applied. None changes what is an integer, or any kernel.
enum class Correction {
  /// Ranges of activations of least squared error, whatever the observer.
  MseRanges,
  /// Channels between two layers are given ranges that suit both.
  CrossLayerEqualization,
  /// The part of a bias that no sample needs moves into the next layer's.
  BiasAbsorption,
  /// Weights are rounded so that the layer's result is near, not each of them.
  AdaptiveRounding,
  /// What integers change on average in each output channel goes into the bias.
  BiasCorrection,
};

/// All of them, in that order.
llvm::ArrayRef<Correction> getCorrections();

/// The name in options: `bias-correction`.
llvm::StringRef getCorrectionName(Correction correction);

/// Those of these names. Fails, and says so at `loc` of `subject`
/// ("corrections"), if one is not known.
mlir::FailureOr<llvm::SmallVector<Correction>>
parseCorrections(llvm::ArrayRef<std::string> names, mlir::Location loc,
                 llvm::StringRef subject);

/// Those that `mapping` names in its attribute kCorrectionsAttrName. Fails, and
/// says so, if one is not known.
mlir::FailureOr<llvm::SmallVector<Correction>>
getCorrections(QConfigMappingOp mapping);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_CORRECTIONS_H

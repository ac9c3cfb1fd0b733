// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the attribute of an observer to the observer without IR.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_OBSERVEROPTIONS_H
#define QBACKEND_TRANSFORMS_ANALYSIS_OBSERVEROPTIONS_H

#include "qbackend/Calibration/Observer.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The options of the observer that `config` describes.
calibration::ObserverOptions getObserverOptions(ObserverAttr config);

/// An observer of `kind` with the dtype and the range of `config`. What belongs
/// to the old kind, such as a percentile, is left out.
ObserverAttr changeKind(ObserverAttr config, ObserverKind kind, QScheme scheme);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OBSERVEROPTIONS_H

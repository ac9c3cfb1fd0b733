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

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OBSERVEROPTIONS_H

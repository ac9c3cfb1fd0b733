// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers like others, but for what is tried or suggested.

#ifndef QBACKEND_INSIGHT_COMPARISON_OBSERVERCHANGES_H
#define QBACKEND_INSIGHT_COMPARISON_OBSERVERCHANGES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// `activation` as an observer of another kind, with the same integers; as it
/// is, if its integers don't come from statistics.
ObserverAttr withKind(ObserverAttr activation, ObserverKind kind);

/// `weight` with a scale for each channel; as it is, if that isn't possible.
ObserverAttr withChannels(ObserverAttr weight);

/// `weight` with all integers of its type but the lowest of a signed one, if it
/// has at most half of them: as it is otherwise.
ObserverAttr withAllIntegers(ObserverAttr weight);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_COMPARISON_OBSERVERCHANGES_H

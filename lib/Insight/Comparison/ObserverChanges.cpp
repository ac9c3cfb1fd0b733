// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers like others, but for what is tried or suggested.

#include "qbackend/Insight/Comparison/ObserverChanges.h"

#include "qbackend/Transforms/Analysis/ObserverOptions.h"

using namespace mlir;
using namespace qbackend;

ObserverAttr qbackend::withKind(ObserverAttr activation, ObserverKind kind) {
  if (!isa<IntegerType>(activation.getDtype()) || activation.getIsDynamic() ||
      !hasStatistics(activation.getKind()))
    return activation;
  return changeKind(activation, kind, activation.getScheme());
}

ObserverAttr qbackend::withChannels(ObserverAttr weight) {
  // An affine one is that of a PReLU weight, of which there is one kernel.
  if (!isa<IntegerType>(weight.getDtype()) ||
      !hasStatistics(weight.getKind()) ||
      weight.getScheme() != QScheme::PerTensorSymmetric)
    return weight;
  return changeKind(weight, ObserverKind::PerChannelMinMax,
                    QScheme::PerChannelSymmetric);
}

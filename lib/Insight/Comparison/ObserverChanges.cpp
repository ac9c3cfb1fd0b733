// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers like others, but for what is tried or suggested.

#include "qbackend/Insight/Comparison/ObserverChanges.h"

using namespace mlir;
using namespace qbackend;

/// What belongs to the old kind, such as a percentile, is left out.
static ObserverAttr change(ObserverAttr config, ObserverKind kind,
                           QScheme scheme) {
  ObserverFields fields;
  fields.kind = kind;
  fields.dtype = config.getDtype();
  fields.scheme = scheme;
  fields.quantMin = config.getQuantMin();
  fields.quantMax = config.getQuantMax();
  fields.reduceRange = config.getReduceRange();
  fields.eps = config.getEps();
  return ObserverAttr::get(config.getContext(), fields);
}

ObserverAttr qbackend::withKind(ObserverAttr activation, ObserverKind kind) {
  if (!isa<IntegerType>(activation.getDtype()) || activation.getIsDynamic() ||
      !hasStatistics(activation.getKind()))
    return activation;
  return change(activation, kind, activation.getScheme());
}

ObserverAttr qbackend::withChannels(ObserverAttr weight) {
  // An affine one is that of slopes, of which there is one kernel.
  if (!isa<IntegerType>(weight.getDtype()) ||
      !hasStatistics(weight.getKind()) ||
      weight.getScheme() != QScheme::PerTensorSymmetric)
    return weight;
  return change(weight, ObserverKind::PerChannelMinMax,
                QScheme::PerChannelSymmetric);
}

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

ObserverAttr qbackend::withAllIntegers(ObserverAttr weight) {
  auto type = dyn_cast<IntegerType>(weight.getDtype());
  if (!type || !hasStatistics(weight.getKind()) || !weight.getQuantMin() ||
      !weight.getQuantMax())
    return weight;
  int64_t count = int64_t(1) << type.getWidth();
  if (2 * (*weight.getQuantMax() - *weight.getQuantMin() + 1) > count)
    return weight;
  ObserverFields fields = weight.getFields();
  fields.quantMax = type.isSigned() ? count / 2 - 1 : count - 1;
  fields.quantMin = type.isSigned() ? -*fields.quantMax : 0;
  return ObserverAttr::get(weight.getContext(), fields);
}

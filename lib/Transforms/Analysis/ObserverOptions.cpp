// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the attribute of an observer to the observer without IR.

#include "qbackend/Transforms/Analysis/ObserverOptions.h"

using namespace mlir;
using namespace qbackend;
using calibration::ObserverOptions;

ObserverOptions qbackend::getObserverOptions(ObserverAttr config) {
  ObserverOptions options;
  options.kind = config.getKind();
  auto type = cast<IntegerType>(config.getDtype());
  options.isSigned = type.isSigned();
  options.bits = type.getWidth();
  if (config.getQuantMin())
    options.customRange =
        numerics::QuantRange{*config.getQuantMin(), *config.getQuantMax()};
  options.channelAxis = config.getChAxis().value_or(0);
  options.scheme = config.getScheme();
  options.reduceRange = config.getReduceRange();
  if (config.getEps())
    options.eps = config.getEps().getValueAsDouble();
  if (config.getAveragingConstant())
    options.averagingConstant =
        config.getAveragingConstant().getValueAsDouble();
  if (config.getBins())
    options.bins = *config.getBins();
  if (config.getPercentile())
    options.percentile = config.getPercentile().getValueAsDouble();
  if (config.getScale())
    options.fixedParams = {config.getScale().getValueAsDouble(),
                           *config.getZeroPoint()};
  return options;
}

ObserverAttr qbackend::changeKind(ObserverAttr config, ObserverKind kind,
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

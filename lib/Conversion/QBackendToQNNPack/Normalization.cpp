// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of normalizations. Their channels, or the dimensions they are over,
// come last.

#include "KernelBuilder.h"
#include "KernelTable.h"

using namespace mlir;
using namespace qbackend;

/// The number of channels of `input`, which are last.
static ArrayRef<int64_t> getChannels(RankedTensorType input) {
  return input.getShape().take_back(1);
}

template <typename KindT>
static Value createBatchNorm(KernelBuilder &b, KindT kind) {
  return b.createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        ArrayRef<int64_t> channels = getChannels(type);
        if (ShapedType::isDynamicShape(channels))
          return {};
        Value weight = b.getParameter(b.op.getWeight(), 1, channels);
        Value bias = b.getParameter(b.op.getBias(), 0, channels);
        Value mean = b.getParameter(b.op.getRunningMean(), 0, channels);
        Value var = b.getParameter(b.op.getRunningVar(), 1, channels);
        return b.make<qnnpack::BatchNormOp>(
            Type(type), input, weight, bias, mean, var,
            b.builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            b.getRelu());
      });
}

static Value createLayerNorm(KernelBuilder &b, LayerNormAttr kind) {
  ArrayRef<int64_t> axes = kind.getAxes().asArrayRef();
  return b.createWithLast(
      axes, [&](Value input, RankedTensorType type) -> Value {
        ArrayRef<int64_t> shape = type.getShape().take_back(axes.size());
        if (ShapedType::isDynamicShape(shape))
          return {};
        Value weight = b.op.getWeight(), bias = b.op.getBias();
        if (bias)
          weight = b.getParameter(weight, 1, shape);
        return b.make<qnnpack::LayerNormOp>(
            Type(type), input, weight, bias,
            b.builder.getDenseI64ArrayAttr(shape),
            b.builder.getF64FloatAttr(kind.getEps().getValueAsDouble()));
      });
}

template <typename KindT>
static Value createInstanceNorm(KernelBuilder &b, KindT kind) {
  return b.createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        Value weight = b.op.getWeight(), bias = b.op.getBias();
        if (bias && !weight)
          weight = b.createSplat(1, getChannels(type));
        return b.make<qnnpack::InstanceNormOp>(
            Type(type), input, weight, bias,
            b.builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            /*channels_last=*/UnitAttr());
      });
}

static Value createGroupNorm(KernelBuilder &b, GroupNormAttr kind) {
  return b.createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        Value weight = b.op.getWeight(), bias = b.op.getBias();
        if (bias && !weight)
          weight = b.createSplat(1, getChannels(type));
        return b.make<qnnpack::GroupNormOp>(
            Type(type), input, weight, bias,
            b.builder.getI64IntegerAttr(kind.getNumGroups()),
            b.builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            /*channels_last=*/UnitAttr());
      });
}

void qbackend::addNormalizations(KernelTable &table) {
  table.add(KernelEntry::withRelu(), createBatchNorm<BatchNorm1dAttr>,
            createBatchNorm<BatchNorm2dAttr>, createBatchNorm<BatchNorm3dAttr>);
  table.add(KernelEntry(), createLayerNorm, createGroupNorm,
            createInstanceNorm<InstanceNorm1dAttr>,
            createInstanceNorm<InstanceNorm2dAttr>,
            createInstanceNorm<InstanceNorm3dAttr>);
  table.addMissing<RmsNormAttr>("the engine has none");
}

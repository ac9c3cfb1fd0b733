// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of normalizations. Their channels, or the dimensions they are over,
// come last.

#include "KernelBuilder.h"

using namespace mlir;
using namespace qbackend;

/// The number of channels of `input`, which are last.
static ArrayRef<int64_t> getChannels(RankedTensorType input) {
  return input.getShape().take_back(1);
}

template <typename KindT> Value KernelBuilder::createBatchNorm(KindT kind) {
  return createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        ArrayRef<int64_t> channels = getChannels(type);
        if (ShapedType::isDynamicShape(channels))
          return {};
        Value weight = getParameter(op.getWeight(), 1, channels);
        Value bias = getParameter(op.getBias(), 0, channels);
        Value mean = getParameter(op.getRunningMean(), 0, channels);
        Value var = getParameter(op.getRunningVar(), 1, channels);
        return make<qnnpack::BatchNormOp>(
            Type(type), input, weight, bias, mean, var,
            builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            getRelu());
      });
}

Value KernelBuilder::create(BatchNorm1dAttr kind) {
  return createBatchNorm(kind);
}
Value KernelBuilder::create(BatchNorm2dAttr kind) {
  return createBatchNorm(kind);
}
Value KernelBuilder::create(BatchNorm3dAttr kind) {
  return createBatchNorm(kind);
}

Value KernelBuilder::create(LayerNormAttr kind) {
  ArrayRef<int64_t> axes = kind.getAxes().asArrayRef();
  return createWithLast(axes, [&](Value input, RankedTensorType type) -> Value {
    ArrayRef<int64_t> shape = type.getShape().take_back(axes.size());
    if (ShapedType::isDynamicShape(shape))
      return {};
    Value weight = op.getWeight(), bias = op.getBias();
    if (bias)
      weight = getParameter(weight, 1, shape);
    return make<qnnpack::LayerNormOp>(
        Type(type), input, weight, bias, builder.getDenseI64ArrayAttr(shape),
        builder.getF64FloatAttr(kind.getEps().getValueAsDouble()));
  });
}

template <typename KindT> Value KernelBuilder::createInstanceNorm(KindT kind) {
  return createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        Value weight = op.getWeight(), bias = op.getBias();
        if (bias && !weight)
          weight = createSplat(1, getChannels(type));
        return make<qnnpack::InstanceNormOp>(
            Type(type), input, weight, bias,
            builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            /*channels_last=*/UnitAttr());
      });
}

Value KernelBuilder::create(InstanceNorm1dAttr kind) {
  return createInstanceNorm(kind);
}
Value KernelBuilder::create(InstanceNorm2dAttr kind) {
  return createInstanceNorm(kind);
}
Value KernelBuilder::create(InstanceNorm3dAttr kind) {
  return createInstanceNorm(kind);
}

Value KernelBuilder::create(GroupNormAttr kind) {
  return createWithLast(
      kind.getAxis(), [&](Value input, RankedTensorType type) -> Value {
        Value weight = op.getWeight(), bias = op.getBias();
        if (bias && !weight)
          weight = createSplat(1, getChannels(type));
        return make<qnnpack::GroupNormOp>(
            Type(type), input, weight, bias,
            builder.getI64IntegerAttr(kind.getNumGroups()),
            builder.getF64FloatAttr(kind.getEps().getValueAsDouble()),
            /*channels_last=*/UnitAttr());
      });
}

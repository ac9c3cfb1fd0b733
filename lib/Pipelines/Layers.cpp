// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constant parameters of convolutions and linear layers, before conversion.

#include "qbackend/Pipelines/Layers.h"

#include "qbackend/Transforms/Analysis/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace qbackend;

static ConvolutionKindAttrInterface getConvolution(OperatorOp op) {
  return dyn_cast<ConvolutionKindAttrInterface>(
      static_cast<Attribute>(op.getKind()));
}

bool qbackend::isLayer(OperatorOp op) {
  SmallVector<StringRef> kinds = getKindNames(op);
  ConvolutionKindAttrInterface kind = getConvolution(op);
  bool isWeighted =
      isa<LinearAttr>(op.getKind()) || (kind && !kind.isTransposed());
  return isWeighted && op.getInputs().size() == 1 &&
         (kinds.size() == 1 || (kinds.size() == 2 && kinds[1] == "relu"));
}

int64_t qbackend::getGroupCount(OperatorOp op) {
  ConvolutionKindAttrInterface kind = getConvolution(op);
  return kind ? kind.getGroupCount() : 1;
}

std::optional<calibration::Geometry> qbackend::getGeometry(OperatorOp op) {
  ConvolutionKindAttrInterface kind = getConvolution(op);
  auto type = op.getWeight()
                  ? dyn_cast<RankedTensorType>(op.getWeight().getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getRank() < 2 ||
      type.getNumElements() == 0 ||
      !(isa<LinearAttr>(op.getKind()) || (kind && !kind.isTransposed())))
    return std::nullopt;
  calibration::Geometry geometry;
  geometry.groups = getGroupCount(op);
  geometry.channels = type.getShape().back() * geometry.groups;
  if (!kind)
    return geometry;
  geometry.isLinear = false;
  int64_t rank = kind.getStrides().size();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t d = 3 - rank + i;
    geometry.kernel[d] = type.getDimSize(1 + i);
    geometry.stride[d] = kind.getStrides()[i];
    geometry.dilation[d] = kind.getDilations()[i];
    geometry.before[d] = kind.getPaddings()[2 * i];
    geometry.after[d] = kind.getPaddings()[2 * i + 1];
  }
  return geometry;
}

std::optional<LayerWeight> qbackend::readLayerWeight(OperatorOp op) {
  auto type = op.getWeight()
                  ? dyn_cast<RankedTensorType>(op.getWeight().getType())
                  : RankedTensorType();
  if (!type || type.getRank() < 2 || type.getNumElements() == 0)
    return std::nullopt;
  auto numbers = readFloats(op.getWeight());
  if (!numbers)
    return std::nullopt;
  return LayerWeight{std::move(*numbers), type};
}

/// Puts a constant in the place of `operand`.
static void replace(OperatorOp op, MutableOperandRange operand,
                    ArrayRef<float> numbers) {
  Value before = operand[0].get();
  OpBuilder builder(op);
  Value constant = arith::ConstantOp::create(
      builder, op.getLoc(),
      DenseElementsAttr::get(cast<RankedTensorType>(before.getType()),
                             numbers));
  operand.assign(constant);
  Operation *old = before.getDefiningOp();
  if (old && isMemoryEffectFree(old) && old->use_empty())
    old->erase();
}

void qbackend::setLayerWeight(OperatorOp op, const LayerWeight &weight) {
  replace(op, op.getWeightMutable(), weight.numbers);
}

void qbackend::setLayerBias(OperatorOp op, ArrayRef<float> bias) {
  replace(op, op.getBiasMutable(), bias);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements of constants, and know where to.

#include "Reading/Constants/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

using Shape = SmallVector<int64_t>;

static DenseElementsAttr reshape(DenseElementsAttr source, ShapedType type) {
  if (!type.hasStaticShape() || type.getNumElements() != source.size())
    return {};
  return source.reshape(
      RankedTensorType::get(type.getShape(), source.getElementType()));
}

static DenseElementsAttr evaluateSlice(DenseElementsAttr source,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> steps,
                                       ArrayRef<int64_t> resultShape) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  if (starts.size() != shape.size() || sizes.size() != shape.size())
    return {};
  Shape strides = getRowMajorStrides(shape);
  int64_t offset = 0, count = 1, resultCount = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = steps.empty() ? 1 : steps[i];
    if (starts[i] < 0 || sizes[i] < 1 || step < 1 ||
        starts[i] + (sizes[i] - 1) * step >= shape[i])
      return {};
    offset += starts[i] * strides[i];
    strides[i] *= step;
    count *= sizes[i];
  }
  for (int64_t size : resultShape)
    resultCount *= size;
  if (count != resultCount)
    return {};
  return gather(source, sizes, offset, strides, resultShape);
}

/// Pads with one value, `low` before each dimension.
static DenseElementsAttr evaluatePad(DenseElementsAttr source,
                                     DenseElementsAttr padding,
                                     ArrayRef<int64_t> low,
                                     RankedTensorType type) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  auto size = getElementSize(type.getElementType());
  if (!size || !type.hasStaticShape() || !padding || !padding.isSplat() ||
      type.getNumElements() > kMaxConstantElements ||
      low.size() != shape.size() ||
      padding.getElementType() != type.getElementType())
    return {};
  Shape strides = getRowMajorStrides(type.getShape());
  Shape from = getRowMajorStrides(shape);
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (low[i] < 0 || low[i] + shape[i] > type.getDimSize(i))
      return {};
    offset += low[i] * strides[i];
  }
  if (source.isSplat())
    from.assign(from.size(), 0);
  std::vector<char> bytes(type.getNumElements() * *size);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    memcpy(&bytes[i * *size], padding.getRawData().data(), *size);
  SmallVector<int64_t> offsets = {0, offset};
  forEachPoint(shape, {from, strides}, offsets, [&] {
    memcpy(&bytes[offsets[1] * *size],
           source.getRawData().data() + offsets[0] * *size, *size);
  });
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

static DenseElementsAttr evaluateTile(DenseElementsAttr source,
                                      RankedTensorType type) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  if (!type.hasStaticShape() || type.getRank() != int64_t(shape.size()))
    return {};
  // Each dimension is two: how often, and what.
  Shape strides = getRowMajorStrides(shape), bounds, steps;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 1 || type.getDimSize(i) % shape[i] != 0)
      return {};
    bounds.append({type.getDimSize(i) / shape[i], shape[i]});
    steps.append({0, strides[i]});
  }
  return gather(source, bounds, 0, steps, type.getShape());
}

static DenseElementsAttr evaluateConcat(ArrayRef<DenseElementsAttr> operands,
                                        int64_t axis, RankedTensorType type) {
  auto size = getElementSize(type.getElementType());
  if (!size || !type.hasStaticShape() || axis < 0 || axis >= type.getRank() ||
      type.getNumElements() > kMaxConstantElements)
    return {};
  int64_t rows = llvm::product_of(type.getShape().take_front(axis));
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * *size);
  for (int64_t row = 0; row < rows; ++row)
    for (DenseElementsAttr operand : operands) {
      if (!operand || operand.size() % rows != 0)
        return {};
      int64_t run = operand.size() / rows;
      const char *data = operand.getRawData().data();
      for (int64_t i = 0; i < run; ++i) {
        const char *from =
            data + (operand.isSplat() ? 0 : (row * run + i) * *size);
        bytes.insert(bytes.end(), from, from + *size);
      }
    }
  if (int64_t(bytes.size()) != type.getNumElements() * *size)
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// The numbers of a shape operand.
static std::optional<Shape> readShape(Value value) {
  DenseIntElementsAttr elements;
  if (auto shape = value.getDefiningOp<tosa::ConstShapeOp>())
    elements = dyn_cast<DenseIntElementsAttr>(shape.getValues());
  if (!elements)
    return std::nullopt;
  Shape result;
  for (const APInt &number : elements.getValues<APInt>())
    result.push_back(number.getSExtValue());
  return result;
}

bool forms::isLayoutOp(Operation *op) {
  return isa<tosa::ReshapeOp, tosa::TransposeOp, tosa::SliceOp, tosa::PadOp,
             tosa::TileOp, tosa::ConcatOp, tosa::IdentityOp>(op) ||
         isa_and_nonnull<tensor::TensorDialect>(op->getDialect());
}

DenseElementsAttr forms::evaluateLayoutOp(Operation *op,
                                          ConstantLookup lookup) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return {};
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  DenseElementsAttr source = operands[0];
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<tosa::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ReshapeOp>(op))
    return source && type ? reshape(source, type) : DenseElementsAttr();
  if (isa<tensor::CastOp, tosa::IdentityOp>(op))
    return source;
  if (!source)
    return {};
  if (auto moved = dyn_cast<tosa::TransposeOp>(op))
    return forms::transpose(source, moved.getPerms());
  if (auto slice = dyn_cast<tosa::SliceOp>(op)) {
    auto starts = readShape(slice.getStart());
    if (!starts || !type || !type.hasStaticShape())
      return {};
    return evaluateSlice(source, *starts, type.getShape(), {}, type.getShape());
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!type || !type.hasStaticShape() || op->getNumOperands() != 1)
      return {};
    return evaluateSlice(source, slice.getStaticOffsets(),
                         slice.getStaticSizes(), slice.getStaticStrides(),
                         type.getShape());
  }
  if (auto pad = dyn_cast<tosa::PadOp>(op)) {
    auto amounts = readShape(pad.getPadding());
    if (!amounts || !type)
      return {};
    Shape low;
    for (size_t i = 0; i < amounts->size(); i += 2)
      low.push_back((*amounts)[i]);
    return evaluatePad(source, lookup(pad.getPadConst()), low, type);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    auto low = getConstantIntValues(pad.getMixedLowPad());
    auto constant =
        padding ? padding.getDefiningOp<arith::ConstantOp>() : nullptr;
    if (!constant || !low)
      return {};
    return evaluatePad(source, readAttribute(constant.getValue()), *low, type);
  }
  if (isa<tosa::TileOp>(op))
    return type ? evaluateTile(source, type) : DenseElementsAttr();
  if (auto concat = dyn_cast<tosa::ConcatOp>(op))
    return type ? evaluateConcat(operands, concat.getAxis(), type)
                : DenseElementsAttr();
  if (isa<tensor::SplatOp>(op))
    return type && type.hasStaticShape() ? source.resizeSplat(type)
                                         : DenseElementsAttr();
  if (isa<tensor::FromElementsOp>(op) && operands.size() == 1)
    return type ? reshape(source, type) : DenseElementsAttr();
  if (isa<tensor::ExtractOp>(op) && source.isSplat())
    return source.resizeSplat(
        RankedTensorType::get({}, source.getElementType()));
  return {};
}

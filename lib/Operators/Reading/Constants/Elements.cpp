// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of constants: what holds them, and what moves them.

#include "qbackend/Dialect/QBackend/Elements.h"
#include "Reading/Constants/Constants.h"
#include "Reading/Scalars/ScalarElements.h"
#include "qbackend/Numerics/Quantize.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

using Shape = SmallVector<int64_t>;

Shape forms::getRowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

void forms::forEachPoint(ArrayRef<int64_t> bounds, ArrayRef<Shape> strides,
                         MutableArrayRef<int64_t> offsets,
                         llvm::function_ref<void()> visit) {
  if (llvm::is_contained(bounds, 0))
    return;
  Shape point(bounds.size(), 0);
  while (true) {
    visit();
    int64_t dim = int64_t(bounds.size()) - 1;
    for (; dim >= 0; --dim) {
      if (++point[dim] < bounds[dim]) {
        for (auto [offset, stride] : llvm::zip(offsets, strides))
          offset += stride[dim];
        break;
      }
      point[dim] = 0;
      for (auto [offset, stride] : llvm::zip(offsets, strides))
        offset -= stride[dim] * (bounds[dim] - 1);
    }
    if (dim < 0)
      return;
  }
}

std::optional<int64_t> forms::getElementSize(Type type) {
  if (!type.isIntOrIndexOrFloat())
    return std::nullopt;
  int64_t bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (bits % 8 != 0 || bits > 64)
    return std::nullopt;
  return bits / 8;
}

DenseElementsAttr forms::gather(DenseElementsAttr source,
                                ArrayRef<int64_t> bounds, int64_t sourceOffset,
                                ArrayRef<int64_t> sourceStrides,
                                ArrayRef<int64_t> resultShape) {
  auto type = RankedTensorType::get(resultShape, source.getElementType());
  if (!tryCountElements(type))
    return {};
  if (source.isSplat())
    return source.resizeSplat(type);
  std::optional<int64_t> size = getElementSize(type.getElementType());
  if (type.getNumElements() > kMaxConstantElements)
    return {};
  if (!size) {
    auto reader = ElementReader::get(source);
    if (!reader)
      return {};
    ElementWriter writer(type);
    int64_t offset = sourceOffset;
    forEachPoint(bounds, Shape(sourceStrides), offset,
                 [&] { writer.append(reader->at(offset)); });
    return writer.finish();
  }
  ArrayRef<char> from = source.getRawData();
  std::vector<char> to(type.getNumElements() * *size);
  char *next = to.data();
  int64_t offset = sourceOffset;
  forEachPoint(bounds, Shape(sourceStrides), offset, [&] {
    memcpy(next, from.data() + offset * *size, *size);
    next += *size;
  });
  return DenseElementsAttr::getFromRawBuffer(type, to);
}

DenseElementsAttr forms::transpose(DenseElementsAttr source,
                                   ArrayRef<int32_t> permutation) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  Shape strides = getRowMajorStrides(shape), resultShape, resultStrides;
  if (permutation.size() != shape.size())
    return {};
  for (int32_t dim : permutation) {
    if (dim < 0 || dim >= int64_t(shape.size()))
      return {};
    resultShape.push_back(shape[dim]);
    resultStrides.push_back(strides[dim]);
  }
  return gather(source, resultShape, 0, resultStrides, resultShape);
}

DenseElementsAttr forms::readAttribute(Attribute attr) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr))
    return elements.getElementType().isIntOrIndexOrFloat() &&
                   hasWholeData(elements)
               ? elements
               : DenseElementsAttr();
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    auto type = dyn_cast<RankedTensorType>(resource.getType());
    if (!blob || !type || !type.hasStaticShape())
      return {};
    std::optional<int64_t> size = getElementSize(type.getElementType());
    if (!size || !hasWholeData(resource) ||
        int64_t(blob->getData().size()) != *size * type.getNumElements())
      return {};
    return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  if (auto number = dyn_cast_or_null<FloatAttr>(attr))
    return DenseElementsAttr::get(RankedTensorType::get({}, number.getType()),
                                  number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    return DenseElementsAttr::get(RankedTensorType::get({}, number.getType()),
                                  number.getValue());
  return {};
}

DenseElementsAttr forms::dequantizeElements(DenseElementsAttr integers,
                                            quant::QuantizedType type) {
  ArrayRef<int64_t> shape = integers.getType().getShape();
  bool isSigned = type.isSigned();
  std::vector<float> numbers;
  auto get = [&](const APInt &value) {
    return isSigned ? value.getSExtValue() : int64_t(value.getZExtValue());
  };
  auto resultType =
      RankedTensorType::get(shape, Float32Type::get(type.getContext()));
  auto perTensor = dyn_cast<quant::UniformQuantizedType>(type);
  if (perTensor && integers.isSplat())
    return DenseElementsAttr::get(
        resultType,
        numerics::dequantize(get(integers.getSplatValue<APInt>()),
                             perTensor.getScale(), perTensor.getZeroPoint()));
  numbers.reserve(integers.size());
  if (perTensor) {
    for (const APInt &value : integers.getValues<APInt>())
      numbers.push_back(numerics::dequantize(get(value), perTensor.getScale(),
                                             perTensor.getZeroPoint()));
  } else if (auto perAxis =
                 dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    ArrayRef<double> scales = perAxis.getScales();
    size_t axis = perAxis.getQuantizedDimension();
    if (axis >= shape.size() || shape[axis] != int64_t(scales.size()))
      return {};
    int64_t inner = llvm::product_of(shape.drop_front(axis + 1));
    for (auto [i, value] : llvm::enumerate(integers.getValues<APInt>())) {
      size_t channel = i / inner % scales.size();
      numbers.push_back(numerics::dequantizePerChannel(
          get(value), scales[channel], perAxis.getZeroPoints()[channel]));
    }
  } else {
    return {};
  }
  return DenseElementsAttr::get(resultType, ArrayRef<float>(numbers));
}

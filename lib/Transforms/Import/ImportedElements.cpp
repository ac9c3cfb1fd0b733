// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants of the integers that a module comes with.

#include "ImportedElements.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qbackend;

OrRefusal<quant::QuantizedType>
qbackend::getElement(const QuantizationForm &form, MLIRContext *context) {
  int64_t low = form.isSigned ? -128 : 0, high = low + 255;
  if (form.min < low || form.max > high)
    return Refusal(
        llvm::formatv("its integers are those in [{0}, {1}], expected "
                      "[{2}, {3}] or less",
                      form.min, form.max, low, high)
            .str());
  for (int64_t zeroPoint : form.zeroPoints)
    if (zeroPoint < low || zeroPoint > high)
      return Refusal(
          llvm::formatv("its zero point is {0}, expected an integer in "
                        "[{1}, {2}]",
                        zeroPoint, low, high)
              .str());
  Type dtype = IntegerType::get(
      context, 8, form.isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  auto perTensor =
      getQuantizedElement(dtype, form.scales[0], form.zeroPoints[0]);
  if (!form.axis)
    return perTensor;
  return quant::UniformQuantizedPerAxisType::get(
      perTensor.getFlags(), perTensor.getStorageType(),
      perTensor.getExpressedType(), form.scales, form.zeroPoints, *form.axis,
      low, high);
}

static std::string getText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

OrRefusal<quant::QuantizedType>
qbackend::getElement(quant::QuantizedType type) {
  if (type.getStorageTypeIntegralWidth() != 8 ||
      !type.getExpressedType().isF32())
    return Refusal("its type is " + getText(type) +
                   ", expected 8 bits for f32");
  int64_t low = type.isSigned() ? -128 : 0;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type))
    return quant::UniformQuantizedType::get(
        type.getFlags(), type.getStorageType(), type.getExpressedType(),
        perTensor.getScale(), perTensor.getZeroPoint(), low, low + 255);
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    return quant::UniformQuantizedPerAxisType::get(
        type.getFlags(), type.getStorageType(), type.getExpressedType(),
        perAxis.getScales(), perAxis.getZeroPoints(),
        perAxis.getQuantizedDimension(), low, low + 255);
  return Refusal("its type is " + getText(type) +
                 ", expected one scale, or one per channel");
}

DenseElementsAttr qbackend::quantizeElements(DenseElementsAttr elements,
                                             quant::QuantizedType element,
                                             int64_t min, int64_t max) {
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t inner = 1;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    llvm::append_range(scales, perAxis.getScales());
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
    for (int64_t size : shape.drop_front(perAxis.getQuantizedDimension() + 1))
      inner *= size;
  } else {
    auto perTensor = cast<quant::UniformQuantizedType>(element);
    scales.push_back(perTensor.getScale());
    zeroPoints.push_back(perTensor.getZeroPoint());
  }
  auto type =
      RankedTensorType::get(shape, IntegerType::get(element.getContext(), 8));
  auto quantize = [&](float value, size_t channel) {
    return static_cast<int8_t>(numerics::quantize(
        value, scales[channel], zeroPoints[channel], min, max));
  };
  if (elements.isSplat() && scales.size() == 1)
    return DenseElementsAttr::get(type,
                                  quantize(elements.getSplatValue<float>(), 0));
  std::vector<int8_t> integers;
  integers.reserve(elements.size());
  for (auto [i, value] : llvm::enumerate(elements.getValues<float>()))
    integers.push_back(quantize(value, i / inner % scales.size()));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(integers.data()),
                     integers.size()));
}

DenseElementsAttr qbackend::limitElements(DenseElementsAttr elements,
                                          const QuantizationForm &form) {
  int64_t low = form.isSigned ? -128 : 0;
  unsigned width = elements.getElementType().getIntOrFloatBitWidth();
  if (width == 8 && form.min == low && form.max == low + 255)
    return elements;
  auto type = RankedTensorType::get(elements.getType().getShape(),
                                    IntegerType::get(elements.getContext(), 8));
  auto limit = [&](const APInt &element) {
    int64_t number =
        form.isSigned ? element.getSExtValue() : element.getZExtValue();
    return static_cast<int8_t>(std::clamp(number, form.min, form.max));
  };
  if (elements.isSplat())
    return DenseElementsAttr::get(type, limit(elements.getSplatValue<APInt>()));
  std::vector<int8_t> integers;
  integers.reserve(elements.size());
  for (const APInt &element : elements.getValues<APInt>())
    integers.push_back(limit(element));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(integers.data()),
                     integers.size()));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of f32, f64 and whole bytes are read where they are, others through
// MLIR's own numbers.

#include "Reading/Scalars/ScalarElements.h"

#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static bool hasNativeLayout(ScalarType type) {
  if (!type.isInteger())
    return type.isF32() || type.isF64();
  return type.width == 8 || type.width == 16 || type.width == 32 ||
         type.width == 64;
}

std::optional<ElementReader> ElementReader::get(DenseElementsAttr elements) {
  std::optional<ScalarType> type =
      elements ? ScalarType::get(elements.getElementType()) : std::nullopt;
  if (!type || elements.empty())
    return std::nullopt;
  ElementReader reader;
  reader.elements = elements;
  reader.type = *type;
  reader.splat = elements.isSplat();
  return reader;
}

template <typename T> static T load(const char *data, int64_t offset) {
  T value;
  memcpy(&value, data + offset * sizeof(T), sizeof(T));
  return value;
}

ScalarNumber ElementReader::at(int64_t offset) const {
  if (splat)
    offset = 0;
  if (hasNativeLayout(type)) {
    const char *data = elements.getRawData().data();
    if (!type.isInteger())
      return ScalarNumber::ofFloat(type.isF32() ? load<float>(data, offset)
                                                : load<double>(data, offset));
    switch (type.width) {
    case 8:
      return ScalarNumber::ofInteger(load<int8_t>(data, offset));
    case 16:
      return ScalarNumber::ofInteger(load<int16_t>(data, offset));
    case 32:
      return ScalarNumber::ofInteger(load<int32_t>(data, offset));
    default:
      return ScalarNumber::ofInteger(load<int64_t>(data, offset));
    }
  }
  if (type.isInteger())
    return ScalarNumber::ofInteger(
        (*(elements.value_begin<APInt>() + offset)).getSExtValue());
  APFloat number = *(elements.value_begin<APFloat>() + offset);
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return ScalarNumber::ofFloat(number.convertToDouble());
}

ElementWriter::ElementWriter(RankedTensorType type)
    : type(type), element(*ScalarType::get(type.getElementType())) {}

void ElementWriter::reserve(size_t count) {
  if (hasNativeLayout(element))
    bytes.reserve(count * (element.width / 8));
  else
    numbers.reserve(count);
}

void ElementWriter::append(ArrayRef<ScalarNumber> next) {
  count += next.size();
  if (!hasNativeLayout(element)) {
    numbers.insert(numbers.end(), next.begin(), next.end());
    return;
  }
  size_t size = element.width / 8, start = bytes.size();
  bytes.resize(start + next.size() * size);
  char *to = bytes.data() + start;
  for (ScalarNumber number : next) {
    if (element.isF32()) {
      float value = number.real;
      memcpy(to, &value, size);
    } else {
      // The low bytes come first; an f64 is its own bytes.
      memcpy(to, &number, size);
    }
    to += size;
  }
}

DenseElementsAttr ElementWriter::finish() const {
  if (count != 1 && int64_t(count) != type.getNumElements())
    return {};
  if (hasNativeLayout(element))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  if (!element.isInteger()) {
    SmallVector<APFloat, 0> values;
    values.reserve(count);
    for (ScalarNumber number : numbers) {
      bool losesInfo;
      values.emplace_back(number.real)
          .convert(*element.semantics, APFloat::rmNearestTiesToEven,
                   &losesInfo);
    }
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt, 0> values;
  values.reserve(count);
  for (ScalarNumber number : numbers)
    values.emplace_back(element.width, element.getBits(number.integer));
  return DenseElementsAttr::get(type, values);
}

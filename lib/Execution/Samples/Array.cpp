// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in memory, and their conversion to float.

#include "ElementTypes.h"

#include "qbackend/Support/Shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

//===----------------------------------------------------------------------===//
// Array
//===----------------------------------------------------------------------===//

size_t qbackend::arrays::getElementSize(ElementType type) {
  return getInfo(type).size;
}

StringRef qbackend::arrays::getElementName(ElementType type) {
  return getInfo(type).name;
}

bool qbackend::arrays::isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

bool qbackend::arrays::isInteger(ElementType type) {
  return !isFloat(type) && type != ElementType::Bool;
}

std::optional<int64_t> qbackend::arrays::getNumBytes(ElementType type,
                                                     ArrayRef<int64_t> shape) {
  // A 0 makes the product 0, whatever the others are.
  if (any_of(shape, [](int64_t extent) { return extent < 0; }))
    return std::nullopt;
  if (is_contained(shape, 0))
    return 0;
  int64_t bytes = getElementSize(type);
  for (int64_t extent : shape)
    if (MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

int64_t Array::getNumElements() const { return llvm::product_of(shape); }

Array Array::zeros(ElementType type, ArrayRef<int64_t> shape) {
  Array array;
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  array.data.resize(getNumBytes(type, shape).value_or(0));
  return array;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Returns the float with the value of the IEEE half `bits`, which is exact.
static float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) {
    // Subnormal: fraction * 2^-24.
    float value = float(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  // Rebias from 15 to 127; infinity and NaN keep their all-ones exponent.
  exponent = exponent == 0x1f ? 0xff : exponent + (127 - 15);
  return bit_cast<float>(sign | (exponent << 23) | (fraction << 13));
}

template <typename T>
static void convert(const Array &array, std::vector<float> &out) {
  const uint8_t *source = array.data.data();
  for (size_t i = 0, e = out.size(); i != e; ++i) {
    T value;
    memcpy(&value, source + i * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

Expected<std::vector<float>> qbackend::arrays::toFloat(const Array &array,
                                                       StringRef name) {
  std::optional<int64_t> bytes = getNumBytes(array.type, array.shape);
  if (!bytes || uint64_t(*bytes) != array.data.size())
    return createStringError(
        "array '" + name + "' has " + Twine(array.data.size()) +
        " bytes, which do not fit its shape " + formatShape(array.shape) +
        " of " + getElementName(array.type));
  std::vector<float> out(array.data.size() / getElementSize(array.type));
  if (array.type == ElementType::Bool)
    for (size_t i = 0, e = out.size(); i != e; ++i)
      out[i] = array.data[i] ? 1.0f : 0.0f;
  else if (array.type == ElementType::F16)
    for (size_t i = 0, e = out.size(); i != e; ++i)
      out[i] =
          halfToFloat(support::endian::read16le(array.data.data() + 2 * i));
  else
    visitStored(array.type,
                [&](auto zero) { convert<decltype(zero)>(array, out); });
  return out;
}

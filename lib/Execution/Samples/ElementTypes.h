// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What element types of arrays are called, and what stores their elements.

#ifndef QBACKEND_LIB_EXECUTION_SAMPLES_ELEMENTTYPES_H
#define QBACKEND_LIB_EXECUTION_SAMPLES_ELEMENTTYPES_H

#include "qbackend/Execution/Samples/ArrayFile.h"

#include "llvm/Support/ErrorHandling.h"

namespace qbackend::arrays {

struct ElementInfo {
  ElementType type;
  size_t size;
  /// NumPy's name, and what a .npy file has behind the byte order.
  llvm::StringLiteral name, code;
};

/// In the order of ElementType.
inline constexpr ElementInfo elementInfos[] = {
    {ElementType::F32, 4, "float32", "f4"},
    {ElementType::F64, 8, "float64", "f8"},
    {ElementType::I8, 1, "int8", "i1"},
    {ElementType::U8, 1, "uint8", "u1"},
    {ElementType::I16, 2, "int16", "i2"},
    {ElementType::U16, 2, "uint16", "u2"},
    {ElementType::I32, 4, "int32", "i4"},
    {ElementType::U32, 4, "uint32", "u4"},
    {ElementType::I64, 8, "int64", "i8"},
    {ElementType::U64, 8, "uint64", "u8"},
    {ElementType::Bool, 1, "bool", "b1"},
    {ElementType::F16, 2, "float16", "f2"}};

inline const ElementInfo &getInfo(ElementType type) {
  return elementInfos[static_cast<size_t>(type)];
}

/// Calls `visit` with a zero of the type that stores elements of `type`:
/// uint8_t for Bool, and for F16 uint16_t, which has the bits.
template <typename Visit> auto visitStored(ElementType type, Visit visit) {
  switch (type) {
  case ElementType::F32:
    return visit(float());
  case ElementType::F64:
    return visit(double());
  case ElementType::I8:
    return visit(int8_t());
  case ElementType::I16:
    return visit(int16_t());
  case ElementType::I32:
    return visit(int32_t());
  case ElementType::I64:
    return visit(int64_t());
  case ElementType::U8:
  case ElementType::Bool:
    return visit(uint8_t());
  case ElementType::U16:
  case ElementType::F16:
    return visit(uint16_t());
  case ElementType::U32:
    return visit(uint32_t());
  case ElementType::U64:
    return visit(uint64_t());
  }
  llvm_unreachable("all element types are handled");
}

} // namespace qbackend::arrays

#endif // QBACKEND_LIB_EXECUTION_SAMPLES_ELEMENTTYPES_H

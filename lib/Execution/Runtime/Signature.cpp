// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of what a compiled function takes and gives.

#include "Signature.h"

#include "qbackend/Support/Shape.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

std::string TensorSignature::str() const {
  return (getElementName(type) + " " + formatShape(shape)).str();
}

std::optional<ElementType> runtime::getElementType(mlir::Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isF16())
    return ElementType::F16;
  if (type.isIndex())
    return ElementType::I64;
  auto integer = dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

static std::string printType(mlir::Type type) {
  std::string text;
  raw_string_ostream os(text);
  type.print(os);
  return text;
}

Expected<TensorSignature> runtime::getSignature(mlir::Type type,
                                                StringRef entry, StringRef what,
                                                unsigned index) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  std::optional<ElementType> element =
      tensor ? getElementType(tensor.getElementType()) : std::nullopt;
  if (!element)
    return createStringError(
        what + " " + Twine(index) + " of '" + entry + "' is a " +
        printType(type) +
        "; it has to be a ranked tensor of f16, f32, f64, i1, i8, i16, i32 or "
        "i64");
  TensorSignature signature{*element, {}};
  for (int64_t extent : tensor.getShape())
    signature.shape.push_back(mlir::ShapedType::isDynamic(extent) ? -1
                                                                  : extent);
  return signature;
}

ElementType runtime::getUnsigned(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return ElementType::U8;
  case ElementType::I16:
    return ElementType::U16;
  case ElementType::I32:
    return ElementType::U32;
  case ElementType::I64:
    return ElementType::U64;
  default:
    return type;
  }
}

bool runtime::isUnsigned(ElementType type) {
  return isInteger(type) && getUnsigned(type) == type;
}

bool runtime::isCompatible(ElementType signature, ElementType array) {
  return signature == array ||
         (isInteger(signature) && isInteger(array) &&
          getElementSize(signature) == getElementSize(array));
}

bool runtime::holds(ElementType input, ElementType array) {
  return input == array || (isCompatible(input, array) && !isUnsigned(input));
}

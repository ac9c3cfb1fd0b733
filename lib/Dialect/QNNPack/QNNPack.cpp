// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qnnpack dialect: registration, type constraints, and the checks that
// several verifiers share.

#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "Verify.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend::qnnpack;

#include "qbackend/Dialect/QNNPack/QNNPackDialect.cpp.inc"
#include "qbackend/Dialect/QNNPack/QNNPackInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QNNPack/QNNPackAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "qbackend/Dialect/QNNPack/QNNPackOps.cpp.inc"

void QNNPackDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qbackend/Dialect/QNNPack/QNNPackAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "qbackend/Dialect/QNNPack/QNNPackOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool qbackend::qnnpack::detail::isActivationElement(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  return quantized && quantized.getStorageTypeIntegralWidth() == 8 &&
         quantized.getExpressedType().isF32();
}

bool qbackend::qnnpack::detail::isLayerElement(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  return isActivationElement(type) ||
         (quantized && quantized.getStorageTypeIntegralWidth() == 16 &&
          quantized.isSigned() && quantized.getExpressedType().isF32());
}

bool qbackend::qnnpack::detail::isWeightElement(Type type) {
  auto quantized = dyn_cast<quant::QuantizedType>(type);
  return isa_and_nonnull<quant::UniformQuantizedType,
                         quant::UniformQuantizedPerAxisType>(quantized) &&
         quantized.getStorageTypeIntegralWidth() == 8 && quantized.isSigned() &&
         quantized.getExpressedType().isF32();
}

quant::UniformQuantizedType qbackend::qnnpack::getQuantizedType(Type type) {
  return dyn_cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
}

bool qbackend::qnnpack::isWide(Type type) {
  quant::UniformQuantizedType quantized = getQuantizedType(type);
  return quantized && quantized.getStorageTypeIntegralWidth() == 16;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult RequantizationAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, numerics::Rounding rounding,
    DenseI32ArrayAttr multiplier, DenseI8ArrayAttr shift, int64_t leftShift) {
  if (!multiplier || !shift)
    return emitError() << "has no multiplier or no shift, expected both";
  if (multiplier.empty() || multiplier.size() != shift.size())
    return emitError() << "has " << multiplier.size() << " multipliers and "
                       << shift.size()
                       << " shifts, expected as many of both, and at least one";
  for (int32_t value : multiplier.asArrayRef())
    if (value < 0)
      return emitError() << "multiplier " << value << " is negative";
  for (int8_t value : shift.asArrayRef())
    if (value < 2 || value > 62)
      return emitError() << "shift " << int(value)
                         << " is outside the range [2, 62]";
  if (leftShift < 0 || leftShift > 22)
    return emitError() << "left_shift " << leftShift
                       << " is outside the range [0, 22]";
  return success();
}

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult qbackend::qnnpack::verifySameShape(Operation *op, Type from,
                                                 Type to) {
  if (cast<ShapedType>(from).getShape() == cast<ShapedType>(to).getShape())
    return success();
  return op->emitOpError() << "the input and the output differ in shape: "
                           << from << " and " << to;
}

LogicalResult qbackend::qnnpack::verifySameParameters(Operation *op, Type from,
                                                      Type to) {
  if (getElementTypeOrSelf(from) == getElementTypeOrSelf(to))
    return success();
  return op->emitOpError()
         << "keeps the quantization parameters, but the output has "
         << getElementTypeOrSelf(to) << ", expected "
         << getElementTypeOrSelf(from);
}

LogicalResult qbackend::qnnpack::verifySameStorage(Operation *op, Type from,
                                                   Type to) {
  auto a = cast<quant::QuantizedType>(getElementTypeOrSelf(from));
  auto b = cast<quant::QuantizedType>(getElementTypeOrSelf(to));
  if (a.isSigned() == b.isSigned() &&
      a.getStorageTypeIntegralWidth() == b.getStorageTypeIntegralWidth() &&
      a.getStorageTypeMin() == b.getStorageTypeMin() &&
      a.getStorageTypeMax() == b.getStorageTypeMax())
    return success();
  return op->emitOpError()
         << "mixes storage types: " << a << " and " << b
         << "; requantize one of them to the storage of the other";
}

LogicalResult qbackend::qnnpack::verifyReluRange(Operation *op, Type output) {
  auto type = cast<quant::UniformQuantizedType>(getElementTypeOrSelf(output));
  if (type.getZeroPoint() < type.getStorageTypeMax())
    return success();
  return op->emitOpError() << "has relu and a result with zero point "
                           << type.getZeroPoint()
                           << ", which leaves no positive number; expected "
                              "less than "
                           << type.getStorageTypeMax();
}

LogicalResult qbackend::qnnpack::verifyMultipliers(Operation *op,
                                                   RequantizationAttr attr,
                                                   int64_t channels,
                                                   bool isOfOperand) {
  if (attr.getLeftShift() != 0 && !isOfOperand)
    return op->emitOpError()
           << "requantization has left_shift " << attr.getLeftShift()
           << ", which is for the operands of an addition";
  if (attr.size() == 1 || attr.size() == channels)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "requantization has " << attr.size()
                            << " multipliers, expected 1";
  if (channels != 1)
    diag << ", or " << channels << ", one per output channel";
  return diag;
}

LogicalResult qbackend::qnnpack::verifyAxis(Operation *op, int64_t axis,
                                            Type type) {
  int64_t rank = cast<ShapedType>(type).getRank();
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis " << axis
                           << " is not a dimension of the input of rank "
                           << rank;
}

LogicalResult qbackend::qnnpack::verifyIntegers(Operation *op, StringRef name,
                                                ArrayRef<int64_t> values,
                                                size_t size, int64_t least) {
  // Beyond 31 bits the sizes computed from these would overflow.
  constexpr int64_t most = (int64_t(1) << 31) - 1;
  if (values.size() != size)
    return op->emitOpError()
           << name << " has " << values.size() << " numbers, expected " << size;
  for (int64_t value : values)
    if (value < least || value > most)
      return op->emitOpError()
             << name << " " << value << " is outside the range [" << least
             << ", " << most << "]";
  return success();
}

LogicalResult qbackend::qnnpack::verifyWindow(Operation *op,
                                              const WindowAxis &axis,
                                              WindowRounding rounding) {
  if (ShapedType::isDynamic(axis.input) || ShapedType::isDynamic(axis.output) ||
      ShapedType::isDynamic(axis.kernel))
    return op->emitOpError() << "has a dynamic " << axis.name
                             << "; only the batch may be dynamic";
  if (axis.kernel < 1)
    return op->emitOpError() << "has an empty kernel along the " << axis.name;
  int64_t extent = axis.dilation * (axis.kernel - 1) + 1;
  int64_t padded = axis.input + axis.before + axis.after;
  if (extent > padded)
    return op->emitOpError()
           << "the kernel covers " << extent << " pixels of the " << axis.name
           << ", the padded image has " << padded;
  int64_t expected = (padded - extent) / axis.stride + 1;
  if (rounding == WindowRounding::Ceil) {
    expected = (padded - extent + axis.stride - 1) / axis.stride + 1;
    // A window that would start in the padding after the image is left out.
    if ((expected - 1) * axis.stride >= axis.input + axis.before)
      --expected;
  }
  if (axis.output == expected)
    return success();
  return op->emitOpError() << "the output has " << axis.name << " "
                           << axis.output << ", expected " << expected;
}

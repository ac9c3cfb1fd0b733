// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qbackend dialect: registration, and helpers for names.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QBackend/Signedness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;

#include "qbackend/Dialect/QBackend/QBackendAttrInterfaces.cpp.inc"
#include "qbackend/Dialect/QBackend/QBackendDialect.cpp.inc"

void QBackendDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "qbackend/Dialect/QBackend/QBackendOps.cpp.inc"
      >();
}

/// For the folds of `transpose`.
Operation *QBackendDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// input0, weight, bias or output, or with .scale or .zero_point; an output has
/// nothing but these. Or attribute.stride, whatever the operator has.
static bool isRole(StringRef role) {
  auto [tensor, parameter] = role.split('.');
  if (tensor == "attribute")
    return !parameter.empty();
  bool isParameter = parameter == "scale" || parameter == "zero_point";
  if (role.contains('.') ? !isParameter : tensor == "output")
    return false;
  unsigned index;
  if (tensor.consume_front("input"))
    return !tensor.getAsInteger(10, index);
  return tensor == "weight" || tensor == "bias" || tensor == "output";
}

static bool isMark(StringRef name) {
  return name == kQuantizedAttrName || name == kUnsignedAttrName;
}

/// Fails unless argument or result `index` of `op` can be what `mark` says that
/// it is for the caller: integers, or unsigned ones.
static LogicalResult verifyMark(Operation *op, StringRef what, unsigned index,
                                NamedAttribute mark) {
  if (!isa<UnitAttr>(mark.getValue()))
    return op->emitOpError()
           << what << " " << index << " has '" << mark.getName().getValue()
           << "' = " << mark.getValue() << "; expected no value";
  // Code that is lowered may have it on buffers, and what becomes of them.
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  ArrayRef<Type> types = what == "result" ? function.getResultTypes()
                                          : function.getArgumentTypes();
  auto shaped = dyn_cast<ShapedType>(types[index]);
  bool isQuantized = mark.getName() == kQuantizedAttrName;
  if (shaped && (isQuantized ? shaped.getElementType().isF32()
                             : shaped.getElementType().isSignlessInteger()))
    return success();
  return op->emitOpError() << what << " " << index << " has '"
                           << mark.getName().getValue() << "' and is "
                           << types[index] << "; expected a tensor of "
                           << (isQuantized ? "f32" : "signless integers");
}

LogicalResult QBackendDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attr) {
  return isMark(attr.getName()) ? verifyMark(op, "result", result, attr)
                                : success();
}

LogicalResult QBackendDialect::verifyRegionArgAttribute(Operation *op,
                                                        unsigned region,
                                                        unsigned argument,
                                                        NamedAttribute attr) {
  if (attr.getName() == kRoleAttrName) {
    auto role = dyn_cast<StringAttr>(attr.getValue());
    if (role && isRole(role.getValue()))
      return success();
    return op->emitOpError()
           << "argument " << argument << " has the role " << attr.getValue()
           << "; '" << kRoleAttrName
           << "' is \"inputN\", \"weight\" or \"bias\", or one of them or "
              "\"output\" with \".scale\" or \".zero_point\", or "
              "\"attribute.NAME\"";
  }
  if (isMark(attr.getName()))
    return verifyMark(op, "argument", argument, attr);
  if (attr.getName() == kNameAttrName) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    if (name && !name.empty())
      return success();
    return op->emitOpError()
           << "argument " << argument << " has the name " << attr.getValue()
           << "; '" << kNameAttrName << "' is a string that is not empty";
  }
  if (attr.getName() != kRangeAttrName)
    return success();
  auto range = dyn_cast<DenseF64ArrayAttr>(attr.getValue());
  if (!range || range.size() != 2 || !(range[0] <= range[1]))
    return op->emitOpError() << "argument " << argument << " has the range "
                             << attr.getValue() << "; '" << kRangeAttrName
                             << "' is array<f64: MIN, MAX> with MIN <= MAX";
  return success();
}

FailureOr<FloatAttr> qbackend::detail::parseReal(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return FloatAttr::get(Float64Type::get(parser.getContext()), value);
}

void qbackend::detail::printReal(AsmPrinter &printer, FloatAttr value) {
  printer << value.getValue();
}

SmallVector<int64_t> qbackend::composePermutations(ArrayRef<int64_t> first,
                                                   ArrayRef<int64_t> second) {
  SmallVector<int64_t> result;
  for (int64_t dim : second)
    result.push_back(first[dim]);
  return result;
}

SmallVector<int64_t>
qbackend::inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[dim] = i;
  return result;
}

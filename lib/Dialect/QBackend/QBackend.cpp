// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qbackend dialect: registration, and helpers for names.

#include "qbackend/Dialect/QBackend/Edges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  addOperations<
#define GET_OP_LIST
#include "qbackend/Dialect/QBackend/QBackendEdgesOps.cpp.inc"
      >();
}

/// For the folds of `transpose`.
Operation *QBackendDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

FailureOr<FloatAttr> qbackend::detail::parseFloat(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return FloatAttr::get(Float64Type::get(parser.getContext()), value);
}

void qbackend::detail::printFloat(AsmPrinter &printer, FloatAttr value) {
  printer << value.getValue();
}

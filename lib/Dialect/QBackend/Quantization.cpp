// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers, quantize and dequantize.

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

LogicalResult ObserverOp::verify() {
  if (getScale().has_value() != getZeroPoint().has_value())
    return emitOpError() << "scale and zero_point come together";
  if (!getScale())
    return success();
  double scale = getScale()->convertToDouble();
  if (!std::isfinite(scale) || !(scale > 0))
    return emitOpError() << "scale is " << scale
                         << ", expected a positive number";
  auto type = dyn_cast<IntegerType>(getConfig().getDtype());
  if (!type)
    return emitOpError() << "of " << getConfig().getDtype() << " has no scale";
  int64_t levels = int64_t(1) << type.getWidth();
  int64_t low = type.isSigned() ? -levels / 2 : 0, high = low + levels - 1;
  int64_t zeroPoint = *getZeroPoint();
  if (zeroPoint < low || zeroPoint > high)
    return emitOpError() << "zero point " << zeroPoint
                         << " is outside the range [" << low << ", " << high
                         << "] of " << type;
  return success();
}

LogicalResult ObserveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<ObserverOp>(*this, getObserverAttr()))
    return success();
  return emitOpError() << getObserverAttr() << " is not a qbackend.observer";
}

/// Both types are tensors of one shape.
static LogicalResult verifySameShape(Operation *op) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto output = cast<RankedTensorType>(op->getResult(0).getType());
  if (input.getShape() == output.getShape())
    return success();
  return op->emitOpError() << "input " << input << " and output " << output
                           << " differ in shape";
}

LogicalResult QuantizeOp::verify() { return verifySameShape(*this); }
LogicalResult DequantizeOp::verify() { return verifySameShape(*this); }

// quantize(dequantize(q)) -> q, same type
OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  auto producer = getInput().getDefiningOp<DequantizeOp>();
  if (producer && producer.getInput().getType() == getOutput().getType())
    return producer.getInput();
  return {};
}

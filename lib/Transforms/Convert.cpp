// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibrated observers become quantize and dequantize; weights, integers.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/Patterns.h"
#include "qbackend/Transforms/QuantizeWeights.h"
#include "qbackend/Transforms/ReferenceImplementation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
class Converter {
public:
  LogicalResult convert(ObserveOp op) {
    auto observer =
        symbols.lookupNearestSymbolFrom<ObserverOp>(op, op.getObserverAttr());
    if (!observer.isCalibrated()) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "of @" << op.getObserver()
                                << " has no range; run qbackend-calibrate with "
                                   "data or a calibration table first";
      diag.attachNote(observer.getLoc()) << "this observer";
      return diag;
    }
    quant::QuantizedType element = getElementType(op, observer);
    auto type = cast<RankedTensorType>(op.getInput().getType());
    OpBuilder builder(op);
    Value quantized = QuantizeOp::create(builder, op.getLoc(),
                                         type.clone(element), op.getInput());
    Value real = DequantizeOp::create(builder, op.getLoc(), type, quantized);
    observed[real] = {op.getObserverAttr().getAttr(), element};
    op.replaceAllUsesWith(real);
    op.erase();
    return success();
  }

  /// Rounds the activations of `op` to 16 bits, if its qconfig says so.
  void round(OperatorOp op) {
    ObserverAttr activation = op.getQconfig()->getActivation();
    if (!activation.getDtype().isF16() || activation.getIsDynamic())
      return;
    for (OpOperand &input : op.getInputsMutable())
      if (isa<Float32Type>(getElementTypeOrSelf(input.get().getType())))
        input.set(getRounded(input.get()));
    Value rounded = getRounded(op.getOutput());
    op.getOutput().replaceAllUsesExcept(
        rounded, rounded.getDefiningOp()->getOperand(0).getDefiningOp());
  }

private:
  /// `value` as a 16-bit float and back.
  Value getRounded(Value value) {
    if (auto extended = value.getDefiningOp<arith::ExtFOp>();
        extended && getElementTypeOrSelf(extended.getIn()).isF16())
      return value;
    Value &known = rounded[value];
    if (!known) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      auto type = cast<RankedTensorType>(value.getType());
      Value half = arith::TruncFOp::create(
          builder, value.getLoc(), type.clone(builder.getF16Type()), value);
      known = arith::ExtFOp::create(builder, value.getLoc(), type, half);
    }
    return known;
  }

  /// An operator that shares the observer of its input gives what its kernel
  /// gives: the parameters of the input, or those that follow from a scalar.
  quant::QuantizedType getElementType(ObserveOp op, ObserverOp observer) {
    auto own = getQuantizedElement(observer.getConfig().getDtype(),
                                   observer.getScale()->convertToDouble(),
                                   *observer.getZeroPoint());
    auto producer = op.getInput().getDefiningOp<OperatorOp>();
    if (!producer || !producer.getQconfig())
      return own;
    auto it = observed.find(producer.getInputs()[0]);
    if (it == observed.end() ||
        it->second.first != op.getObserverAttr().getAttr())
      return own;
    auto input = cast<quant::UniformQuantizedType>(it->second.second);
    if (auto add = dyn_cast<AddAttr>(producer.getKind());
        add && add.getScalar())
      return qnnpack::getAddScalarResultType(
          input, add.getScalar().getValueAsDouble());
    if (auto mul = dyn_cast<MulAttr>(producer.getKind());
        mul && mul.getScalar())
      return qnnpack::getMulScalarResultType(
          input, mul.getScalar().getValueAsDouble());
    return input;
  }

  SymbolTableCollection symbols;
  /// Real values that were quantized: by which observer, to which type.
  llvm::DenseMap<Value, std::pair<StringAttr, quant::QuantizedType>> observed;
  /// Real values that were rounded to 16 bits.
  llvm::DenseMap<Value, Value> rounded;
};

struct ConvertPass : qbackend::impl::ConvertPassBase<ConvertPass> {
  using ConvertPassBase::ConvertPassBase;

  void runOnOperation() override {
    Converter converter;
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<OperatorOp, ObserveOp>(op))
        ops.push_back(op);
      return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : ops) {
      if (auto observe = dyn_cast<ObserveOp>(op)) {
        if (failed(converter.convert(observe)))
          return signalPassFailure();
        continue;
      }
      auto operation = cast<OperatorOp>(op);
      if (!operation.getQconfig())
        continue;
      if (hasQuantizedWeight(operation) &&
          failed(quantizeParameters(operation, foldWeights)))
        return signalPassFailure();
      converter.round(operation);
    }
    getOperation()->walk([](ObserverOp observer) { observer.erase(); });
    if (foldWeights && failed(callReferences()))
      signalPassFailure();
  }

  /// Operators of patterns with a reference implementation become its calls.
  LogicalResult callReferences() {
    FailureOr<Backend> found = resolveBackend(backend, getOperation());
    if (failed(found))
      return failure();
    PatternTable patterns(found->config);
    ReferenceImplementations references(getOperation(), found->config);
    SmallVector<OperatorOp> operators;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQconfig())
        operators.push_back(op);
      return WalkResult::skip();
    });
    for (OperatorOp op : operators)
      for (PatternConfigOp pattern : patterns.lookup(getKindNames(op)))
        if (pattern.getConfig().getReference()) {
          if (failed(references.apply(op, pattern)))
            return failure();
          break;
        }
    return success();
  }
};
} // namespace

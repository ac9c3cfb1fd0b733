// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces calibrated observers by quantize and dequantize, and quantizes
// weights.

#include "Observe/QuantizedSignature.h"

#include "Convert/ReferenceImplementation.h"
#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
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

/// The parameters that the qconfig of `producer` gives its result; null if they
/// come from an observer.
static quant::UniformQuantizedType getConfiguredType(OperatorOp producer) {
  ObserverAttr activation = producer.getQconfig()->getActivation();
  if (activation.getKind() != ObserverKind::FixedQParams)
    return {};
  return getQuantizedElement(activation.getDtype(),
                             activation.getScale().getValueAsDouble(),
                             *activation.getZeroPoint());
}

namespace {
class Converter {
public:
  /// `engine` computes with the integers; null: nobody does, or nobody knows.
  /// So it is of operators whose arithmetic `config` doesn't say.
  Converter(BackendConfigOp config, const EngineDialectInterface *engine)
      : config(config), engine(engine) {}

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
    auto element = getQuantizedElement(observer.getConfig().getDtype(),
                                       observer.getScale()->convertToDouble(),
                                       *observer.getZeroPoint());
    Value value = op.getInput();
    auto producer = value.getDefiningOp<OperatorOp>();
    // What a module came with is what it wants, whatever kernels have.
    bool isImported = producer && producer.getQuantized() &&
                      producer.getQuantized().getImported();
    if (producer && producer.getQconfig() && !isImported) {
      Type dtype = observer.getConfig().getDtype();
      auto kernel = getSharedType(producer);
      bool isShared =
          kernel && observed.lookup(producer.getInputs()[0]).first ==
                        op.getObserverAttr().getAttr();
      auto configured = getConfiguredType(producer);
      if (configured && !isShared) {
        // The result may be one of several inputs that share an observer, as in
        // cat, and has that one's parameters only then.
        if (configured != element)
          value = getQuantized(value, configured, op.getLoc());
      } else if (auto fixed = getFixedType(producer, dtype)) {
        element = fixed;
      } else if (isShared) {
        element = kernel;
      } else if (kernel && kernel != element &&
                 !isa<CatAttr>(producer.getKind())) {
        // Where sharing was broken, what the kernel gives is requantized.
        value = getQuantized(value, kernel, op.getLoc());
      }
    }
    Value asFloat = getQuantized(value, element, op.getLoc());
    observed[asFloat] = {op.getObserverAttr().getAttr(), element};
    op.replaceAllUsesWith(asFloat);
    op.erase();
    return success();
  }

  /// Rounds the activations of `op` to 16 bits, if its qconfig says so.
  void round(OperatorOp op) {
    ObserverAttr activation = op.getQconfig()->getActivation();
    auto half = dyn_cast<FloatType>(activation.getDtype());
    if (!half || !isHalf(half) || activation.getIsDynamic())
      return;
    for (OpOperand &input : op.getInputsMutable())
      if (isa<Float32Type>(getElementTypeOrSelf(input.get().getType())))
        input.set(getRounded(input.get(), half));
    Value rounded = getRounded(op.getOutput(), half);
    op.getOutput().replaceAllUsesExcept(
        rounded, rounded.getDefiningOp()->getOperand(0).getDefiningOp());
  }

private:
  /// `value` as a 16-bit float, `half`, and back.
  Value getRounded(Value value, FloatType half) {
    if (auto extended = value.getDefiningOp<arith::ExtFOp>();
        extended && getElementTypeOrSelf(extended.getIn()) == half)
      return value;
    Value &known = rounded[{value, half}];
    if (!known) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      auto type = cast<RankedTensorType>(value.getType());
      Value narrow = arith::TruncFOp::create(builder, value.getLoc(),
                                             type.clone(half), value);
      known = arith::ExtFOp::create(builder, value.getLoc(), type, narrow);
    }
    return known;
  }

  /// The numbers that `value` is rounded to in `element`.
  static Value getQuantized(Value value, quant::UniformQuantizedType element,
                            Location loc) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto type = cast<RankedTensorType>(value.getType());
    Value quantized =
        QuantizeOp::create(builder, loc, type.clone(element), value);
    return DequantizeOp::create(builder, loc, type, quantized);
  }

  /// What the kernel of `producer` gives; null if it takes any parameters.
  quant::UniformQuantizedType getFixedType(OperatorOp producer, Type dtype) {
    return engine && whyNoArithmetic(config, producer).empty()
               ? engine->getFixedResult(producer.getKind(), dtype)
               : quant::UniformQuantizedType();
  }

  /// What the kernel of `producer` gives if it shares the observer of its
  /// input; null if it doesn't.
  quant::UniformQuantizedType getSharedType(OperatorOp producer) {
    auto it = observed.find(producer.getInputs()[0]);
    if (it == observed.end() || !producer.sharesObserver())
      return {};
    quant::UniformQuantizedType input = it->second.second;
    return engine ? engine->getSharedResult(producer.getKind(), input)
                  : getSharedResultParameters(producer.getKind(), input);
  }

  BackendConfigOp config;
  const EngineDialectInterface *engine;
  SymbolTableCollection symbols;
  /// Float values that were quantized: by which observer, to which type.
  llvm::DenseMap<Value, std::pair<StringAttr, quant::UniformQuantizedType>>
      observed;
  /// Float values that were rounded to 16 bits, by the type.
  llvm::DenseMap<std::pair<Value, Type>, Value> rounded;
};

struct ConvertPass : qbackend::impl::ConvertPassBase<ConvertPass> {
  using ConvertPassBase::ConvertPassBase;

  void runOnOperation() override {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    FailureOr<Lowering> lowering =
        findLowering(found, lowerTo, getOperation().getLoc());
    if (failed(lowering))
      return signalPassFailure();
    // Kernels have integers; the reference form has what the backend's engine
    // has. Simulated, it is what the backend is lowered to.
    BackendConfigOp config = found->config;
    bool realBias = config.getRealBias() && lowering->form == kReferenceForm;
    Converter converter(config, lowering->engine);
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
          failed(quantizeParameters(operation, foldWeights, realBias)))
        return signalPassFailure();
      converter.round(operation);
    }
    getOperation()->walk([](ObserverOp observer) { observer.erase(); });
    if ((foldWeights && failed(callReferences(*found))) ||
        failed(quantizeSignatures(getOperation())))
      return signalPassFailure();
    eraseUnusedParameters();
  }

  /// The floats that weights and biases were made of.
  void eraseUnusedParameters() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (op->use_empty() &&
              (op->hasTrait<OpTrait::ConstantLike>() || isa<TransposeOp>(op)))
            op->erase();
        });
  }

  /// Operators of patterns with a reference implementation become its calls.
  LogicalResult callReferences(const Backend &found) {
    ReferenceImplementations references(getOperation(), found);
    SmallVector<OperatorOp> operators;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQuantized() && op.getQuantized().getReference())
        operators.push_back(op);
      return WalkResult::skip();
    });
    for (OperatorOp op : operators)
      if (failed(references.apply(op)))
        return failure();
    return success();
  }
};
} // namespace

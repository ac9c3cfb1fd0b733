// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibrated observers become quantize and dequantize; weights, integers.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/QuantParams.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/Patterns.h"
#include "qbackend/Transforms/ReferenceImplementation.h"
#include "qbackend/Transforms/Support.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace qbackend {
#define GEN_PASS_DEF_CONVERTPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The storage of `dtype`: signless integer, sign, and its whole range. The
/// engine clamps to the type, whatever range the observer had.
struct Storage {
  explicit Storage(Type dtype) {
    auto type = cast<IntegerType>(dtype);
    isSigned = type.isSigned();
    int64_t levels = int64_t(1) << type.getWidth();
    min = isSigned ? -levels / 2 : 0;
    max = min + levels - 1;
    integer = IntegerType::get(type.getContext(), type.getWidth());
  }
  unsigned getFlags() const {
    return isSigned ? quant::QuantizationFlags::Signed : 0;
  }
  IntegerType integer;
  bool isSigned;
  int64_t min, max;
};

static quant::QuantizedType getActivationType(Type dtype, double scale,
                                              int64_t zeroPoint) {
  Storage storage(dtype);
  return quant::UniformQuantizedType::get(
      storage.getFlags(), storage.integer, Float32Type::get(dtype.getContext()),
      scale, zeroPoint, storage.min, storage.max);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static numerics::QScheme toNumerics(QScheme scheme) {
  return static_cast<numerics::QScheme>(scheme);
}
static_assert(int(QScheme::PerChannelAffineFloatQParams) ==
                  int(numerics::QScheme::PerChannelAffineFloatQParams),
              "the enums are the same");

static bool isPerChannel(ObserverAttr observer) {
  return observer.getScheme() == QScheme::PerChannelAffine ||
         observer.getScheme() == QScheme::PerChannelSymmetric;
}

/// The integers of the constant weight of `op`, dequantized; per channel along
/// axis 0, the output channels.
static LogicalResult quantizeWeight(OperatorOp op) {
  ObserverAttr observer = op.getQconfig()->getWeight();
  ElementsAttr elements;
  std::optional<SmallVector<float, 0>> weight;
  if (matchPattern(op.getWeight(), m_Constant(&elements)))
    weight = readFloats(elements);
  if (!weight)
    return op.emitOpError() << "has a qconfig, but its weight is not a "
                               "constant with data";
  if (!isa<IntegerType>(observer.getDtype()))
    return op.emitOpError() << "has a weight observer of "
                            << observer.getDtype() << ", expected integers";
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  int64_t channels = isPerChannel(observer) ? type.getDimSize(0) : 1;
  int64_t perChannel = channels ? type.getNumElements() / channels : 0;

  Storage storage(observer.getDtype());
  auto [quantMin, quantMax] = getQuantRange(observer);
  float eps = observer.getEps() ? float(observer.getEps().getValueAsDouble())
                                : numerics::defaultEps;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  std::vector<int8_t> integers(weight->size());
  for (int64_t channel = 0; channel < channels; ++channel) {
    ArrayRef<float> values =
        ArrayRef(*weight).slice(channel * perChannel, perChannel);
    float min = std::numeric_limits<float>::infinity(), max = -min;
    for (float value : values) {
      if (!std::isfinite(value))
        return op.emitOpError() << "has " << value << " in its weight, which "
                                << "has no range; check the trained parameters";
      min = std::min(min, value);
      max = std::max(max, value);
    }
    numerics::QuantParams params = numerics::calculateQParams(
        min, max, {quantMin, quantMax}, observer.getQuantMin().has_value(),
        storage.isSigned, toNumerics(observer.getScheme()), eps);
    for (auto [i, value] : llvm::enumerate(values))
      integers[channel * perChannel + i] = numerics::quantize(
          value, params.scale, params.zeroPoint, storage.min, storage.max);
    scales.push_back(params.scale);
    zeroPoints.push_back(params.zeroPoint);
  }

  OpBuilder builder(op);
  Type f32 = builder.getF32Type();
  Type element;
  if (isPerChannel(observer))
    element = quant::UniformQuantizedPerAxisType::get(
        storage.getFlags(), storage.integer, f32, scales, zeroPoints,
        /*quantizedDimension=*/0, storage.min, storage.max);
  else
    element = quant::UniformQuantizedType::get(
        storage.getFlags(), storage.integer, f32, scales[0], zeroPoints[0],
        storage.min, storage.max);
  Location loc = op.getLoc();
  auto data = DenseElementsAttr::getFromRawBuffer(
      type.clone(storage.integer),
      ArrayRef(reinterpret_cast<const char *>(integers.data()),
               integers.size()));
  Value constant = arith::ConstantOp::create(builder, loc, data);
  Value quantized =
      quant::StorageCastOp::create(builder, loc, type.clone(element), constant);
  op.getWeightMutable().assign(
      DequantizeOp::create(builder, loc, type, quantized).getOutput());
  return success();
}

/// The bias as the kernels see it: int32 of scale `weight scale * input scale`.
static LogicalResult quantizeBias(OperatorOp op) {
  ElementsAttr elements;
  std::optional<SmallVector<float, 0>> bias;
  if (matchPattern(op.getBias(), m_Constant(&elements)))
    bias = readFloats(elements);
  auto input = op.getInputs()[0].getDefiningOp<DequantizeOp>();
  auto weight = op.getWeight().getDefiningOp<DequantizeOp>();
  auto inputElement =
      input ? qnnpack::getQuantizedType(input.getInput().getType())
            : quant::UniformQuantizedType();
  if (!bias)
    return op.emitOpError() << "has a qconfig, but its bias is not a constant "
                               "with data";
  if (!inputElement || !weight)
    return op.emitOpError() << "has a qconfig, but its input is not observed";
  Type weightElement =
      cast<RankedTensorType>(weight.getInput().getType()).getElementType();
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(weightElement);
  SmallVector<double> scales;
  SmallVector<int32_t> integers;
  for (auto [i, value] : llvm::enumerate(*bias)) {
    double weightScale =
        perAxis ? perAxis.getScales()[i]
                : cast<quant::UniformQuantizedType>(weightElement).getScale();
    scales.push_back(weightScale * inputElement.getScale());
    integers.push_back(
        numerics::quantizeBias(value, weightScale, inputElement.getScale()));
  }

  OpBuilder builder(op);
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  constexpr int64_t min = std::numeric_limits<int32_t>::min();
  constexpr int64_t max = std::numeric_limits<int32_t>::max();
  Type element;
  if (perAxis)
    element = quant::UniformQuantizedPerAxisType::get(
        quant::QuantizationFlags::Signed, i32, f32, scales,
        SmallVector<int64_t>(scales.size(), 0), 0, min, max);
  else
    element = quant::UniformQuantizedType::get(
        quant::QuantizationFlags::Signed, i32, f32, scales[0], 0, min, max);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getBias().getType());
  Value constant = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type.clone(i32), ArrayRef(integers)));
  Value quantized =
      quant::StorageCastOp::create(builder, loc, type.clone(element), constant);
  op.getBiasMutable().assign(
      DequantizeOp::create(builder, loc, type, quantized).getOutput());
  return success();
}

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

private:
  /// An operator that shares the observer of its input gives what its kernel
  /// gives: the parameters of the input, or those that follow from a scalar.
  quant::QuantizedType getElementType(ObserveOp op, ObserverOp observer) {
    auto own = getActivationType(observer.getConfig().getDtype(),
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
      // The weight of a batch norm is no weight to a qconfig.
      if (!operation.getQconfig() || !operation.getWeight() ||
          !isa<Conv2dAttr, LinearAttr>(operation.getKind()) ||
          operation.getWeight().getDefiningOp<DequantizeOp>())
        continue;
      if (failed(quantizeWeight(operation)) ||
          (operation.getBias() && failed(quantizeBias(operation))))
        return signalPassFailure();
    }
    getOperation()->walk([](ObserverOp observer) { observer.erase(); });
    if (failed(callReferences()))
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

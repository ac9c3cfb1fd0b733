// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize and dequantize -> float linalg: fake quantization.
//
// Weights are arithmetic on their constant, too, rather than folded into it: a
// folded constant does not tell its scale, so that the module could not be
// quantized again with the same integers; and it could not be trained.

#include "qbackend/Conversion/QBackendToLinalg.h"
#include "RuntimeParams.h"
#include "Scalars.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/TypeUtilities.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQBACKENDTOLINALGPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using qnnpack::chooseParams;
using qnnpack::constantTensor;
using qnnpack::elementwise;
using qnnpack::emptyLike;
using qnnpack::f32Constant;
using qnnpack::generic;
using qnnpack::RuntimeParams;

namespace {
/// The parameters of a quantized type as operands of a body: scalars, or, per
/// channel, tensors of one number for each.
class Parameters {
public:
  Parameters(ImplicitLocOpBuilder &b, quant::QuantizedType type)
      : min(type.getStorageTypeMin()), max(type.getStorageTypeMax()) {
    if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
      axis = perAxis.getQuantizedDimension();
      scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
      for (int64_t zeroPoint : perAxis.getZeroPoints())
        zeroPoints.push_back(zeroPoint);
    } else {
      auto perTensor = cast<quant::UniformQuantizedType>(type);
      scales.push_back(perTensor.getScale());
      zeroPoints.push_back(perTensor.getZeroPoint());
    }
    for (float scale : scales)
      inverses.push_back(1.0f / scale);
    // Front ends leave out what adds nothing.
    hasZeroPoint = llvm::any_of(zeroPoints, [](float z) { return z != 0; });
  }

  /// A linalg.generic on `input` and the parameters.
  Value create(ImplicitLocOpBuilder &b, Value input, bool quantizes) {
    auto type = cast<RankedTensorType>(input.getType());
    int64_t rank = type.getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<Value> inputs = {input};
    SmallVector<AffineMap> maps = {identity};
    auto add = [&](ArrayRef<float> numbers) {
      if (!axis)
        return f32Constant(b, numbers.front());
      inputs.push_back(
          constantTensor(b, numbers, {static_cast<int64_t>(numbers.size())}));
      maps.push_back(AffineMap::get(rank, 0, b.getAffineDimExpr(*axis)));
      return Value();
    };
    Value inverse = quantizes ? add(inverses) : Value();
    Value zeroPoint = hasZeroPoint ? add(zeroPoints) : Value();
    Value scale = add(scales);
    auto resultType = cast<RankedTensorType>(type.clone(b.getF32Type()));
    maps.push_back(identity);
    return generic(
        b, inputs, emptyLike(b, resultType, input), maps,
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [&](ImplicitLocOpBuilder &b, ValueRange args) {
          if (axis) {
            unsigned next = 1;
            inverse = quantizes ? args[next++] : Value();
            zeroPoint = hasZeroPoint ? args[next++] : Value();
            scale = args[next];
          }
          Value value =
              quantizes ? round(b, args[0], inverse, zeroPoint) : args[0];
          return dequantize(b, value, zeroPoint, scale);
        });
  }

  /// min(max(rne(value * inverse) + zeroPoint, min), max), in f32.
  Value round(ImplicitLocOpBuilder &b, Value value, Value inverse,
              Value zeroPoint) const {
    value = arith::MulFOp::create(b, value, inverse);
    value = math::RoundEvenOp::create(b, value);
    if (zeroPoint)
      value = arith::AddFOp::create(b, value, zeroPoint);
    value = arith::MaximumFOp::create(b, value, f32Constant(b, min));
    return arith::MinimumFOp::create(b, value, f32Constant(b, max));
  }

  /// (value - zeroPoint) * scale of a float or an integer `value`.
  Value dequantize(ImplicitLocOpBuilder &b, Value value, Value zeroPoint,
                   Value scale) const {
    if (isa<IntegerType>(value.getType())) {
      if (min < 0)
        value = arith::SIToFPOp::create(b, b.getF32Type(), value);
      else
        value = arith::UIToFPOp::create(b, b.getF32Type(), value);
    }
    if (zeroPoint)
      value = arith::SubFOp::create(b, value, zeroPoint);
    return arith::MulFOp::create(b, value, scale);
  }

private:
  std::optional<int64_t> axis;
  SmallVector<float> scales, inverses, zeroPoints;
  bool hasZeroPoint;
  int64_t min, max;
};

struct ConvertQBackendToLinalgPass
    : qbackend::impl::ConvertQBackendToLinalgPassBase<
          ConvertQBackendToLinalgPass> {
  void runOnOperation() override {
    SmallVector<OperatorOp> operators;
    SmallVector<QuantizeOp> quantizes;
    SmallVector<DequantizeOp> dequantizes;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto quantize = dyn_cast<QuantizeOp>(op))
        quantizes.push_back(quantize);
      else if (auto dequantize = dyn_cast<DequantizeOp>(op))
        dequantizes.push_back(dequantize);
      else if (auto operation = dyn_cast<OperatorOp>(op);
               operation && operation.getQconfig())
        operators.push_back(operation);
    });
    for (OperatorOp op : operators)
      if (failed(quantizeAtRunTime(op)))
        return signalPassFailure();
    for (QuantizeOp op : quantizes)
      if (failed(lower(op)))
        return signalPassFailure();
    for (DequantizeOp op : dequantizes)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  /// The input of an operator with a dynamic qconfig.
  static LogicalResult quantizeAtRunTime(OperatorOp op) {
    if (getQuantizationMode(*op.getQconfig()) != QuantizationMode::Dynamic)
      return success();
    ObserverAttr activation = op.getQconfig()->getActivation();
    if (!activation.getDtype().isUnsignedInteger(8))
      return op.emitOpError()
             << "quantizes its input at run time to " << activation.getDtype()
             << ", expected ui8: only for it there is a formula";
    OpOperand &operand = op.getInputsMutable()[0];
    ImplicitLocOpBuilder b(op.getLoc(), OpBuilder(op));
    RuntimeParams params = chooseParams(b, operand.get());
    Value zeroPoint =
        arith::SIToFPOp::create(b, b.getF32Type(), params.zeroPoint);
    Parameters range(b, getQuantizedElement(activation.getDtype(), 1.0, 0));
    operand.set(elementwise(
        b, operand.get(), b.getF32Type(),
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value value = range.round(b, args[0], params.inverse, zeroPoint);
          return range.dequantize(b, value, zeroPoint, params.scale);
        }));
    return success();
  }

  static LogicalResult fail(Operation *op) {
    return op->emitOpError()
           << "is of integers that stay; only a quantize with its dequantize, "
              "and constants, have a float form";
  }

  // dequantize(quantize(x)) -> fake quantization
  static LogicalResult lower(QuantizeOp op) {
    auto type = cast<quant::QuantizedType>(
        getElementTypeOrSelf(op.getOutput().getType()));
    for (Operation *user : op->getUsers())
      if (!isa<DequantizeOp>(user))
        return fail(op);
    if (!op.use_empty()) {
      ImplicitLocOpBuilder b(op.getLoc(), OpBuilder(op));
      Value fake =
          Parameters(b, type).create(b, op.getInput(), /*quantizes=*/true);
      for (Operation *user : op->getUsers())
        user->getResult(0).replaceAllUsesWith(fake);
    }
    return success();
  }

  // dequantize(scast(integers)) -> sitofp, subf, mulf
  static LogicalResult lower(DequantizeOp op) {
    Operation *producer = op.getInput().getDefiningOp();
    if (isa_and_nonnull<QuantizeOp>(producer)) {
      op.erase();
      if (producer->use_empty())
        producer->erase();
      return success();
    }
    auto cast = dyn_cast_or_null<quant::StorageCastOp>(producer);
    if (!cast)
      return fail(op);
    ImplicitLocOpBuilder b(op.getLoc(), OpBuilder(op));
    auto type = llvm::cast<quant::QuantizedType>(
        getElementTypeOrSelf(op.getInput().getType()));
    op.getOutput().replaceAllUsesWith(
        Parameters(b, type).create(b, cast.getInput(), /*quantizes=*/false));
    op.erase();
    if (cast->use_empty())
      cast.erase();
    return success();
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine of somebody else, as a plugin: a signal processor that computes
// linear layers and sums on int8 with zero points of 0,
//
//   y = clamp(round_even(f32(sum(x * w) + b) * f32(sx * sw / sy)), -128, 127)
//   y = clamp(round_even(f32(a) * f32(sa / sy) + f32(b) * f32(sb / sy)), ...)
//
//   qbackend-opt --load-dialect-plugin=libDsp.so --apply-backend=dsp.mlir
//   in.mlir

#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;
using qbackend::getQuantized;
using qbackend::OrRefusal;
using qbackend::Refusal;

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

static quant::UniformQuantizedType getElement(Value value) {
  return dyn_cast<quant::UniformQuantizedType>(
      getElementTypeOrSelf(value.getType()));
}

/// A limit of the processor. Operators that don't keep it stay in the reference
/// form, with what is said here.
static LogicalResult verifySymmetric(Operation *op, ArrayRef<Value> values) {
  for (Value value : values) {
    quant::UniformQuantizedType type = getElement(value);
    if (!type || !type.isSigned() || type.getStorageTypeIntegralWidth() != 8)
      return op->emitOpError() << "has the type " << value.getType()
                               << ", expected integers of 8 bits with a sign";
    if (type.getZeroPoint() != 0)
      return op->emitOpError()
             << "has the zero point " << type.getZeroPoint() << ", expected 0";
  }
  return success();
}

namespace {
/// %y = "dsp.linear"(%x, %w [, %b]): weight [out, in], bias of int32
class LinearOp : public Op<LinearOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                           OpTrait::AtLeastNOperands<2>::Impl,
                           MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "dsp.linear"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
  LogicalResult verify() {
    return verifySymmetric(
        *this, {getOperand(0), getOperand(1), getOperation()->getResult(0)});
  }
};

/// %y = "dsp.add"(%a, %b): operands of one shape
class AddOp
    : public Op<AddOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                OpTrait::NOperands<2>::Impl, MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "dsp.add"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
  LogicalResult verify() {
    if (failed(verifySymmetric(*this, {getOperand(0), getOperand(1),
                                       getOperation()->getResult(0)})))
      return failure();
    auto shape = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape();
    };
    if (shape(getOperand(0)) == shape(getOperand(1)))
      return success();
    return emitOpError() << "has operands of the shapes "
                         << getOperand(0).getType() << " and "
                         << getOperand(1).getType() << ", expected one";
  }
};

class DspDialect : public Dialect {
public:
  explicit DspDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DspDialect>()) {
    addOperations<LinearOp, AddOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "dsp"; }
};
} // namespace

//===----------------------------------------------------------------------===//
// To linalg
//===----------------------------------------------------------------------===//

namespace {
/// Writes one op of the dialect as linalg on its integers.
class Lowering {
public:
  explicit Lowering(Operation *op)
      : builder(op), loc(op->getLoc()),
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        scale(getElement(op->getResult(0)).getScale()) {}

  Value lower(LinearOp op);
  Value lower(AddOp op);

private:
  /// Integers of the storage type, instead of a tensor of a quantized one.
  Value getIntegers(Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    return quant::StorageCastOp::create(builder, loc,
                                        from.clone(builder.getI8Type()), value);
  }
  Value createEmpty(Type element) {
    return tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  }
  static Value createConstant(OpBuilder &builder, Location loc, double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(float(value)));
  }
  static Value toFloat(OpBuilder &builder, Location loc, Value integer) {
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
  }
  /// The integer next to `value`, of those of 8 bits.
  static Value toInteger(OpBuilder &builder, Location loc, Value value) {
    Value rounded = math::RoundEvenOp::create(builder, loc, value);
    Value low = arith::MaximumFOp::create(builder, loc, rounded,
                                          createConstant(builder, loc, -128));
    Value both = arith::MinimumFOp::create(builder, loc, low,
                                           createConstant(builder, loc, 127));
    return arith::FPToSIOp::create(builder, loc, builder.getI8Type(), both);
  }
  /// The result: the integers that `compute` makes of those of `inputs`, which
  /// are read through `maps`.
  Value createElementwise(
      ValueRange inputs, SmallVector<AffineMap> maps,
      llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> compute) {
    int64_t rank = type.getRank();
    maps.push_back(builder.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    Value init = createEmpty(builder.getI8Type());
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), inputs, init, maps, loops,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          linalg::YieldOp::create(builder, loc,
                                  compute(builder, loc, arguments));
        });
    return quant::StorageCastOp::create(builder, loc, type,
                                        generic.getResult(0));
  }

  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  double scale;
};
} // namespace

Value Lowering::lower(LinearOp op) {
  Value x = op->getOperand(0), w = op->getOperand(1);
  int64_t rank = type.getRank();
  // The dimensions of the result, then that of the sum.
  SmallVector<AffineExpr> row, all;
  for (int64_t i = 0; i < rank; ++i)
    all.push_back(builder.getAffineDimExpr(i));
  row = all;
  row.back() = builder.getAffineDimExpr(rank);
  auto getMap = [&](int64_t dims, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(dims, 0, exprs, builder.getContext());
  };
  SmallVector<AffineMap> maps = {
      getMap(rank + 1, row),
      getMap(rank + 1, {all.back(), builder.getAffineDimExpr(rank)}),
      getMap(rank + 1, all)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  Type i32 = builder.getI32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value init =
      linalg::FillOp::create(builder, loc, zero, createEmpty(i32)).getResult(0);
  auto sum = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{getIntegers(x), getIntegers(w)},
      init, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value a = arith::ExtSIOp::create(builder, loc, i32, arguments[0]);
        Value b = arith::ExtSIOp::create(builder, loc, i32, arguments[1]);
        Value product = arith::MulIOp::create(builder, loc, a, b);
        Value next = arith::AddIOp::create(builder, loc, arguments[2], product);
        linalg::YieldOp::create(builder, loc, next);
      });
  SmallVector<Value> inputs = {sum.getResult(0)};
  maps = {builder.getMultiDimIdentityMap(rank)};
  if (op->getNumOperands() == 3) {
    inputs.push_back(op->getOperand(2));
    maps.push_back(getMap(rank, all.back()));
  }
  double multiplier =
      getElement(x).getScale() * getElement(w).getScale() / scale;
  return createElementwise(
      inputs, maps,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
        Value integer = arguments[0];
        if (inputs.size() == 2)
          integer = arith::AddIOp::create(builder, loc, integer, arguments[1]);
        Value sum = toFloat(builder, loc, integer);
        Value factor = createConstant(builder, loc, multiplier);
        Value product = arith::MulFOp::create(builder, loc, sum, factor);
        return toInteger(builder, loc, product);
      });
}

Value Lowering::lower(AddOp op) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  double ratios[] = {getElement(a).getScale() / scale,
                     getElement(b).getScale() / scale};
  return createElementwise(
      {getIntegers(a), getIntegers(b)}, {identity, identity},
      [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
        Value parts[2];
        for (int i = 0; i < 2; ++i) {
          Value number = toFloat(builder, loc, arguments[i]);
          Value ratio = createConstant(builder, loc, ratios[i]);
          parts[i] = arith::MulFOp::create(builder, loc, number, ratio);
        }
        return toInteger(
            builder, loc,
            arith::AddFOp::create(builder, loc, parts[0], parts[1]));
      });
}

namespace {
struct ConvertDspToLinalgPass
    : PassWrapper<ConvertDspToLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertDspToLinalgPass)

  StringRef getArgument() const override { return "convert-dsp-to-linalg"; }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      Value result;
      if (auto linear = dyn_cast<LinearOp>(op))
        result = Lowering(op).lower(linear);
      else if (auto add = dyn_cast<AddOp>(op))
        result = Lowering(op).lower(add);
      if (!result)
        return;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

namespace {
class DspEngine : public qbackend::EngineDialectInterface {
public:
  using EngineDialectInterface::EngineDialectInterface;

  ArrayRef<StringRef> getForms() const override {
    static const StringRef forms[] = {"dsp", qbackend::kLinalgForm};
    return forms;
  }

  void addLoweringPasses(StringRef, OpPassManager &manager) const override {
    manager.addPass(std::make_unique<ConvertDspToLinalgPass>());
  }

  OrRefusal<Value> createKernel(qbackend::OperatorOp op, OpBuilder &builder,
                                RankedTensorType type,
                                StringRef) const override {
    SmallVector<Value> operands;
    for (Value input : op.getInputs())
      operands.push_back(getQuantized(input));
    if (op.isFused() || llvm::is_contained(operands, Value()))
      return Refusal("the processor has linear and add");
    if (!type.hasStaticShape())
      return Refusal("the processor has static shapes only");
    if (isa<qbackend::LinearAttr>(op.getKind())) {
      operands.push_back(getQuantized(op.getWeight()));
      // An int32 constant with the scale of the products.
      if (op.getBias()) {
        Value bias = getQuantized(op.getBias());
        auto cast = bias ? bias.getDefiningOp<quant::StorageCastOp>()
                         : quant::StorageCastOp();
        operands.push_back(cast ? cast.getInput() : Value());
      }
      if (llvm::is_contained(operands, Value()))
        return Refusal("its weight or its bias is not quantized");
      return create<LinearOp>(builder, op.getLoc(), type, operands);
    }
    if (auto add = dyn_cast<qbackend::AddAttr>(op.getKind());
        add && operands.size() == 2)
      return create<AddOp>(builder, op.getLoc(), type, operands);
    return Refusal("the processor has linear and add");
  }

private:
  template <typename OpT>
  static Value create(OpBuilder &builder, Location loc, Type type,
                      ValueRange operands) {
    OperationState state(loc, OpT::getOperationName(), operands, type);
    return builder.create(state)->getResult(0);
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Dsp", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) {
        qbackend::registerEngine<DspEngine, DspDialect, arith::ArithDialect,
                                 linalg::LinalgDialect, math::MathDialect,
                                 quant::QuantDialect, tensor::TensorDialect>(
            *registry);
      }};
}

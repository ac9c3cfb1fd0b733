// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QNNPACK as an engine, and the pass that is for this engine alone.

#include "qbackend/Conversion/QBackendToQNNPack.h"
#include "KernelBuilder.h"

#include "qbackend/Conversion/FormDifference.h"
#include "qbackend/Conversion/QNNPackToTosa.h"
#include "qbackend/Conversion/TosaToQNNPack.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQBACKENDTOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

static constexpr StringLiteral kTosaForm = "tosa";

namespace {
class QNNPackEngine : public EngineDialectInterface {
public:
  using EngineDialectInterface::EngineDialectInterface;

  ArrayRef<StringRef> getForms() const override {
    static const StringRef forms[] = {
        qnnpack::QNNPackDialect::getDialectNamespace(), kLinalgForm, kTosaForm};
    return forms;
  }

  void addLoweringPasses(StringRef form,
                         OpPassManager &manager) const override {
    // To linalg, these ops go with all that is left on quantized tensors.
    if (form == kTosaForm)
      manager.addPass(createConvertQNNPackToTosaPass());
  }

  std::optional<SmallVector<ResultDifference>>
  getDifferences(func::FuncOp network, StringRef form) const override {
    if (form != kTosaForm)
      return std::nullopt;
    return boundDifferences(network, InexactForm::Tosa);
  }

  quant::UniformQuantizedType getFixedResult(OperatorKindAttrInterface kind,
                                             Type dtype) const override {
    std::optional<FixedParameters> fixed = kind.getFixedParameters();
    if (!fixed)
      return {};
    auto type = getQuantizedElement(dtype, fixed->scale, 0);
    return getQuantizedElement(
        dtype, fixed->scale, type.getStorageTypeMin() + fixed->zeroPointOffset);
  }

  KernelEffect getEffect(Operation *op) const override {
    return TypeSwitch<Operation *, KernelEffect>(op)
        .Case<qnnpack::ClampOp>([](auto) { return KernelEffect::Clamps; })
        .Case<qnnpack::CatOp, qnnpack::TransposeOp, qnnpack::ReshapeOp,
              qnnpack::SliceOp, qnnpack::PadOp, qnnpack::RepeatOp,
              qnnpack::ChannelShuffleOp>(
            [](auto) { return KernelEffect::Moves; })
        .Case<qnnpack::QuantizeOp, qnnpack::DequantizeOp,
              qnnpack::RequantizeOp>(
            [](auto) { return KernelEffect::Converts; })
        .Default([](Operation *) { return KernelEffect::Computes; });
  }

  WeightUse getWeightUse(Operation *op) const override {
    if (isa<qnnpack::ConvTranspose1dOp, qnnpack::ConvTranspose2dOp>(op))
      return WeightUse::PerInput;
    return isa<qnnpack::EmbeddingByteOp, qnnpack::Embedding4BitOp>(op)
               ? WeightUse::Lookup
               : WeightUse::PerResult;
  }

  OrRefusal<Value> createKernel(OperatorOp op, OpBuilder &builder,
                                RankedTensorType type,
                                StringRef form) const override {
    return KernelBuilder(op, builder, type, /*forTosa=*/form == kTosaForm)
        .build();
  }

  void importIntegers(ModuleOp module) const override {
    importIntegerTosa(module);
  }

  bool isImported(Operation *op) const override {
    // A clamp behind one belongs to it. Its numbers have no scale but the unit.
    Operation *producer = op;
    while (isa_and_nonnull<qnnpack::ClampOp>(producer))
      producer = producer->getOperand(0).getDefiningOp();
    return producer && producer->hasAttr("requantization") &&
           qnnpack::getQuantizedType(producer->getResult(0).getType())
                   .getScale() == 1.0;
  }

  Value createQuantize(OpBuilder &builder, Location loc, Type type,
                       Value input) const override {
    return qnnpack::QuantizeOp::create(builder, loc, type, input);
  }

  Value createDequantize(OpBuilder &builder, Location loc, Type type,
                         Value input) const override {
    return qnnpack::DequantizeOp::create(builder, loc, type, input);
  }

  Value createRequantize(OpBuilder &builder, Location loc, Type type,
                         Value input) const override {
    if (!isActivation(type) || !isActivation(input.getType()))
      return {};
    return qnnpack::RequantizeOp::create(builder, loc, type, input);
  }

  Value createTranspose(OpBuilder &builder, Location loc, Type type,
                        Value input, ArrayRef<int64_t> order) const override {
    if (!qnnpack::getQuantizedType(type))
      return {};
    return qnnpack::TransposeOp::create(builder, loc, type, input,
                                        builder.getDenseI64ArrayAttr(order));
  }

private:
  static bool isActivation(Type type) {
    return qnnpack::detail::isActivationElement(getElementTypeOrSelf(type));
  }
};

struct ConvertQBackendToQNNPackPass
    : qbackend::impl::ConvertQBackendToQNNPackPassBase<
          ConvertQBackendToQNNPackPass> {
  void runOnOperation() override {
    QNNPackEngine engine(
        getContext().getLoadedDialect<qnnpack::QNNPackDialect>());
    createKernels(getOperation(), engine, engine.getForms().front());
  }
};
} // namespace

void qbackend::registerQNNPackEngine(DialectRegistry &registry) {
  registerEngine<QNNPackEngine, qnnpack::QNNPackDialect>(registry);
}

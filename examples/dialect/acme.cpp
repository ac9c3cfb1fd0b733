// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect of somebody else, as a plugin: qbackend recognises one of its ops,
// and runs another, which stays between quantized operators:
//
//   qbackend-opt --load-dialect-plugin=libAcme.so --apply-backend=qnnpack
//   in.mlir

#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Operators/Recognizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;

namespace {
/// %y = "acme.rectify"(%x): max(x, 0)
class RectifyOp
    : public Op<RectifyOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                OpTrait::OneOperand, OpTrait::SameOperandsAndResultType,
                MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "acme.rectify"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  /// None: otherwise it couldn't be part of an operator.
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
};

/// %y = "acme.square"(%x): x * x
class SquareOp
    : public Op<SquareOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                OpTrait::OneOperand, OpTrait::SameOperandsAndResultType,
                MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "acme.square"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
};

class AcmeDialect : public Dialect {
public:
  explicit AcmeDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<AcmeDialect>()) {
    addOperations<RectifyOp, SquareOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "acme"; }
};

/// Says which operator of PyTorch an op of the dialect is.
class AcmeRecognizer : public qbackend::OperatorRecognizerInterface {
public:
  using OperatorRecognizerInterface::OperatorRecognizerInterface;

  void recognize(
      Operation *root, qbackend::ConstantEvaluator &,
      SmallVectorImpl<qbackend::RecognizedOperator> &found) const override {
    if (!isa<RectifyOp>(root))
      return;
    qbackend::RecognizedOperator op;
    op.kind = qbackend::ReluAttr::get(root->getContext());
    op.result = root->getResult(0);
    op.inputs = {qbackend::RecognizedOperand::of(root->getOperand(0))};
    found.push_back(std::move(op));
  }
};

/// rectify(x) -> maximumf(x, 0); square(x) -> mulf(x, x)
struct LowerAcmePass : PassWrapper<LowerAcmePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAcmePass)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<RectifyOp, SquareOp>(op))
        return;
      OpBuilder builder(op);
      Value x = op->getOperand(0), y;
      if (isa<SquareOp>(op)) {
        y = arith::MulFOp::create(builder, op->getLoc(), x, x);
      } else {
        Value zero = arith::ConstantOp::create(
            builder, op->getLoc(), builder.getZeroAttr(x.getType()));
        y = arith::MaximumFOp::create(builder, op->getLoc(), x, zero);
      }
      op->replaceAllUsesWith(ValueRange{y});
      op->erase();
    });
  }
};

/// Lets networks with ops of the dialect run: they calibrate with data.
class AcmeRunnable : public qbackend::RunnableDialectInterface {
public:
  using RunnableDialectInterface::RunnableDialectInterface;

  void addLoweringPasses(OpPassManager &manager) const override {
    manager.addPass(std::make_unique<LowerAcmePass>());
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            registry->insert<AcmeDialect>();
            registry->addExtension(+[](MLIRContext *, AcmeDialect *dialect) {
              dialect->addInterfaces<AcmeRecognizer, AcmeRunnable>();
            });
          }};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dequantize, operator, quantize -> the ops of an engine's kernel.

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"

namespace qbackend {
#define GEN_PASS_DEF_CREATEKERNELSPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
/// The ops that a builder makes, in order.
struct CreatedOps : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

class KernelCreator {
public:
  /// `config` says how kernels requantize; null: the engine does.
  KernelCreator(BackendConfigOp config, const EngineDialectInterface &engine,
                StringRef form)
      : config(config), engine(engine), form(form) {}

  void run(ModuleOp module) {
    SmallVector<OperatorOp> operators;
    module->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQconfig())
        operators.push_back(op);
      return WalkResult::skip();
    });
    for (OperatorOp op : operators)
      lower(op);
    SmallVector<QuantizeOp> quantizes;
    SmallVector<DequantizeOp> dequantizes;
    // Of arguments and results that are integers for the caller.
    SmallVector<TransposeOp> transposes;
    module->walk([&](Operation *op) {
      if (auto quantize = dyn_cast<QuantizeOp>(op))
        quantizes.push_back(quantize);
      else if (auto dequantize = dyn_cast<DequantizeOp>(op))
        dequantizes.push_back(dequantize);
      else if (auto transpose = dyn_cast<TransposeOp>(op);
               transpose && isa<quant::QuantizedType>(getElementTypeOrSelf(
                                transpose.getInput().getType())))
        transposes.push_back(transpose);
    });
    // These look for what they quantize again, so they go first.
    for (QuantizeOp op : quantizes)
      lowerQuantize(op);
    for (DequantizeOp op : dequantizes)
      lowerDequantize(op);
    for (TransposeOp op : transposes)
      lowerTranspose(op);
  }

private:
  void lower(OperatorOp op) {
    // What the kernel is in the place of: the quantized result, or the float
    // one where activations stay float.
    Operation *replaced = op;
    if (getQuantizationMode(*op.getQconfig()) == QuantizationMode::Static) {
      replaced = nullptr;
      if (op->hasOneUse())
        replaced = dyn_cast<QuantizeOp>(*op->user_begin());
    }
    std::string unknown = config ? whyNoArithmetic(config, op) : "";
    OrRefusal<Value> kernel = !replaced ? Refusal("its result is not quantized")
                              : unknown.empty() ? build(op, replaced)
                                                : Refusal(unknown);
    if (!kernel) {
      op.setCode("QB108");
      remarkMissed(op, "QB108", op.getKindName(),
                   "stays in the reference form: " + kernel.getRefusal().reason,
                   "it computes on floats between dequantize and "
                   "quantize: give it another qconfig, or none to do without "
                   "the two");
      return;
    }
    replaced->getResult(0).replaceAllUsesWith(*kernel);
    replaced->erase();
    if (replaced != op)
      op.erase();
  }

  /// The kernel of `op` in the place of `replaced`.
  OrRefusal<Value> build(OperatorOp op, Operation *replaced) {
    CreatedOps created;
    OpBuilder builder(replaced);
    builder.setListener(&created);
    auto type = cast<RankedTensorType>(replaced->getResult(0).getType());
    OrRefusal<Value> kernel = engine.createKernel(op, builder, type, form);
    if (kernel)
      kernel = verify(*kernel, type, created.ops);
    if (!kernel)
      for (Operation *each : llvm::reverse(created.ops))
        each->erase();
    return kernel;
  }

  /// `kernel`, unless one of `ops`, which it consists of, refuses its operands:
  /// a limit of the engine that these parameters don't meet.
  static OrRefusal<Value> verify(Value kernel, RankedTensorType type,
                                 ArrayRef<Operation *> ops) {
    Refusal refusal;
    ScopedDiagnosticHandler collect(type.getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error)
        refusal.reason = diag.str();
      return success();
    });
    if (llvm::any_of(ops,
                     [](Operation *op) { return failed(mlir::verify(op)); }))
      return refusal;
    if (kernel.getType() == type)
      return kernel;
    llvm::raw_string_ostream(refusal.reason)
        << "its kernel gives " << kernel.getType() << ", not " << type;
    return refusal;
  }

  /// quantize(dequantize(q)) is no way over floats.
  void lowerQuantize(QuantizeOp op) {
    OpBuilder builder(op);
    Type type = op.getOutput().getType();
    Value result, source = getQuantized(op.getInput());
    if (source && !op.use_empty())
      result = engine.createRequantize(builder, op.getLoc(), type, source);
    if (!result && !op.use_empty())
      result = engine.createQuantize(builder, op.getLoc(), type, op.getInput());
    replace(op, result);
  }

  void lowerDequantize(DequantizeOp op) {
    OpBuilder builder(op);
    Value result;
    if (!op.use_empty())
      result = engine.createDequantize(builder, op.getLoc(),
                                       op.getOutput().getType(), op.getInput());
    replace(op, result);
  }

  void lowerTranspose(TransposeOp op) {
    OpBuilder builder(op);
    Value result;
    if (!op.use_empty())
      result =
          engine.createTranspose(builder, op.getLoc(), op.getOutput().getType(),
                                 op.getInput(), op.getPermutation());
    replace(op, result);
  }

  /// Without a result, what nobody uses goes, and the rest stays.
  static void replace(Operation *op, Value result) {
    if (result)
      op->getResult(0).replaceAllUsesWith(result);
    if (op->use_empty())
      op->erase();
  }

  BackendConfigOp config;
  const EngineDialectInterface &engine;
  StringRef form;
};
} // namespace

Value qbackend::getQuantized(Value asFloat) {
  auto producer = asFloat.getDefiningOp<DequantizeOp>();
  return producer ? producer.getInput() : Value();
}

void qbackend::createKernels(ModuleOp module,
                             const EngineDialectInterface &engine,
                             StringRef form) {
  KernelCreator(BackendConfigOp(), engine, form).run(module);
}

namespace {
struct CreateKernelsPass
    : qbackend::impl::CreateKernelsPassBase<CreateKernelsPass> {
  using CreateKernelsPassBase::CreateKernelsPassBase;

  void runOnOperation() override {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    FailureOr<Lowering> lowering =
        findLowering(found, lowerTo, getOperation().getLoc());
    if (failed(lowering))
      return signalPassFailure();
    if (lowering->form != kReferenceForm)
      KernelCreator(found->config, *lowering->engine, lowering->form)
          .run(getOperation());
  }
};
} // namespace

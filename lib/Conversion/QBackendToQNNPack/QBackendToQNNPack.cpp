// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dequantize, operator, quantize -> the ops of that kernel.

#include "qbackend/Conversion/QBackendToQNNPack.h"
#include "KernelBuilder.h"

#include "qbackend/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Verifier.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQBACKENDTOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"
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

struct ConvertQBackendToQNNPackPass
    : qbackend::impl::ConvertQBackendToQNNPackPassBase<
          ConvertQBackendToQNNPackPass> {
  void runOnOperation() override {
    SmallVector<OperatorOp> operators;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQconfig())
        operators.push_back(op);
      return WalkResult::skip();
    });
    for (OperatorOp op : operators)
      lower(op);
    SmallVector<Operation *> boundary;
    getOperation()->walk([&](Operation *op) {
      if (isa<QuantizeOp, DequantizeOp>(op) || isLayoutOfIntegers(op))
        boundary.push_back(op);
    });
    for (Operation *op : boundary)
      lowerBoundary(op);
  }

  static void lower(OperatorOp op) {
    // What the kernel is in the place of: the quantized result, or the real one
    // where activations stay real.
    Operation *replaced = op;
    std::string reason;
    if (getQuantizationMode(*op.getQconfig()) == QuantizationMode::Static) {
      replaced = nullptr;
      if (op->hasOneUse())
        replaced = dyn_cast<QuantizeOp>(*op->user_begin());
      reason = "its result is not quantized";
    }
    Value kernel = replaced ? build(op, replaced, reason) : Value();
    if (!kernel) {
      remarkMissed(op.getLoc(), "QB108", op.getKindName(),
                   "stays in the reference form: " + reason,
                   "its arithmetic is real-valued between quantize and "
                   "dequantize");
      return;
    }
    replaced->getResult(0).replaceAllUsesWith(kernel);
    replaced->erase();
    if (replaced != op)
      op.erase();
  }

  /// The kernel of `op` in the place of `replaced`, or null with the reason why
  /// there is none.
  static Value build(OperatorOp op, Operation *replaced, std::string &reason) {
    CreatedOps created;
    OpBuilder builder(replaced);
    builder.setListener(&created);
    auto type = cast<RankedTensorType>(replaced->getResult(0).getType());
    Value kernel = KernelBuilder(op, builder, type).build(reason);
    if (kernel) {
      reason.clear();
      // A limit of the engine that these parameters don't meet.
      ScopedDiagnosticHandler collect(op.getContext(), [&](Diagnostic &diag) {
        if (diag.getSeverity() == DiagnosticSeverity::Error)
          reason = diag.str();
        return success();
      });
      if (llvm::any_of(created.ops,
                       [](Operation *op) { return failed(mlir::verify(op)); }))
        kernel = {};
    }
    if (kernel && kernel.getType() != type) {
      llvm::raw_string_ostream(reason)
          << "its kernel gives " << kernel.getType() << ", not " << type;
      kernel = {};
    }
    if (!kernel)
      for (Operation *each : llvm::reverse(created.ops))
        each->erase();
    return kernel;
  }

  /// Of an argument or a result that is integers for the caller.
  static bool isLayoutOfIntegers(Operation *op) {
    auto transpose = dyn_cast<TransposeOp>(op);
    return transpose &&
           qnnpack::getQuantizedType(transpose.getInput().getType());
  }

  static void lowerBoundary(Operation *op) {
    if (isOpTriviallyDead(op)) {
      op->erase();
      return;
    }
    OpBuilder builder(op);
    Value result;
    Type type = op->getResult(0).getType();
    if (auto transpose = dyn_cast<TransposeOp>(op))
      result = qnnpack::TransposeOp::create(builder, op->getLoc(), type,
                                            transpose.getInput(),
                                            transpose.getPermutationAttr());
    else if (isa<QuantizeOp>(op))
      result = qnnpack::QuantizeOp::create(builder, op->getLoc(), type,
                                           op->getOperand(0));
    else
      result = qnnpack::DequantizeOp::create(builder, op->getLoc(), type,
                                             op->getOperand(0));
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
};
} // namespace

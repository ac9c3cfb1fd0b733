// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dequantize, operator, quantize -> the op of that kernel.

#include "qbackend/Conversion/QBackendToQNNPack.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQBACKENDTOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// The integers behind a real value; null if it isn't dequantized.
static Value getQuantized(Value real) {
  auto producer = real.getDefiningOp<DequantizeOp>();
  return producer ? producer.getInput() : Value();
}

namespace {
/// Builds the kernel of one operator.
class KernelBuilder {
public:
  KernelBuilder(OperatorOp op, QuantizeOp quantize)
      : op(op), builder(quantize), loc(op.getLoc()),
        type(cast<RankedTensorType>(quantize.getOutput().getType())) {
    for (Value input : op.getInputs())
      inputs.push_back(getQuantized(input));
    relu = op.getKinds().size() == 2 && isa<ReluAttr>(op.getKind(1));
  }

  /// The op, or null with the reason why there is none.
  Operation *build(std::string &reason) {
    if (llvm::is_contained(inputs, Value())) {
      reason = "not all of its inputs are quantized";
      return nullptr;
    }
    Operation *result = nullptr;
    if (op.getKinds().size() == 1 || relu)
      result = llvm::TypeSwitch<Attribute, Operation *>(op.getKind())
                   .Case<Conv2dAttr, LinearAttr, AddAttr, MulAttr, CatAttr>(
                       [&](auto kind) { return create(kind); })
                   .Case<MaxPool2dAttr, AvgPool2dAttr, AdaptiveAvgPool2dAttr,
                         MeanAttr, ReluAttr, Relu6Attr, HardtanhAttr, ClampAttr,
                         SigmoidAttr, HardsigmoidAttr, HardswishAttr, TanhAttr,
                         LeakyReluAttr, EluAttr, SoftmaxAttr, FlattenAttr,
                         ReshapeAttr, TransposeAttr>(
                       [&](auto kind) { return relu ? nullptr : create(kind); })
                   .Default([](Attribute) { return nullptr; });
    if (!result) {
      reason = "the qnnpack dialect has no op for it in this form";
      return nullptr;
    }
    return result;
  }

private:
  template <typename OpT, typename... Args> Operation *make(Args &&...args) {
    return OpT::create(builder, loc, type, std::forward<Args>(args)...);
  }

  //===--- Weighted -------------------------------------------------------===//

  /// The weight as integers; null unless convert has quantized it.
  Value getWeight() {
    return op.getWeight() ? getQuantized(op.getWeight()) : Value();
  }

  /// The bias as the int32 constant that convert has made of it; null if there
  /// is none.
  Value getBias() {
    Value quantized = op.getBias() ? getQuantized(op.getBias()) : Value();
    auto cast = quantized ? quantized.getDefiningOp<quant::StorageCastOp>()
                          : quant::StorageCastOp();
    return cast ? cast.getInput() : Value();
  }

  Operation *create(Conv2dAttr kind) {
    Value weight = getWeight();
    if (!weight || bool(op.getBias()) != bool(getBias()))
      return nullptr;
    return make<qnnpack::Conv2dOp>(
        inputs[0], weight, getBias(), kind.getStride(), kind.getPadding(),
        kind.getDilation(), builder.getI64IntegerAttr(kind.getGroups()),
        getRelu(), /*mathematical=*/UnitAttr());
  }
  Operation *create(LinearAttr) {
    Value weight = getWeight();
    if (!weight || bool(op.getBias()) != bool(getBias()))
      return nullptr;
    return make<qnnpack::LinearOp>(inputs[0], weight, getBias(), getRelu(),
                                   /*mathematical=*/UnitAttr());
  }

  //===--- Binary, concatenation ------------------------------------------===//

  Operation *create(AddAttr kind) {
    if (kind.getScalar())
      return make<qnnpack::AddScalarOp>(inputs[0], kind.getScalar(), getRelu());
    if (inputs.size() != 2)
      return nullptr;
    return make<qnnpack::AddOp>(inputs[0], inputs[1], getRelu());
  }
  Operation *create(MulAttr kind) {
    if (kind.getScalar())
      return make<qnnpack::MulScalarOp>(inputs[0], kind.getScalar(), getRelu());
    if (inputs.size() != 2)
      return nullptr;
    return make<qnnpack::MulOp>(inputs[0], inputs[1], getRelu());
  }
  Operation *create(CatAttr kind) {
    return make<qnnpack::CatOp>(
        inputs, builder.getI64IntegerAttr(kind.getAxis()), getRelu());
  }

  //===--- Pooling --------------------------------------------------------===//

  /// Ceil mode if floor mode doesn't give as many windows as there are.
  UnitAttr getCeilMode(MaxPool2dAttr kind) {
    auto input = cast<RankedTensorType>(inputs[0].getType());
    for (int i : {0, 1}) {
      int64_t extent = (kind.getKernel()[i] - 1) * kind.getDilation()[i] + 1;
      int64_t room = input.getDimSize(1 + i) + kind.getPadding()[2 * i] +
                     kind.getPadding()[2 * i + 1] - extent;
      if (room / kind.getStride()[i] + 1 != type.getDimSize(1 + i))
        return builder.getUnitAttr();
    }
    return UnitAttr();
  }
  Operation *create(MaxPool2dAttr kind) {
    // The engine pads both sides alike. Where they differ, as an export of ceil
    // mode has it, there is no kernel of floor mode to follow.
    ArrayRef<int64_t> padding = kind.getPadding();
    bool uneven = padding[0] != padding[1] || padding[2] != padding[3];
    bool dilated =
        !llvm::all_of(kind.getDilation().asArrayRef(),
                      [](int64_t dilation) { return dilation == 1; });
    UnitAttr mathematical =
        uneven && dilated ? builder.getUnitAttr() : UnitAttr();
    return make<qnnpack::MaxPool2dOp>(
        inputs[0], kind.getKernel(), kind.getStride(), kind.getPadding(),
        kind.getDilation(), getCeilMode(kind), mathematical);
  }
  Operation *create(AvgPool2dAttr kind) {
    IntegerAttr divisor;
    if (kind.getDivisorOverride())
      divisor = builder.getI64IntegerAttr(*kind.getDivisorOverride());
    UnitAttr ceil = kind.getCeilMode() ? builder.getUnitAttr() : UnitAttr();
    return make<qnnpack::AvgPool2dOp>(
        inputs[0], kind.getKernel(), kind.getStride(), kind.getPadding(), ceil,
        builder.getBoolAttr(!kind.getCountExcludePad()), divisor,
        /*mathematical=*/UnitAttr());
  }
  Operation *create(AdaptiveAvgPool2dAttr) {
    return make<qnnpack::AdaptiveAvgPool2dOp>(inputs[0]);
  }
  Operation *create(MeanAttr kind) {
    auto input = cast<RankedTensorType>(inputs[0].getType());
    if (input.getRank() != 4 ||
        kind.getAxes().asArrayRef() != ArrayRef<int64_t>({1, 2}))
      return nullptr;
    return make<qnnpack::MeanOp>(
        inputs[0], kind.getKeepdim() ? builder.getUnitAttr() : UnitAttr());
  }

  //===--- Activations ----------------------------------------------------===//

  Operation *create(ReluAttr) { return make<qnnpack::ReluOp>(inputs[0]); }
  /// Bounds beyond what the integers reach are moved to their ends: the
  /// engine's quantize turns infinity, and FLT_MAX, into the smallest integer.
  Operation *createClamp(double min, double max) {
    auto element = qnnpack::getQuantizedType(inputs[0].getType());
    auto real = [&](int64_t integer) -> double {
      return numerics::dequantize(integer, element.getScale(),
                                  element.getZeroPoint());
    };
    double low = real(element.getStorageTypeMin());
    double high = real(element.getStorageTypeMax());
    min = std::clamp(min, low, high);
    max = std::clamp(max, low, high);
    return make<qnnpack::ClampOp>(inputs[0], builder.getF32FloatAttr(min),
                                  builder.getF32FloatAttr(max));
  }
  Operation *create(Relu6Attr) { return createClamp(0.0, 6.0); }
  Operation *create(HardtanhAttr kind) {
    return createClamp(kind.getMin().getValueAsDouble(),
                       kind.getMax().getValueAsDouble());
  }
  Operation *create(ClampAttr kind) {
    return createClamp(kind.getMin().getValueAsDouble(),
                       kind.getMax().getValueAsDouble());
  }
  Operation *create(SigmoidAttr) { return make<qnnpack::SigmoidOp>(inputs[0]); }
  Operation *create(HardsigmoidAttr) {
    return make<qnnpack::HardsigmoidOp>(inputs[0]);
  }
  Operation *create(HardswishAttr) {
    return make<qnnpack::HardswishOp>(inputs[0]);
  }
  Operation *create(TanhAttr) { return make<qnnpack::TanhOp>(inputs[0]); }
  Operation *create(LeakyReluAttr kind) {
    return make<qnnpack::LeakyReluOp>(
        inputs[0],
        builder.getF32FloatAttr(kind.getNegativeSlope().getValueAsDouble()));
  }
  Operation *create(EluAttr kind) {
    return make<qnnpack::EluOp>(
        inputs[0], builder.getF32FloatAttr(kind.getAlpha().getValueAsDouble()));
  }
  Operation *create(SoftmaxAttr kind) {
    return make<qnnpack::SoftmaxOp>(inputs[0],
                                    builder.getI64IntegerAttr(kind.getAxis()));
  }

  //===--- Shape ----------------------------------------------------------===//

  Operation *createReshape(DenseI64ArrayAttr permutation) {
    Value input = inputs[0];
    if (permutation)
      input = createTranspose(input, permutation);
    return make<qnnpack::ReshapeOp>(input);
  }
  Operation *create(FlattenAttr kind) {
    return createReshape(kind.getPermutation());
  }
  Operation *create(ReshapeAttr kind) {
    return createReshape(kind.getPermutation());
  }
  Value createTranspose(Value input, DenseI64ArrayAttr permutation) {
    auto inputType = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape, moved;
    for (int64_t dim : permutation.asArrayRef()) {
      shape.push_back(inputType.getDimSize(dim));
      if (shape.back() != 1)
        moved.push_back(dim);
    }
    // Unit dimensions move without the data.
    if (llvm::is_sorted(moved) && inputType.hasStaticShape())
      return qnnpack::ReshapeOp::create(builder, loc, inputType.clone(shape),
                                        input);
    return qnnpack::TransposeOp::create(builder, loc, inputType.clone(shape),
                                        input, permutation);
  }
  Operation *create(TransposeAttr kind) {
    return createTranspose(inputs[0], kind.getPermutation()).getDefiningOp();
  }

  UnitAttr getRelu() { return relu ? builder.getUnitAttr() : UnitAttr(); }

  OperatorOp op;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  SmallVector<Value> inputs;
  bool relu;
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
      if (isa<QuantizeOp, DequantizeOp>(op))
        boundary.push_back(op);
    });
    for (Operation *op : boundary)
      lowerBoundary(op);
  }

  static void lower(OperatorOp op) {
    QuantizeOp quantize;
    if (op->hasOneUse())
      quantize = dyn_cast<QuantizeOp>(*op->user_begin());
    std::string reason = "its result is not quantized";
    Operation *kernel =
        quantize ? KernelBuilder(op, quantize).build(reason) : nullptr;
    if (kernel) {
      // A limit of the engine that these parameters don't meet.
      ScopedDiagnosticHandler collect(op.getContext(), [&](Diagnostic &diag) {
        if (diag.getSeverity() == DiagnosticSeverity::Error)
          reason = diag.str();
        return success();
      });
      if (failed(mlir::verify(kernel))) {
        kernel->erase();
        kernel = nullptr;
      }
    }
    if (!kernel) {
      remarkMissed(op.getLoc(), "QB108", op.getKindName(),
                   "stays in the reference form: " + reason,
                   "its arithmetic is real-valued between quantize and "
                   "dequantize");
      return;
    }
    quantize.getOutput().replaceAllUsesWith(kernel->getResult(0));
    quantize.erase();
    op.erase();
  }

  static void lowerBoundary(Operation *op) {
    if (isOpTriviallyDead(op)) {
      op->erase();
      return;
    }
    OpBuilder builder(op);
    Value result;
    Type type = op->getResult(0).getType();
    if (isa<QuantizeOp>(op))
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

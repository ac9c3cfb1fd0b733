// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-qnnpack-to-tosa. An op that has a TOSA form has a pattern in
// one of the other files; the types around it are converted here, by rescales.

#include "qbackend/Conversion/QNNPackToTosa.h"
#include "Tensors.h"

#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQNNPACKTOTOSAPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

namespace {
/// Tensors of 8-bit quantized types are tensors of bytes in stored form, those
/// of 16-bit ones are theirs.
struct StoredFormConverter : TypeConverter {
  StoredFormConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> std::optional<Type> {
      auto element = dyn_cast<quant::QuantizedType>(type.getElementType());
      unsigned bits = element ? element.getStorageTypeIntegralWidth() : 0;
      if (bits != 8 && !isWide(type))
        return std::nullopt;
      return type.clone(IntegerType::get(type.getContext(), bits));
    });
    addTargetMaterialization(
        [](OpBuilder &builder, Type, ValueRange values, Location loc) -> Value {
          auto type = dyn_cast<RankedTensorType>(values.front().getType());
          if (values.size() != 1 || !type ||
              !isa<quant::QuantizedType>(type.getElementType()))
            return {};
          ImplicitLocOpBuilder b(loc, builder);
          return toStored(b, values.front());
        });
    addSourceMaterialization([](OpBuilder &builder, Type type,
                                ValueRange values, Location loc) -> Value {
      if (values.size() != 1)
        return {};
      ImplicitLocOpBuilder b(loc, builder);
      // What was replaced by its own input has that one's value of another
      // type.
      Value value = values.front();
      if (isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType())))
        value = toStored(b, value);
      return fromStored(b, value, cast<RankedTensorType>(type));
    });
  }
};

struct ConvertQNNPackToTosa
    : qbackend::impl::ConvertQNNPackToTosaPassBase<ConvertQNNPackToTosa> {
  using ConvertQNNPackToTosaPassBase::ConvertQNNPackToTosaPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    StoredFormConverter converter;
    Reasons reasons;
    RewritePatternSet patterns(context);
    populateConvolutionPatterns(converter, patterns, reasons);
    populateElementwisePatterns(converter, patterns, reasons);
    populatePoolingPatterns(converter, patterns, reasons);
    populateShapePatterns(converter, patterns, reasons);
    populateSoftmaxPatterns(converter, patterns, reasons);

    auto isEmpty = [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped && llvm::is_contained(shaped.getShape(), 0);
    };
    getOperation().walk([&](Operation *op) {
      if (llvm::any_of(op->getOperandTypes(), isEmpty) ||
          llvm::any_of(op->getResultTypes(), isEmpty))
        reasons[op] = "TOSA has no empty tensors";
    });

    // The qnnpack ops are neither legal nor illegal: those without a pattern,
    // and those that a pattern declines, stay.
    ConversionTarget target(*context);
    target.addLegalDialect<tosa::TosaDialect, quant::QuantDialect>();
    target.addLegalOp<QuantizeOp, DequantizeOp>();
    target.addDynamicallyLegalDialect<QNNPackDialect>(
        [&](Operation *op) -> std::optional<bool> {
          return reasons.contains(op) ? std::optional(true) : std::nullopt;
        });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();

    getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<QNNPackDialect>(op->getDialect()) ||
          isa<QuantizeOp, DequantizeOp>(op))
        return;
      auto reason = reasons.find(op);
      remarkMissed(op, "QB130", op->getName().getStringRef(),
                   reason == reasons.end() ? "there is no TOSA form for it"
                                           : reason->second,
                   "lower it with convert-qnnpack-to-linalg, or run it on "
                   "another device");
    });
    cleanUp();
  }

  /// Storage casts there and back, which there are or aren't by the order in
  /// which the conversion looks at values (that of their addresses); those of
  /// weights that have been read, and constants and rescales that several ops
  /// have.
  void cleanUp() {
    getOperation().walk([](quant::StorageCastOp back) {
      auto there = back.getInput().getDefiningOp<quant::StorageCastOp>();
      if (there && there.getInput().getType() == back.getType())
        back.replaceAllUsesWith(there.getInput());
    });
    getOperation().walk([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOpTriviallyDead(&op))
          op.erase();
    });
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-qnnpack-to-linalg: types, functions, control flow and tensor
// ops that carry quantized tensors, and storage casts.

#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "Scalars.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQNNPACKTOLINALGPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The signless integer of the storage of `type`.
static Type getStorageInteger(quant::QuantizedType type) {
  return IntegerType::get(type.getContext(),
                          type.getStorageTypeIntegralWidth());
}

void qbackend::addQuantizedTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](quant::QuantizedType type) { return getStorageInteger(type); });
  converter.addConversion([](TensorType type) -> std::optional<Type> {
    auto element = dyn_cast<quant::QuantizedType>(type.getElementType());
    if (!element)
      return std::nullopt;
    return type.clone(getStorageInteger(element));
  });
}

//===----------------------------------------------------------------------===//
// Ops of other dialects
//===----------------------------------------------------------------------===//

namespace {
// scast(x) -> x
struct EraseStorageCast : OpConversionPattern<quant::StorageCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(quant::StorageCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type wanted = getTypeConverter()->convertType(op.getType());
    if (adaptor.getInput().getType() != wanted)
      return rewriter.notifyMatchFailure(
          op, "the storage is not a signless integer");
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

/// The signature of a function, and the arguments of all of its blocks.
struct ConvertFunction : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    SmallVector<Type> inputs, results;
    if (failed(getTypeConverter()->convertTypes(type.getInputs(), inputs)) ||
        failed(getTypeConverter()->convertTypes(type.getResults(), results)))
      return rewriter.notifyMatchFailure(op, "no type for the signature");
    for (Block &block : llvm::make_early_inc_range(op.getBody())) {
      std::optional<TypeConverter::SignatureConversion> conversion =
          getTypeConverter()->convertBlockSignature(&block);
      if (!conversion)
        return rewriter.notifyMatchFailure(op, "no type for a block argument");
      rewriter.applySignatureConversion(&block, *conversion,
                                        getTypeConverter());
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.setFunctionType(FunctionType::get(op.getContext(), inputs, results));
    });
    return success();
  }
};

/// An op of the tensor dialect that moves elements: the same op on integers.
template <typename OpTy> struct ConvertResultTypes : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<OpTy>::OpAdaptor;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(),
                                                      types)))
      return rewriter.notifyMatchFailure(op, "no type for a result");
    Operation *copy = Operation::create(
        op.getLoc(), op->getName(), types, adaptor.getOperands(),
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        BlockRange(), op->getNumRegions());
    rewriter.replaceOp(op, rewriter.insert(copy)->getResults());
    return success();
  }
};
} // namespace

void qbackend::populateQNNPackToLinalgPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  populateActivationPatterns(converter, patterns);
  populateConvolutionPatterns(converter, patterns);
  populateElementwisePatterns(converter, patterns);
  populateEmbeddingPatterns(converter, patterns);
  populateLinearPatterns(converter, patterns);
  populateNormalizationPatterns(converter, patterns);
  populatePoolingPatterns(converter, patterns);
  populateResizePatterns(converter, patterns);
  populateShapePatterns(converter, patterns);
  patterns.add<EraseStorageCast, ConvertResultTypes<tensor::CastOp>,
               ConvertResultTypes<tensor::CollapseShapeOp>,
               ConvertResultTypes<tensor::ConcatOp>,
               ConvertResultTypes<tensor::DimOp>,
               ConvertResultTypes<tensor::EmptyOp>,
               ConvertResultTypes<tensor::ExpandShapeOp>,
               ConvertResultTypes<tensor::ExtractOp>,
               ConvertResultTypes<tensor::ExtractSliceOp>,
               ConvertResultTypes<tensor::InsertOp>,
               ConvertResultTypes<tensor::InsertSliceOp>,
               ConvertResultTypes<tensor::ReshapeOp>,
               ConvertResultTypes<arith::SelectOp>>(converter,
                                                    patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertQNNPackToLinalg
    : qbackend::impl::ConvertQNNPackToLinalgPassBase<ConvertQNNPackToLinalg> {
  using ConvertQNNPackToLinalgPassBase::ConvertQNNPackToLinalgPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    addQuantizedTypeConversions(converter);

    RewritePatternSet patterns(context);
    populateQNNPackToLinalgPatterns(converter, patterns);
    patterns.add<ConvertFunction>(converter, context);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    populateBranchOpInterfaceTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversions(converter, patterns);

    ConversionTarget target(*context);
    target.addIllegalDialect<QNNPackDialect>();
    target.addIllegalOp<quant::StorageCastOp>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType()) &&
             converter.isLegal(&op.getBody());
    });
    // Whatever op it is: no quantized type is left.
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (!converter.isLegal(op))
        return false;
      return llvm::all_of(op->getRegions(), [&](Region &region) {
        return converter.isLegal(&region);
      });
    });

    // Weights are reordered into new constants; the ones they came from are
    // dropped, if nothing else reads them.
    SetVector<Operation *> constants;
    getOperation().walk([&](quant::StorageCastOp op) {
      if (auto constant = op.getInput().getDefiningOp<arith::ConstantOp>())
        constants.insert(constant);
    });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    for (Operation *constant : constants)
      if (constant->use_empty())
        constant->erase();
  }
};
} // namespace

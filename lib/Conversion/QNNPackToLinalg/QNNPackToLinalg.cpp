// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-qnnpack-to-linalg: types, functions, control flow and tensor
// ops that carry quantized tensors, and storage casts.
//
// Inside, unsigned integers are held less 128, as signed bytes, unless asked
// otherwise. The interface isn't: signatures take and give storage first, so
// that storage casts are the only place where bytes change.

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

/// q - 128 as a signed byte of the unsigned byte q, or back: the top bit flips.
static Value flip(ImplicitLocOpBuilder &b, Value bytes) {
  if (auto values = ConstantElements<int8_t>::read(bytes)) {
    SmallVector<int8_t, 0> flipped;
    for (int8_t byte : values->getStored())
      flipped.push_back(static_cast<int8_t>(byte ^ 0x80));
    return constantTensor(b, ArrayRef<int8_t>(flipped),
                          cast<ShapedType>(bytes.getType()).getShape());
  }
  auto flipByte = [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    return arith::XOrIOp::create(b, args[0], byteConstant(b, -128));
  };
  if (!isa<ShapedType>(bytes.getType()))
    return flipByte(b, bytes);
  return elementwise(b, bytes, b.getI8Type(), flipByte);
}

namespace {
// scast(x) -> x, flipped where bytes are held otherwise than in storage
struct LowerStorageCast : OpConversionPattern<quant::StorageCastOp> {
  LowerStorageCast(const TypeConverter &converter, MLIRContext *context,
                   bool signedBytes)
      : OpConversionPattern(converter, context), signedBytes(signedBytes) {}

  LogicalResult
  matchAndRewrite(quant::StorageCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type wanted = getTypeConverter()->convertType(op.getType());
    if (adaptor.getInput().getType() != wanted)
      return rewriter.notifyMatchFailure(
          op, "the storage is not a signless integer");
    Value result = adaptor.getInput();
    if (signedBytes &&
        (canShift(op.getInput().getType()) || canShift(op.getType()))) {
      if (isa<UnrankedTensorType>(wanted))
        return op.emitError() << "has bytes of unknown rank; give them one, or "
                                 "leave them unsigned (unsigned-bytes)";
      ImplicitLocOpBuilder b(op.getLoc(), rewriter);
      result = flip(b, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  const bool signedBytes;
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
                                               RewritePatternSet &patterns,
                                               bool signedBytes) {
  populateActivationPatterns(converter, patterns, signedBytes);
  populateConvolutionPatterns(converter, patterns, signedBytes);
  populateElementwisePatterns(converter, patterns, signedBytes);
  populateEmbeddingPatterns(converter, patterns, signedBytes);
  populateLinearPatterns(converter, patterns, signedBytes);
  populateNormalizationPatterns(converter, patterns, signedBytes);
  populatePoolingPatterns(converter, patterns, signedBytes);
  populateResizePatterns(converter, patterns, signedBytes);
  populateShapePatterns(converter, patterns, signedBytes);
  patterns.add<LowerStorageCast>(converter, patterns.getContext(), signedBytes);
  patterns.add<ConvertResultTypes<tensor::CastOp>,
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
    if (!unsignedBytes)
      exposeStorage();
    TypeConverter converter;
    addQuantizedTypeConversions(converter);

    RewritePatternSet patterns(context);
    populateQNNPackToLinalgPatterns(converter, patterns, !unsignedBytes);
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

  /// Makes unsigned quantized types in signatures, and in calls, their storage,
  /// behind a cast.
  void exposeStorage() {
    auto getStorage = [](Type type) -> Type {
      if (!canShift(type))
        return type;
      Type storage = getStorageInteger(
          cast<quant::QuantizedType>(getElementTypeOrSelf(type)));
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped ? Type(shaped.clone(storage)) : storage;
    };
    auto castOperands = [&](Operation *op) {
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Type type = operand.get().getType(); canShift(type))
          operand.set(quant::StorageCastOp::create(
              builder, op->getLoc(), getStorage(type), operand.get()));
    };
    auto castValues = [&](ValueRange values, OpBuilder &builder) {
      for (Value value : values) {
        Type type = value.getType();
        if (!canShift(type))
          continue;
        value.setType(getStorage(type));
        auto inner =
            quant::StorageCastOp::create(builder, value.getLoc(), type, value);
        value.replaceAllUsesExcept(inner, inner);
      }
    };
    getOperation().walk([&](func::FuncOp function) {
      FunctionType type = function.getFunctionType();
      function.setFunctionType(FunctionType::get(
          &getContext(), llvm::map_to_vector(type.getInputs(), getStorage),
          llvm::map_to_vector(type.getResults(), getStorage)));
      if (function.isExternal())
        return;
      OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
      castValues(function.getArguments(), builder);
    });
    getOperation().walk([&](Operation *op) {
      if (!isa<func::ReturnOp, func::CallOp>(op))
        return;
      castOperands(op);
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      castValues(op->getResults(), builder);
    });
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion patterns that are functions: from an op and its converted operands
// to its replacement.

#ifndef QBACKEND_LIB_CONVERSION_LOWERINGPATTERN_H
#define QBACKEND_LIB_CONVERSION_LOWERINGPATTERN_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace qbackend {

/// Builds the replacement of an op at its location. A derived class has a type
/// `Context`, which it is made with: what a pass says to all of its patterns.
class ReplacementBuilder : public mlir::ImplicitLocOpBuilder {
public:
  ReplacementBuilder(mlir::Operation *op, mlir::OpBuilder &builder,
                     const mlir::TypeConverter &converter)
      : ImplicitLocOpBuilder(op->getLoc(), builder), converter(converter) {}

  /// The converted type of the result of `op`.
  mlir::RankedTensorType resultType(mlir::Operation *op) const {
    return mlir::cast<mlir::RankedTensorType>(
        converter.convertType(op->getResult(0).getType()));
  }

private:
  const mlir::TypeConverter &converter;
};

/// Builds the replacement of an op from its converted operands, or returns null
/// after saying why not.
template <typename OpTy, typename Builder>
using Lower = mlir::Value (*)(OpTy, typename OpTy::Adaptor, Builder &);

/// The pattern of a function.
template <typename OpTy, typename Builder>
class Lowering : public mlir::OpConversionPattern<OpTy> {
public:
  Lowering(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
           typename Builder::Context given, Lower<OpTy, Builder> lower)
      : mlir::OpConversionPattern<OpTy>(converter, context), given(given),
        lower(lower) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Builder b(op, rewriter, *this->getTypeConverter(), given);
    mlir::Value result = lower(op, adaptor, b);
    if (!result)
      return mlir::failure(); // `lower` has said why
    rewriter.replaceOp(op, result);
    return mlir::success();
  }

private:
  const typename Builder::Context given;
  const Lower<OpTy, Builder> lower;
};

/// The pattern of a function for all ops of an interface.
template <typename InterfaceT, typename Builder>
class InterfaceLowering
    : public mlir::OpInterfaceConversionPattern<InterfaceT> {
public:
  using Lower = mlir::Value (*)(InterfaceT, mlir::ValueRange, Builder &);
  InterfaceLowering(const mlir::TypeConverter &converter,
                    mlir::MLIRContext *context, typename Builder::Context given,
                    Lower lower)
      : mlir::OpInterfaceConversionPattern<InterfaceT>(converter, context),
        given(given), lower(lower) {}

  mlir::LogicalResult
  matchAndRewrite(InterfaceT op, llvm::ArrayRef<mlir::Value> operands,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Builder b(op, rewriter, *this->getTypeConverter(), given);
    rewriter.replaceOp(op, lower(op, operands, b));
    return mlir::success();
  }

private:
  const typename Builder::Context given;
  const Lower lower;
};

/// Adds a pattern for each of `functions`.
template <typename Builder, typename... OpTys>
void addLowerings(const mlir::TypeConverter &converter,
                  mlir::RewritePatternSet &patterns,
                  typename Builder::Context context,
                  Lower<OpTys, Builder>... functions) {
  (patterns.add<Lowering<OpTys, Builder>>(converter, patterns.getContext(),
                                          context, functions),
   ...);
}

} // namespace qbackend

#endif // QBACKEND_LIB_CONVERSION_LOWERINGPATTERN_H

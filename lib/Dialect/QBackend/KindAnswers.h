// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the answers of operator kinds in OperatorKinds.td are computed by.

#ifndef QBACKEND_LIB_DIALECT_QBACKEND_KINDANSWERS_H
#define QBACKEND_LIB_DIALECT_QBACKEND_KINDANSWERS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include <cmath>

namespace qbackend::detail {

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Where the dimension `axis` is after a permutation.
int64_t permuteAxis(int64_t axis, llvm::ArrayRef<int64_t> permutation);
/// One number for each dimension.
mlir::DenseI64ArrayAttr permuteInts(mlir::DenseI64ArrayAttr values,
                                    llvm::ArrayRef<int64_t> permutation);
/// Axes whose order is that of a weight; null if they don't keep it.
mlir::DenseI64ArrayAttr permuteOrdered(mlir::DenseI64ArrayAttr axes,
                                       llvm::ArrayRef<int64_t> permutation);
/// Axes of a reduction; null if the dimensions of its result would be permuted.
mlir::DenseI64ArrayAttr permuteReduced(mlir::DenseI64ArrayAttr axes,
                                       bool keepdim,
                                       llvm::ArrayRef<int64_t> permutation);
/// What a reshape permutes first, so that it undoes the new layout; null if
/// that is nothing.
mlir::DenseI64ArrayAttr permuteReshape(mlir::MLIRContext *context,
                                       mlir::DenseI64ArrayAttr own,
                                       llvm::ArrayRef<int64_t> permutation);

inline bool keepsBatch(llvm::ArrayRef<int64_t> permutation) {
  return !permutation.empty() && permutation.front() == 0;
}

/// A kind like `kind` over `axes`; null if there are none.
template <typename KindT, typename... Rest>
mlir::Attribute getIfAny(KindT kind, mlir::DenseI64ArrayAttr axes,
                         Rest... rest) {
  return axes ? KindT::get(kind.getContext(), axes, rest...)
              : mlir::Attribute();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// One operation for each element of the result, or of the first input.
OperationCounts countResults(const OperatorOperands &operands);
OperationCounts countInputs(const OperatorOperands &operands);
/// One for each element of a window, for each element of the result.
OperationCounts countWindows(const OperatorOperands &operands,
                             mlir::DenseI64ArrayAttr window);
OperationCounts countConvolution(ConvolutionKindAttrInterface kind,
                                 const OperatorOperands &operands);
OperationCounts countLinear(const OperatorOperands &operands);
OperationCounts countMatmul(const OperatorOperands &operands);

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

using OptionalRange = std::optional<FloatRange>;

FloatRange pointRange(mlir::FloatAttr number);
/// That of `number`, or else of the second input.
FloatRange getSecondRange(llvm::ArrayRef<FloatRange> inputs,
                          mlir::FloatAttr number);
FloatRange joinRanges(llvm::ArrayRef<FloatRange> ranges);
FloatRange addRanges(FloatRange a, FloatRange b);
FloatRange subtractRanges(FloatRange a, FloatRange b);
FloatRange multiplyRanges(FloatRange a, FloatRange b);
/// Nothing if `b` holds 0.
OptionalRange divideRanges(FloatRange a, FloatRange b);

FloatRange clampRange(FloatRange x, double min, double max);
/// Nothing if the bounds are the wrong way round.
OptionalRange clampRange(FloatRange x, mlir::FloatAttr min,
                         mlir::FloatAttr max);
FloatRange sigmoidRange(FloatRange x);
FloatRange hardsigmoidRange(FloatRange x);
FloatRange hardswishRange(FloatRange x);
FloatRange tanhRange(FloatRange x);
FloatRange siluRange(FloatRange x);
FloatRange geluRange(FloatRange x, bool tanh);
FloatRange leakyReluRange(FloatRange x, double slope);
/// Nothing if `alpha` makes them fall where others rise.
OptionalRange eluRange(FloatRange x, double alpha);
OptionalRange celuRange(FloatRange x, double alpha);
FloatRange seluRange(FloatRange x);
/// Nothing unless `beta` is positive.
OptionalRange softplusRange(FloatRange x, double beta);
FloatRange mishRange(FloatRange x);
FloatRange quickGeluRange(FloatRange x);
FloatRange sinRange(FloatRange x);
FloatRange cosRange(FloatRange x);
/// Nothing where the power is not finite, or no real number.
OptionalRange powRange(FloatRange x, double exponent);
/// Nothing if one of `axes` is dynamic.
OptionalRange sumRange(const OperatorOperands &operands,
                       mlir::DenseI64ArrayAttr axes, FloatRange x);
OptionalRange preluRange(const OperatorOperands &operands, FloatRange x);
FloatRange softmaxRange(const OperatorOperands &operands, int64_t axis,
                        FloatRange x);
OptionalRange logSoftmaxRange(const OperatorOperands &operands, int64_t axis,
                              FloatRange x);

template <typename AvgPoolAttrT>
FloatRange avgPoolRange(AvgPoolAttrT pool, FloatRange x) {
  // Padding counts as zeros; another divisor scales the sum.
  double size = 1, factor = 1;
  for (int64_t extent : pool.getKernel().asArrayRef())
    size *= double(extent);
  if (auto divisor = pool.getDivisorOverride())
    factor = size / double(*divisor);
  bool padded = llvm::any_of(pool.getPadding().asArrayRef(),
                             [](int64_t p) { return p != 0; });
  if (!padded && !pool.getCeilMode() && factor == 1)
    return x;
  return multiplyRanges(joinRanges({x, {0, 0}}), {factor, factor});
}

/// Sums of products with a weight, `[out, ...]`. With `anySubset`, not every
/// product is part of every sum.
OptionalRange productsRange(const OperatorOperands &operands, FloatRange x,
                            bool anySubset);
OptionalRange convolutionRange(ConvolutionKindAttrInterface kind,
                               const OperatorOperands &operands, FloatRange x);
OptionalRange matmulRange(const OperatorOperands &operands,
                          llvm::ArrayRef<FloatRange> inputs);
/// Of an embedding: that of its table.
OptionalRange rowsRange(const OperatorOperands &operands);

OptionalRange batchNormRange(const OperatorOperands &operands, double eps,
                             FloatRange x);
OptionalRange layerNormRange(const OperatorOperands &operands,
                             mlir::DenseI64ArrayAttr axes, mlir::FloatAttr eps,
                             FloatRange x);
OptionalRange rmsNormRange(const OperatorOperands &operands,
                           mlir::DenseI64ArrayAttr axes, mlir::FloatAttr eps,
                           FloatRange x);
OptionalRange instanceNormRange(const OperatorOperands &operands, int64_t axis,
                                mlir::FloatAttr eps, FloatRange x);
OptionalRange groupNormRange(const OperatorOperands &operands, int64_t groups,
                             mlir::FloatAttr eps, FloatRange x);

//===----------------------------------------------------------------------===//
// Kinds without dimensions of size 1
//===----------------------------------------------------------------------===//

/// The place of `dim` among the dimensions of `type` that are not 1.
int64_t getShownDim(mlir::RankedTensorType type, int64_t dim);
mlir::DenseI64ArrayAttr getShownDims(mlir::RankedTensorType type,
                                     mlir::DenseI64ArrayAttr dims);
/// The `numbers` of dimensions, without those of dimensions that are 1 in the
/// first input and in the result.
mlir::DenseI64ArrayAttr getShownNumbers(const OperatorOperands &operands,
                                        mlir::DenseI64ArrayAttr numbers);
/// What a reshape or flatten is without dimensions of 1: a transpose, if it
/// merges and cuts nothing.
mlir::Attribute getShownReshape(mlir::DenseI64ArrayAttr permutation,
                                const OperatorOperands &operands);
mlir::Attribute getShownMean(MeanAttr mean, const OperatorOperands &operands);

} // namespace qbackend::detail

#endif // QBACKEND_LIB_DIALECT_QBACKEND_KINDANSWERS_H

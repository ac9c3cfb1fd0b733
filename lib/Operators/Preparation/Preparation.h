// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What prepares code for recognition: each rewrite is recorded, and taken back
// where nothing was recognised.

#ifndef QBACKEND_LIB_OPERATORS_PREPARATION_PREPARATION_H
#define QBACKEND_LIB_OPERATORS_PREPARATION_PREPARATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qbackend/Operators/PreparationRewriter.h"

namespace qbackend::forms {

/// Replaces `op` by one on tensors with a leading dimension of size 1, if it
/// reads one whose leading dimension was dropped. Returns what is there instead
/// of `op`, or null.
mlir::Operation *restoreLeadingDim(mlir::Operation *op,
                                   PreparationRewriter &rewriter);

/// Puts the division of a pool whose result has lost dimensions of 1, or has
/// got some, before that: op(reshape(x)) -> reshape(op(x)). Returns what is
/// there instead of `op`; null if it stays.
mlir::Operation *liftElementwise(mlir::linalg::GenericOp op,
                                 PreparationRewriter &rewriter);

/// Puts what `op` computes of one activation, of which it makes more elements,
/// before that: f(broadcast(x)) -> broadcast(f(x)). Returns the op that
/// computes; null if `op` stays.
mlir::Operation *lowerBroadcast(mlir::linalg::GenericOp op,
                                PreparationRewriter &rewriter);

/// Puts what fusion has put between a convolution in groups and the change of
/// shape that merges groups and channels back behind that: collapse(op(x)) ->
/// op(collapse(x)). Returns what is there instead of `collapse`; null if it
/// stays.
mlir::Operation *mergeGroups(mlir::tensor::CollapseShapeOp collapse,
                             PreparationRewriter &rewriter);

/// The same in front of `op`, a convolution in groups, and the change of shape
/// that cuts the channels: op(f(expand(x))) -> op(expand(f(x))).
void expandGroups(mlir::Operation *op, PreparationRewriter &rewriter);

/// Makes what computes `value` compute it with its dimensions merged, back to
/// where they were cut; what reads it reads it through a change of shape then.
/// False, and nothing has changed, if that can't be done.
bool mergeDims(mlir::Value value,
               llvm::ArrayRef<mlir::ReassociationIndices> groups,
               PreparationRewriter &rewriter);

/// The dimensions of the result of `op` with its groups and the channels of
/// each as one; nullopt if it is no convolution that has both.
std::optional<llvm::SmallVector<mlir::ReassociationIndices>>
getChannelGroups(mlir::linalg::LinalgOp op, ConstantEvaluator &constants);

/// Puts what fusion has put into a shuffle of channels, which `collapse` ends,
/// in front of it: collapse(transpose(f(expand(x)))) ->
/// collapse(transpose(expand(f(x)))). This is not taken back: the shuffle is an
/// operator then, whatever f is.
void takeOutOfShuffle(mlir::tensor::CollapseShapeOp collapse,
                      PreparationRewriter &rewriter);

/// Whether `op` computes each element of its result from those of its inputs,
/// into a new tensor.
bool isPlainElementwise(mlir::linalg::GenericOp op);

/// Gives `op` new tensors as the destinations that it writes without reading
/// them, where they are slices of others.
void separateDestinations(mlir::linalg::LinalgOp op,
                          PreparationRewriter &rewriter);

/// The permutation of `op`, if it transposes `source` and nothing else.
std::optional<llvm::SmallVector<int64_t>> getTransposition(mlir::Operation *op,
                                                           mlir::Value &source);

/// `value` with its dimensions in the order of `permutation`, by an op in front
/// of where `builder` stands.
mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value,
                            llvm::ArrayRef<int64_t> permutation);

/// Which of the two inputs of `op`, a sum of products, is its weight, by
/// isParameter; nullopt if both are, or none.
std::optional<unsigned> getWeightInput(mlir::linalg::LinalgOp op,
                                       ConstantEvaluator &constants);

/// Makes transposes of the operands of `op`, which computes element by element,
/// that it reads in another order of dimensions.
void takeOutTransposes(mlir::linalg::GenericOp op,
                       PreparationRewriter &rewriter);

/// One op for each result of `op`, of which the later ones read the earlier
/// ones. Returns the last one; null, if it can't be done, or none is read.
mlir::Operation *separateResults(mlir::linalg::GenericOp op,
                                 PreparationRewriter &rewriter);

/// Takes what fusion has put in front of the windows of a convolution or pool,
/// of a product, or of a sum, out of the body of `op`. Returns what is there
/// instead of `op`.
mlir::Operation *splitPrologue(mlir::Operation *op,
                               PreparationRewriter &rewriter);

/// Makes the loops over features of a product with a weight one, if they were
/// cut. Returns what is there instead of `op`.
mlir::Operation *mergeExpandedLoops(mlir::Operation *op,
                                    PreparationRewriter &rewriter);

/// Repeats a factor of a product of two activations that lacks some of the rows
/// of the other one, of which the last alone are those of matrices then.
/// Returns what is there instead of `op`.
mlir::Operation *repeatFactor(mlir::Operation *op,
                              PreparationRewriter &rewriter);

/// Splits `op`, one that fusion has made of several, so that its results are
/// those of an operator: the last of the ops that it becomes is returned, the
/// others come before it. Null, and nothing is changed, if no part of it is one
/// for `isOperator`.
mlir::Operation *
splitFused(mlir::Operation *op, PreparationRewriter &rewriter,
           llvm::function_ref<bool(mlir::Operation *)> isOperator);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_PREPARATION_PREPARATION_H

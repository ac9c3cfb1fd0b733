// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer linalg as the TOSA that it was lowered from.

#ifndef QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RAISELINALG_H
#define QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RAISELINALG_H

#include "ElementRescale.h"
#include "Movement.h"

#include "qbackend/Support/Remarks.h"

namespace qbackend::tosa_to_qnnpack {

/// Creates, beside a rescale in linalg, the `tosa.rescale` of the convolution,
/// product, sum or product of elements that it is of. What was there stays as
/// it is, and what was created is taken back by `discard`.
class LinalgRaiser {
public:
  LinalgRaiser(mlir::IRRewriter &rewriter, ConstantEvaluator &constants)
      : rewriter(rewriter), constants(constants) {}

  /// The `tosa.rescale` of sums that `rescale` says of `op`, before `op`. A
  /// refusal has a reason if a contraction was met, which `getContraction` is.
  OrRefusal<mlir::tosa::RescaleOp> raise(mlir::linalg::GenericOp op,
                                         const ElementRescale &rescale);
  /// The `tosa.clamp` of `bytes`, at the insertion point.
  mlir::tosa::ClampOp createClamp(mlir::Location loc, mlir::Value bytes,
                                  const ElementRescale &limits);
  mlir::Operation *getContraction() const { return contraction; }
  /// What moves the sums between the contraction and the op that was raised,
  /// which the `tosa.rescale` is in front of.
  const Movement &getMovement() const { return movement; }

  /// Erases what nothing uses of what was created.
  void discard();

private:
  OrRefusal<mlir::Value> raiseSums(mlir::Value sums);
  OrRefusal<mlir::Value> raiseContraction(mlir::Value sums,
                                          llvm::SmallVector<llvm::APInt> bias);
  OrRefusal<mlir::Value> raiseElementwise(mlir::linalg::GenericOp op);
  mlir::Value raiseWidening(mlir::Value value);
  template <typename OpT>
  OrRefusal<mlir::Value> raiseWindowed(OpT op, mlir::RankedTensorType type,
                                       llvm::ArrayRef<llvm::APInt> bias);
  OrRefusal<mlir::Value> raiseMatmul(mlir::linalg::LinalgOp op,
                                     mlir::RankedTensorType type,
                                     llvm::ArrayRef<llvm::APInt> bias);

  /// Adds the numbers of `value`, one or one for each channel, to `bias`.
  bool addBias(mlir::Value value, llvm::SmallVectorImpl<llvm::APInt> &bias);
  /// Those of what a contraction adds to.
  bool addInit(mlir::Value init, llvm::SmallVectorImpl<llvm::APInt> &bias);
  /// The zero point of operand `number` of a contraction that may have none.
  std::optional<int64_t> getZeroPoint(mlir::linalg::LinalgOp op,
                                      unsigned number);
  /// Zeros that a `tensor.pad` puts around height and width.
  mlir::Value skipPadding(mlir::Value input, int64_t zeroPoint,
                          llvm::SmallVectorImpl<int64_t> &pad);

  mlir::tosa::RescaleOp createRescale(mlir::Location loc, mlir::Value input,
                                      mlir::Type type,
                                      const ElementRescale &rescale);
  template <typename T>
  mlir::Value createConstant(mlir::Location loc, llvm::ArrayRef<T> numbers,
                             llvm::ArrayRef<int64_t> shape);
  /// The same of integers of a width of their own; there are some.
  mlir::Value createIntegers(mlir::Location loc,
                             llvm::ArrayRef<llvm::APInt> numbers,
                             llvm::ArrayRef<int64_t> shape);
  /// Of type tensor<1xiN>.
  mlir::Value createZeroPoint(mlir::Location loc, mlir::Type element,
                              int64_t number);
  template <typename OpT> OpT keep(OpT op) {
    created.push_back(op);
    return op;
  }

  mlir::IRRewriter &rewriter;
  ConstantEvaluator &constants;
  mlir::Operation *contraction = nullptr;
  Movement movement;
  llvm::SmallVector<mlir::Operation *> created;
};

} // namespace qbackend::tosa_to_qnnpack

#endif // QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RAISELINALG_H

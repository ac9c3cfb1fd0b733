// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of linalg ops, and the padding in front of them.

#ifndef QBACKEND_LIB_OPERATORS_READING_WINDOWS_H
#define QBACKEND_LIB_OPERATORS_READING_WINDOWS_H

#include "Reading/Expressions/ScalarExpression.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::forms {

/// True if `op` adds the product of its two inputs to its destination, all of
/// them f32: a convolution or a contraction.
bool isMultiplyAccumulate(mlir::linalg::LinalgOp op,
                          ScalarExpressions &expressions);

/// How an op slides over the spatial dimensions of its input, of which there
/// may be any number. Windows are in the order of the input's dimensions.
struct Windows {
  /// Positions in the input of the spatial dimensions, and their loops; none if
  /// the loop was dropped, as it has one iteration.
  llvm::SmallVector<unsigned> positions;
  llvm::SmallVector<std::optional<unsigned>> outputLoops, kernelLoops;
  llvm::SmallVector<int64_t> strides, dilations;
  /// Loops of the other dimensions of the input; none for spatial dimensions
  /// and for those of size 1 that are read at 0.
  llvm::SmallVector<std::optional<unsigned>> loops;

  bool isSpatial(unsigned position) const {
    return llvm::is_contained(positions, position);
  }
  /// Makes the dimension at `position` one that a window of size 1 (or, if its
  /// loop is a `kernelLoop`, one window of full size) slides over. Nothing in
  /// how it is accessed tells these from batches and channels.
  void addUnitWindow(unsigned position, bool kernelLoop = false);
};
/// The windows that `op` slides over one of its inputs: dimensions whose index
/// is not that of one loop. Nullopt if there is any other access.
std::optional<Windows> getWindows(mlir::linalg::LinalgOp op,
                                  unsigned operand = 0);

/// `value` without the padding in front of it.
struct PaddedValue {
  mlir::Value value;
  /// Before and after, of each spatial dimension.
  llvm::SmallVector<int64_t> padding;
  /// Of the padding; no number if there is none.
  std::optional<double> number;
};
/// `spatial` are the positions of the spatial dimensions.
PaddedValue skipPadding(mlir::Value value, llvm::ArrayRef<unsigned> spatial,
                        ConstantEvaluator &constants);

/// A slice without steps, and how much it takes away before and after the part
/// of each dimension that it keeps.
struct Crop {
  mlir::Value source;
  llvm::SmallVector<std::pair<int64_t, int64_t>> amounts;
};
std::optional<Crop> getCrop(mlir::Operation *op);

/// True if the slice has the whole extent of dimension `dim` of the tensor it
/// is taken from or put into.
bool isWholeDimension(mlir::tensor::InsertSliceOp insert, unsigned dim);
bool isWholeDimension(mlir::tensor::ExtractSliceOp extract, unsigned dim);

/// How much of the tensor that `insert` writes into is before and after what it
/// inserts without steps, in each dimension; nullopt if that isn't known. A
/// dynamic dimension has to be inserted as a whole.
struct InsertedPart {
  llvm::SmallVector<int64_t> low, high;
};
std::optional<InsertedPart> getInsertedPart(mlir::tensor::InsertSliceOp insert);

/// Whether `value` is a sum over windows, which a division makes an average.
bool isWindowSum(mlir::Value value);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_WINDOWS_H

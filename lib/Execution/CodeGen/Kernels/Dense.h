// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose outputs each read all channels of their group:
//
//   for outputs in blocks of a few vectors
//     for rows, for pixels in tiles
//       sums of pixels x vectors in registers
//       for the taps and channels, four bytes at a time: a step
//         load the vectors of weights; for each pixel, broadcast its bytes
//
// A run of bytes is rounded up to four, whose weights are 0.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DENSE_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DENSE_H

#include "KernelEmitter.h"

namespace qbackend::codegen {

class DenseKernel : public KernelEmitter {
public:
  /// Tiles have at most `mostVectors` vectors of outputs, of `mostPixels`.
  DenseKernel(const KernelTarget &target, int8::Conv2dOp op,
              int64_t mostVectors = 4, int64_t mostPixels = 16);

  /// The estimated cycles of an image.
  virtual double getCost() const { return tileCost * getSteps(); }

protected:
  std::vector<int64_t> getOrder() const override;
  void packWeight(llvm::ArrayRef<int8_t> weight,
                  WeightWriter &append) const override;
  /// Builds what `emitSums` needs of a block of outputs: vectors of `group`
  /// from `first` on.
  virtual llvm::SmallVector<Value> emitBlock(Value group, Value first);
  /// Builds `sums` of `pixels` x `vectors` plus all products of the window at
  /// `position`.
  virtual llvm::SmallVector<Value> emitSums(mlir::ValueRange block,
                                            Value position,
                                            mlir::ValueRange sums,
                                            int64_t pixels, int64_t vectors);

  /// Steps of a window.
  int64_t getSteps() const { return shape.kernelHeight * columns * steps; }
  /// A loop over 0 to `count` that carries `sums`.
  llvm::SmallVector<Value> accumulate(
      Value count, mlir::ValueRange sums,
      llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>
          body);
  /// Calls `body` with the first vector of each block of all, and how many it
  /// has.
  void visitBlocks(llvm::function_ref<void(int64_t, int64_t)> body) const;
  /// Appends the weights of step `step` for `vectors` vectors from `first` of
  /// all on.
  void packStep(llvm::ArrayRef<int8_t> weight, int64_t first, int64_t vectors,
                int64_t step, WeightWriter &append) const;

  /// Runs of neighbouring bytes in a row of the window, their length, and the
  /// steps of four bytes in each.
  int64_t columns, run, steps;
  /// Vectors of a group, and those of a tile.
  int64_t groupVectors, tileVectors = 1;
  /// Estimated cycles of all tiles for a step, or for a pair of them.
  double tileCost;

private:
  void emitImage(Value position, Value resultPosition) override;
  void chooseTile(int64_t mostVectors, int64_t mostPixels);
  void chooseUnits();
  /// Vectors of a group that are in blocks of `tileVectors`.
  int64_t getWholeVectors() const {
    return shape.outGroup / target.lanes / tileVectors * tileVectors;
  }
  /// Builds `body` for blocks of vectors of a group: the first vector, and how
  /// many outputs each one has.
  void forBlocks(llvm::function_ref<void(Value, llvm::ArrayRef<int64_t>)> body);
  void emitTile(mlir::ValueRange block, Value position, Value resultPosition,
                llvm::ArrayRef<Value> bias, llvm::ArrayRef<Value> multipliers,
                int64_t pixels, llvm::ArrayRef<int64_t> counts);
  /// Builds `count` steps: one, or those of a vector of input bytes.
  llvm::SmallVector<Value> emitSteps(Value position, Value weights,
                                     mlir::ValueRange sums, int64_t pixels,
                                     int64_t vectors, int64_t count);

  int64_t tilePixels = 1;
  /// What a unit of work is: one of these for each step of its loop, or 0.
  int64_t groupsPerUnit = 0, blocksPerUnit = 0, rowsPerUnit = 0,
          tilesPerUnit = 0;
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_DENSE_H

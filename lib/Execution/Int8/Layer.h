// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers as 2-d convolutions of bytes.

#ifndef QBACKEND_LIB_EXECUTION_INT8_LAYER_H
#define QBACKEND_LIB_EXECUTION_INT8_LAYER_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend {

/// A 2-d convolution, and how a layer of another kind becomes one: what is done
/// to its input before, to its weight when it is compiled, and to its result.
/// Shapes are [batch, height, width, channels] and [out, height, width, in /
/// groups].
class Layer {
public:
  explicit Layer(qnnpack::LinearOp op);
  /// That of its sums.
  explicit Layer(qnnpack::LinearDynamicOp op);
  explicit Layer(qnnpack::Conv1dOp op);
  explicit Layer(qnnpack::Conv2dOp op);
  explicit Layer(qnnpack::Conv3dOp op);
  explicit Layer(qnnpack::ConvTranspose1dOp op);
  explicit Layer(qnnpack::ConvTranspose2dOp op);

  /// False: there is no such convolution, or one with too many zeros.
  bool isValid() const { return valid; }
  /// Whether a value of the result's shape can be read in the place of a sum.
  bool keepsPixels() const { return phases.empty(); }

  /// The elements of the convolution's weight, from those of the layer's.
  llvm::SmallVector<int8_t>
  arrangeWeight(llvm::ArrayRef<int8_t> elements) const;
  /// Whether arrangeWeight gives what it gets.
  bool keepsWeight() const { return isSame; }
  /// `values` has one for each output of the layer.
  template <typename T>
  llvm::SmallVector<T> arrangeOutputs(llvm::ArrayRef<T> values) const {
    llvm::SmallVector<T> result;
    for (int64_t o = 0; o < output[3]; ++o)
      result.push_back(values[getOutput(o)]);
    return result;
  }

  /// What the convolution reads, of bytes of the layer's shape; a byte outside
  /// of the image is `padding`.
  mlir::Value takeInput(mlir::ImplicitLocOpBuilder &b, mlir::Value bytes,
                        int64_t padding) const;
  /// Bytes of the layer's result as pixels of the convolution's.
  mlir::Value takeResidual(mlir::ImplicitLocOpBuilder &b,
                           mlir::Value bytes) const;
  /// The layer's result, of the shape of `type`, from the convolution's.
  mlir::Value giveResult(mlir::ImplicitLocOpBuilder &b, mlir::Value bytes,
                         mlir::RankedTensorType type) const;

  llvm::SmallVector<int64_t> input, weight, output;
  llvm::SmallVector<int64_t> stride = {1, 1}, padding = {0, 0, 0, 0},
                             dilation = {1, 1};
  int64_t groups = 1;
  bool relu = false, mathematical = false;

private:
  template <typename OpT> void initializeRows(OpT op);
  template <typename OpT> void initialize(OpT op);
  /// A convolution of one or two dimensions that is not transposed.
  template <typename OpT> void initializeForward(OpT op);
  template <typename OpT> void cutInPhases(OpT op);
  void mergeGroups();
  /// The layer's output that is output `o` of the convolution.
  int64_t getOutput(int64_t o) const;

  /// A transposed convolution of stride s has s phases in each axis, which are
  /// outputs of one convolution: of the padded result, pixel p = t * s + r is
  /// phase r of pixel t. Pixels `first` to `last` of the input are read, and
  /// the result begins at `skip`.
  struct Phases {
    int64_t stride, dilation, first, last, skip;
  };
  llvm::SmallVector<Phases, 2> phases;
  /// Outputs of a group before it was cut in phases.
  int64_t phaseOutputs = 0;
  /// What the third axis of a window reads: pixels of `taps` images are the
  /// channels of one.
  struct Depth {
    int64_t taps, stride, dilation, front, back, images;
  };
  std::optional<Depth> depth;
  /// Rows of padding above and below the image that the convolution reads as
  /// its own. Channels that don't meet are read where they are, with what is
  /// outside of a row, instead of a copy; who computes the image leaves room.
  std::array<int64_t, 2> padded = {0, 0};
  /// The shape of the layer's weight, with dimensions of size 1 in front of the
  /// others of a window, up to three.
  llvm::SmallVector<int64_t> original;
  /// Groups that became one, with zeros for what one doesn't read of another.
  int64_t merged = 1;
  bool valid = true, isSame = true;
};

} // namespace qbackend

#endif // QBACKEND_LIB_EXECUTION_INT8_LAYER_H

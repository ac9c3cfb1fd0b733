// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the kernel of a quantized operator.

#ifndef QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELBUILDER_H
#define QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELBUILDER_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/IR/Builders.h"

namespace qbackend {

/// The operator's inputs, parameters and result are known to fit its kind; what
/// a kernel asks for beyond that is for its verifier to say.
class KernelBuilder {
public:
  /// `builder` is where the result `type` is needed. `forTosa` if the module
  /// ends in TOSA, whose compilers don't have the engine's faults.
  KernelBuilder(OperatorOp op, mlir::OpBuilder &builder,
                mlir::RankedTensorType type, bool forTosa);

  /// The result of the kernel.
  OrRefusal<mlir::Value> build();

private:
  /// Calls the `create` of a kind.
  friend class KernelTable;

  template <typename OpT, typename... Args>
  mlir::Value make(mlir::Type type, Args &&...args) {
    return OpT::create(builder, loc, type, std::forward<Args>(args)...)
        ->getResult(0);
  }
  /// Of the operator's result type.
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    return make<OpT>(mlir::Type(type), std::forward<Args>(args)...);
  }
  /// Whether the module came with the parameters, so that what it computes
  /// holds, not what the engine makes of it.
  bool isImported() {
    QuantizedAttr quantized = op.getQuantized();
    return quantized && quantized.getImported();
  }
  OrRefusal<mlir::Value> createStatic();
  mlir::Value createKernel();
  /// `value` with the parameters `element`, if it has others.
  mlir::Value createRequantize(mlir::Value value,
                               mlir::quant::UniformQuantizedType element);
  mlir::UnitAttr getRelu();
  mlir::UnitAttr getFlag(bool value);
  /// A vector of as many times `value`.
  mlir::Value createSplat(float value, llvm::ArrayRef<int64_t> shape);
  /// The weight, or the bias, of a normalization over elements of `shape`;
  /// `missing` times 1 in its place.
  mlir::Value getParameter(mlir::Value operand, float missing,
                           llvm::ArrayRef<int64_t> shape);

  // Weighted.
  mlir::Value getWeight();
  bool hasKnownBias();
  mlir::Value getBias();
  template <typename OpT, typename KindT>
  mlir::Value createConvolution(KindT kind);
  template <typename OpT, typename KindT>
  mlir::Value createTransposed(KindT kind);
  mlir::Value create(Conv1dAttr kind);
  mlir::Value create(Conv2dAttr kind);
  mlir::Value create(Conv3dAttr kind);
  mlir::Value create(ConvTranspose1dAttr kind);
  mlir::Value create(ConvTranspose2dAttr kind);
  mlir::Value create(LinearAttr kind);
  OrRefusal<mlir::Value> createLinearDynamic();
  OrRefusal<mlir::Value> createEmbedding();

  // Binary, concatenation.
  /// A tensor of one element, `number`, of the storage of the inputs.
  mlir::Value createQuantizedNumber(double number);
  mlir::Value create(AddAttr kind);
  mlir::Value create(MulAttr kind);
  mlir::Value create(CatAttr kind);

  // Pooling.
  mlir::Value createMaxPool(mlir::Value input, mlir::RankedTensorType type,
                            MaxPool2dAttr kind);
  mlir::Value createAvgPool(mlir::Value input, mlir::RankedTensorType type,
                            AvgPool2dAttr kind);
  /// A kernel on images of height 1, in the place of one on sequences.
  mlir::Value createOnImage(
      llvm::function_ref<mlir::Value(mlir::Value, mlir::RankedTensorType)>
          create);
  mlir::Value createAdaptiveAvgPool(mlir::Value input,
                                    mlir::RankedTensorType type);
  mlir::Value create(MaxPool1dAttr kind);
  mlir::Value create(MaxPool2dAttr kind);
  mlir::Value create(AvgPool1dAttr kind);
  mlir::Value create(AvgPool2dAttr kind);
  mlir::Value create(AdaptiveAvgPool1dAttr kind);
  mlir::Value create(AdaptiveAvgPool2dAttr kind);
  mlir::Value create(MeanAttr kind);

  // Activations.
  mlir::Value createClamp(double min, double max);
  mlir::Value create(ReluAttr kind);
  mlir::Value create(Relu6Attr kind);
  mlir::Value create(HardtanhAttr kind);
  mlir::Value create(ClampAttr kind);
  mlir::Value create(SigmoidAttr kind);
  mlir::Value create(HardsigmoidAttr kind);
  mlir::Value create(HardswishAttr kind);
  mlir::Value create(TanhAttr kind);
  mlir::Value create(LeakyReluAttr kind);
  mlir::Value create(EluAttr kind);
  mlir::Value create(CeluAttr kind);
  mlir::Value create(PreluAttr kind);
  mlir::Value create(SoftmaxAttr kind);

  // Normalization.
  template <typename KindT> mlir::Value createBatchNorm(KindT kind);
  template <typename KindT> mlir::Value createInstanceNorm(KindT kind);
  mlir::Value create(BatchNorm1dAttr kind);
  mlir::Value create(BatchNorm2dAttr kind);
  mlir::Value create(BatchNorm3dAttr kind);
  mlir::Value create(LayerNormAttr kind);
  mlir::Value create(InstanceNorm1dAttr kind);
  mlir::Value create(InstanceNorm2dAttr kind);
  mlir::Value create(InstanceNorm3dAttr kind);
  mlir::Value create(GroupNormAttr kind);

  // Shape.
  mlir::Value createReshape(mlir::Value input, llvm::ArrayRef<int64_t> shape);
  mlir::Value createTranspose(mlir::Value input,
                              llvm::ArrayRef<int64_t> permutation);
  /// What `create` makes of the input, and of the type of the result, with the
  /// dimensions `axes` moved to the end; in the order of the result again.
  mlir::Value createWithLast(
      llvm::ArrayRef<int64_t> axes,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::RankedTensorType)>
          create);
  mlir::Value create(FlattenAttr kind);
  mlir::Value create(ReshapeAttr kind);
  mlir::Value create(TransposeAttr kind);
  mlir::Value create(NarrowAttr kind);
  mlir::Value create(PadAttr kind);
  mlir::Value create(RepeatAttr kind);
  mlir::Value create(PixelShuffleAttr kind);
  mlir::Value create(PixelUnshuffleAttr kind);
  mlir::Value create(ChannelShuffleAttr kind);
  mlir::Value create(InterpolateAttr kind);

  OperatorOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> inputs;
  bool relu, forTosa;
};

} // namespace qbackend

#endif // QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELBUILDER_H

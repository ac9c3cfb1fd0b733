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

/// The least and the largest number.
struct Limits {
  double min, max;
};

/// Those of a kind that does nothing but clamp, a relu among them; nothing if
/// `kind` is none.
std::optional<Limits> getLimits(mlir::Attribute kind);

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
  mlir::UnitAttr getRelu();
  mlir::UnitAttr getFlag(bool value);
  /// A vector of as many times `value`.
  mlir::Value createSplat(float value, llvm::ArrayRef<int64_t> shape);
  /// The weight, or the bias, of a normalization over elements of `shape`;
  /// `missing` times 1 in its place.
  mlir::Value getParameter(mlir::Value operand, float missing,
                           llvm::ArrayRef<int64_t> shape);

  /// The fixed-point multipliers of what `op` sums up, products of integers of
  /// the types `lhs` and `rhs`, by its qbackend.requantization; null where it
  /// has none, or the engine's. Where there are none, the kernel is refused.
  qnnpack::RequantizationAttr getRequantization(mlir::Type lhs, mlir::Type rhs);
  /// Those of a sum of two tensors: of each operand, and of the result; all
  /// null, or none.
  struct AddRequantizations {
    qnnpack::RequantizationAttr result, lhs, rhs;
  };
  AddRequantizations getAddRequantizations();
  /// Refuses the kernel, and is true, if the pattern asks for multipliers: the
  /// engine gives a sum or product with a number other parameters.
  bool refusesScalar();

  /// The weight as integers; null unless convert has quantized it.
  mlir::Value getWeight();
  /// The bias as the int32 constant that convert has made of it, in int64 for
  /// 16-bit activations; null if there is none.
  mlir::Value getBias();
  /// Whether there is no bias, or one that convert has quantized.
  bool hasKnownBias();

  mlir::Value createClamp(mlir::Value input, Limits limits);
  mlir::Value createReshape(mlir::Value input, llvm::ArrayRef<int64_t> shape);
  mlir::Value createTranspose(mlir::Value input,
                              llvm::ArrayRef<int64_t> permutation);
  /// What `create` makes of the input, and of the type of the result, with the
  /// dimensions `axes` moved to the end; in the order of the result again.
  mlir::Value createWithLast(
      llvm::ArrayRef<int64_t> axes,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::RankedTensorType)>
          create);

  OperatorOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> inputs;
  bool relu, forTosa;

private:
  /// The bias as it is before that.
  mlir::Value getStoredBias();
  /// Of the numbers `values`; null, and the kernel is refused, if there are
  /// none.
  qnnpack::RequantizationAttr
  createRequantization(llvm::ArrayRef<double> values, int64_t leftShift = 0);
  /// Refuses the kernel: its pattern asks for what there is none of.
  void refuseRequantization(const llvm::Twine &reason);

  OrRefusal<mlir::Value> createStatic();
  OrRefusal<mlir::Value> createLinearDynamic();
  OrRefusal<mlir::Value> createEmbedding();
  mlir::Value createKernel();
  /// `value` with the parameters `element`, if it has others.
  mlir::Value createRequantize(mlir::Value value,
                               mlir::quant::UniformQuantizedType element);

  /// Why there is no kernel with what the pattern asks for; else empty.
  std::string refusal;
};

} // namespace qbackend

#endif // QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELBUILDER_H

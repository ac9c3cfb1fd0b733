// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the floating-point operations of code that is no operator.

#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;

static int64_t countElementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? countElements(type.getShape()) : 0;
}

int64_t qbackend::countOperations(Operation *op) {
  bool isFloat = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  });
  if (!isFloat || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<linalg::FillOp, tosa::ReshapeOp, tosa::TransposeOp, tosa::SliceOp,
          tosa::PadOp, tosa::TileOp, tosa::ConcatOp, tosa::GatherOp,
          tosa::CastOp, tosa::IdentityOp, tosa::ReverseOp>(op) ||
      isa_and_nonnull<QBackendDialect, tensor::TensorDialect>(op->getDialect()))
    return 0;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    int64_t arithmetic = 0;
    for (Operation &inner : structured.getBlock()->without_terminator())
      arithmetic +=
          isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              inner.getDialect()) &&
          !inner.hasTrait<OpTrait::ConstantLike>() &&
          llvm::any_of(inner.getResultTypes(), llvm::IsaPred<FloatType>);
    SmallVector<int64_t> loops = structured.getStaticLoopRanges();
    return multiplyCounts(arithmetic, countElements(loops));
  }
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                      tosa::TosaDialect>(op->getDialect()))
    return countElementsOf(op->getResult(0));
  return 0;
}

/// Of ops that multiply by `Mul` and sum up by `Add`.
template <typename Mul, typename Add>
static int64_t countProducts(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    bool multiplies = false, adds = false;
    for (Operation &inner : structured.getBlock()->without_terminator()) {
      // Positions are no numbers of a network.
      if (inner.getNumResults() != 1 || inner.getResult(0).getType().isIndex())
        continue;
      multiplies |= isa<Mul>(inner);
      adds |= isa<Add>(inner);
    }
    SmallVector<int64_t> loops = structured.getStaticLoopRanges();
    return multiplies && adds && structured.getNumReductionLoops() > 0
               ? countElements(loops)
               : 0;
  }
  // Elements of `a`, times those of dimensions `from` to `to` of `b`.
  auto product = [](Value a, Value b, unsigned from, unsigned to) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(b.getType());
    return type ? multiplyCounts(
                      countElementsOf(a),
                      countElements(type.getShape().slice(from, to - from)))
                : 0;
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](tosa::MatMulOp matmul) {
        return product(matmul.getOutput(), matmul.getA(), 2, 3);
      })
      // Channels of the output, window, channels of the input.
      .Case([&](tosa::Conv2DOp convolution) {
        return product(convolution.getOutput(), convolution.getWeight(), 1, 4);
      })
      .Case([&](tosa::Conv3DOp convolution) {
        return product(convolution.getOutput(), convolution.getWeight(), 1, 5);
      })
      // Window, channels, multiplier.
      .Case([&](tosa::DepthwiseConv2DOp convolution) {
        return product(convolution.getOutput(), convolution.getWeight(), 0, 2);
      })
      // Channels of the output, window, channels of the input.
      .Case([&](tosa::TransposeConv2DOp convolution) {
        return product(convolution.getInput(), convolution.getWeight(), 0, 3);
      })
      .Default([](Operation *) { return 0; });
}

static bool hasIntegers(Operation *op) {
  return op->getNumResults() == 1 &&
         getElementTypeOrSelf(op->getResult(0).getType()).isSignlessInteger();
}

int64_t qbackend::countMultiplyAccumulates(Operation *op) {
  return hasIntegers(op) ? 0 : countProducts<arith::MulFOp, arith::AddFOp>(op);
}

int64_t qbackend::countIntegerMultiplyAccumulates(Operation *op) {
  return hasIntegers(op) ? countProducts<arith::MulIOp, arith::AddIOp>(op) : 0;
}

std::string qbackend::getForeignType(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  bool isBuffered = structured && structured.hasPureBufferSemantics() &&
                    !isa<linalg::FillOp, linalg::CopyOp>(op);
  if (isBuffered)
    return "memref";
  if (countOperations(op) == 0)
    return {};
  for (Type result : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(result);
    if (!tensor || !isa<FloatType>(tensor.getElementType()) ||
        tensor.getElementType().isF32())
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << tensor.getElementType();
    return text;
  }
  return {};
}

bool qbackend::isForeign(Operation *op, Operation *root) {
  return op != root && op->getNumRegions() != 0 &&
         (!op->isRegistered() || op->hasTrait<OpTrait::SymbolTable>());
}

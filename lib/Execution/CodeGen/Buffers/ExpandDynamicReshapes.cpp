// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes that upstream's lowering can't to views.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_EXPANDDYNAMICRESHAPESPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

static void lower(memref::ExpandShapeOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MemRefType type = op.getResultType();
  SmallVector<int64_t> staticStrides;
  int64_t staticOffset;
  if (failed(type.getStridesAndOffset(staticStrides, staticOffset)))
    return;
  auto source = memref::ExtractStridedMetadataOp::create(b, op.getSrc());
  auto get = [&](OpFoldResult number) -> Value {
    if (auto value = dyn_cast<Value>(number))
      return value;
    return arith::ConstantIndexOp::create(b, *getConstantIntValue(number));
  };
  // What the type knows has to be an attribute, the rest a value.
  auto choose = [&](int64_t known, Value value) -> OpFoldResult {
    return ShapedType::isDynamic(known) ? OpFoldResult(value)
                                        : b.getIndexAttr(known);
  };
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(),
                            strides(sizes.size());
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value stride = source.getStrides()[i];
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = choose(staticStrides[dim], stride);
      stride = arith::MulIOp::create(b, stride, get(sizes[dim]));
    }
  }
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      size = get(size);
  op.replaceAllUsesWith(memref::ReinterpretCastOp::create(
                            b, type, source.getBaseBuffer(),
                            choose(staticOffset, source.getOffset()), sizes,
                            strides)
                            .getResult());
  op.erase();
}

namespace {
struct ExpandDynamicReshapesPass
    : qbackend::codegen::impl::ExpandDynamicReshapesPassBase<
          ExpandDynamicReshapesPass> {
  void runOnOperation() final {
    getOperation()->walk([](memref::ExpandShapeOp op) {
      auto type = op.getResultType();
      if (llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
            return llvm::count_if(group, [&](int64_t dim) {
                     return type.isDynamicDim(dim);
                   }) > 1;
          }))
        lower(op);
    });
  }
};
} // namespace

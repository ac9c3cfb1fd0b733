// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TOSA to linalg on tensors. Its dozen passes take a while on a large module,
// and most have no op of it.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_LOWERTOSAPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

// transpose_conv2d(x, w, stride) -> transpose_conv2d(x', w, 1), where x' has
// stride - 1 zeros between the pixels of x
//
// Upstream pads the weight of a strided one with zeros of the type of x, which
// is not its own if x has 16 bits.
static void spreadPixels(tosa::TransposeConv2DOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !type.getElementType().isInteger(16) || type.isDynamicDim(1) ||
      type.isDynamicDim(2) ||
      llvm::all_of(op.getStride(), [](int64_t stride) { return stride == 1; }))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(b, op.getLoc(), op.getInput()),
      strides(4, b.getIndexAttr(1)), shape = sizes;
  for (auto [i, stride] : llvm::enumerate(op.getStride())) {
    strides[1 + i] = b.getIndexAttr(stride);
    shape[1 + i] = b.getIndexAttr((type.getDimSize(1 + i) - 1) * stride + 1);
  }
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  Value empty = tensor::EmptyOp::create(b, shape, type.getElementType());
  Value zeros = linalg::FillOp::create(b, zero, empty).getResult(0);
  op.getInputMutable().assign(tensor::InsertSliceOp::create(
      b, op.getInput(), zeros, offsets, sizes, strides));
  op.setStride({1, 1});
}

// resize(x, offset) -> resize(x', offset + scale), where x' has the first row,
// or column, of x twice
//
// A position before the first pixel is between it and itself. Upstream divides
// it by the scale towards 0, and so goes on beyond it with what is behind.
static void repeatFirstPixels(tosa::ResizeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  SmallVector<int64_t> scale, offset;
  if (!type || !type.getElementType().isInteger() ||
      op.getMode() != tosa::ResizeMode::BILINEAR || type.isDynamicDim(1) ||
      type.isDynamicDim(2) ||
      !tosa::getConstShapeValues(op.getScale().getDefiningOp(), scale) ||
      !tosa::getConstShapeValues(op.getOffset().getDefiningOp(), offset) ||
      llvm::all_of(offset, [](int64_t first) { return first >= 0; }))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value image = op.getInput();
  for (unsigned i : {0, 1}) {
    if (offset[i] >= 0)
      continue;
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(b, op.getLoc(), image),
        strides(4, b.getIndexAttr(1));
    sizes[1 + i] = b.getIndexAttr(1);
    Value pixels =
        tensor::ExtractSliceOp::create(b, image, offsets, sizes, strides);
    image = tensor::ConcatOp::create(b, 1 + i, ValueRange{pixels, image});
    offset[i] += scale[2 * i];
  }
  op.getInputMutable().assign(image);
  op.getOffsetMutable().assign(
      tosa::ConstShapeOp::create(b, tosa::shapeType::get(b.getContext(), 2),
                                 b.getIndexTensorAttr(offset)));
}

namespace {
struct LowerTosaPass
    : qbackend::codegen::impl::LowerTosaPassBase<LowerTosaPass> {
  LowerTosaPass() : passes(ModuleOp::getOperationName()) {
    // Control flow first: what is inside of it is lowered like the rest.
    passes.nest<func::FuncOp>().addPass(createTosaToSCFPass());
    tosa::addTosaToLinalgPasses(passes, TosaToLinalgOptions(),
                                TosaToLinalgNamedOptions(),
                                /*validationOptions=*/std::nullopt);
    TosaToArithPassOptions options;
    options.includeApplyRescale = true;
    OpPassManager &nested = passes.nest<func::FuncOp>();
    nested.addPass(createTosaToTensorPass());
    nested.addPass(createTosaToArithPass(options));
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    bool isFound =
        getOperation()
            ->walk([](Operation *op) {
              return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (!isFound)
      return;
    getOperation()->walk(spreadPixels);
    getOperation()->walk(repeatFirstPixels);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  OpPassManager passes;
};
} // namespace

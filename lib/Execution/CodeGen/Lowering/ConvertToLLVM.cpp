// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars, branches, functions and buffers to the llvm dialect in one
// conversion: each one walks all that there is. Upstream's `convert-to-llvm`
// does the same, but has no options of indices, calls and allocations.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/DialectConversion.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Whether the ops of `function` can be converted beside those of others: it is
/// a kernel, and has nothing that declares what it calls in the module.
static bool isIndependent(func::FuncOp function) {
  auto declares = [](Operation *op) {
    return isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) ||
                   isa<cf::AssertOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return qbackend::codegen::isKernel(function) &&
         !function.getBody().walk(declares).wasInterrupted();
}

namespace {
struct ConvertToLLVMPass
    : qbackend::codegen::impl::ConvertToLLVMPassBase<ConvertToLLVMPass> {
  using ConvertToLLVMPassBase::ConvertToLLVMPassBase;

  void runOnOperation() final {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isIndependent(function))
        kernels.push_back(function);
    // The patterns are made once for each group.
    constexpr size_t groups = 8;
    if (failed(failableParallelForEach(
            &getContext(), llvm::seq<size_t>(0, groups),
            [&](size_t group) {
              SmallVector<Operation *> own;
              for (size_t i = group; i < kernels.size(); i += groups)
                own.push_back(kernels[i]);
              return own.empty() ? success() : convert(own, nullptr);
            })) ||
        failed(convert({getOperation()}, &getAnalysis<DataLayoutAnalysis>())))
      signalPassFailure();
  }

  /// Converts `ops`, or without `layouts`, which are not for several threads,
  /// the ops in functions.
  LogicalResult convert(ArrayRef<Operation *> ops,
                        const DataLayoutAnalysis *layouts) {
    LowerToLLVMOptions options(&getContext(), DataLayout(getOperation()));
    options.useBarePtrCallConv = barePointers;
    // aligned_alloc keeps the pointer's origin visible to LLVM; aligning the
    // result of malloc by hand would hide that buffers do not overlap.
    options.allocLowering = LowerToLLVMOptions::AllocLowering::AlignedAlloc;
    if (auto layout = getOperation()->getAttrOfType<StringAttr>(
            LLVM::LLVMDialect::getDataLayoutAttrName()))
      options.dataLayout = llvm::DataLayout(layout.getValue());
    if (indexBits != 0)
      options.overrideIndexBitwidth(indexBits);
    LLVMTypeConverter converter(&getContext(), options, layouts);
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    if (layouts) {
      populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                     &symbols);
      populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
      cf::populateAssertToLLVMConversionPattern(
          converter, patterns, /*abortOnFailure=*/true, &symbols);
    }
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    target.addIllegalDialect<index::IndexDialect>();
    return applyPartialConversion(ops, target, std::move(patterns));
  }
};
} // namespace

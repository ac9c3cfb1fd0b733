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
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct ConvertToLLVMPass
    : qbackend::codegen::impl::ConvertToLLVMPassBase<ConvertToLLVMPass> {
  using ConvertToLLVMPassBase::ConvertToLLVMPassBase;

  void runOnOperation() final {
    const auto &analysis = getAnalysis<DataLayoutAnalysis>();
    LowerToLLVMOptions options(&getContext(),
                               analysis.getAtOrAbove(getOperation()));
    options.useBarePtrCallConv = barePointers;
    // aligned_alloc keeps the pointer's origin visible to LLVM; aligning the
    // result of malloc by hand would hide that buffers do not overlap.
    options.allocLowering = LowerToLLVMOptions::AllocLowering::AlignedAlloc;
    if (auto layout = getOperation()->getAttrOfType<StringAttr>(
            LLVM::LLVMDialect::getDataLayoutAttrName()))
      options.dataLayout = llvm::DataLayout(layout.getValue());
    if (indexBits != 0)
      options.overrideIndexBitwidth(indexBits);
    LLVMTypeConverter converter(&getContext(), options, &analysis);
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                   &symbols);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    cf::populateAssertToLLVMConversionPattern(
        converter, patterns, /*abortOnFailure=*/true, &symbols);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    target.addIllegalDialect<index::IndexDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline from upstream tensor dialects to the llvm dialect, and the
// dialects and interfaces that it needs.

#include "Float/Vectorize.h"

#include "Kernels/GenerateKernels.h"
#include "PlaceBuffers.h"

#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MLProgram/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

void qbackend::codegen::registerCodeGenDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, index::IndexDialect, int8::Int8Dialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, ml_program::MLProgramDialect,
                  scf::SCFDialect, shape::ShapeDialect, tensor::TensorDialect,
                  tosa::TosaDialect, ub::UBDialect, vector::VectorDialect>();

  func::registerInlinerExtension(registry);
  int8::registerBufferizableOpInterfaceExternalModels(registry);

  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  linalg::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);

  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  ml_program::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);

  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
}

namespace {
/// Ops that no later pass takes: linalg.softmax -> the ops that it is made of,
/// ml_program.global_load_const -> arith.constant.
struct ExpandOpsPass : PassWrapper<ExpandOpsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandOpsPass)

  StringRef getArgument() const final { return "qbackend-expand-ops"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::AggregatedOpInterface> aggregates;
    SmallVector<ml_program::GlobalLoadConstOp> loads;
    SmallVector<Operation *> packs;
    getOperation().walk([&](Operation *op) {
      if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op))
        aggregates.push_back(aggregate);
      if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
        loads.push_back(load);
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        packs.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : aggregates) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (succeeded(results))
        rewriter.replaceOp(op, *results);
    }
    // What can't be taken apart stays, and is an error later.
    for (Operation *op : packs) {
      rewriter.setInsertionPoint(op);
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        (void)linalg::lowerPack(rewriter, pack);
      else
        (void)linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op));
    }
    for (ml_program::GlobalLoadConstOp op : loads) {
      // The verifier wants a global with a value; it may be external.
      auto global = symbols.lookup<ml_program::GlobalOp>(
          op.getGlobal().getLeafReference());
      auto value = global ? dyn_cast_or_null<TypedAttr>(
                                global.getValue().value_or(Attribute()))
                          : TypedAttr();
      if (!value || value.getType() != op.getType()) {
        op.emitOpError() << "reads a global without a value; give it one, or "
                            "pass it as an argument";
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    }
    eraseGlobals();
  }

  /// Bufferization makes a buffer of each global, and can't of a number.
  void eraseGlobals() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto global : llvm::make_early_inc_range(
             getOperation().getOps<ml_program::GlobalOp>())) {
      if (users.useEmpty(global)) {
        global.erase();
      } else if (!isa<TensorType>(global.getType())) {
        global.emitOpError() << "is a number that is read as a variable; make "
                                "it a tensor of rank 0";
        return signalPassFailure();
      }
    }
  }
};

/// TOSA to linalg on tensors. Its dozen passes take a while on a large module,
/// and most have no op of it.
struct LowerTosaPass : PassWrapper<LowerTosaPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTosaPass)

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

  StringRef getArgument() const final { return "qbackend-lower-tosa"; }
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
    if (isFound && failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  OpPassManager passes;
};

/// Says that arguments of public functions are the caller's, and gives each
/// result a `tensor.empty` of its own: all results in one are one set of
/// aliases, in which the analysis compares each with each for each.
struct PrepareBufferizationPass
    : PassWrapper<PrepareBufferizationPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareBufferizationPass)

  StringRef getArgument() const final {
    return "qbackend-prepare-bufferization";
  }
  void runOnOperation() final {
    auto no = BoolAttr::get(&getContext(), false);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal()) {
        SmallVector<DictionaryAttr> arguments;
        function.getAllArgAttrs(arguments);
        for (auto [type, attributes] :
             llvm::zip_equal(function.getArgumentTypes(), arguments)) {
          if (!isa<TensorType>(type))
            continue;
          NamedAttrList marked(attributes);
          marked.set(bufferization::BufferizationDialect::kWritableAttrName,
                     no);
          attributes = marked.getDictionary(&getContext());
        }
        function.setAllArgAttrs(arguments);
      }
    // A result that is returned twice is two buffers of the caller.
    getOperation().walk([](func::ReturnOp op) {
      llvm::SmallDenseSet<Value> returned;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) &&
            !returned.insert(operand.get()).second)
          operand.set(bufferization::AllocTensorOp::create(
              builder, op.getLoc(),
              cast<RankedTensorType>(operand.get().getType()), ValueRange(),
              operand.get()));
    });
    getOperation().walk([](tensor::EmptyOp empty) {
      OpBuilder builder(empty);
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses()))
        if (!empty->hasOneUse())
          use.set(builder.clone(*empty)->getResult(0));
    });
  }
};

/// Code with an arena has no buffers that only a run tells which to free, as
/// those that take turns in a loop: upstream's helper for them takes
/// descriptors.
struct RefuseHelpersPass
    : PassWrapper<RefuseHelpersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefuseHelpersPass)

  StringRef getArgument() const final { return "qbackend-refuse-helpers"; }
  void runOnOperation() final {
    bool isRefused = false;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() != "dealloc_helper" || isRefused)
        return;
      isRefused = true;
      call.emitError("a loop carries a tensor in buffers that take turns, for "
                     "which code without a heap has no place; unroll the loop, "
                     "or run the network in memory (qbackend-run)");
    });
    if (isRefused)
      signalPassFailure();
  }
};

/// bufferization.dealloc of buffers that nothing else may be -> memref.dealloc.
/// What is left is compared each with each, by upstream's passes.
struct FreeBuffersPass
    : PassWrapper<FreeBuffersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FreeBuffersPass)

  StringRef getArgument() const final { return "qbackend-free-buffers"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<memref::MemRefDialect>();
  }
  void runOnOperation() final {
    SmallVector<bufferization::DeallocOp> ops;
    getOperation().walk(
        [&](bufferization::DeallocOp op) { ops.push_back(op); });
    for (bufferization::DeallocOp op : ops) {
      SmallVector<Value> memrefs, conditions;
      OpBuilder builder(op);
      for (auto [memref, condition] :
           llvm::zip(op.getMemrefs(), op.getConditions())) {
        auto alloc = memref.getDefiningOp<memref::AllocOp>();
        if (alloc && alloc->getBlock() == op->getBlock() &&
            matchPattern(condition, m_One()) && isFreedBy(alloc, op)) {
          memref::DeallocOp::create(builder, op.getLoc(), alloc);
          continue;
        }
        memrefs.push_back(memref);
        conditions.push_back(condition);
      }
      op.getMemrefsMutable().assign(memrefs);
      op.getConditionsMutable().assign(conditions);
    }
  }

  /// Whether `op` frees the buffer, which is known by no other name there.
  static bool isFreedBy(memref::AllocOp alloc, bufferization::DeallocOp op) {
    SmallVector<Value> aliases = {alloc.getMemref()};
    unsigned freed = 0;
    while (!aliases.empty()) {
      Value alias = aliases.pop_back_val();
      for (OpOperand &use : alias.getUses()) {
        Operation *user = use.getOwner();
        if (isa<bufferization::DeallocOp, memref::DeallocOp>(user)) {
          // As a buffer to be freed, not as one to be kept.
          if (user != op || use.getOperandNumber() >= op.getMemrefs().size() ||
              alias != alloc.getMemref())
            return false;
          ++freed;
          continue;
        }
        if (user->hasTrait<OpTrait::IsTerminator>())
          return false;
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType())) {
            if (!isa<ViewLikeOpInterface>(user))
              return false;
            aliases.push_back(result);
          }
      }
    }
    return freed == 1;
  }
};

/// What the vectorizer left of linalg -> loops.
struct LowerToLoopsPass
    : PassWrapper<LowerToLoopsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLoopsPass)

  StringRef getArgument() const final { return "qbackend-lower-to-loops"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<affine::AffineDialect, memref::MemRefDialect,
                    scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      // What has no loops stays, and is an error later.
      if (succeeded(linalg::linalgOpToLoops(rewriter, op)))
        rewriter.eraseOp(op);
    }
  }
};

/// Drops constants that nothing reads any more, and declares big ones instead
/// of defining them if there is a store.
struct PlaceConstantsPass
    : PassWrapper<PlaceConstantsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceConstantsPass)

  explicit PlaceConstantsPass(ConstantStore *store) : store(store) {}

  StringRef getArgument() const final { return "qbackend-place-constants"; }
  void runOnOperation() final {
    // Those that only packed copies were made of are gone.
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      if (users.useEmpty(global))
        global.erase();
    if (store)
      externalizeConstants(getOperation(), *store);
  }

  ConstantStore *store;
};

/// memref.copy -> linalg.generic, unless both sides are contiguous.
///
/// Contiguous copies become memcpy; the others would call a function of MLIR's
/// C runtime, which copies element by element and may not be installed.
struct ExpandStridedCopiesPass
    : PassWrapper<ExpandStridedCopiesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandStridedCopiesPass)

  StringRef getArgument() const final {
    return "qbackend-expand-strided-copies";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() final {
    getOperation().walk([](memref::CopyOp copy) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      if (!source || !target ||
          (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
        return;
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    });
  }
};

/// memref.expand_shape -> memref.reinterpret_cast where a dimension becomes
/// several that are only known at run time, which upstream's lowering can't.
struct ExpandDynamicReshapesPass
    : PassWrapper<ExpandDynamicReshapesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDynamicReshapesPass)

  StringRef getArgument() const final {
    return "qbackend-expand-dynamic-reshapes";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() final {
    getOperation().walk([](memref::ExpandShapeOp op) {
      auto type = op.getResultType();
      if (llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
            return llvm::count_if(group, [&](int64_t dim) {
                     return type.isDynamicDim(dim);
                   }) > 1;
          }))
        lower(op);
    });
  }

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
};

/// cf.assert -> a call of `qbackend_runtime_assert_failed`, which does not
/// return. The upstream lowering aborts the process.
struct LowerAssertsPass
    : PassWrapper<LowerAssertsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAssertsPass)

  explicit LowerAssertsPass(std::vector<std::string> *messages)
      : messages(messages) {}

  StringRef getArgument() const final { return "qbackend-lower-asserts"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect>();
  }
  void runOnOperation() final {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    if (asserts.empty())
      return;
    constexpr StringLiteral callee("qbackend_runtime_assert_failed");
    OpBuilder builder(getOperation().getBodyRegion());
    Type id = builder.getI64Type();
    if (!getOperation().lookupSymbol(callee))
      func::FuncOp::create(builder, getOperation().getLoc(), callee,
                           builder.getFunctionType({id}, {}))
          .setPrivate();
    for (cf::AssertOp op : asserts) {
      Location loc = op.getLoc();
      Block *block = op->getBlock();
      Block *passed = block->splitBlock(std::next(op->getIterator()));
      Block *failed = builder.createBlock(passed);
      Value index = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(id, messages->size()));
      messages->push_back(op.getMsg().str());
      func::CallOp::create(builder, loc, callee, TypeRange(), index);
      // Never reached; there is no unreachable before the llvm dialect.
      cf::BranchOp::create(builder, loc, passed);
      builder.setInsertionPoint(op);
      cf::CondBranchOp::create(builder, loc, op.getArg(), passed, failed);
      op.erase();
    }
  }

  std::vector<std::string> *messages;
};
} // namespace

void qbackend::codegen::buildLowerToLLVMPipeline(
    OpPassManager &pm, const LowerToLLVMOptions &options) {
  pm.addPass(std::make_unique<ExpandOpsPass>());
  pm.addPass(std::make_unique<LowerTosaPass>());
  {
    OpPassManager &nested = pm.nest<func::FuncOp>();
    nested.addPass(createConvertElementwiseToLinalgPass());
    nested.addPass(createCanonicalizerPass());
    nested.addPass(createCSEPass());
    nested.addPass(createFuseElementwisePass());
    nested.addPass(createTabulateBytesPass());
    if (options.checkBounds) {
      nested.addPass(createCheckBoundsPass());
      nested.addPass(createCanonicalizerPass());
    }
    nested.addPass(createExpandPadsPass());
    nested.addPass(createSplitReductionsPass());
    nested.addPass(createPlaceSumStagesPass());
  }

  // Tensors to buffers, each of which is freed once. What a function returns
  // belongs to its caller.
  pm.addPass(std::make_unique<PrepareBufferizationPass>());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (options.barePointers) {
    bufferization::BufferResultsToOutParamsPassOptions results;
    results.modifyPublicFunctions = true;
    results.hoistStaticAllocs = true;
    pm.addPass(bufferization::createBufferResultsToOutParamsPass(results));
  }
  // As bufferization::buildBufferDeallocationPipeline, with our own pass.
  pm.addPass(memref::createExpandReallocPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  pm.nest<func::FuncOp>().addPass(std::make_unique<FreeBuffersPass>());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  if (options.barePointers)
    pm.addPass(std::make_unique<RefuseHelpersPass>());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertBufferizationToMemRefPass());

  // Buffers to loops.
  pm.addPass(createGenerateKernelsPass(options.target, options.constants));
  pm.nest<func::FuncOp>().addPass(std::make_unique<ExpandStridedCopiesPass>());
  VectorizePassOptions vectorize;
  vectorize.triple = options.target.triple;
  vectorize.cpu = options.target.cpu;
  vectorize.features = options.target.features;
  vectorize.contract = options.contract;
  pm.addPass(createVectorizePass(vectorize, options.constants));
  pm.nest<func::FuncOp>().addPass(std::make_unique<LowerToLoopsPass>());
  OutlineLoopsPassOptions outline;
  outline.barePointers = options.barePointers;
  outline.parallel = options.target.parallel;
  pm.addPass(createOutlineLoopsPass(outline));
  pm.nest<func::FuncOp>().addPass(
      std::make_unique<ExpandDynamicReshapesPass>());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(std::make_unique<PlaceConstantsPass>(options.constants));
  PlaceBuffersPassOptions buffers;
  buffers.asArgument = options.barePointers;
  if (options.arenaBytes)
    *options.arenaBytes = -1;
  pm.addPass(createPlaceBuffersPass(buffers, options.arenaBytes));

  // Loops to the llvm dialect.
  {
    OpPassManager &nested = pm.nest<func::FuncOp>();
    nested.addPass(createConvertVectorToSCFPass());
  }
  pm.addPass(createSCFToControlFlowPass());
  if (options.assertMessages)
    pm.addPass(std::make_unique<LowerAssertsPass>(options.assertMessages));
  ConvertMathToLLVMPassOptions mathOptions;
  mathOptions.approximateLog1p = false;
  pm.nest<func::FuncOp>().addPass(createConvertMathToLLVMPass(mathOptions));
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createArithToLLVMConversionPass());
  // aligned_alloc keeps the pointer's origin visible to LLVM; aligning the
  // result of malloc by hand would hide that buffers do not overlap.
  FinalizeMemRefToLLVMConversionPassOptions memrefOptions;
  memrefOptions.useAlignedAlloc = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefOptions));
  ConvertFuncToLLVMPassOptions functionOptions;
  functionOptions.useBarePtrCallConv = options.barePointers;
  pm.addPass(createConvertFuncToLLVMPass(functionOptions));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFreezeNumbersPass());
  if (options.target.parallel)
    pm.addPass(createParallelizeCallsPass());
  pm.addPass(createSplitFunctionsPass());
  pm.addPass(createDefineHelpersPass({options.target.triple}));
}

namespace {
struct LowerToLLVMPipelineOptions
    : PassPipelineOptions<LowerToLLVMPipelineOptions> {
  Option<std::string> triple{
      *this, "target-triple",
      llvm::cl::desc("What LLVM calls the target; empty: this machine")};
  Option<std::string> cpu{
      *this, "target-cpu",
      llvm::cl::desc("What LLVM calls the processor; empty: this one without "
                     "a target-triple, else a generic one; 'native': this "
                     "one")};
  Option<std::string> features{
      *this, "target-features",
      llvm::cl::desc("Features besides those of the processor, such as +avx2")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Name of the target of generated kernels; empty: the best "
                     "one that the processor has the features for")};
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("Functions take what runs parts of them on threads, see "
                     "qbackend-parallelize-calls")};
  Option<bool> barePointers{
      *this, "bare-pointers",
      llvm::cl::desc("Functions take a pointer to the row-major elements of "
                     "each argument, then of each result")};
  Option<bool> contract{
      *this, "contract",
      llvm::cl::desc("Float products are not rounded before they are "
                     "added to a sum")};
  Option<bool> checkBounds{
      *this, "check-bounds",
      llvm::cl::desc("Assert that ops on tensors stay within them")};
};
} // namespace

void qbackend::codegen::registerLowerToLLVMPipeline() {
  PassPipelineRegistration<LowerToLLVMPipelineOptions>(
      "qbackend-lower-to-llvm",
      "from tosa, linalg and tensor to the llvm dialect, with vector code",
      [](OpPassManager &pm, const LowerToLLVMPipelineOptions &given) {
        LowerToLLVMOptions options;
        options.target = {given.triple, given.cpu, given.features, given.target,
                          given.parallel};
        options.barePointers = given.barePointers;
        options.contract = given.contract;
        options.checkBounds = given.checkBounds;
        buildLowerToLLVMPipeline(pm, options);
      });
}

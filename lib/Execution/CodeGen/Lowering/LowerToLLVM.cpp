// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipelines from upstream tensor dialects to the llvm dialect, and to loops
// over scalars.

#include "LowerToLLVM.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace qbackend::codegen;

/// The bits of an index. Descriptors of buffers, which functions without bare
/// pointers share with their callers, have 64.
static unsigned
getIndexBits(const qbackend::codegen::LowerToLLVMOptions &options) {
  llvm::Triple triple(options.target.triple);
  return options.barePointers && triple.isArch32Bit() ? 32 : 64;
}

/// Adds the passes from tensors to buffers, each of which is freed once. What a
/// function returns belongs to its caller.
static void addBufferize(OpPassManager &pm,
                         const qbackend::codegen::LowerToLLVMOptions &options,
                         bool vectorize) {
  pm.addPass(createExpandOpsPass());
  pm.addPass(createLowerTosaPass());
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
    if (vectorize)
      nested.addPass(createSplitReductionsPass());
    nested.addPass(createPlaceSumStagesPass());
    nested.addPass(createPrepareBufferizationPass());
  }

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
  pm.nest<func::FuncOp>().addPass(createFreeBuffersPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// Adds the passes from tensors to loops on buffers that have their places.
/// Without `vectorize` there are no vectors but those of kernels.
static void
addLowerToLoops(OpPassManager &pm,
                const qbackend::codegen::LowerToLLVMOptions &options,
                bool vectorize) {
  if (!options.onBuffers)
    addBufferize(pm, options, vectorize);
  pm.addPass(createGenerateKernelsPass(options.target, options.constants));
  pm.nest<func::FuncOp>().addPass(createExpandStridedCopiesPass());
  if (vectorize) {
    pm.nest<func::FuncOp>().addPass(createRequantizeByFloatsPass(
        {options.target.triple, options.target.cpu, options.target.features}));
    VectorizePassOptions vectors;
    vectors.triple = options.target.triple;
    vectors.cpu = options.target.cpu;
    vectors.features = options.target.features;
    vectors.contract = options.contract;
    pm.addPass(createVectorizePass(vectors, options.constants));
  }
  pm.nest<func::FuncOp>().addPass(createLowerToLoopsPass());
  pm.addPass(createRequantizeByIntegersPass(
      {options.target.triple, options.target.cpu, options.target.features,
       options.target.target}));
  OutlineLoopsPassOptions outline;
  outline.barePointers = options.barePointers;
  outline.parallel = options.target.parallel;
  pm.addPass(createOutlineLoopsPass(outline));
  {
    // Of functions, as threads take one each.
    OpPassManager &nested = pm.nest<func::FuncOp>();
    nested.addPass(createForFunctionsWithPass(
        {"memref", "affine"}, [](OpPassManager &views) {
          views.addPass(createExpandDynamicReshapesPass());
          views.addPass(memref::createExpandStridedMetadataPass());
          views.addPass(createLowerAffinePass());
        }));
    nested.addPass(createCanonicalizerPass());
    nested.addPass(createCSEPass());
  }
  pm.addPass(createPlaceConstantsPass(options.constants));
  PlaceBuffersPassOptions buffers;
  buffers.asArgument = options.barePointers;
  buffers.fastBytes = options.fastBytes;
  if (options.arenaBytes)
    *options.arenaBytes = -1;
  pm.addPass(createPlaceBuffersPass(buffers, options.arenaBytes));
}

void qbackend::codegen::buildLowerToCPipeline(OpPassManager &pm,
                                              int64_t fastBytes) {
  LowerToLLVMOptions options;
  options.target.target = kPortableTarget;
  options.barePointers = true;
  options.fastBytes = fastBytes;
  addLowerToLoops(pm, options, /*vectorize=*/false);
  pm.nest<func::FuncOp>().addPass(createScalarizeVectorsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void qbackend::codegen::buildLowerToLLVMPipeline(
    OpPassManager &pm, const LowerToLLVMOptions &options) {
  addLowerToLoops(pm, options, /*vectorize=*/true);
  // Loops to the llvm dialect.
  unsigned indexBits = getIndexBits(options);
  pm.nest<func::FuncOp>().addPass(createForFunctionsWithPass(
      {"vector.transfer_read", "vector.transfer_write"},
      [](OpPassManager &transfers) {
        transfers.addPass(createConvertVectorToSCFPass());
      }));
  pm.nest<func::FuncOp>().addPass(createSCFToControlFlowPass());
  if (options.assertMessages)
    pm.addPass(createLowerAssertsPass(options.assertMessages));
  ConvertMathToLLVMPassOptions mathOptions;
  mathOptions.approximateLog1p = false;
  pm.nest<func::FuncOp>().addPass(
      createForFunctionsWithPass({"math"}, [&](OpPassManager &math) {
        math.addPass(createConvertMathToLLVMPass(mathOptions));
      }));
  pm.addPass(createConvertMathToLibmPass());
  // By function: no vector is printed, which would declare functions.
  pm.nest<func::FuncOp>().addPass(createConvertVectorToLLVMPass());
  pm.nest<func::FuncOp>().addPass(
      createForFunctionsWithPass({"affine"}, [](OpPassManager &affine) {
        affine.addPass(createLowerAffinePass());
      }));
  pm.addPass(qbackend::codegen::createConvertToLLVMPass(
      {indexBits, options.barePointers}));
  if (indexBits != 64)
    pm.addPass(createNarrowIndicesPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLegalizeFloatsPass(
      {options.target.triple, options.target.cpu, options.target.features}));
  pm.addPass(createFreezeNumbersPass());
  if (options.target.parallel)
    pm.addPass(createParallelizeCallsPass());
  SplitFunctionsPassOptions split;
  // A function with a C interface is called by its wrapper.
  split.openEntries = true;
  pm.addPass(createSplitFunctionsPass(split));
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
  Option<int64_t> fastBytes{
      *this, "fast-bytes",
      llvm::cl::desc("With bare-pointers: bytes of a second arena in fast "
                     "memory, see qbackend-place-buffers; -1: there is none"),
      llvm::cl::init(-1)};
  Option<bool> checkBounds{
      *this, "check-bounds",
      llvm::cl::desc("Assert that ops on tensors stay within them")};
};

struct LowerToCPipelineOptions : PassPipelineOptions<LowerToCPipelineOptions> {
  Option<int64_t> fastBytes{
      *this, "fast-bytes",
      llvm::cl::desc("Bytes of a second arena in fast memory, see "
                     "qbackend-place-buffers; -1: there is none"),
      llvm::cl::init(-1)};
};
} // namespace

void qbackend::codegen::registerLowerToLLVMPipeline() {
  PassPipelineRegistration<LowerToCPipelineOptions>(
      "qbackend-lower-to-c",
      "from tosa, linalg and tensor to loops over scalars, for "
      "qbackend-translate --qbackend-to-c",
      [](OpPassManager &pm, const LowerToCPipelineOptions &given) {
        buildLowerToCPipeline(pm, given.fastBytes);
      });
  PassPipelineRegistration<LowerToLLVMPipelineOptions>(
      "qbackend-lower-to-llvm",
      "from tosa, linalg and tensor to the llvm dialect, with vector code",
      [](OpPassManager &pm, const LowerToLLVMPipelineOptions &given) {
        LowerToLLVMOptions options;
        options.target = {given.triple, given.cpu, given.features, given.target,
                          given.parallel};
        options.barePointers = given.barePointers;
        options.contract = given.contract;
        options.fastBytes = given.fastBytes;
        options.checkBounds = given.checkBounds;
        buildLowerToLLVMPipeline(pm, options);
      });
}

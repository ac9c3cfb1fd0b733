// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of MLIR and of LLVM from a module to machine code.

#include "CompileModule.h"

#include "PrepareModule.h"

#include "qbackend/Execution/Runtime/Executable.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace llvm;
using namespace qbackend;
using namespace qbackend::runtime;
using mlir::ModuleOp;

void runtime::registerRuntimeDialects(mlir::DialectRegistry &registry) {
  codegen::registerCodeGenDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

Error runtime::lowerToLLVM(ModuleOp module,
                           const codegen::LowerToLLVMOptions &options) {
  std::string first;
  std::mutex mutex;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        std::lock_guard<std::mutex> lock(mutex);
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            first.empty()) {
          raw_string_ostream os(first);
          if (!isa<mlir::UnknownLoc>(diagnostic.getLocation()))
            os << diagnostic.getLocation() << ": ";
          os << diagnostic;
          // The op is not in the message, but in a note; one line is enough.
          for (mlir::Diagnostic &note : diagnostic.getNotes()) {
            std::string text = note.str();
            StringRef op = StringRef(text).split('\n').first;
            if (op.consume_front("see current operation: "))
              os << ": " << op.take_front(200);
          }
        }
        return mlir::success();
      });
  mlir::PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  codegen::buildLowerToLLVMPipeline(pm, options);
  if (failed(mlir::verify(module)) || failed(pm.run(module)) ||
      failed(mlir::verify(module)))
    return createStringError("cannot compile the module: " +
                             (first.empty() ? "a pass failed" : first));
  return Error::success();
}

bool runtime::requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  static const bool isGranted = [] {
    StringMap<bool> features = sys::getHostCPUFeatures();
    constexpr long requestPermission = 0x1023, tileData = 18;
    return features.lookup("amx-tile") && features.lookup("amx-int8") &&
           syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  }();
  return isGranted;
#else
  return false;
#endif
}

Expected<orc::JITTargetMachineBuilder> runtime::getTarget(unsigned optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  Expected<orc::JITTargetMachineBuilder> builder =
      orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // Results have to be the same on every processor: a contracted a*b+c is
  // rounded once instead of twice.
  builder->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  builder->setCodeGenOptLevel(static_cast<CodeGenOptLevel>(optLevel));
  // Constants may be anywhere in memory: their addresses are in a table.
  builder->setRelocationModel(Reloc::PIC_);
  builder->setCodeModel(CodeModel::Small);
  return builder;
}

/// How many blocks of a function jump threading may have: it looks for the
/// definition of each value in all of them, again for each branch that it
/// threads, of which a chain of branches on one condition has thousands.
static constexpr unsigned maxThreadedBlocks = 500;

/// What `pass` takes more than linear time for, and gives nothing here: nothing
/// is called by a pointer but what the runtime gives, and kernels have their
/// numbers before their loops.
static bool isTooLong(StringRef pass, Any ir) {
  if (pass == "CalledValuePropagationPass")
    return true;
  if (const auto **module = any_cast<const Module *>(&ir))
    return pass == "IPSCCPPass" &&
           any_of(**module, [](const Function &function) {
             return function.hasFnAttribute(codegen::kKernelAttribute);
           });
  const auto **function = any_cast<const Function *>(&ir);
  return pass == "JumpThreadingPass" && function &&
         (*function)->size() > maxThreadedBlocks;
}

/// Whether `ir` is a generated kernel, or of one.
static bool isKernel(Any ir) {
  const Function *function = nullptr;
  if (const auto **unit = any_cast<const Function *>(&ir))
    function = *unit;
  else if (const auto **unit = any_cast<const Loop *>(&ir))
    function = (*unit)->getHeader()->getParent();
  else if (const auto **unit = any_cast<const LazyCallGraph::SCC *>(&ir))
    function =
        (*unit)->size() == 1 ? &(*unit)->begin()->getFunction() : nullptr;
  return function && function->hasFnAttribute(codegen::kKernelAttribute);
}

/// Kernels have few passes of their own.
static void optimize(Module &module, TargetMachine &machine,
                     unsigned optLevel) {
  const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  PipelineTuningOptions tuning;
  // Unrolling windows makes large networks compile four times slower. What is
  // worth vectors comes with them: straight lines are what is between loops.
  tuning.LoopUnrolling = optLevel >= 3;
  tuning.LoopInterleaving = optLevel >= 2;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = optLevel >= 3;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  // Kernels are made as they should be: what is left to do is little, where the
  // whole pipeline would take most of the time for them.
  bool isKernelTurn = false;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, Any ir) {
    return isKernel(ir) == isKernelTurn && !isTooLong(pass, ir);
  });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  ModulePassManager pm =
      optLevel == 0 ? builder.buildO0DefaultPipeline(levels[0])
                    : builder.buildPerModuleDefaultPipeline(levels[optLevel]);
  pm.run(module, modules);
  if (optLevel == 0)
    return;
  FunctionPassManager kernelPasses;
  kernelPasses.addPass(EarlyCSEPass());
  kernelPasses.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  kernelPasses.addPass(SimplifyCFGPass());
  ModulePassManager kernelManager;
  kernelManager.addPass(
      createModuleToFunctionPassAdaptor(std::move(kernelPasses)));
  isKernelTurn = true;
  kernelManager.run(module, modules);
}

/// Which part of a module its kernels are in, and how many parts there are.
struct KernelParts {
  unsigned count = 1;
  DenseMap<const GlobalValue *, unsigned> parts;
};

/// Kernels are assigned to parts that are alike in size. What isn't a kernel is
/// in part 0: its functions are inlined into one another.
static KernelParts assignKernels(Module &module) {
  // The whole pipeline takes longer than the few passes of a kernel.
  constexpr size_t pipelineWeight = 4;
  // In instructions; below, to begin a part takes longer than it saves.
  constexpr size_t leastSize = 4000, mostParts = 8;
  size_t otherSize = 0, kernelSize = 0;
  SmallVector<std::pair<size_t, Function *>> kernels;
  for (Function &function : module) {
    size_t size = function.getInstructionCount();
    if (size != 0 && function.hasFnAttribute(codegen::kKernelAttribute)) {
      kernels.emplace_back(size, &function);
      kernelSize += size;
    } else {
      otherSize += pipelineWeight * size;
    }
  }
  KernelParts assigned;
  assigned.count = std::min(1 + kernelSize / leastSize, mostParts);
  std::vector<size_t> sizes(assigned.count, 0);
  sizes[0] = otherSize;
  stable_sort(kernels,
              [](const auto &a, const auto &b) { return a.first > b.first; });
  for (auto [size, kernel] : kernels) {
    auto least = min_element(sizes);
    *least += size;
    assigned.parts[kernel] = least - sizes.begin();
  }
  return assigned;
}

/// Whether `global` is compiled into each part that uses it.
static bool isCopied(const GlobalValue &global) {
  auto *variable = dyn_cast<GlobalVariable>(&global);
  return variable && variable->isConstant() && variable->hasLocalLinkage();
}

Expected<std::vector<std::unique_ptr<MemoryBuffer>>>
runtime::compileToObjects(std::unique_ptr<Module> module,
                          const orc::JITTargetMachineBuilder &target,
                          unsigned optLevel, mlir::MLIRContext *threads) {
  auto layout =
      orc::JITTargetMachineBuilder(target).getDefaultDataLayoutForTarget();
  if (!layout)
    return layout.takeError();
  module->setDataLayout(*layout);
  module->setTargetTriple(target.getTargetTriple());
  const KernelParts kernels = assignKernels(*module);
  const unsigned count = kernels.count;
  const DenseMap<const GlobalValue *, unsigned> &assigned = kernels.parts;
  // Parts may be anywhere in memory: what one has of another is called by its
  // name, and its address is in a table.
  if (count > 1)
    for (GlobalValue &global : module->global_values()) {
      bool isShared =
          assigned.contains(&global) || any_of(global.users(), [&](User *user) {
            auto *instruction = dyn_cast<Instruction>(user);
            return !instruction ||
                   assigned.contains(instruction->getFunction());
          });
      if (!global.hasLocalLinkage() || isCopied(global) || !isShared)
        continue;
      global.setLinkage(GlobalValue::ExternalLinkage);
      global.setDSOLocal(false);
    }
  // A context is used by one thread at a time.
  std::vector<SmallVector<char, 0>> bitcode(count);
  for (unsigned part = 1; part != count; ++part) {
    ValueToValueMapTy values;
    std::unique_ptr<Module> clone =
        CloneModule(*module, values, [&](const GlobalValue *global) {
          auto found = assigned.find(global);
          return found != assigned.end() ? found->second == part
                                         : isCopied(*global);
        });
    for (GlobalVariable &constant : make_early_inc_range(clone->globals()))
      if (constant.use_empty())
        constant.eraseFromParent();
    raw_svector_ostream os(bitcode[part]);
    WriteBitcodeToFile(*clone, os);
  }
  for (Function &function : *module)
    if (assigned.lookup(&function) != 0)
      function.deleteBody();

  std::vector<std::unique_ptr<MemoryBuffer>> objects(count);
  std::vector<std::optional<Error>> errors(count);
  auto compile = [&](Module &code) -> Expected<std::unique_ptr<MemoryBuffer>> {
    auto machine = orc::JITTargetMachineBuilder(target).createTargetMachine();
    if (!machine)
      return machine.takeError();
    optimize(code, **machine, optLevel);
    return orc::SimpleCompiler(**machine)(code);
  };
  mlir::parallelFor(threads, 0, count, [&](size_t part) {
    auto object = [&]() -> Expected<std::unique_ptr<MemoryBuffer>> {
      if (part == 0)
        return compile(*module);
      LLVMContext context;
      auto code = parseBitcodeFile(
          {StringRef(bitcode[part].data(), bitcode[part].size()), "kernels"},
          context);
      return code ? compile(**code) : code.takeError();
    }();
    if (object)
      objects[part] = std::move(*object);
    else
      errors[part] = object.takeError();
  });
  Error error = Error::success();
  for (std::optional<Error> &each : errors)
    if (each)
      error = joinErrors(std::move(error), std::move(*each));
  if (error)
    return std::move(error);
  return objects;
}

Error runtime::checkSymbols(const Module &module, const StringSet<> &symbols) {
  for (const GlobalObject &object : module.global_objects()) {
    StringRef name = object.getName();
    auto *function = dyn_cast<Function>(&object);
    if (!object.isDeclaration() || symbols.contains(name) ||
        (function && (function->isIntrinsic() || isRuntimeFunction(name))))
      continue;
    return createStringError("symbol '" + name +
                             "' is none of the runtime's; only the operators "
                             "of a network are run");
  }
  return Error::success();
}

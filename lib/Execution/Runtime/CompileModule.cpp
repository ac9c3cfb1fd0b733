// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of MLIR and of LLVM from a module to machine code.

#include "CompileModule.h"

#include "PrepareModule.h"
#include "SplitKernels.h"

#include "qbackend/Execution/Runtime/Executable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

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

/// Kernels have few passes of their own; with `isKernels` there is nothing
/// else.
static void optimize(Module &module, TargetMachine &machine, unsigned optLevel,
                     bool isKernels) {
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
  if (optLevel == 0) {
    builder.buildO0DefaultPipeline(levels[0]).run(module, modules);
    return;
  }
  if (!isKernels)
    builder.buildPerModuleDefaultPipeline(levels[optLevel])
        .run(module, modules);
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

/// Fails if `module` needs what is neither of the runtime nor in `symbols`: the
/// linker would find any function of this process.
static Error checkSymbols(const Module &module, const StringSet<> &symbols) {
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

namespace {
/// The addresses of kernels, and the order of their instructions, are made as
/// they should be: what looks for better ones takes a quarter of LLVM's time.
/// It asks for passes of loops by their name, and for others by their argument.
class KernelGate : public OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef /*ir*/) const override {
    return pass != "Loop Strength Reduction" && pass != "machine-scheduler";
  }
};
} // namespace

Expected<std::vector<std::unique_ptr<MemoryBuffer>>>
runtime::compileToObjects(mlir::OwningOpRef<ModuleOp> module,
                          const orc::JITTargetMachineBuilder &target,
                          unsigned optLevel, StringSet<> symbols,
                          function_ref<void(Module &)> complete) {
  mlir::MLIRContext *threads = module->getContext();
  auto layout =
      orc::JITTargetMachineBuilder(target).getDefaultDataLayoutForTarget();
  if (!layout)
    return layout.takeError();
  // What one part has, others may need.
  for (mlir::Operation &op : module->getOps()) {
    auto function = dyn_cast<mlir::LLVM::LLVMFuncOp>(op);
    auto global = dyn_cast<mlir::LLVM::GlobalOp>(op);
    if ((function && !function.isExternal()) ||
        (global && (global.getValueAttr() || global.getInitializerBlock())))
      symbols.insert(cast<mlir::SymbolOpInterface>(op).getName());
  }
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      threads, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            message.empty())
          message = diagnostic.str();
        return mlir::success();
      });
  std::vector<mlir::OwningOpRef<ModuleOp>> parts =
      splitKernels(std::move(module));
  auto compile = [&](size_t part) -> Expected<std::unique_ptr<MemoryBuffer>> {
    // A context is used by one thread at a time.
    LLVMContext context;
    KernelGate gate;
    auto builder = orc::JITTargetMachineBuilder(target);
    if (part != 0) {
      context.setOptPassGate(gate);
      builder.setCodeGenOptLevel(static_cast<CodeGenOptLevel>(
          std::min(optLevel, unsigned(CodeGenOptLevel::Less))));
    }
    auto machine = builder.createTargetMachine();
    if (!machine)
      return machine.takeError();
    std::unique_ptr<Module> code =
        mlir::translateModuleToLLVMIR(*parts[part], context);
    parts[part] = nullptr;
    if (!code)
      return createStringError("it is no LLVM IR");
    code->setDataLayout(*layout);
    code->setTargetTriple(target.getTargetTriple());
    if (part == 0)
      complete(*code);
    if (Error error = checkSymbols(*code, symbols))
      return std::move(error);
    optimize(*code, **machine, optLevel, /*isKernels=*/part != 0);
    return orc::SimpleCompiler(**machine)(*code);
  };
  std::vector<std::unique_ptr<MemoryBuffer>> objects(parts.size());
  std::vector<std::optional<Error>> errors(parts.size());
  mlir::parallelFor(threads, 0, parts.size(), [&](size_t part) {
    if (auto object = compile(part))
      objects[part] = std::move(*object);
    else
      errors[part] = object.takeError();
  });
  Error error = Error::success();
  for (std::optional<Error> &each : errors)
    if (each)
      error = joinErrors(std::move(error), std::move(*each));
  if (!error)
    return objects;
  if (!message.empty()) {
    consumeError(std::move(error));
    return createStringError(message);
  }
  return std::move(error);
}

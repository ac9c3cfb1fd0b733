// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module with ORC's LLJIT and calls it.

#include "qbackend/Runtime/Executable.h"

#include "LowerToLLVM.h"
#include "RunContext.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace llvm;
using namespace qbackend::arrays;
using namespace qbackend::runtime;
using mlir::ModuleOp;

/// The wrapper that takes an array of pointers to memref descriptors.
static constexpr StringLiteral wrapperName("qbackend_runtime_call");

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

namespace {
/// Where a failed assertion of the running function returns to.
struct AssertContext {
  std::jmp_buf environment;
  int64_t failed = -1;
};
} // namespace

static thread_local AssertContext *currentCall = nullptr;
static thread_local int64_t currentSample = -1;

SampleScope::SampleScope(int64_t sample) { currentSample = sample; }
SampleScope::~SampleScope() { currentSample = -1; }

int64_t Executable::getCurrentSample() { return currentSample; }

/// Leaves the compiled function. There are no C++ frames in between.
static void assertFailed(int64_t index) {
  currentCall->failed = index;
  std::longjmp(currentCall->environment, 1);
}

/// The algorithm of compiler-rt's __powisf2 and __powidf2, which libgcc does
/// not export.
template <typename T> static T powi(T base, int32_t exponent) {
  T result = 1;
  for (int64_t rest = std::abs(int64_t(exponent)); rest != 0; rest /= 2) {
    if (rest & 1)
      result *= base;
    base *= base;
  }
  return exponent < 0 ? 1 / result : result;
}

using WrapperFn = void (*)(void **);

/// Returns -1, or the index of the assertion that failed. Holds nothing that
/// would have to be destroyed when longjmp skips it.
[[gnu::noinline]] static int64_t invoke(WrapperFn function, void **arguments) {
  AssertContext context;
  AssertContext *outer = currentCall;
  currentCall = &context;
  if (setjmp(context.environment) == 0)
    function(arguments);
  currentCall = outer;
  return context.failed;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

std::string TensorSignature::str() const {
  return (getElementName(type) + " " + formatShape(shape)).str();
}

static std::optional<ElementType> getElementType(mlir::Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isF16())
    return ElementType::F16;
  if (type.isIndex())
    return ElementType::I64;
  auto integer = dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

static std::string printType(mlir::Type type) {
  std::string text;
  raw_string_ostream os(text);
  type.print(os);
  return text;
}

static Expected<TensorSignature> getSignature(mlir::Type type, StringRef entry,
                                              StringRef what, unsigned index) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  std::optional<ElementType> element =
      tensor ? getElementType(tensor.getElementType()) : std::nullopt;
  if (!element)
    return createStringError(
        what + " " + Twine(index) + " of '" + entry + "' is a " +
        printType(type) +
        "; it has to be a ranked tensor of f16, f32, f64, i1, i8, i16, i32 or "
        "i64");
  TensorSignature signature{*element, {}};
  for (int64_t extent : tensor.getShape())
    signature.shape.push_back(mlir::ShapedType::isDynamic(extent) ? -1
                                                                  : extent);
  return signature;
}

/// Returns whether an array of type `array` holds what `signature` asks for.
static bool isCompatible(ElementType signature, ElementType array) {
  return signature == array ||
         (isInteger(signature) && isInteger(array) &&
          getElementSize(signature) == getElementSize(array));
}

//===----------------------------------------------------------------------===//
// Preparation of the module
//===----------------------------------------------------------------------===//

/// Marks `entry` as what is called from outside, other functions as internal,
/// and says that hooks only read. Reports what the pipeline would miscompile.
static Error prepareModule(ModuleOp module, mlir::func::FuncOp entry) {
  mlir::Builder builder(module.getContext());
  mlir::UnitAttr unit = builder.getUnitAttr();
  mlir::BoolAttr no = builder.getBoolAttr(false);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal()) {
      if (none_of(function.getArgumentTypes(),
                  [](mlir::Type t) { return isa<mlir::ShapedType>(t); }))
        continue;
      function->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        unit);
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        if (isa<mlir::TensorType>(function.getArgumentTypes()[i]))
          function.setArgAttr(i, "bufferization.access",
                              builder.getStringAttr("read"));
      continue;
    }
    if (function != entry)
      function.setPrivate();
  }
  entry.setPublic();
  entry->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), unit);
  // Inlining into the C wrapper would lose that arguments are not aliased by
  // fresh buffers.
  entry->setAttr("passthrough",
                 builder.getArrayAttr({builder.getStringAttr("noinline")}));
  for (unsigned i = 0, e = entry.getNumArguments(); i != e; ++i)
    entry.setArgAttr(i, "bufferization.writable", no);

  // What the entry does not reach need not compile or link.
  mlir::PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(mlir::createSymbolDCEPass());
  if (failed(pm.run(module)))
    return createStringError(
        "cannot tell which functions the module uses; it may have an op of a "
        "dialect that is not registered");
  // One that doesn't end would overflow the stack, and take us along.
  mlir::CallGraph calls(module);
  for (auto scc = llvm::scc_begin(&std::as_const(calls)); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      return createStringError("the module has functions that call themselves; "
                               "write the repetition as scf.for or scf.while");

  std::string message;
  module.walk([&](mlir::Operation *op) {
    if (isa<mlir::ml_program::GlobalStoreOp>(op)) {
      message = "the module changes a global, which cannot run on several "
                "samples independently; pass the state as an argument";
      return mlir::WalkResult::interrupt();
    }
    for (mlir::NamedAttribute attribute : op->getAttrs()) {
      auto resource =
          dyn_cast<mlir::DenseResourceElementsAttr>(attribute.getValue());
      if (resource && !resource.getRawHandle().getBlob()) {
        message = ("constant '" + resource.getRawHandle().getKey() +
                   "' has no data; export the model again with its weights "
                   "(without eliding large constants)")
                      .str();
        return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  });
  if (!message.empty())
    return createStringError(message);
  return Error::success();
}

/// Runs the pipeline and returns its first diagnostic if it fails.
static Error lowerToLLVM(ModuleOp module, const VectorUnit &unit,
                         ConstantStore &store,
                         std::vector<std::string> &asserts) {
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
  buildLowerToLLVMPipeline(pm, unit, store, asserts);
  if (failed(mlir::verify(module)) || failed(pm.run(module)) ||
      failed(mlir::verify(module)))
    return createStringError("cannot compile the module: " +
                             (first.empty() ? "a pass failed" : first));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static Expected<orc::JITTargetMachineBuilder> getTarget(unsigned optLevel) {
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
  return builder;
}

/// Returns what vectors `target` has.
static VectorUnit getVectorUnit(const orc::JITTargetMachineBuilder &target) {
  const std::vector<std::string> &features = target.getFeatures().getFeatures();
  if (is_contained(features, "+avx512f"))
    return {64, 32};
  if (is_contained(features, "+avx2"))
    return {32, 16};
  return {16, target.getTargetTriple().isX86() ? 16 : 32};
}

static void optimize(Module &module, TargetMachine &machine,
                     unsigned optLevel) {
  const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  PipelineTuningOptions tuning;
  // Unrolling windows makes large networks compile four times slower.
  tuning.LoopUnrolling = optLevel >= 3;
  tuning.LoopInterleaving = optLevel >= 2;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = optLevel >= 2;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  ModulePassManager pm =
      optLevel == 0 ? builder.buildO0DefaultPipeline(levels[0])
                    : builder.buildPerModuleDefaultPipeline(levels[optLevel]);
  pm.run(module, modules);
}

/// Adds `void wrapper(void **arguments)`, which calls `callee` with each of
/// the pointers.
static Error addWrapper(Module &module, StringRef callee) {
  Function *function = module.getFunction(callee);
  if (!function)
    return createStringError("the compiled module lacks '" + callee + "'");
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context);
  Function *wrapper = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer}, false),
      Function::ExternalLinkage, wrapperName, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", wrapper));
  SmallVector<Value *> arguments;
  for (unsigned i = 0, e = function->arg_size(); i != e; ++i)
    arguments.push_back(builder.CreateLoad(
        pointer,
        builder.CreateConstInBoundsGEP1_64(pointer, wrapper->getArg(0), i)));
  builder.CreateCall(function, arguments);
  builder.CreateRetVoid();
  return Error::success();
}

struct Executable::Impl {
  std::unique_ptr<orc::LLJIT> jit;
  WrapperFn function = nullptr;
  std::vector<std::string> asserts;
  ConstantStore constants;
};

Executable::Executable() : impl(std::make_unique<Impl>()) {}
Executable::~Executable() = default;

Expected<std::unique_ptr<Executable>>
Executable::compile(mlir::OwningOpRef<ModuleOp> module, StringRef entry,
                    const CompileOptions &options, ArrayRef<Symbol> symbols) {
  if (options.optLevel > 3)
    return createStringError("optimization level " + Twine(options.optLevel) +
                             " does not exist; use 0 to 3");
  if (!module)
    return createStringError("there is no module to compile");
  mlir::MLIRContext *context = module->getContext();
  {
    mlir::DialectRegistry registry;
    registerRuntimeDialects(registry);
    context->appendDialectRegistry(registry);
  }

  auto function = module->lookupSymbol<mlir::func::FuncOp>(entry);
  if (!function || function.isExternal()) {
    std::string names;
    for (auto other : module->getOps<mlir::func::FuncOp>())
      if (!other.isExternal())
        names += (names.empty() ? "" : ", ") + other.getName().str();
    return createStringError(
        "the module has no function '" + entry + "' with a body; " +
        (names.empty() ? "it has none at all" : "it has: " + names));
  }
  std::unique_ptr<Executable> result(new Executable());
  result->entry = entry.str();
  for (auto [i, type] : enumerate(function.getArgumentTypes())) {
    Expected<TensorSignature> signature =
        getSignature(type, entry, "argument", i);
    if (!signature)
      return signature.takeError();
    result->inputs.push_back(*signature);
  }
  for (auto [i, type] : enumerate(function.getResultTypes())) {
    Expected<TensorSignature> signature =
        getSignature(type, entry, "result", i);
    if (!signature)
      return signature.takeError();
    result->outputs.push_back(*signature);
  }

  if (Error error = prepareModule(*module, function))
    return std::move(error);
  Impl &impl = *result->impl;
  Expected<orc::JITTargetMachineBuilder> target = getTarget(options.optLevel);
  if (!target)
    return target.takeError();
  if (Error error = lowerToLLVM(*module, getVectorUnit(*target), impl.constants,
                                impl.asserts))
    return std::move(error);

  auto llvmContext = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> llvmModule;
  {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (message.empty())
                                              message = diagnostic.str();
                                            return mlir::success();
                                          });
    llvmModule = mlir::translateModuleToLLVMIR(*module, *llvmContext);
    if (!llvmModule)
      return createStringError("cannot translate the module to LLVM IR: " +
                               message);
  }
  module = nullptr;

  Expected<std::unique_ptr<TargetMachine>> machine =
      target->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvmModule->setDataLayout((*machine)->createDataLayout());
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  if (Error error = addWrapper(*llvmModule, ("_mlir_ciface_" + entry).str()))
    return std::move(error);
  optimize(*llvmModule, **machine, options.optLevel);

  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*target));
  Expected<std::unique_ptr<orc::LLJIT>> jit = builder.create();
  if (!jit)
    return jit.takeError();
  impl.jit = std::move(*jit);

  orc::SymbolMap map;
  auto define = [&](const Twine &name, void *address) {
    map[impl.jit->mangleAndIntern(name.str())] = orc::ExecutorSymbolDef(
        orc::ExecutorAddr::fromPtr(address),
        JITSymbolFlags::Exported | JITSymbolFlags::Callable);
  };
  for (auto &[name, address] : impl.constants.symbols)
    map[impl.jit->mangleAndIntern(name)] = orc::ExecutorSymbolDef(
        orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported);
  for (auto [name, address] : symbols) {
    define(name, address);
    define("_mlir_ciface_" + name, address);
  }
  define("qbackend_runtime_assert_failed",
         reinterpret_cast<void *>(&assertFailed));
  define("__powisf2", reinterpret_cast<void *>(&powi<float>));
  define("__powidf2", reinterpret_cast<void *>(&powi<double>));
  // Missing symbols are reported here; lookup() only says what needs them.
  std::string reported;
  impl.jit->getExecutionSession().setErrorReporter([&](Error error) {
    reported += (reported.empty() ? "" : "; ") + toString(std::move(error));
  });
  auto quiet = [](Error error) { consumeError(std::move(error)); };
  scope_exit resetReporter([&] {
    if (impl.jit)
      impl.jit->getExecutionSession().setErrorReporter(quiet);
  });
  orc::JITDylib &runtime = impl.jit->getMainJITDylib();
  if (Error error = runtime.define(orc::absoluteSymbols(std::move(map))))
    return std::move(error);
  if (Error error = impl.jit->addIRModule(
          orc::ThreadSafeModule(std::move(llvmModule), std::move(llvmContext))))
    return std::move(error);
  Expected<orc::ExecutorAddr> address = impl.jit->lookup(wrapperName);
  if (!address) {
    std::string message = toString(address.takeError());
    return createStringError(
        "cannot link '" + entry +
        "': " + (reported.empty() ? message : reported) +
        "; functions without a body have to be given to compile()");
  }
  impl.function = address->toPtr<WrapperFn>();
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool matchesShape(ArrayRef<int64_t> signature, ArrayRef<int64_t> shape) {
  return signature.size() == shape.size() &&
         all_of(zip(signature, shape), [](auto pair) {
           auto [wanted, found] = pair;
           return wanted == found || wanted < 0;
         });
}

/// A memref descriptor {allocated, aligned, offset, sizes, strides} takes this
/// many words.
static size_t getDescriptorSize(const TensorSignature &signature) {
  return 3 + 2 * signature.shape.size();
}

/// Copies a result to `array`.
static void copyResult(const int64_t *descriptor,
                       const TensorSignature &signature, Array &array) {
  size_t rank = signature.shape.size(), size = getElementSize(signature.type);
  if (!isInteger(signature.type) || !isCompatible(signature.type, array.type))
    array.type = signature.type;
  ArrayRef<int64_t> sizes(descriptor + 3, rank),
      strides(descriptor + 3 + rank, rank);
  array.shape.assign(sizes.begin(), sizes.end());
  int64_t count = array.getNumElements();
  array.data.resize(count * size);
  if (count == 0)
    return;
  const char *data =
      reinterpret_cast<const char *>(descriptor[1]) + descriptor[2] * size;
  bool contiguous = true;
  int64_t expected = 1;
  for (size_t d = rank; d-- > 0; expected *= sizes[d])
    contiguous &= sizes[d] == 1 || strides[d] == expected;
  if (contiguous) {
    memcpy(array.data.data(), data, array.data.size());
    return;
  }
  for (int64_t i = 0; i != count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t d = rank; d-- > 0; rest /= sizes[d])
      offset += rest % sizes[d] * strides[d];
    memcpy(&array.data[i * size], data + offset * size, size);
  }
}

Error Executable::run(ArrayRef<const Array *> arguments,
                      MutableArrayRef<Array> results) const {
  if (arguments.size() != inputs.size() || results.size() != outputs.size())
    return createStringError("'" + entry + "' takes " + Twine(inputs.size()) +
                             " arrays and gives " + Twine(outputs.size()) +
                             "; found " + Twine(arguments.size()) + " and " +
                             Twine(results.size()));

  SmallVector<int64_t> words;
  size_t resultWords = 0;
  for (const TensorSignature &output : outputs)
    resultWords += getDescriptorSize(output);
  words.resize(resultWords);
  SmallVector<size_t> begins;
  for (auto [i, argument, input] : enumerate(arguments, inputs)) {
    if (!isCompatible(input.type, argument->type) ||
        !matchesShape(input.shape, argument->shape))
      return createStringError("argument " + Twine(i) + " of '" + entry +
                               "' is " + getElementName(argument->type) + " " +
                               formatShape(argument->shape) + "; expected " +
                               input.str());
    std::optional<int64_t> bytes = getNumBytes(argument->type, argument->shape);
    if (!bytes || uint64_t(*bytes) != argument->data.size())
      return createStringError("argument " + Twine(i) + " of '" + entry +
                               "' has " + Twine(argument->data.size()) +
                               " bytes, which do not fit its shape " +
                               formatShape(argument->shape));
    begins.push_back(words.size());
    int64_t data = reinterpret_cast<int64_t>(argument->data.data());
    words.append({data, data, 0});
    words.append(argument->shape.begin(), argument->shape.end());
    size_t rank = argument->shape.size(), strides = words.size();
    words.resize(strides + rank);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0; stride *= argument->shape[d])
      words[strides + d] = stride;
  }
  SmallVector<void *> pointers;
  if (!outputs.empty())
    pointers.push_back(words.data());
  for (size_t begin : begins)
    pointers.push_back(words.data() + begin);

  int64_t failed = invoke(impl->function, pointers.data());
  if (failed >= 0)
    return createStringError(
        "'" + entry + "' stopped at an assertion: " + impl->asserts[failed]);

  // The buffers are ours, each once.
  SmallPtrSet<void *, 4> buffers;
  const int64_t *descriptor = words.data();
  for (auto [output, result] : zip(outputs, results)) {
    copyResult(descriptor, output, result);
    buffers.insert(reinterpret_cast<void *>(descriptor[0]));
    descriptor += getDescriptorSize(output);
  }
  for (void *buffer : buffers)
    free(buffer);
  return Error::success();
}

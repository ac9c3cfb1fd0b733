// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module in memory and calls it. More than 600
// lines, as all that believes the memory layout of a call is here.

#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Runtime/ThreadPool.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Support/Shape.h"

#include "CompileModule.h"
#include "PrepareModule.h"
#include "RunContext.h"
#include "Sandbox.h"
#include "Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;
using namespace qbackend::runtime;
using mlir::ModuleOp;

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

namespace {
/// Memory for the buffers of a call. A thread keeps it for its next call: what
/// comes fresh from the system costs more than many a network.
class ArenaScope {
public:
  explicit ArenaScope(int64_t bytes) : arena(std::move(kept)) {
    if (bytes <= int64_t(arena.size))
      return;
    arena.size = bytes;
    arena.data = codegen::allocateMemory(arena.size);
    if (!arena.data)
      report_bad_alloc_error("the buffers of a network");
  }
  /// A call within this one has kept another.
  ~ArenaScope() {
    if (arena.size >= kept.size)
      kept = std::move(arena);
  }

  void *getData() const { return arena.data.get(); }

private:
  struct Arena {
    Arena() = default;
    Arena(Arena &&other)
        : size(std::exchange(other.size, 0)), data(std::move(other.data)) {}
    Arena &operator=(Arena &&other) {
      size = std::exchange(other.size, 0);
      data = std::move(other.data);
      return *this;
    }

    size_t size = 0;
    codegen::Memory data{nullptr, &std::free};
  };

  static thread_local Arena kept;
  Arena arena;
};

thread_local ArenaScope::Arena ArenaScope::kept;
} // namespace

/// What kernels are cut into parts by, see qbackend-parallelize-calls.
static void parallelFor(ThreadPool *pool, ThreadPool::Task task, void *context,
                        int64_t count) {
  pool->run(task, context, count);
}

/// What the body of a hook calls, see defineHook.
static void callHook(const Executable::HookFunction *hook, int64_t number,
                     UnrankedMemRef *tensor) {
  (*hook)(number, tensor);
}

/// Gives the hook `name`, if `module` has it, a body that calls `hook`:
/// compiled code passes on who asked for the call, so that several executables
/// run at once.
static void defineHook(Module &module, StringRef name,
                       const Executable::HookFunction &hook) {
  Function *function = module.getFunction(("_mlir_ciface_" + name).str());
  if (!function || !function->isDeclaration())
    return;
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  auto getPointer = [&](const void *address) {
    return builder.CreateIntToPtr(
        builder.getInt64(reinterpret_cast<uintptr_t>(address)),
        builder.getPtrTy());
  };
  auto *type = FunctionType::get(
      builder.getVoidTy(),
      {builder.getPtrTy(), builder.getInt64Ty(), builder.getPtrTy()}, false);
  builder.CreateCall(
      type, getPointer(reinterpret_cast<void *>(&callHook)),
      {getPointer(&hook), function->getArg(0), function->getArg(1)});
  builder.CreateRetVoid();
  function->setLinkage(GlobalValue::InternalLinkage);
}

using PackedFunction = void (*)(void **);

/// Defines the function that is called from here, and returns its name. It
/// takes an array of the pointers that `name` takes.
static std::string definePacked(Module &module, StringRef name) {
  LLVMContext &context = module.getContext();
  Function *function = module.getFunction(name);
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  auto *packed =
      Function::Create(FunctionType::get(builder.getVoidTy(), {pointer}, false),
                       GlobalValue::ExternalLinkage, name + "_packed", module);
  builder.SetInsertPoint(BasicBlock::Create(context, "", packed));
  SmallVector<Value *> arguments;
  for (unsigned i = 0, e = function->arg_size(); i != e; ++i)
    arguments.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_32(pointer, packed->getArg(0), i)));
  builder.CreateCall(function, arguments);
  builder.CreateRetVoid();
  return packed->getName().str();
}

/// Returns -1, or the index of the assertion that failed. Holds nothing that
/// would have to be destroyed when longjmp skips it.
[[gnu::noinline]] static int64_t invoke(PackedFunction function,
                                        void **arguments) {
  AssertContext context;
  AssertContext *outer = currentCall;
  currentCall = &context;
  if (setjmp(context.environment) == 0)
    function(arguments);
  currentCall = outer;
  return context.failed;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

struct Executable::Impl {
  std::vector<std::string> asserts;
  codegen::ConstantStore constants;
  std::unique_ptr<orc::LLJIT> code;
  /// Compiled code has their addresses.
  std::vector<HookFunction> hooks;
  PackedFunction function = nullptr;
  /// Bytes that the function takes for its buffers; -1: it takes none.
  int64_t arenaBytes = -1;
  /// Where it is called, if not here.
  std::unique_ptr<Sandbox> sandbox;

  /// Calls the function on arguments that fit, in this process. Returns -1, or
  /// the assertion that failed.
  int64_t call(ArrayRef<TensorSignature> outputs, ArrayRef<ArrayView> arguments,
               SmallVectorImpl<int64_t> &words, ThreadPool *pool) const;
};

Executable::Executable() : impl(std::make_unique<Impl>()) {}
Executable::~Executable() = default;

Expected<std::unique_ptr<Executable>>
Executable::compile(mlir::OwningOpRef<ModuleOp> module, StringRef entry,
                    const CompileOptions &options, ArrayRef<Hook> hooks) {
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
  auto toTensor = [&](mlir::Type type) -> mlir::Type {
    auto buffer = dyn_cast<mlir::MemRefType>(type);
    if (!options.onBuffers || !buffer || !buffer.getLayout().isIdentity())
      return type;
    return mlir::RankedTensorType::get(buffer.getShape(),
                                       buffer.getElementType());
  };
  for (auto [i, type] : enumerate(function.getArgumentTypes())) {
    Expected<TensorSignature> signature =
        getSignature(toTensor(type), entry, "argument", i);
    if (!signature)
      return signature.takeError();
    if (i < options.unsignedArguments.size() && options.unsignedArguments[i])
      signature->type = getUnsigned(signature->type);
    result->inputs.push_back(*signature);
  }
  for (auto [i, type] : enumerate(function.getResultTypes())) {
    Expected<TensorSignature> signature =
        getSignature(toTensor(type), entry, "result", i);
    if (!signature)
      return signature.takeError();
    if (i < options.unsignedResults.size() && options.unsignedResults[i])
      signature->type = getUnsigned(signature->type);
    result->outputs.push_back(*signature);
  }

  std::vector<SandboxHook> sandboxHooks;
  if (isSandboxed()) {
    auto found = findSandboxHooks(*module, hooks);
    if (!found)
      return found.takeError();
    sandboxHooks = std::move(*found);
  }
  // A chain of functions, each called once, would be put into one another,
  // and all that is in it optimized again at each step.
  StringSet<> callers;
  for (auto other : module->getOps<mlir::func::FuncOp>())
    if (other.isPrivate() && other
                                 ->walk([](mlir::func::CallOp) {
                                   return mlir::WalkResult::interrupt();
                                 })
                                 .wasInterrupted())
      callers.insert(other.getName());
  auto hookNames = to_vector(make_first_range(hooks));
  if (options.onBuffers && !isSandboxed())
    return createStringError("code on buffers is run in a sandbox only, and "
                             "there is none");
  if (Error error =
          prepareModule(*module, function, hookNames, options.onBuffers))
    return std::move(error);
  // The name may be another one now.
  std::string interfaceName = ("_mlir_ciface_" + function.getName()).str();
  Impl &impl = *result->impl;
  Expected<orc::JITTargetMachineBuilder> target = getTarget(options.optLevel);
  if (!target)
    return target.takeError();
  codegen::LowerToLLVMOptions lowering;
  std::string kernels = options.target;
  if (kernels.empty() && requestTiles())
    kernels = codegen::kTileTarget;
  else if (kernels == codegen::kTileTarget && !requestTiles())
    return createStringError(
        "target '" + kernels +
        "' needs AMX, which this processor doesn't have or the system refuses; "
        "leave target out");
  lowering.target = {target->getTargetTriple().str(), target->getCPU(),
                     target->getFeatures().getString(), kernels,
                     /*parallel=*/true};
  lowering.contract = options.contract;
  lowering.checkBounds = true;
  lowering.onBuffers = options.onBuffers;
  lowering.arenaBytes = &impl.arenaBytes;
  lowering.constants = &impl.constants;
  lowering.assertMessages = &impl.asserts;
  if (Error error = lowerToLLVM(*module, lowering))
    return std::move(error);

  // What the code refers to by name.
  std::vector<std::pair<std::string, const void *>> addresses =
      impl.constants.symbols;
  auto define = [&](StringRef name, auto *function) {
    addresses.emplace_back(name, reinterpret_cast<const void *>(function));
  };
  define("qbackend_runtime_assert_failed", &assertFailed);
  define("__powisf2", &powi<float>);
  define("__powidf2", &powi<double>);
  for (auto [i, hook] : enumerate(hooks))
    impl.hooks.push_back(isSandboxed() ? getSandboxForwarder(i) : hook.second);
  StringSet<> names;
  for (auto &[name, address] : addresses)
    names.insert(name);

  auto cannot = [&](StringRef what, Error error) {
    return createStringError("cannot " + what + " '" + entry +
                             "': " + toString(std::move(error)));
  };
  std::string packed;
  auto complete = [&](Module &code) {
    for (auto [hook, function] : zip_equal(hooks, impl.hooks))
      defineHook(code, hook.first, function);
    for (StringRef name : callers.keys())
      if (Function *caller = code.getFunction(name))
        caller->addFnAttr(Attribute::NoInline);
    packed = definePacked(code, interfaceName);
  };
  auto objects = compileToObjects(std::move(module), *target, options.optLevel,
                                  std::move(names), complete);
  if (!objects)
    return cannot("compile", objects.takeError());
  Expected<std::unique_ptr<orc::LLJIT>> linker =
      orc::LLJITBuilder().setJITTargetMachineBuilder(*target).create();
  if (!linker)
    return cannot("link", linker.takeError());
  impl.code = std::move(*linker);
  orc::SymbolMap map;
  for (auto &[name, address] : addresses)
    map[impl.code->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
  if (Error error = impl.code->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(map))))
    return cannot("link", std::move(error));
  for (std::unique_ptr<MemoryBuffer> &object : *objects)
    if (Error error = impl.code->addObjectFile(std::move(object)))
      return cannot("link", std::move(error));
  Expected<orc::ExecutorAddr> address = impl.code->lookup(packed);
  if (!address)
    return cannot("link", address.takeError());
  impl.function = address->toPtr<PackedFunction>();
  if (isSandboxed())
    impl.sandbox = std::make_unique<Sandbox>(
        *result, std::move(sandboxHooks),
        [executable = result.get()](ArrayRef<ArrayView> arguments,
                                    SmallVectorImpl<int64_t> &words) {
          // A child can't start threads, and has none of its parent's.
          return executable->impl->call(executable->outputs, arguments, words,
                                        /*pool=*/nullptr);
        });
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

namespace {
/// What a descriptor says of a result.
struct ResultDescriptor {
  ResultDescriptor(const int64_t *words, const TensorSignature &signature)
      : rank(signature.shape.size()), sizes(words + 3, rank),
        strides(words + 3 + rank, rank),
        owner(reinterpret_cast<void *>(words[0])),
        data(reinterpret_cast<char *>(words[1]) +
             words[2] * getElementSize(signature.type)),
        elementSize(getElementSize(signature.type)) {
    for (int64_t extent : sizes)
      count *= extent;
  }

  bool isContiguous() const {
    int64_t expected = 1;
    for (size_t d = rank; d-- > 0; expected *= sizes[d])
      if (sizes[d] != 1 && strides[d] != expected)
        return false;
    return true;
  }

  /// Writes the elements in row-major order.
  void copyTo(uint8_t *to) const {
    if (count == 0)
      return;
    if (isContiguous()) {
      memcpy(to, data, count * elementSize);
      return;
    }
    for (int64_t i = 0; i != count; ++i) {
      int64_t rest = i, offset = 0;
      for (size_t d = rank; d-- > 0; rest /= sizes[d])
        offset += rest % sizes[d] * strides[d];
      memcpy(to + i * elementSize, data + offset * int64_t(elementSize),
             elementSize);
    }
  }

  size_t rank;
  ArrayRef<int64_t> sizes, strides;
  void *owner;
  char *data;
  size_t elementSize;
  int64_t count = 1;
};
} // namespace

int64_t Executable::Impl::call(ArrayRef<TensorSignature> outputs,
                               ArrayRef<ArrayView> arguments,
                               SmallVectorImpl<int64_t> &words,
                               ThreadPool *pool) const {
  size_t resultWords = 0;
  for (const TensorSignature &output : outputs)
    resultWords += getDescriptorSize(output);
  words.resize(resultWords);
  SmallVector<size_t> begins;
  for (const ArrayView &argument : arguments) {
    begins.push_back(words.size());
    int64_t data = reinterpret_cast<int64_t>(argument.data);
    words.append({data, data, 0});
    words.append(argument.shape.begin(), argument.shape.end());
    size_t rank = argument.shape.size(), strides = words.size();
    words.resize(strides + rank);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0; stride *= argument.shape[d])
      words[strides + d] = stride;
  }
  ArenaScope arena(arenaBytes);
  if (arenaBytes >= 0) {
    begins.push_back(words.size());
    int64_t data = reinterpret_cast<int64_t>(arena.getData());
    words.append({data, data, 0, arenaBytes, 1});
  }
  SmallVector<void *> pointers;
  if (!outputs.empty())
    pointers.push_back(words.data());
  for (size_t begin : begins)
    pointers.push_back(words.data() + begin);
  pointers.push_back(pool ? reinterpret_cast<void *>(&parallelFor) : nullptr);
  pointers.push_back(pool);
  return invoke(function, pointers.data());
}

Error Executable::call(ArrayRef<ArrayView> arguments,
                       SmallVectorImpl<int64_t> &words,
                       ThreadPool *pool) const {
  if (arguments.size() != inputs.size())
    return createStringError("'" + entry + "' takes " + Twine(inputs.size()) +
                             " arrays; found " + Twine(arguments.size()));
  for (auto [i, argument, input] : enumerate(arguments, inputs))
    if (!isCompatible(input.type, argument.type) ||
        !matchesShape(input.shape, argument.shape))
      return createStringError("argument " + Twine(i) + " of '" + entry +
                               "' is " + getElementName(argument.type) + " " +
                               formatShape(argument.shape) + "; expected " +
                               input.str());
  int64_t failed;
  if (impl->sandbox) {
    Expected<int64_t> called = impl->sandbox->call(arguments, words);
    if (!called)
      return called.takeError();
    failed = *called;
  } else {
    failed = impl->call(outputs, arguments, words, pool);
  }
  if (failed < 0)
    return Error::success();
  // What a child says is only a number.
  if (failed >= int64_t(impl->asserts.size()))
    return createStringError("'" + entry + "' stopped at an assertion");
  return createStringError(
      "'" + entry + "' stopped at an assertion: " + impl->asserts[failed]);
}

Error Executable::run(ArrayRef<const Array *> arguments,
                      MutableArrayRef<Array> results, ThreadPool *pool) const {
  if (arguments.size() != inputs.size() || results.size() != outputs.size())
    return createStringError("'" + entry + "' takes " + Twine(inputs.size()) +
                             " arrays and gives " + Twine(outputs.size()) +
                             "; found " + Twine(arguments.size()) + " and " +
                             Twine(results.size()));
  SmallVector<ArrayView> views;
  for (auto [i, argument] : enumerate(arguments)) {
    std::optional<int64_t> bytes = getNumBytes(argument->type, argument->shape);
    if (!bytes || uint64_t(*bytes) != argument->data.size())
      return createStringError("argument " + Twine(i) + " of '" + entry +
                               "' has " + Twine(argument->data.size()) +
                               " bytes, which do not fit its shape " +
                               formatShape(argument->shape));
    views.push_back({argument->type, argument->shape, argument->data.data()});
  }
  SmallVector<int64_t> words;
  if (Error error = call(views, words, pool))
    return error;

  // The buffers are ours, each once.
  SmallPtrSet<void *, 4> buffers;
  const int64_t *next = words.data();
  for (auto [output, result] : zip(outputs, results)) {
    ResultDescriptor descriptor(next, output);
    if (!isInteger(output.type) || !isCompatible(output.type, result.type))
      result.type = output.type;
    result.shape.assign(descriptor.sizes.begin(), descriptor.sizes.end());
    result.data.resize(descriptor.count * descriptor.elementSize);
    descriptor.copyTo(result.data.data());
    buffers.insert(descriptor.owner);
    next += getDescriptorSize(output);
  }
  for (void *buffer : buffers)
    free(buffer);
  return Error::success();
}

Error Executable::run(ArrayRef<ArrayView> arguments,
                      MutableArrayRef<ResultBuffer> results,
                      ThreadPool *pool) const {
  if (results.size() != outputs.size())
    return createStringError("'" + entry + "' gives " + Twine(outputs.size()) +
                             " arrays; found " + Twine(results.size()));
  SmallVector<int64_t> words;
  if (Error error = call(arguments, words, pool))
    return error;
  SmallVector<ResultDescriptor> descriptors;
  SmallDenseMap<void *, int64_t> uses;
  const int64_t *next = words.data();
  for (const TensorSignature &output : outputs) {
    descriptors.emplace_back(next, output);
    ++uses[descriptors.back().owner];
    next += getDescriptorSize(output);
  }
  SmallPtrSet<void *, 4> copied;
  for (auto [output, result, descriptor] : zip(outputs, results, descriptors)) {
    result.type = output.type;
    result.shape.assign(descriptor.sizes.begin(), descriptor.sizes.end());
    if (uses[descriptor.owner] == 1 && descriptor.isContiguous()) {
      result.owner.reset(descriptor.owner);
      result.data = descriptor.data;
      continue;
    }
    size_t bytes = descriptor.count * descriptor.elementSize;
    result.owner.reset(malloc(std::max<size_t>(bytes, 1)));
    if (!result.owner)
      report_bad_alloc_error("the result of a network");
    result.data = result.owner.get();
    descriptor.copyTo(static_cast<uint8_t *>(result.data));
    copied.insert(descriptor.owner);
  }
  for (void *buffer : copied)
    free(buffer);
  return Error::success();
}

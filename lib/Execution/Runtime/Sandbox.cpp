// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of compiled code in child processes. A child is a fork that is made
// once the code is compiled: it has code and constants already. Both sides
// speak in 64-bit words and bytes:
//
//   to the child     for each argument its extents and elements
//   to the parent    for each call of a hook: 1, the hook, the number, the
//   rank,
//                    extents and elements;
//                    at the end 0, -1 and for each result extents and elements,
//                    or 0 and the assertion that failed

#include "Sandbox.h"
#include "Signature.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/Shape.h"
#include "qbackend/Support/SystemCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Errno.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

static std::atomic<bool> wanted{false};

Error runtime::useSandbox() {
  // Else nobody hears how children end.
  std::signal(SIGCHLD, SIG_DFL);
  // In a child, since it can't be undone.
  pid_t child = fork();
  if (child < 0)
    return makeError("cannot start a process: {0}", sys::StrError(errno));
  if (child == 0) {
    Error error = restrictSystemCalls(STDERR_FILENO);
    _exit(error ? (consumeError(std::move(error)), 1) : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return makeError("this system has no filters of system calls (seccomp), "
                     "which a sandbox needs");
  wanted = true;
  return Error::success();
}

bool runtime::isSandboxed() { return wanted; }

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Calls `step(offset, rest)`, which transfers some bytes of the rest, until
/// all are through.
template <typename Step> static bool transferAll(size_t size, Step step) {
  for (size_t offset = 0; offset != size;) {
    ssize_t done = step(offset, size - offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    offset += done;
  }
  return true;
}

static bool writeBytes(int file, const void *data, size_t size) {
  return transferAll(size, [&](size_t offset, size_t rest) {
    return write(file, static_cast<const char *>(data) + offset, rest);
  });
}

/// The parent's way: a child that is no more is an error, not a signal.
static bool sendAll(int file, const void *data, size_t size) {
  return transferAll(size, [&](size_t offset, size_t rest) {
    return send(file, static_cast<const char *>(data) + offset, rest,
                MSG_NOSIGNAL);
  });
}

static bool readBytes(int file, void *data, size_t size) {
  return transferAll(size, [&](size_t offset, size_t rest) {
    return read(file, static_cast<char *>(data) + offset, rest);
  });
}

static bool writeWords(int file, ArrayRef<int64_t> words) {
  return writeBytes(file, words.data(), words.size() * sizeof(int64_t));
}

static bool readWords(int file, MutableArrayRef<int64_t> words) {
  return readBytes(file, words.data(), words.size() * sizeof(int64_t));
}

/// Appends the descriptor of a row-major tensor.
static void appendDescriptor(void *data, ArrayRef<int64_t> shape,
                             SmallVectorImpl<int64_t> &words) {
  int64_t address = reinterpret_cast<int64_t>(data);
  words.append({address, address, 0});
  words.append(shape.begin(), shape.end());
  size_t strides = words.size();
  words.resize(strides + shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    words[strides + d] = stride;
}

/// Reads the extents of a tensor that has to be of shape `expected`, and its
/// elements.
static Expected<codegen::Memory> readTensor(int file, ElementType type,
                                            ArrayRef<int64_t> expected,
                                            SmallVectorImpl<int64_t> &shape) {
  shape.resize(expected.size());
  if (!readWords(file, shape))
    return makeError("it ended");
  for (auto [extent, wanted] : zip(shape, expected))
    if (wanted >= 0 && extent != wanted)
      return makeError("its code says that a tensor is {0}, expected {1}",
                       formatShape(shape), formatShape(expected));
  std::optional<int64_t> bytes = getNumBytes(type, shape);
  if (!bytes)
    return makeError("its code says that a tensor is {0}", formatShape(shape));
  codegen::Memory data = codegen::allocateMemory(*bytes);
  if (!data)
    return makeError("there is no memory for the {0} bytes of a tensor",
                     *bytes);
  if (!readBytes(file, data.get(), *bytes))
    return makeError("it ended");
  return std::move(data);
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// Of a child: its socket, and how large the elements of each hook are.
static int parentFile = -1;
static std::vector<size_t> elementSizes;

template <typename T> static bool writeAs(const UnrankedMemRef *tensor) {
  std::vector<T> scratch;
  ArrayRef<T> values = tensor->getElements(scratch);
  return writeBytes(parentFile, values.data(), values.size() * sizeof(T));
}

/// Writes elements of so many bytes in row-major order.
static bool writeElements(const UnrankedMemRef *tensor, size_t size) {
  return size == 1   ? writeAs<uint8_t>(tensor)
         : size == 2 ? writeAs<uint16_t>(tensor)
         : size == 4 ? writeAs<uint32_t>(tensor)
                     : writeAs<uint64_t>(tensor);
}

static bool forward(size_t hook, int64_t number, const UnrankedMemRef *tensor) {
  ArrayRef<int64_t> sizes = tensor->getSizes();
  if (!writeWords(parentFile,
                  {1, int64_t(hook), number, int64_t(sizes.size())}) ||
      !writeWords(parentFile, sizes))
    return false;
  return writeElements(tensor, elementSizes[hook]);
}

Executable::HookFunction runtime::getSandboxForwarder(size_t index) {
  return [index](int64_t number, const UnrankedMemRef *tensor) {
    if (!forward(index, number, tensor))
      _exit(0);
  };
}

void Sandbox::work(int file) {
  // An interrupt is the parent's: at its end this one's input ends.
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    std::signal(number, SIG_IGN);
  for (int number :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE})
    std::signal(number, SIG_DFL);
  // Those of other children would outlive the parent here. Constants that are
  // mapped need no file any more.
  constexpr int first = STDERR_FILENO + 1;
  if (file != first)
    file = dup2(file, first);
  close_range(first + 1, ~0U, 0);
  parentFile = file;
  for (const SandboxHook &hook : hooks)
    elementSizes.push_back(getElementSize(hook.type));
  if (Error error = restrictSystemCalls(file)) {
    consumeError(std::move(error));
    _exit(1);
  }
  while (true) {
    std::vector<codegen::Memory> buffers;
    std::vector<SmallVector<int64_t>> shapes(executable.getInputs().size());
    SmallVector<ArrayView> views;
    for (auto [input, shape] : zip(executable.getInputs(), shapes)) {
      Expected<codegen::Memory> data =
          readTensor(file, input.type, input.shape, shape);
      if (!data)
        _exit((consumeError(data.takeError()), 0));
      views.push_back({input.type, shape, data->get()});
      buffers.push_back(std::move(*data));
    }
    SmallVector<int64_t> words;
    int64_t failed = function(views, words);
    if (!writeWords(file, {0, failed}))
      _exit(0);
    if (failed >= 0)
      continue;
    SmallVector<void *> results;
    const int64_t *next = words.data();
    for (const TensorSignature &output : executable.getOutputs()) {
      // A hook's argument has the same descriptor.
      size_t rank = output.shape.size();
      UnrankedMemRef tensor{int64_t(rank), const_cast<int64_t *>(next)};
      if (!writeWords(file, tensor.getSizes()) ||
          !writeElements(&tensor, getElementSize(output.type)))
        _exit(0);
      void *owner = reinterpret_cast<void *>(next[0]);
      if (!is_contained(results, owner))
        results.push_back(owner);
      next += 3 + 2 * rank;
    }
    for (void *result : results)
      std::free(result);
  }
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

Expected<std::vector<SandboxHook>>
runtime::findSandboxHooks(mlir::ModuleOp module,
                          ArrayRef<Executable::Hook> declared) {
  std::vector<SandboxHook> hooks(declared.size());
  for (auto [hook, given] : zip_equal(hooks, declared)) {
    hook.function = given.second;
    auto function = module.lookupSymbol<mlir::func::FuncOp>(given.first);
    if (!function)
      continue;
    auto tensor = dyn_cast<mlir::TensorType>(function.getArgumentTypes()[1]);
    std::optional<ElementType> type =
        tensor ? getElementType(tensor.getElementType()) : std::nullopt;
    if (!type)
      return makeError("a sandboxed module can't call '{0}' with such a type",
                       given.first);
    hook.type = *type;
  }
  mlir::WalkResult walked = module.walk([&](mlir::func::CallOp call) {
    auto found = find_if(declared, [&](const Executable::Hook &hook) {
      return hook.first == call.getCallee();
    });
    if (found == declared.end())
      return mlir::WalkResult::advance();
    APInt number;
    auto cast = call.getOperand(1).getDefiningOp<mlir::tensor::CastOp>();
    auto type =
        cast ? dyn_cast<mlir::RankedTensorType>(cast.getSource().getType())
             : mlir::RankedTensorType();
    if (!type ||
        !mlir::matchPattern(call.getOperand(0), mlir::m_ConstantInt(&number)))
      return mlir::WalkResult::interrupt();
    SmallVector<int64_t> shape;
    for (int64_t extent : type.getShape())
      shape.push_back(mlir::ShapedType::isDynamic(extent) ? -1 : extent);
    hooks[found - declared.begin()].calls[number.getSExtValue()] = shape;
    return mlir::WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return makeError("a sandboxed module calls its hooks with numbers, and "
                     "tensors of known rank");
  return hooks;
}

Sandbox::Sandbox(const Executable &executable, std::vector<SandboxHook> hooks,
                 Call call)
    : executable(executable), hooks(std::move(hooks)),
      function(std::move(call)), owner(getpid()) {}

Sandbox::~Sandbox() {
  for (const Worker &worker : idle) {
    close(worker.file);
    if (owner != getpid())
      continue;
    // Nothing is left to do for it.
    kill(worker.process, SIGKILL);
    while (waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
}

Expected<Sandbox::Worker> Sandbox::start() {
  int files[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files))
    return makeError("cannot make a socket: {0}", sys::StrError(errno));
  pid_t process = fork();
  if (process < 0) {
    int error = errno;
    close(files[0]);
    close(files[1]);
    return makeError("cannot start a process: {0}; end other programs, or "
                     "raise the limits (ulimit)",
                     sys::StrError(error));
  }
  if (process == 0) {
    close(files[0]);
    work(files[1]);
  }
  close(files[1]);
  return Worker{process, files[0]};
}

Error Sandbox::callHook(int file) {
  int64_t words[3];
  if (!readWords(file, words))
    return makeError("it ended");
  auto [index, number, rank] = words;
  if (index < 0 || index >= int64_t(hooks.size()))
    return makeError("its code calls a function that it doesn't have");
  SandboxHook &hook = hooks[index];
  auto found = hook.calls.find(number);
  if (found == hook.calls.end() || rank != int64_t(found->second.size()))
    return makeError("its code calls a function with the number {0}", number);
  SmallVector<int64_t> shape;
  Expected<codegen::Memory> data =
      readTensor(file, hook.type, found->second, shape);
  if (!data)
    return data.takeError();
  SmallVector<int64_t> descriptor;
  appendDescriptor(data->get(), shape, descriptor);
  UnrankedMemRef tensor{rank, descriptor.data()};
  hook.function(number, &tensor);
  return Error::success();
}

Expected<int64_t> Sandbox::exchange(const Worker &worker,
                                    ArrayRef<ArrayView> arguments,
                                    SmallVectorImpl<int64_t> &words) {
  for (const ArrayView &argument : arguments)
    if (!sendAll(worker.file, argument.shape.data(),
                 argument.shape.size() * sizeof(int64_t)) ||
        !sendAll(worker.file, argument.data,
                 *getNumBytes(argument.type, argument.shape)))
      return makeError("it ended");
  while (true) {
    int64_t isHook;
    if (!readWords(worker.file, isHook))
      return makeError("it ended");
    if (!isHook)
      break;
    if (Error error = callHook(worker.file))
      return std::move(error);
  }
  int64_t failed;
  if (!readWords(worker.file, failed))
    return makeError("it ended");
  if (failed >= 0)
    return failed;
  std::vector<codegen::Memory> results;
  words.clear();
  for (const TensorSignature &output : executable.getOutputs()) {
    SmallVector<int64_t> shape;
    Expected<codegen::Memory> data =
        readTensor(worker.file, output.type, output.shape, shape);
    if (!data)
      return data.takeError();
    appendDescriptor(data->get(), shape, words);
    results.push_back(std::move(*data));
  }
  for (codegen::Memory &result : results)
    (void)result.release();
  return -1;
}

Expected<int64_t> Sandbox::call(ArrayRef<ArrayView> arguments,
                                SmallVectorImpl<int64_t> &words) {
  Worker worker;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (owner != getpid()) {
      for (const Worker &worker : idle)
        close(worker.file);
      idle.clear();
      owner = getpid();
    }
    if (idle.empty()) {
      Expected<Worker> started = start();
      if (!started)
        return started.takeError();
      worker = *started;
    } else {
      worker = idle.back();
      idle.pop_back();
    }
  }
  Expected<int64_t> failed = exchange(worker, arguments, words);
  if (failed) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(worker);
    return failed;
  }
  std::string why = toString(failed.takeError());
  close(worker.file);
  kill(worker.process, SIGKILL);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    why = std::string("its code ended by a signal (") +
          strsignal(WTERMSIG(status)) + ")";
  return makeError("the sandbox of '{0}' gave no result: {1}",
                   executable.getEntry(), why);
}

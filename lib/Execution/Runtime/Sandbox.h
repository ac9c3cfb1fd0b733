// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of compiled code in child processes.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_SANDBOX_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_SANDBOX_H

#include "qbackend/Execution/Runtime/Executable.h"

#include <map>
#include <mutex>
#include <sys/types.h>

namespace qbackend::runtime {

/// A function that the module calls, in a process that has what it is for: the
/// child gives it the numbers and tensors that it would be called with.
struct SandboxHook {
  Executable::HookFunction function;
  arrays::ElementType type = arrays::ElementType::F32;
  /// What the code may call it with: the number, and the tensor's shape with -1
  /// for a dynamic extent.
  std::map<int64_t, llvm::SmallVector<int64_t>> calls;
};

/// Reads the calls of `hooks` from a module that is to be compiled.
llvm::Expected<std::vector<SandboxHook>>
findSandboxHooks(mlir::ModuleOp module, llvm::ArrayRef<Executable::Hook> hooks);

/// What the module calls in place of hook `index`: it writes to the parent.
Executable::HookFunction getSandboxForwarder(size_t index);

/// The children of one executable: as many as calls run at once. They are
/// started when they are needed and end with this object.
class Sandbox {
public:
  /// Calls the function on `arguments`. Returns -1 or the assertion that
  /// failed. Each result gets words {allocated, aligned, offset, sizes,
  /// strides}, whose buffer the caller frees.
  using Call = std::function<int64_t(llvm::ArrayRef<ArrayView> arguments,
                                     llvm::SmallVectorImpl<int64_t> &words)>;

  Sandbox(const Executable &executable, std::vector<SandboxHook> hooks,
          Call call);
  ~Sandbox();

  /// Has a child call the function, as `Call` says, on arguments that fit it.
  /// What the child says is checked before it is believed. An error if it ends.
  llvm::Expected<int64_t> call(llvm::ArrayRef<ArrayView> arguments,
                               llvm::SmallVectorImpl<int64_t> &words);

private:
  struct Worker {
    pid_t process = 0;
    int file = -1;
  };
  llvm::Expected<Worker> start();
  [[noreturn]] void work(int file);
  llvm::Expected<int64_t> exchange(const Worker &worker,
                                   llvm::ArrayRef<ArrayView> arguments,
                                   llvm::SmallVectorImpl<int64_t> &words);
  llvm::Error callHook(int file);

  const Executable &executable;
  std::vector<SandboxHook> hooks;
  Call function;
  /// Whose children they are: a fork of that process has none.
  pid_t owner;
  std::mutex mutex;
  std::vector<Worker> idle;
};

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_SANDBOX_H

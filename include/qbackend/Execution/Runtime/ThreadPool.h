// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share the work of one call.

#ifndef QBACKEND_EXECUTION_RUNTIME_THREADPOOL_H
#define QBACKEND_EXECUTION_RUNTIME_THREADPOOL_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>

namespace qbackend::runtime {

/// How many threads an option asks for: 0 is one for each core.
unsigned countThreads(unsigned threads);

/// Starts `work` on a thread of its own, to be joined or detached; nothing
/// where the system gives no more of them (`ulimit -u`, no memory for a stack),
/// which std::thread can say by an exception only.
std::optional<pthread_t> startThread(std::function<void()> work);

/// Whether the system gives what LLVM's pool and ours start, two threads for
/// each core, and two more: LLVM's ends the process at the first thread that it
/// misses.
bool canStartPools();

/// Some threads of this process, for one caller at a time.
///
/// Kernels take tens of microseconds each, with little in between: threads that
/// have nothing to do look for work for as long, and sleep only then.
class ThreadPool {
public:
  /// What a part of the work is done by, on whatever thread.
  using Task = void (*)(void *context, int64_t begin, int64_t end);

  /// Takes `threads` threads, the caller's included, out of those that earlier
  /// ones have left; starts what is missing. Null for fewer than two, or where
  /// the system gives no more threads: the caller does all by itself.
  static std::unique_ptr<ThreadPool> create(unsigned threads);
  /// Leaves the threads to the next one.
  ~ThreadPool();

  /// Calls `task(context, begin, end)` for parts that make up all of 0 to
  /// `count`, and comes back when they are done. Which parts, and where, is not
  /// determined; a task must not call it.
  void run(Task task, void *context, int64_t count);

private:
  struct Threads;
  struct Idle;
  explicit ThreadPool(std::unique_ptr<Threads> threads);

  std::unique_ptr<Threads> threads;
};

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_THREADPOOL_H

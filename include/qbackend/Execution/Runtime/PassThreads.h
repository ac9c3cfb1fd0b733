// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads for the passes of a context, as many as the system gives.

#ifndef QBACKEND_EXECUTION_RUNTIME_PASSTHREADS_H
#define QBACKEND_EXECUTION_RUNTIME_PASSTHREADS_H

#include "llvm/Support/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sys/types.h>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace qbackend::runtime {

/// What LLVM's pool is, but for what happens where a thread can't be started
/// (`ulimit -u`): that one ends the process, here the others do the work, at
/// the latest the one that waits for it. A child of `fork`, which has none of
/// the threads, begins anew.
class PassThreads final : public llvm::ThreadPoolInterface {
public:
  /// For one thread of each core. They are started when there is work.
  PassThreads();
  ~PassThreads() override;

  /// Makes them those of `context`, which has to end first; nothing if that
  /// does without threads (`--mlir-disable-threading`).
  void giveTo(mlir::MLIRContext &context);

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return wanted; }

private:
  struct Work {
    llvm::unique_function<void()> task;
    llvm::ThreadPoolTaskGroup *group;
  };

  struct State {
    std::mutex mutex;
    /// There is work, some is done, or it is over.
    std::condition_variable changed;
    std::deque<Work> queue;
    /// Of what is being done.
    std::vector<llvm::ThreadPoolTaskGroup *> active;
    std::vector<pthread_t> threads;
    unsigned idle = 0;
    bool isOver = false;

    /// Does the first work of `group`, or the first one for null; false if
    /// there is none that nobody has begun.
    bool doOne(std::unique_lock<std::mutex> &lock,
               llvm::ThreadPoolTaskGroup *group);
    /// Whether something of `group`, or at all for null, is being done.
    bool isActive(llvm::ThreadPoolTaskGroup *group) const;
    /// Does work of `group`, or all for null, until none of it is left.
    void waitFor(llvm::ThreadPoolTaskGroup *group);
    /// What a thread does.
    void serve();
  };

  void asyncEnqueue(llvm::unique_function<void()> task,
                    llvm::ThreadPoolTaskGroup *group) override;
  /// That of this process.
  State &getState();

  const unsigned wanted;
  std::unique_ptr<State> state;
  pid_t owner;
};

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_PASSTHREADS_H

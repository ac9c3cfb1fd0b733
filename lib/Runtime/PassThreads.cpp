// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads for the passes of a context.

#include "qbackend/Runtime/PassThreads.h"

#include "qbackend/Runtime/ThreadPool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace qbackend::runtime;
using llvm::ThreadPoolTaskGroup;

PassThreads::PassThreads() : wanted(countThreads(0)) {}

PassThreads::~PassThreads() {
  wait();
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}

void PassThreads::giveTo(mlir::MLIRContext &context) {
  if (!context.isMultithreadingEnabled())
    return;
  context.disableMultithreading();
  context.setThreadPool(*this);
}

void PassThreads::asyncEnqueue(llvm::unique_function<void()> task,
                               ThreadPoolTaskGroup *group) {
  std::lock_guard<std::mutex> lock(mutex);
  queue.push_back({std::move(task), group});
  // Where no thread can be started, who waits does the work.
  if (queue.size() > idle && threads.size() < wanted)
    if (std::optional<pthread_t> thread = startThread([this] { serve(); }))
      threads.push_back(*thread);
  changed.notify_all();
}

bool PassThreads::doOne(std::unique_lock<std::mutex> &lock,
                        ThreadPoolTaskGroup *group) {
  auto found = llvm::find_if(
      queue, [&](const Work &work) { return !group || work.group == group; });
  if (found == queue.end())
    return false;
  Work work = std::move(*found);
  queue.erase(found);
  active.push_back(work.group);
  lock.unlock();
  work.task();
  // What it holds ends before who waits for it goes on.
  work.task = nullptr;
  lock.lock();
  active.erase(llvm::find(active, work.group));
  changed.notify_all();
  return true;
}

bool PassThreads::isActive(ThreadPoolTaskGroup *group) const {
  return group ? llvm::is_contained(active, group) : !active.empty();
}

void PassThreads::waitFor(ThreadPoolTaskGroup *group) {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    if (doOne(lock, group))
      continue;
    if (!isActive(group))
      return;
    changed.wait(lock);
  }
}

void PassThreads::wait() { waitFor(nullptr); }

void PassThreads::wait(ThreadPoolTaskGroup &group) { waitFor(&group); }

void PassThreads::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver)
    if (!doOne(lock, nullptr)) {
      ++idle;
      changed.wait(lock);
      --idle;
    }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads for the passes of a context.

#include "qbackend/Execution/Runtime/PassThreads.h"

#include "qbackend/Execution/Runtime/ThreadPool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <unistd.h>

using namespace qbackend::runtime;
using llvm::ThreadPoolTaskGroup;

PassThreads::PassThreads()
    : wanted(countThreads(0)), state(std::make_unique<State>()),
      owner(getpid()) {}

PassThreads::~PassThreads() {
  State &mine = getState();
  mine.waitFor(nullptr);
  {
    std::lock_guard<std::mutex> lock(mine.mutex);
    mine.isOver = true;
  }
  mine.changed.notify_all();
  for (pthread_t thread : mine.threads)
    pthread_join(thread, nullptr);
}

PassThreads::State &PassThreads::getState() {
  if (owner != getpid()) {
    // Threads of the parent may hold its mutex for ever; they aren't here.
    (void)state.release();
    state = std::make_unique<State>();
    owner = getpid();
  }
  return *state;
}

void PassThreads::giveTo(mlir::MLIRContext &context) {
  if (!context.isMultithreadingEnabled())
    return;
  context.disableMultithreading();
  context.setThreadPool(*this);
}

void PassThreads::asyncEnqueue(llvm::unique_function<void()> task,
                               ThreadPoolTaskGroup *group) {
  State &mine = getState();
  std::lock_guard<std::mutex> lock(mine.mutex);
  mine.queue.push_back({std::move(task), group});
  // Where no thread can be started, who waits does the work.
  if (mine.queue.size() > mine.idle && mine.threads.size() < wanted)
    if (std::optional<pthread_t> thread = startThread([&] { mine.serve(); }))
      mine.threads.push_back(*thread);
  mine.changed.notify_all();
}

bool PassThreads::State::doOne(std::unique_lock<std::mutex> &lock,
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

bool PassThreads::State::isActive(ThreadPoolTaskGroup *group) const {
  return group ? llvm::is_contained(active, group) : !active.empty();
}

void PassThreads::State::waitFor(ThreadPoolTaskGroup *group) {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    if (doOne(lock, group))
      continue;
    if (!isActive(group))
      return;
    changed.wait(lock);
  }
}

void PassThreads::wait() { getState().waitFor(nullptr); }

void PassThreads::wait(ThreadPoolTaskGroup &group) {
  getState().waitFor(&group);
}

void PassThreads::State::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver)
    if (!doOne(lock, nullptr)) {
      ++idle;
      changed.wait(lock);
      --idle;
    }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool that passes share.

#include "qbackend/Execution/Runtime/PassThreads.h"

#include "gtest/gtest.h"

#include <atomic>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using qbackend::runtime::PassThreads;

/// Runs tasks, some of which wait for tasks of their own. Returns how many ran.
static int runTasks(PassThreads &threads) {
  std::atomic<int> count = 0;
  llvm::ThreadPoolTaskGroup outer(threads);
  for (int i = 0; i < 20; ++i)
    outer.async([&] {
      llvm::ThreadPoolTaskGroup inner(threads);
      for (int k = 0; k < 5; ++k)
        inner.async([&] { ++count; });
      inner.wait();
      ++count;
    });
  outer.wait();
  return count;
}

TEST(PassThreadsTest, RunsAll) {
  PassThreads threads;
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(runTasks(threads), 120);
  threads.wait();
}

/// Returns when each thread of the pool has run a task, and so has started.
static void startAll(PassThreads &threads) {
  // The last task is that of who waits.
  const unsigned wanted = threads.getMaxConcurrency() + 1;
  std::atomic<unsigned> begun = 0;
  llvm::ThreadPoolTaskGroup group(threads);
  for (unsigned i = 0; i < wanted; ++i)
    group.async([&] {
      ++begun;
      while (begun < wanted)
        std::this_thread::yield();
    });
  group.wait();
}

/// Of the threads that the parent has, a child has none.
TEST(PassThreadsTest, ChildBeginsAnew) {
  auto threads = std::make_unique<PassThreads>();
  // A thread that is starting holds locks of AddressSanitizer, which a child of
  // `fork` has as they are then, for ever.
  startAll(*threads);
  ASSERT_EQ(runTasks(*threads), 120);
  for (bool isUsed : {false, true}) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      bool isRight = !isUsed || runTasks(*threads) == 120;
      threads.reset();
      _exit(isRight ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(runTasks(*threads), 120);
}

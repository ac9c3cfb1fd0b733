// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "qbackend/Execution/Runtime/ThreadPool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using qbackend::runtime::ThreadPool;

namespace {
/// Counts how often each unit is done.
struct Units {
  explicit Units(int64_t count) : done(count) {}

  static void count(void *context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i != end; ++i)
      ++static_cast<Units *>(context)->done[i];
  }
  bool areDone(int times) const {
    for (const std::atomic<int> &unit : done)
      if (unit != times)
        return false;
    return true;
  }

  std::vector<std::atomic<int>> done;
};
} // namespace

TEST(ThreadPool, DoesEachUnitOnce) {
  for (unsigned threads : {2u, 3u, 7u}) {
    std::unique_ptr<ThreadPool> pool = ThreadPool::create(threads);
    ASSERT_TRUE(pool);
    for (int64_t count : {0, 1, 2, 5, 100, 100003}) {
      Units units(count);
      pool->run(Units::count, &units, count);
      EXPECT_TRUE(units.areDone(1)) << threads << " threads, " << count;
    }
  }
}

TEST(ThreadPool, OneCallBehindTheOther) {
  // Threads that are late see a call that has ended, or the next one.
  std::unique_ptr<ThreadPool> pool = ThreadPool::create(4);
  ASSERT_TRUE(pool);
  Units few(3), many(64);
  for (int i = 1; i <= 20000; ++i) {
    pool->run(Units::count, &few, 3);
    pool->run(Units::count, &many, 64);
    ASSERT_TRUE(few.areDone(i) && many.areDone(i)) << "call " << i;
  }
}

TEST(ThreadPool, OthersHelp) {
  // The first part waits for one that somebody else does.
  struct Meeting {
    std::atomic<int> there{0};
    static void join(void *context, int64_t, int64_t) {
      auto &there = static_cast<Meeting *>(context)->there;
      ++there;
      while (there < 2)
        std::this_thread::yield();
    }
  } meeting;
  std::unique_ptr<ThreadPool> pool = ThreadPool::create(2);
  ASSERT_TRUE(pool);
  // They have been asleep for long.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pool->run(Meeting::join, &meeting, 2);
  EXPECT_EQ(meeting.there, 2);
}

TEST(ThreadPool, ThreadsAreKept) {
  struct Names {
    std::set<std::thread::id> seen;
    std::mutex mutex;
    static void add(void *context, int64_t, int64_t) {
      auto *names = static_cast<Names *>(context);
      std::lock_guard<std::mutex> lock(names->mutex);
      names->seen.insert(std::this_thread::get_id());
    }
  } names;
  for (int i = 0; i < 200; ++i)
    ThreadPool::create(3)->run(Names::add, &names, 12);
  EXPECT_LE(names.seen.size(), 3u);
}

TEST(ThreadPool, OneThreadNeedsNone) { EXPECT_FALSE(ThreadPool::create(1)); }

TEST(ThreadPool, AChildHasItsOwn) {
  { std::unique_ptr<ThreadPool> pool = ThreadPool::create(2); }
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Units units(1000);
    std::unique_ptr<ThreadPool> pool = ThreadPool::create(2);
    if (pool)
      pool->run(Units::count, &units, 1000);
    _exit(pool && units.areDone(1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

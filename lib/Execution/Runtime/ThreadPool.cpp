// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share the work of one call.

#include "qbackend/Execution/Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace qbackend::runtime;

unsigned qbackend::runtime::countThreads(unsigned threads) {
  return threads != 0 ? threads
                      : std::max(1u, std::thread::hardware_concurrency());
}

std::optional<pthread_t>
qbackend::runtime::startThread(std::function<void()> work) {
  using Work = std::function<void()>;
  auto kept = std::make_unique<Work>(std::move(work));
  auto start = [](void *kept) -> void * {
    std::unique_ptr<Work> work(static_cast<Work *>(kept));
    (*work)();
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, nullptr, start, kept.get()) != 0)
    return std::nullopt;
  (void)kept.release();
  return thread;
}

bool qbackend::runtime::canStartPools() {
  const unsigned count = 2 * countThreads(0) + 2;
  // All are there before the first one ends.
  std::mutex mutex;
  mutex.lock();
  std::vector<pthread_t> threads;
  while (threads.size() < count) {
    std::optional<pthread_t> thread =
        startThread([&] { std::lock_guard<std::mutex> lock(mutex); });
    if (!thread)
      break;
    threads.push_back(*thread);
  }
  mutex.unlock();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return threads.size() == count;
}

/// Lets the other thread of a core work, for some tens of cycles.
static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// How often a thread looks for work before it sleeps: for some 50 us, longer
/// than what a network does between two kernels.
static constexpr int maxLooks = 1000;

namespace {
/// Which call there is (32 bits), in how many parts (16), and which is the next
/// one that nobody has taken (16): one word, so that whoever takes a part knows
/// that it is one of that call.
struct State {
  uint64_t bits = 0;

  State() = default;
  explicit State(uint64_t bits) : bits(bits) {}
  State(uint32_t call, uint16_t parts)
      : bits(uint64_t(call) << 32 | uint64_t(parts) << 16) {}

  uint32_t getCall() const { return bits >> 32; }
  uint16_t getNumParts() const { return bits >> 16; }
  uint16_t getNext() const { return bits; }
};
/// So that the parts can be counted.
constexpr unsigned mostThreads = 1024;
} // namespace

/// More parts than threads: one that is late, or has other work, does fewer.
static constexpr int64_t perThread = 4;

struct ThreadPool::Threads {
  explicit Threads(unsigned wanted);
  ~Threads();

  void run(Task task, void *context, int64_t count);
  void work();
  /// Does parts of call `number` until there are none.
  void doParts(uint32_t number);

  // What the call is. A thread may read what the next one is while it is
  // written; it takes no part then.
  std::atomic<Task> task{nullptr};
  std::atomic<void *> context{nullptr};
  std::atomic<int64_t> count{0};

  std::atomic<uint64_t> state{0};
  std::atomic<uint32_t> done{0};

  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<unsigned> asleep{0};
  std::atomic<bool> stop{false};
  /// With the caller; there may be fewer.
  const unsigned wanted;
  std::vector<pthread_t> threads;
};

ThreadPool::Threads::Threads(unsigned wanted) : wanted(wanted) {
  // Ctrl-C is for the thread that has started the work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // If the system gives no more, those that there are do it.
  while (threads.size() + 1 < wanted) {
    std::optional<pthread_t> thread = startThread([this] { work(); });
    if (!thread)
      break;
    threads.push_back(*thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadPool::Threads::~Threads() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake.notify_all();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}

void ThreadPool::Threads::doParts(uint32_t number) {
  Task function = task.load(std::memory_order_relaxed);
  void *argument = context.load(std::memory_order_relaxed);
  int64_t units = count.load(std::memory_order_relaxed);
  State current(state.load(std::memory_order_acquire));
  uint32_t mine = 0;
  while (current.getCall() == number &&
         current.getNext() < current.getNumParts()) {
    int64_t parts = current.getNumParts(), part = current.getNext();
    // Most of its share at first, then one at a time: what is shared goes from
    // one core to another for each that is taken.
    int64_t sharers = threads.size() + 1, share = parts / sharers;
    int64_t most = (parts - part + sharers - 1) / sharers;
    int64_t taken =
        mine == 0 ? std::clamp<int64_t>(share - share / perThread, 1, most) : 1;
    // The next call begins when the last part of this one is done: if one can
    // be taken, what was read above is this call's.
    if (!state.compare_exchange_weak(current.bits, current.bits + taken,
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      continue;
    function(argument, units * part / parts, units * (part + taken) / parts);
    mine += taken;
    current.bits = state.load(std::memory_order_acquire);
  }
  if (mine != 0)
    done.fetch_add(mine, std::memory_order_release);
}

void ThreadPool::Threads::work() {
  uint32_t last = 0;
  int looks = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    uint32_t number = State(state.load(std::memory_order_acquire)).getCall();
    if (number != last) {
      doParts(number);
      last = number;
      looks = 0;
      continue;
    }
    if (++looks < maxLooks) {
      relax();
      continue;
    }
    looks = 0;
    std::unique_lock<std::mutex> lock(mutex);
    asleep.fetch_add(1);
    wake.wait(lock, [&] {
      return stop.load() || State(state.load()).getCall() != last;
    });
    asleep.fetch_sub(1);
  }
}

void ThreadPool::Threads::run(Task function, void *argument, int64_t units) {
  uint16_t parts =
      std::min<int64_t>(units, perThread * int64_t(threads.size() + 1));
  if (parts <= 1)
    return function(argument, 0, units);
  task.store(function, std::memory_order_relaxed);
  context.store(argument, std::memory_order_relaxed);
  count.store(units, std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  uint32_t number = State(state.load(std::memory_order_relaxed)).getCall() + 1;
  state.store(State(number, parts).bits);
  // A thread that is about to sleep has said so, or sees the new state.
  if (asleep.load() != 0) {
    { std::lock_guard<std::mutex> lock(mutex); }
    wake.notify_all();
  }
  doParts(number);
  for (int looks = 0; done.load(std::memory_order_acquire) != parts; ++looks) {
    relax();
    // Where there are more threads than cores, one that isn't running has the
    // last part.
    if (looks > maxLooks)
      sched_yield();
  }
}

/// Threads that nobody uses. They outlive the program's static objects: they
/// may be the last to end.
struct ThreadPool::Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<Threads>> all;
  /// A child has none of its parent's threads.
  pid_t process = getpid();

  static Idle &get() {
    static auto *idle = new Idle();
    return *idle;
  }

  void forgetParent() {
    if (process == getpid())
      return;
    for (std::unique_ptr<Threads> &threads : all)
      (void)threads.release();
    all.clear();
    process = getpid();
  }
};

ThreadPool::ThreadPool(std::unique_ptr<Threads> threads)
    : threads(std::move(threads)) {}

std::unique_ptr<ThreadPool> ThreadPool::create(unsigned threads) {
  threads = std::min(threads, mostThreads);
  if (threads < 2)
    return nullptr;
  std::unique_ptr<Threads> found;
  {
    Idle &idle = Idle::get();
    std::lock_guard<std::mutex> lock(idle.mutex);
    idle.forgetParent();
    auto it = std::find_if(idle.all.begin(), idle.all.end(), [&](auto &other) {
      return other->wanted == threads;
    });
    if (it != idle.all.end()) {
      found = std::move(*it);
      idle.all.erase(it);
    }
  }
  if (!found)
    found = std::make_unique<Threads>(threads);
  if (found->threads.empty())
    return nullptr;
  return std::unique_ptr<ThreadPool>(new ThreadPool(std::move(found)));
}

ThreadPool::~ThreadPool() {
  Idle &idle = Idle::get();
  std::lock_guard<std::mutex> lock(idle.mutex);
  idle.forgetParent();
  idle.all.push_back(std::move(threads));
}

void ThreadPool::run(Task task, void *context, int64_t count) {
  threads->run(task, context, count);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool says when it fails, or memory or room for files runs out: but for
// `fail`, nothing here allocates.

#include "Faults.h"

#include "qbackend/Support/OutputFile.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

static const char *toolName = "qbackend";
static const char *outputName = "-";

static constexpr double megabyte = 1 << 20;

/// Whether `limit` is one of address space (ulimit -v).
static bool isLimited(rlimit &limit) {
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// The megabytes that this process has: of address space, if that is limited.
static double getUsedMegabytes() {
  char text[64] = {};
  int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0)
    return 0;
  ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0)
    return 0;
  rlimit limit;
  char *resident;
  unsigned long pages = std::strtoul(text, &resident, 10);
  if (!isLimited(limit))
    pages = std::strtoul(resident, nullptr, 10);
  return double(pages) * double(sysconf(_SC_PAGESIZE)) / megabyte;
}

[[noreturn]] static void finish(const char *text, size_t length) {
  // Nobody is left to hear that this fails, too.
  (void)!write(STDERR_FILENO, text, length);
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

/// `size` bytes, if they are known, could not be had.
[[noreturn]] static void failToAllocate(size_t size) {
  char wanted[48] = "more", limit[96] = "all that this machine gives";
  if (size)
    std::snprintf(wanted, sizeof(wanted), "%.1f MB more",
                  double(size) / megabyte);
  rlimit limits;
  if (isLimited(limits))
    std::snprintf(limit, sizeof(limit), "a limit of %.0f MB (ulimit -v)",
                  double(limits.rlim_cur) / megabyte);
  char text[320];
  int length = std::snprintf(
      text, sizeof(text),
      "%s: error: out of memory: needs %s than the %.0f MB in use, and has %s; "
      "give it more memory, or fewer samples or threads\n",
      toolName, wanted, getUsedMegabytes(), limit);
  finish(text, length);
}

#if defined(__has_feature)
#define HAS_FEATURE(NAME) __has_feature(NAME)
#else
#define HAS_FEATURE(NAME) 0
#endif
// Sanitizers have their own.
#if !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer) &&       \
    !HAS_FEATURE(thread_sanitizer)
// The one place that knows how much was asked for. Memory is malloc's, which is
// what the library's operator delete gives back.
void *operator new(std::size_t size) {
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  failToAllocate(size);
}

void *operator new(std::size_t size, std::align_val_t alignment) {
  void *memory = nullptr;
  if (posix_memalign(&memory, std::max(size_t(alignment), sizeof(void *)),
                     size ? size : 1) == 0)
    return memory;
  failToAllocate(size);
}
#endif

/// Has malloc take what it gives from large pages, where the system has them:
/// weights and ops are written once, and at 4 kB each what the system does for
/// a new page is up to a third of the time of a tool.
static void useLargePages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  // Addresses, which cost nothing until they are written to.
  constexpr size_t reserve = size_t(1) << 30, page = size_t(1) << 21;
  rlimit limit;
  if (isLimited(limit))
    return;
  // One heap, which keeps what is freed, for blocks of any size.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  char *block = static_cast<char *>(std::malloc(reserve));
  if (!block)
    return;
  char *first = block + (-reinterpret_cast<uintptr_t>(block) & (page - 1));
  madvise(first, reserve - page, MADV_HUGEPAGE);
  std::free(block);
#endif
}

/// The limit of processor time is reached; LLVM would say that this is a crash.
[[noreturn]] static void failInTime() {
  // The signal comes between any two instructions: no `snprintf`.
  char text[160] = {};
  std::strncpy(text, toolName, 40);
  std::strcat(text, ": error: out of time: the limit of processor time (ulimit "
                    "-t) is reached; give it more, or fewer samples\n");
  finish(text, std::strlen(text));
}

/// A module that is mapped was cut since it was opened; LLVM would say that
/// this is a crash.
static void failOnCutFile(int signal, siginfo_t *info, void *) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    return;
  }
  char text[160] = {};
  std::strncpy(text, toolName, 40);
  std::strcat(text, ": error: a file was cut while it was read; write a new "
                    "file and rename it to the name of the old one\n");
  finish(text, std::strlen(text));
}

/// Where both limits are the same, as a shell's `ulimit -t` sets them, the
/// process is killed at once: the signal comes a second earlier.
static void leaveTimeToFail() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur != limit.rlim_max || limit.rlim_cur < 2)
    return;
  --limit.rlim_cur;
  setrlimit(RLIMIT_CPU, &limit);
}

/// A file that is opened while a standard stream is closed takes its number,
/// and what is said there is written into it.
static void reserveStandardStreams() {
  // Reading from and writing to them fails as before; but that nobody listens
  // is no error of what is said.
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      // The lowest free number is this one.
      (void)open("/dev/null", modes[stream]);
}

void qbackend::nameOutput(const char *path) { outputName = path; }

void qbackend::reportFaults(const char *tool) {
  toolName = tool;
  useLargePages();
  reserveStandardStreams();
  OutputFile::removeOnSignals();
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGXCPU, [](int) { failInTime(); });
  struct sigaction cut = {};
  cut.sa_sigaction = failOnCutFile;
  cut.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &cut, nullptr);
  leaveTimeToFail();
  // What the C++ library throws, nobody here catches: there is no memory, or no
  // address space for the stack of a thread.
  std::set_terminate([] { failToAllocate(0); });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { failToAllocate(0); });
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    char text[1024];
    // LLVM's pool knows no other way where somebody else got the last thread.
    if (std::strstr(reason, "pthread_create")) {
      int length = std::snprintf(
          text, sizeof(text),
          "%s: error: cannot start a thread: %.300s; end other programs, raise "
          "the limit (ulimit -u), or use --mlir-disable-threading\n",
          toolName, reason);
      finish(text, length);
    }
    // Of LLVM's streams for what has no file.
    constexpr char stream[] = "IO failure on output stream: ";
    int length;
    if (std::strncmp(reason, stream, sizeof(stream) - 1) == 0)
      length = std::snprintf(text, sizeof(text),
                             "%s: error: cannot write '%.500s': %.400s\n",
                             toolName, outputName, reason + sizeof(stream) - 1);
    else
      length = std::snprintf(text, sizeof(text),
                             "%s: error: %.900s; %.0f MB are in use\n",
                             toolName, reason, getUsedMegabytes());
    finish(text, length);
  });
}

int qbackend::fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), toolName) << message << "\n";
  return 1;
}

int qbackend::fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

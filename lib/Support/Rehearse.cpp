// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing in a child process. A fork is the one way to outlive an overwritten
// heap, a stack that is used up and a loop without an end; and a child of this
// process has the plugins that are loaded here.

#include "Rehearse.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace qbackend;

#if defined(__SANITIZE_ADDRESS__)
static constexpr bool hasShadowMemory = true;
#elif defined(__has_feature)
static constexpr bool hasShadowMemory = __has_feature(address_sanitizer);
#else
static constexpr bool hasShadowMemory = false;
#endif

/// How the child ends when memory is used up.
static constexpr int noMemoryStatus = 3;

/// How it ends when there is no module, and no error that says so.
static constexpr int silentStatus = 4;

/// What a child may use. MLIR reads 10 MB of bytecode, without the bytes of
/// weights, in a second, and needs some 20 times their size.
static uint64_t getSeconds(uint64_t bytes) { return 3 + (bytes >> 22); }
static uint64_t getMegabytes(uint64_t bytes) { return 512 + (bytes >> 14); }

static void limit(int resource, uint64_t value) {
  rlimit limits;
  if (getrlimit(resource, &limits))
    return;
  limits.rlim_cur = std::min<rlim_t>(limits.rlim_cur, value);
  setrlimit(resource, &limits);
}

/// The bytes of address space that this process has.
static uint64_t getAddressSpace() {
  unsigned long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return uint64_t(pages) * sysconf(_SC_PAGESIZE);
}

/// Makes this process end at its first fault, in silence.
static void prepareChild(uint64_t bytes, unsigned realSeconds) {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
                     SIGALRM, SIGXCPU, SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (int null = open("/dev/null", O_WRONLY); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, getSeconds(bytes));
  // A lock that another thread held when we were forked is never free again.
  itimerval timer = {};
  timer.it_value.tv_sec = realSeconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
#ifdef __GLIBC__
  // What malloc has in reserve would be beyond the limit.
  malloc_trim(0);
#endif
  if (!hasShadowMemory)
    if (uint64_t used = getAddressSpace())
      limit(RLIMIT_AS, used + (getMegabytes(bytes) << 20));
  std::set_new_handler([] { _exit(noMemoryStatus); });
}

/// Resources would be printed, as text of twice their size, to be left out.
static void dropResources(MLIRContext &context) {
  for (Dialect *dialect : context.getLoadedDialects()) {
    auto *resources =
        dialect->getRegisteredInterface<ResourceBlobManagerDialectInterface>();
    if (!resources)
      continue;
    SmallVector<std::string> names;
    DialectResourceBlobManager &blobs = resources->getBlobManager();
    blobs.getBlobMap([&](const auto &entries) {
      for (StringRef name : entries.keys())
        names.push_back(name.str());
    });
    for (StringRef name : names)
      blobs.update(name, AsmResourceBlob());
  }
}

/// What the parent is going to do with the source. Whether there are errors is
/// no question: the parent will see them, unless the parser crashes behind the
/// first one. That goes to `errors`, as "line column text". Returns the status
/// to end with.
static int parseAndPrint(llvm::MemoryBufferRef source,
                         const DialectRegistry &registry, int errors) {
  // Threads of the parent are not there.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  bool isFirst = true;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !isFirst)
      return;
    isFirst = false;
    auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
    // At once, and no more than a pipe holds.
    std::string text =
        (std::to_string(place ? place.getLine() : 0) + " " +
         std::to_string(place ? place.getColumn() : 0) + " " + diagnostic.str())
            .substr(0, 1000);
    (void)!write(errors, text.data(), text.size());
  });
  // Shared, so that resources stay where they are.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(
                                  source, /*RequiresNullTerminator=*/false),
                              SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  // Printing calls itself for each level of regions, attributes and locations.
  if (module) {
    dropResources(context);
    module->print(llvm::nulls(), OpPrintingFlags()
                                     .elideLargeElementsAttrs()
                                     .elideLargeResourceString()
                                     .enableDebugInfo());
  }
  return module || !isFirst ? 0 : silentStatus;
}

/// Reads what `parseAndPrint` wrote.
static void readError(int file, ParsingFailure &failure) {
  char text[1001] = {};
  ssize_t length = read(file, text, sizeof(text) - 1);
  int begin = 0;
  if (length > 0 && std::sscanf(text, "%u %u %n", &failure.line,
                                &failure.column, &begin) == 2)
    failure.error = text + begin;
}

/// One try, of so many seconds by the clock. Returns the child's status, or
/// nullopt with `failure` if there could be none.
static std::optional<int> runChild(llvm::MemoryBufferRef source,
                                   const DialectRegistry &registry,
                                   unsigned realSeconds,
                                   ParsingFailure &failure) {
  auto fail = [&](const char *what) {
    failure.message = what + llvm::sys::StrError(errno) +
                      "; end other programs, or raise the limits (ulimit)";
    failure.isOfSource = failure.isStarted = false;
    return std::nullopt;
  };
  int errors[2];
  if (pipe2(errors, O_CLOEXEC | O_NONBLOCK))
    return fail("cannot make a pipe to the process that reads it: ");
  llvm::scope_exit closePipe([&] {
    close(errors[0]);
    close(errors[1]);
  });
  pid_t child = fork();
  if (child < 0)
    return fail("cannot start a process to read it in: ");
  if (child == 0) {
    prepareChild(source.getBufferSize(), realSeconds);
    // No destructor of the parent, and none of its buffers, runs twice.
    _exit(parseAndPrint(source, registry, errors[1]));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return fail("cannot wait for the process that reads it: ");
  readError(errors[0], failure);
  return status;
}

/// What to say if it was this process's own limit that left a child less than
/// bytecode of so many bytes may need: nothing is wrong with it.
static std::optional<std::string> explainLimit(uint64_t bytes) {
  rlimit limits;
  uint64_t used = getAddressSpace();
  if (getrlimit(RLIMIT_AS, &limits) || limits.rlim_cur == RLIM_INFINITY ||
      limits.rlim_cur >= used + (getMegabytes(bytes) << 20))
    return std::nullopt;
  return "out of memory: reading these " + std::to_string(bytes) +
         " bytes needs more than the " +
         std::to_string((limits.rlim_cur - std::min(used, limits.rlim_cur)) >>
                        20) +
         " MB that " + std::to_string(used >> 20) +
         " MB in use leave of a limit of " +
         std::to_string(limits.rlim_cur >> 20) +
         " MB (ulimit -v); give it more memory";
}

std::optional<ParsingFailure>
qbackend::rehearseParsing(llvm::MemoryBufferRef source,
                          const DialectRegistry &registry) {
  uint64_t bytes = source.getBufferSize();
  ParsingFailure failure;
  int status = 0;
  // What waits for a lock is tried again; what is slow, on a machine that is
  // busy, gets more time.
  for (unsigned times : {2, 6, 24}) {
    failure = {};
    std::optional<int> ended =
        runChild(source, registry, times * getSeconds(bytes), failure);
    if (!ended)
      return failure;
    status = *ended;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM)
      break;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return std::nullopt;
  std::string what = "MLIR's parser ";
  if (WIFEXITED(status) && WEXITSTATUS(status) == silentStatus)
    what += "finds no module, and doesn't say why,";
  else if (WIFEXITED(status)) {
    if (std::optional<std::string> limit = explainLimit(bytes))
      return ParsingFailure{*limit, /*isOfSource=*/false};
    what += "needs more than " + std::to_string(getMegabytes(bytes)) + " MB";
  } else if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ||
             WTERMSIG(status) == SIGALRM)
    what += "does not end within " + std::to_string(getSeconds(bytes)) + " s";
  else if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ||
           WTERMSIG(status) == SIGHUP)
    return ParsingFailure{"interrupted while it was read",
                          /*isOfSource=*/false};
  else
    what += std::string("crashes (") + strsignal(WTERMSIG(status)) + ")";
  failure.message = what + " on these " + std::to_string(bytes) + " bytes";
  return failure;
}

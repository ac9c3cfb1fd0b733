// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code in processes without system calls. There is no way back from a
// sandbox: each case is a process of its own.

#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Support/SystemCalls.h"

#include "Sandbox.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <linux/landlock.h>
#include <mutex>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

namespace {
/// Ends a case that went wrong.
void require(bool condition, const std::string &what) {
  if (condition)
    return;
  fprintf(stderr, "%s\n", what.c_str());
  _exit(1);
}

std::unique_ptr<Executable> compile(mlir::MLIRContext &context, StringRef text,
                                    ArrayRef<Executable::Hook> symbols = {}) {
  mlir::DialectRegistry registry;
  registerRuntimeDialects(registry);
  context.appendDialectRegistry(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  require(bool(module), "the test's module does not parse");
  auto result = Executable::compile(std::move(module), "main", {}, symbols);
  require(bool(result), result ? "" : toString(result.takeError()));
  return std::move(*result);
}

Array makeFloats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
  Array array = Array::zeros(ElementType::F32, shape);
  memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

std::string errorOf(Error error) {
  return error ? toString(std::move(error)) : "no error";
}

/// Children of this process whose system calls are filtered.
std::vector<pid_t> findFilteredChildren() {
  std::vector<pid_t> found;
  DIR *folder = opendir("/proc");
  while (dirent *entry = readdir(folder)) {
    pid_t process = atoi(entry->d_name);
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    bool isChild = false, isFiltered = false;
    for (std::string line; std::getline(file, line);) {
      isChild |= line == "PPid:\t" + std::to_string(getpid());
      isFiltered |= line == "Seccomp:\t2";
    }
    if (isChild && isFiltered)
      found.push_back(process);
  }
  closedir(folder);
  return found;
}

/// Twice the argument, which is observed before.
const char *const observed = R"mlir(
  func.func private @observe(index, tensor<*xf32>)
  func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %c7 = arith.constant 7 : index
    %u = tensor.cast %x : tensor<?x2xf32> to tensor<*xf32>
    func.call @observe(%c7, %u) : (index, tensor<*xf32>) -> ()
    %r = arith.addf %x, %x : tensor<?x2xf32>
    return %r : tensor<?x2xf32>
  })mlir";

std::atomic<int> calls{0};

void check(int64_t number, const UnrankedMemRef *tensor) {
  std::vector<float> values = tensor->copy<float>();
  require(number == 7, "another number");
  require(tensor->rank == 2 && tensor->getSizes()[1] == 2, "another shape");
  require(values.size() >= 2 && values[1] == values[0] + 0.5f, "other values");
  require(!findFilteredChildren().empty(), "nobody's calls are filtered");
  ++calls;
}

void endChildren(int64_t, const UnrankedMemRef *) {
  for (pid_t child : findFilteredChildren())
    kill(child, SIGSEGV);
}
} // namespace

/// Runs a case in a process of its own.
static void runAlone(function_ref<void()> body) {
  EXPECT_EXIT((body(), _exit(0)), testing::ExitedWithCode(0), "");
}

/// Bits of what could be done.
static int tryEverything(int pipe) {
  int other = open("/dev/null", O_RDWR);
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(!qbackend::restrictSystemCalls(pipe), "no filter");
  int bits = 0, bit = 0;
  auto note = [&](bool isRefused) { bits |= !isRefused << bit++; };
  auto refuses = [](long result) { return result < 0 && errno == EPERM; };
  note(refuses(open("/etc/passwd", O_RDONLY)));
  note(refuses(socket(AF_INET, SOCK_STREAM, 0)));
  note(refuses(kill(getppid(), 0)));
  note(refuses(fork()));
  note(refuses(execl("/bin/true", "true", nullptr)));
  note(refuses(unlink("/nothing")));
  note(refuses(write(other, "x", 1)));
  char byte;
  note(refuses(read(other, &byte, 1)));
  note(refuses(dup(pipe)));
  note(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, other, 0) == MAP_FAILED &&
       errno == EPERM);
  note(mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
            -1, 0) == MAP_FAILED &&
       errno == EPERM);
  note(refuses(mprotect(page, 4096, PROT_READ | PROT_EXEC)));
  return bits;
}

TEST(SandboxTest, OnlyMemoryAndOneFileAreLeft) {
  runAlone([] {
    int files[2];
    require(pipe(files) == 0, "no pipe");
    if (fork() == 0) {
      int bits = tryEverything(files[1]);
      // More than the heap has, and from elsewhere.
      for (size_t size : {1 << 16, 1 << 28}) {
        char *memory = static_cast<char *>(malloc(size));
        bits |= (memory == nullptr) << 30;
        if (memory)
          memory[size - 1] = 1;
        free(memory);
      }
      (void)!write(files[1], &bits, sizeof(bits));
      _exit(0);
    }
    int bits = -1;
    require(read(files[0], &bits, sizeof(bits)) == sizeof(bits),
            "it said nothing");
    require(bits == 0, "not refused: " + std::to_string(bits));
  });
}

TEST(SandboxTest, SameResultsAndHooks) {
  runAlone([] {
    require(!isSandboxed() && !useSandbox() && isSandboxed(), "no sandbox");
    mlir::MLIRContext context;
    auto executable = compile(context, observed, {{"observe", check}});
    Array result;
    for (int i = 0; i < 3; ++i) {
      Array x = makeFloats({2, 2}, {1, 1.5, 3, float(i)});
      require(!executable->run({&x}, result), "no result");
      require(result.shape == SmallVector<int64_t>({2, 2}), "shape");
      require(result.as<float>().vec() ==
                  std::vector<float>({2, 3, 6, 2 * float(i)}),
              "values");
    }
    require(calls == 3, "the hook was not called");
    // One child has done it all, and goes with its executable.
    require(findFilteredChildren().size() == 1, "one child");
    executable.reset();
    require(findFilteredChildren().empty(), "children left");
  });
}

TEST(SandboxTest, ManyThreads) {
  runAlone([] {
    require(!useSandbox(), "no sandbox");
    mlir::MLIRContext context;
    auto executable = compile(context, observed, {{"observe", check}});
    std::vector<float> values;
    for (int i = 0; i < 100; ++i)
      values.insert(values.end(), {float(i), float(i) + 0.5f});
    NamedArray samples{"x", makeFloats({100, 2}, values)};
    SampleOptions options;
    options.threads = 4;
    std::vector<float> results;
    require(!runSamples(
                *executable, {&samples},
                [&](int64_t, int64_t, ArrayRef<Array> arrays) {
                  append_range(results, arrays[0].as<float>());
                  return Error::success();
                },
                options),
            "no results");
    require(results.size() == 200 && calls == 100, "how many");
    for (auto [value, result] : zip(values, results))
      require(result == 2 * value, "values");
  });
}

TEST(SandboxTest, AssertionsAreErrors) {
  runAlone([] {
    require(!useSandbox(), "no sandbox");
    mlir::MLIRContext context;
    auto executable = compile(context, R"mlir(
          func.func @main(%x: tensor<1xi1>) -> tensor<1xi1> {
            %c0 = arith.constant 0 : index
            %b = tensor.extract %x[%c0] : tensor<1xi1>
            cf.assert %b, "it is false"
            return %x : tensor<1xi1>
          })mlir");
    Array x = Array::zeros(ElementType::Bool, {1}), result;
    std::string error = errorOf(executable->run({&x}, result));
    require(error == "'main' stopped at an assertion: it is false", error);
    x.data[0] = 1;
    require(!executable->run({&x}, result) && result.data[0] == 1, "after");
  });
}

TEST(SandboxTest, EndOfAChildIsAnError) {
  runAlone([] {
    require(!useSandbox(), "no sandbox");
    mlir::MLIRContext context;
    auto executable = compile(context, observed, {{"observe", endChildren}});
    Array x = makeFloats({1, 2}, {1, 2}), result;
    // The child may have ended the call before the signal comes.
    std::string error = errorOf(executable->run({&x}, result));
    if (error == "no error")
      error = errorOf(executable->run({&x}, result));
    require(error == "the sandbox of 'main' gave no result: its code ended "
                     "by a signal (Segmentation fault)",
            error);
  });
}

//===----------------------------------------------------------------------===//
// A tool
//===----------------------------------------------------------------------===//

TEST(SandboxTest, ToolsReadAndWriteWhatTheyAreGiven) {
  std::string folder =
      testing::TempDir() + "sandbox-" + std::to_string(getpid()) + "/";
  for (const char *name : {"", "in/", "out/", "other/"})
    ASSERT_EQ(mkdir((folder + name).c_str(), 0700), 0);
  std::string in = folder + "in/x", out = folder + "out/y",
              other = folder + "other/z";
  for (const std::string &path : {in, out, other})
    std::ofstream(path) << "text";
  // Code 2: this system has nothing of the kind.
  EXPECT_EXIT(
      {
        long version = syscall(SYS_landlock_create_ruleset, nullptr, 0,
                               LANDLOCK_CREATE_RULESET_VERSION);
        Error error = qbackend::restrictProcess({in}, {out});
        std::string why = errorOf(std::move(error));
        if (StringRef(why).contains("landlock"))
          _exit(2);
        require(why == "no error", why);
        auto opens = [](const std::string &path, int mode) {
          int file = open(path.c_str(), mode, 0600);
          close(file);
          return file >= 0;
        };
        auto refuses = [](long result) { return result < 0 && errno == EPERM; };
        require(opens(in, O_RDONLY), "an input can't be read");
        require(!opens(in, O_WRONLY), "an input can be written");
        require(opens(out + ".tmp", O_WRONLY | O_CREAT), "no output");
        require(rename((out + ".tmp").c_str(), out.c_str()) == 0, "no rename");
        require(!opens(other, O_RDONLY), "another file can be read");
        require(!opens(other, O_WRONLY), "another file can be written");
        require(!opens(other + "z", O_WRONLY | O_CREAT), "a file can be made");
        require(unlink(other.c_str()) < 0, "another file can be removed");
        require(refuses(chmod(out.c_str(), 04755)), "a mode can be changed");
        require(refuses(fchmodat(AT_FDCWD, out.c_str(), 04755, 0)),
                "a mode can be changed by its folder");
        require(refuses(socket(AF_INET, SOCK_STREAM, 0)), "a network");
        require(refuses(execl("/bin/true", "true", nullptr)), "a program");
        require(refuses(unshare(CLONE_NEWUSER)), "a namespace");
        require(version < 6 || refuses(kill(getppid(), 0)),
                "a signal to another process");
        // What a compiler and a parser in a child of their own need.
        std::thread([] {}).join();
        pid_t child = fork();
        require(child >= 0, "no child");
        if (child == 0) {
          pause();
          _exit(0);
        }
        int status;
        require(kill(child, SIGKILL) == 0 &&
                    waitpid(child, &status, 0) == child,
                "no signal to a child");
        require(mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED,
                "no code");
        _exit(0);
      },
      [](int status) {
        return WIFEXITED(status) &&
               (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
      },
      "");
  for (const std::string &path : {in, out, other})
    unlink(path.c_str());
  for (const char *name : {"in", "out", "other", ""})
    rmdir((folder + name).c_str());
}

//===----------------------------------------------------------------------===//
// A child that lies
//===----------------------------------------------------------------------===//

/// Of code that has taken its process: the socket to the parent.
constexpr int parentFile = STDERR_FILENO + 1;

/// What the parent says to a child that answers a call of `main` with `words`.
static std::string answer(StringRef main, std::vector<int64_t> words) {
  mlir::MLIRContext context;
  auto executable = compile(context, main);
  SandboxHook hook;
  hook.function = [](int64_t, const UnrankedMemRef *) {
    require(false, "the hook was called");
  };
  hook.calls[7] = {2, -1};
  Sandbox sandbox(*executable, {hook},
                  [&](ArrayRef<ArrayView>, SmallVectorImpl<int64_t> &) {
                    size_t size = words.size() * sizeof(int64_t);
                    (void)!write(parentFile, words.data(), size);
                    _exit(0);
                    return int64_t(-1);
                  });
  Array x = makeFloats({2, 2}, {1, 2, 3, 4});
  ArrayView view{x.type, x.shape, x.data.data()};
  SmallVector<int64_t> result;
  Expected<int64_t> failed = sandbox.call(view, result);
  return failed ? "no error" : toString(failed.takeError());
}

static void expectRefused(StringRef main, std::vector<int64_t> words,
                          const std::string &why) {
  runAlone([&] {
    std::string error = answer(main, words);
    require(error == "the sandbox of 'main' gave no result: " + why, error);
  });
}

const char *const same = R"mlir(
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    return %x : tensor<2x2xf32>
  })mlir";

const char *const anyRows = R"mlir(
  func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    return %x : tensor<?x2xf32>
  })mlir";

TEST(SandboxTest, ShapesOfAChildAreChecked) {
  expectRefused(same, {0, -1, 4, 4},
                "its code says that a tensor is 4x4, expected 2x2");
  expectRefused(anyRows, {0, -1, 2, 3},
                "its code says that a tensor is 2x3, expected ?x2");
  expectRefused(anyRows, {0, -1, -1, 2}, "its code says that a tensor is ?x2");
  expectRefused(anyRows, {0, -1, int64_t(1) << 62, 2},
                "its code says that a tensor is 4611686018427387904x2");
  expectRefused(same, {0, -1, 2, 2}, "it ended");
}

TEST(SandboxTest, CallsOfAChildAreChecked) {
  expectRefused(same, {1, 1, 7, 2},
                "its code calls a function that it doesn't have");
  expectRefused(same, {1, -1, 7, 2},
                "its code calls a function that it doesn't have");
  expectRefused(same, {1, 0, 8, 2},
                "its code calls a function with the number 8");
  expectRefused(same, {1, 0, 7, 1},
                "its code calls a function with the number 7");
  expectRefused(same, {1, 0, 7, int64_t(1) << 40},
                "its code calls a function with the number 7");
  expectRefused(same, {1, 0, 7, 2, 3, 1},
                "its code says that a tensor is 3x1, expected 2x?");
}

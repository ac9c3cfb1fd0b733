// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --sandbox of the tools.

#include "Sandbox.h"

#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/SystemCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace llvm;

/// The process is the restricted child.
static bool isInside = false;

cl::opt<bool> qbackend::sandboxOption(
    "sandbox",
    cl::desc("parse, compile and run in a child process that reads what the "
             "arguments name, writes where outputs are, and can do nothing "
             "else: for files of strangers"),
    cl::ValueDisallowed, cl::callback([](const bool &) {
      // A response file is read later than the child is made.
      if (isInside)
        return;
      WithColor::error(errs())
          << "--sandbox is in a response file; write it on "
             "the command line\n";
      _exit(EXIT_FAILURE);
    }),
    cl::sub(cl::SubCommand::getAll()));

/// What of the arguments could name a file: each part of them that begins and
/// ends at a sign, since names may have some, too, such as FILE of
/// `--input=FILE:ARRAY`.
static std::vector<std::string> findPaths(ArrayRef<char *> arguments) {
  constexpr StringLiteral signs(" ,;:=\"'{}");
  constexpr size_t most = 64;
  std::vector<std::string> paths;
  for (StringRef argument : arguments) {
    SmallVector<size_t> begins = {0}, ends;
    for (auto [i, c] : enumerate(argument))
      if (signs.contains(c)) {
        ends.push_back(i);
        begins.push_back(i + 1);
      }
    ends.push_back(argument.size());
    for (auto [i, begin] : enumerate(begins))
      for (size_t end : ArrayRef(ends).drop_front(i).take_front(most)) {
        StringRef path = argument.slice(begin, end);
        if (!path.empty() && path != "/" && sys::fs::exists(path))
          paths.push_back(path.str());
      }
  }
  return paths;
}

static std::vector<std::string> findOutputs(ArrayRef<char *> arguments) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    argument.consume_front("-");
    argument.consume_front("-");
    auto [name, value] = argument.split('=');
    if (!is_contained({"o", "html", "svg"}, name) ||
        argument.size() == StringRef(arguments[i]).size())
      continue;
    if (name.size() == argument.size() && i + 1 < arguments.size())
      value = arguments[++i];
    if (!value.empty() && value != "-")
      outputs.push_back(qbackend::getDestination(value));
  }
  return outputs;
}

[[noreturn]] static void fail(const char *tool, const Twine &why) {
  WithColor::error(errs(), tool) << why << "\n";
  _exit(EXIT_FAILURE);
}

void qbackend::enterSandbox(const char *tool, int argc, char **argv,
                            bool startsPrograms) {
  ArrayRef<char *> arguments(argv + 1, argv + argc);
  if (none_of(arguments, [](StringRef argument) {
        return argument == "--sandbox" || argument == "-sandbox";
      }))
    return;
  pid_t child = fork();
  if (child < 0)
    fail(tool, Twine("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
#ifdef __linux__
    // It removes what it has begun to write.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (Error error = restrictProcess(findPaths(arguments),
                                      findOutputs(arguments), startsPrograms))
      fail(tool, toString(std::move(error)));
    isInside = true;
    return;
  }
  // An interrupt of a terminal is the child's as well.
  std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  int number = WTERMSIG(status);
  if (is_contained({SIGINT, SIGTERM, SIGHUP}, number)) {
    std::signal(number, SIG_DFL);
    raise(number);
  }
  fail(tool, Twine("the sandbox ended by a signal (") + strsignal(number) +
                 "); the input is damaged, or made to do this");
}

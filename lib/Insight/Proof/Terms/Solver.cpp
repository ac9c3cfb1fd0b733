// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs z3 on a law: a file in, one word and the values of a counterexample out.

#include "Terms/Solver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace llvm;
using namespace qbackend::proof;

namespace {
/// A file that a program can be given by its name, and that goes with this: in
/// memory where that can be, so that a process which writes no files has it.
class ScratchFile {
public:
  explicit ScratchFile(StringRef suffix) {
#ifdef __linux__
    file = memfd_create("qbackend-law", 0);
    path = "/proc/self/fd/" + std::to_string(file);
    if (file < 0)
      error = std::error_code(errno, std::generic_category());
#else
    SmallString<128> name;
    error = sys::fs::createTemporaryFile("qbackend-law", suffix, file, name);
    path = name.str();
    remover.setFile(name);
#endif
  }
  ~ScratchFile() {
    if (file >= 0)
      close(file);
  }

  int file = -1;
  std::string path;
  std::error_code error;

#ifndef __linux__
private:
  FileRemover remover;
#endif
};
} // namespace

Expected<Solver> Solver::find(StringRef path, unsigned seconds) {
  auto program = sys::findProgramByName(path);
  if (!program)
    return createStringError("there is no program '" + path +
                             "': " + program.getError().message() +
                             "; install it (apt-get install z3), or name it "
                             "with --z3=FILE");
  Solver solver;
  solver.program = *program;
  solver.limit = seconds;
  return solver;
}

double Solver::getSeconds() const {
  double sum = 0;
  for (auto &[text, answer] : answers)
    sum += answer.seconds;
  return sum;
}

/// The values in `((v0 #x00) (v1 #b1))`.
static bool readValues(StringRef text, const Script &script, Answer &answer) {
  for (auto [i, variable] : enumerate(script.variables)) {
    std::string name = "(v" + std::to_string(i) + " ";
    size_t at = text.find(name);
    if (at == StringRef::npos)
      return false;
    StringRef value = text.drop_front(at + name.size());
    unsigned radix = value.consume_front("#x") ? 16 : 2;
    if (radix == 2 && !value.consume_front("#b"))
      return false;
    value = value.take_until([](char c) { return !isHexDigit(c); });
    if (value.empty() ||
        value.size() * (radix == 16 ? 4 : 1) != variable->sort.width)
      return false;
    answer.values.push_back(APInt(variable->sort.width, value, radix));
  }
  return true;
}

Expected<const Answer *> Solver::ask(const Script &script) {
  auto [it, isNew] = answers.try_emplace(script.text);
  Answer &answer = it->second;
  if (!isNew)
    return &answer;
  ScratchFile input("smt2"), output("out");
  if (std::error_code error = input.error ? input.error : output.error)
    return createStringError("cannot write a law for z3: " + error.message());
  {
    raw_fd_ostream os(input.file, /*shouldClose=*/false);
    os << script.text;
    os.flush();
    if (os.has_error()) {
      std::string why = os.error().message();
      os.clear_error();
      return createStringError("cannot write a law for z3: " + why);
    }
  }
  std::string limitText = "-T:" + std::to_string(limit);
  StringRef arguments[] = {program, "-smt2", limitText, input.path};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(output.path),
                                          StringRef(output.path)};
  std::string why;
  auto begin = std::chrono::steady_clock::now();
  // The solver ends itself; one that doesn't is killed later.
  int status = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects,
                                   limit + 10, /*MemoryLimit=*/0, &why);
  answer.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  auto buffer = MemoryBuffer::getFile(output.path);
  StringRef text = buffer ? (*buffer)->getBuffer() : StringRef();
  auto [word, rest] = text.split('\n');
  word = word.trim();
  // After `unsat` there are no values to print, which z3 says, and ends with 1.
  bool isClean = status == 0 || status == 1;
  for (StringRef line : split(rest, '\n'))
    isClean &= line.trim().empty() || line.contains("model is not available");
  if (word == "unsat" && isClean) {
    answer.kind = Answer::Holds;
  } else if (word == "sat" && readValues(rest, script, answer)) {
    answer.kind = Answer::Fails;
  } else if (word == "unknown" || word == "timeout") {
    answer.word = word.str();
  } else {
    return createStringError("'" + program + "' ended with " + Twine(status) +
                             " and said '" +
                             (word.empty() ? StringRef(why) : word) +
                             "', expected the answer of z3 to a law");
  }
  return &answer;
}

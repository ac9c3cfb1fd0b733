// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program z3, which is asked each law once.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_TERMS_SOLVER_H
#define QBACKEND_LIB_INSIGHT_PROOF_TERMS_SOLVER_H

#include "Terms/Term.h"

#include "llvm/Support/Error.h"

namespace qbackend::proof {

struct Answer {
  enum Kind { Holds, Fails, Open } kind = Open;
  /// One value for each variable of the script, where the law fails.
  std::vector<llvm::APInt> values;
  /// The solver's word, where it is open.
  std::string word;
  double seconds = 0;
};

class Solver {
public:
  /// Fails, and says what to install, if there is no program `path`: a name
  /// that is looked for in PATH, or a file.
  static llvm::Expected<Solver> find(llvm::StringRef path, unsigned seconds);

  /// Whether no values make the assumption true and the conclusion false.
  llvm::Expected<const Answer *> ask(const Script &script);

  /// Laws that were put to it, which are different texts.
  size_t countLaws() const { return answers.size(); }
  double getSeconds() const;

private:
  std::string program;
  unsigned limit = 0;
  std::map<std::string, Answer> answers;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_TERMS_SOLVER_H

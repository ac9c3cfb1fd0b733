// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code and formula are equal for all values of what they read.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_LAWS_LAWS_H
#define QBACKEND_LIB_INSIGHT_PROOF_LAWS_LAWS_H

#include "Reading/ReadCode.h"
#include "Terms/Solver.h"

#include "qbackend/Insight/Proof/Prove.h"

namespace qbackend::proof {

/// What a form may be off by.
struct Allowance {
  /// In steps of a quantized result, or units of the last place of a float.
  int64_t most = 0;
  /// How the bytes of a result are integers.
  bool isSigned = false;
  /// What a sum can be.
  std::optional<std::pair<int64_t, int64_t>> sums;

  /// How far apart two results are.
  int64_t getDistance(Sort sort, const llvm::APInt &a,
                      const llvm::APInt &b) const;
};

/// Sums from `first` to `last`, which are what they are with `constants`.
struct StepCase {
  int64_t first, last;
  llvm::DenseMap<Term, llvm::APInt> constants;
  /// Where, behind a counterexample.
  std::string place;
};

/// Functions of a sum that rise or fall with it, in each of `cases`.
struct Steps {
  Term defined, emitted, formula;
  std::vector<StepCase> cases;
};

/// Floats as a number and as their bits, integers with their sign.
std::string printValue(Sort sort, const llvm::APInt &value);

/// The bits of all variables.
unsigned countBits(llvm::ArrayRef<Term> variables);

/// Calls `visit` with each assignment of variables that have `bits` together.
void forEachInput(llvm::ArrayRef<Term> variables, unsigned bits,
                  llvm::function_ref<void(llvm::ArrayRef<llvm::APInt>)> visit);

/// Whether `term` has an exact product of a sum and a fixed-point multiplier.
bool hasProduct(Term term);

/// Proves what holds in one scope.
class Laws {
public:
  Laws(Scope &scope, Solver &solver)
      : scope(scope), terms(scope.terms), solver(solver) {}

  /// `emitted` is defined, and equal to `formula`, for all values of their
  /// variables; tables are read at all of their places.
  llvm::Expected<ProofStep> proveEqual(llvm::StringRef what, Term defined,
                                       Term emitted, Term formula,
                                       const Allowance &allowance = {});

  /// `emitted` is `formula`, a byte, as it is held in the code: less 128, or
  /// extended without a sign, or both. Returns how.
  std::pair<std::function<Term(Term)>, llvm::Expected<ProofStep>>
  proveHeld(llvm::StringRef what, const Cut &emitted, Term formula);

  /// The same in each case of `steps`, whatever their variable `sum` is there.
  llvm::Expected<ProofStep> proveSteps(llvm::StringRef what, const Steps &steps,
                                       Term sum);

  /// The fold of the code has the result of that of the formula. Returns in
  /// `emittedResult` what the code's result is, as a term of the formula's:
  /// with a zero point that isn't constant, or if it `mayMove`, it may be
  /// another number by a constant of each place.
  llvm::Expected<std::vector<ProofStep>> proveFold(const Code &emitted,
                                                   const Code &formula,
                                                   Term &emittedResult,
                                                   bool mayMove);

  /// The values of variables that the last counterexample was made of.
  const llvm::DenseMap<Term, llvm::APInt> &getExample() const {
    return example;
  }

private:
  struct Case {
    Term defined, emitted, formula;
  };
  llvm::Expected<ProofStep> proveCase(llvm::StringRef what, Case question,
                                      const Allowance &allowance);
  llvm::Expected<bool> proveShared(const Case &shared, bool mayMultiply);
  llvm::Expected<ProofStep> proveNear(const Case &question,
                                      const Allowance &allowance);
  ProofStep proveCorrection(const Fold &code, const Fold &wanted,
                            Term correction, Term *moved);
  /// Gets loops, a value of each, and the entries of tables there; false ends.
  using RowVisitor =
      llvm::function_ref<bool(llvm::ArrayRef<unsigned>, llvm::ArrayRef<int64_t>,
                              llvm::ArrayRef<llvm::APInt>)>;
  /// Visits all places of the loops that `tables` are read with, and of `more`,
  /// the last loop first; false if their number isn't known, or too large.
  bool forEachRow(llvm::ArrayRef<Term> tables, llvm::ArrayRef<unsigned> more,
                  RowVisitor visit);
  std::string printPlace(llvm::ArrayRef<unsigned> loops,
                         llvm::ArrayRef<int64_t> values);
  std::vector<Term> findTables(llvm::ArrayRef<Term> roots);
  Term unify(Term term);
  std::optional<std::pair<llvm::APFloat, llvm::APFloat>> getRange(Term term);
  /// Tries some values: what is wrong nearly everywhere is found at once.
  std::optional<std::string> probe(const Case &question, Term conclusion);
  std::string describe(const Case &question, llvm::ArrayRef<Term> variables,
                       llvm::ArrayRef<llvm::APInt> values, bool &isConfirmed);

  Scope &scope;
  Terms &terms;
  Solver &solver;
  llvm::DenseMap<Term, llvm::APInt> example;
  /// Of integers of up to 16 bits of input: one term for all that have the
  /// same values, and their range.
  struct Values {
    Term representative;
    int64_t min, max;
  };
  std::map<std::string, Values> unified;
  /// Of an integer, and of the conversion that says whether it has a sign.
  std::map<std::pair<Term, Fn>, Term> unifiedTerms;
  std::map<std::pair<Term, Fn>, std::pair<int64_t, int64_t>> ranges;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_LAWS_LAWS_H

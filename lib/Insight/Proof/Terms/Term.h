// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar code as terms of SMT-LIB's theories of bit vectors and IEEE floats:
// made once each, folded where operands are constants, evaluated, printed.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_TERMS_TERM_H
#define QBACKEND_LIB_INSIGHT_PROOF_TERMS_TERM_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qbackend::proof {

/// Bit vectors of any width (1: what comparisons give), f32 and f64.
struct Sort {
  bool isFloat = false;
  unsigned width = 0;

  bool operator==(const Sort &other) const {
    return isFloat == other.isFloat && width == other.width;
  }
};

inline Sort bits(unsigned width) { return {false, width}; }
inline Sort f32() { return {true, 32}; }

/// Floats round to nearest, ties to even. Conversions to integers drop the
/// fraction; `fitsSigned` and `fitsUnsigned` say where they are defined.
enum class Fn {
  Constant,
  Variable,
  Lookup, // of a table by the integer of its operand
  Add,
  Sub,
  Mul,
  DivU,
  RemU,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  Equal,
  LessS,
  LessEqualS,
  LessU,
  LessEqualU,
  ExtS,
  ExtU,
  Trunc,
  Select,
  AddF,
  SubF,
  MulF,
  DivF,
  Fma,
  NegF,
  AbsF,
  RoundEven,
  RoundAway, // ties away from zero
  RoundUp,
  RoundDown,
  RoundZero,
  EqualF, // false for NaN, as the two below
  LessF,
  LessEqualF,
  IsNaN,
  SToF,
  UToF,
  FToS,
  FToU,
  ConvertF,
  Bits,    // of a float
  FromBits // a float
};

struct Node {
  Fn op = Fn::Constant;
  Sort sort;
  llvm::SmallVector<const Node *, 3> operands;
  /// Of a constant; floats as their bits.
  llvm::APInt value;
  /// Of a variable: what it stands for.
  std::string name;
  /// Of a lookup.
  std::vector<llvm::APInt> table;
  /// In the order of making.
  unsigned id = 0;
};

using Term = const Node *;

/// Makes terms, each once: equal ones are the same pointer.
class Terms {
public:
  Term constant(const llvm::APInt &value);
  Term constant(unsigned width, int64_t value);
  Term constantF(float value);
  Term constantBits(Sort sort, const llvm::APInt &value);
  Term variable(llvm::StringRef name, Sort sort);
  /// The entry of `table`, of 2^n entries, by `index`, of n bits.
  Term lookup(std::vector<llvm::APInt> table, Term index, Sort sort);
  Term make(Fn op, Sort sort, llvm::ArrayRef<Term> operands);

  // Of operands of one sort, or what the operation asks for.
  Term binary(Fn op, Term a, Term b) { return make(op, a->sort, {a, b}); }
  Term compare(Fn op, Term a, Term b) { return make(op, bits(1), {a, b}); }
  Term select(Term condition, Term a, Term b) {
    return make(Fn::Select, a->sort, {condition, a, b});
  }
  Term both(Term a, Term b) { return binary(Fn::And, a, b); }
  Term negate(Term a) { return binary(Fn::Xor, a, constant(1, 1)); }
  Term maxS(Term a, Term b) { return select(compare(Fn::LessS, a, b), b, a); }
  Term minS(Term a, Term b) { return select(compare(Fn::LessS, b, a), b, a); }
  /// Whether the float `a`, without its fraction, is in the signed or unsigned
  /// integers of `width` bits.
  Term fits(Term a, unsigned width, bool isSigned);
  /// Both floats equal, NaN to NaN and zeros by their sign, or both integers.
  Term same(Term a, Term b);

  /// `term` with each key of `by` replaced by its value.
  Term replace(Term term, const llvm::DenseMap<Term, Term> &by);

private:
  Term add(Node node);

  std::vector<std::unique_ptr<Node>> nodes;
  std::map<std::string, Term> unique;
};

/// The value of an operation on constants.
llvm::APInt apply(const Node &node, llvm::ArrayRef<llvm::APInt> operands);

llvm::APFloat toFloat(Sort sort, const llvm::APInt &value);

/// The nodes of `roots`, operands first.
std::vector<Term> order(llvm::ArrayRef<Term> roots);

/// Evaluates terms for many values of their variables.
class Evaluator {
public:
  explicit Evaluator(llvm::ArrayRef<Term> roots);
  llvm::ArrayRef<Term> variables() const { return inputs; }
  /// One value for each of `variables`; the value of root `i` is
  /// `result(i)`.
  void run(llvm::ArrayRef<llvm::APInt> values);
  const llvm::APInt &result(unsigned i) const { return values[rootIndex[i]]; }

private:
  std::vector<Term> nodes, inputs;
  std::vector<llvm::SmallVector<unsigned, 3>> operandIndex;
  std::vector<unsigned> inputIndex, rootIndex;
  std::vector<llvm::APInt> values;
};

/// A file for a solver: `sat` if some values of the variables make `assumption`
/// true and `conclusion` false (both of one bit). Variables are `v0`, `v1`, ...
/// in the order of `variables`, which is that of the text: equal laws are equal
/// texts.
struct Script {
  std::string text;
  std::vector<Term> variables;
};
Script print(Term assumption, Term conclusion);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_TERMS_TERM_H

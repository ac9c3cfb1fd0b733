// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of linalg on tensors as terms: what one element of the result is,
// wherever it lies.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_READCODE_H
#define QBACKEND_LIB_INSIGHT_PROOF_READCODE_H

#include "Reading/Position.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend::proof {

/// A loop that carries a value: a sum, or a maximum.
struct Fold {
  /// Loops of the scope, in the order of the code, and the extent of each;
  /// those of extent 1 are left out.
  llvm::SmallVector<unsigned> loops;
  Term init = nullptr;
  /// The carried value, and the next one.
  Term carried = nullptr, step = nullptr;
  /// What stands for the last one.
  Term result = nullptr;
};

/// A part that is proven by itself, and is any number then. `defined` is part
/// of what says whether the code is.
struct Cut {
  Term term = nullptr, defined = nullptr;
};

/// What an element of the result of a function, or of a formula, is.
struct Code {
  Term result = nullptr;
  /// Bits that all have to be 1 if no operation is undefined: of the result,
  /// and of one step.
  Term defined = nullptr, stepDefined = nullptr;
  std::optional<Fold> fold;
  /// Where a byte that is made of a sum is added to another one: the first.
  Cut addedByte;
  /// Of an input that is quantized when the code runs: the zero point, and a
  /// byte.
  Cut zeroPoint, quantized;

  /// Replaces terms in all of it.
  void replace(Terms &terms, const llvm::DenseMap<Term, Term> &by);
};

/// What the one result of `function` is at `position`. Its reductions run over
/// `foldLoops`, of the scope, in the order given. An error says which op has no
/// meaning here, or what of the structure isn't understood.
llvm::Expected<Code> readCode(mlir::func::FuncOp function,
                              const Position &position,
                              llvm::ArrayRef<unsigned> foldLoops, Scope &scope);

/// The extents of the loops of the one reduction in `function`, but those of 1;
/// empty if there is none.
llvm::SmallVector<int64_t> getFoldExtents(mlir::func::FuncOp function);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_READCODE_H

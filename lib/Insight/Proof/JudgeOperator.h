// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code of linalg is the formula of an op, for all inputs.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_JUDGEOPERATOR_H
#define QBACKEND_LIB_INSIGHT_PROOF_JUDGEOPERATOR_H

#include "Terms/Solver.h"

#include "qbackend/Insight/Proof/Prove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend::proof {

/// Judges the code of one op.
class Judge {
public:
  Judge(Solver &solver, OperatorProof &proof, int64_t allowed, bool mayCut)
      : solver(solver), proof(proof), allowed(allowed), mayCut(mayCut) {}

  llvm::Error judge(mlir::Operation *op, mlir::func::FuncOp lowered);

private:
  /// Elements of the result that are judged together: all, or those from
  /// `offsets` on, one for each dimension. `name` is empty if they are all.
  struct Piece {
    std::string name;
    llvm::SmallVector<int64_t> offsets;
  };
  llvm::Error judgePiece(mlir::Operation *op, mlir::func::FuncOp lowered,
                         const Piece &piece,
                         std::vector<llvm::SmallVector<int64_t>> digits);
  /// Judges with the loops over the result cut as `digits` says, one list for
  /// each dimension. False: `digits` were cut further.
  llvm::Expected<bool>
  judgeWith(mlir::Operation *op, mlir::func::FuncOp lowered, const Piece &piece,
            std::vector<llvm::SmallVector<int64_t>> &digits);

  Solver &solver;
  OperatorProof &proof;
  /// What a byte of the result may be off by.
  int64_t allowed;
  /// Whether code may have other loops than the formula: that isn't followed,
  /// and no counterexample.
  bool mayCut;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_JUDGEOPERATOR_H

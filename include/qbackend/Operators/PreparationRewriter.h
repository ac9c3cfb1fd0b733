// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that bring code into the form that recognisers expect, and that are
// taken back where nothing was recognised.

#ifndef QBACKEND_OPERATORS_PREPARATIONREWRITER_H
#define QBACKEND_OPERATORS_PREPARATIONREWRITER_H

#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <deque>
#include <functional>
#include <memory>

namespace qbackend {

/// An op that is in no block and has no operands for now. It is erased with
/// this object unless it was put back.
class DetachedOp {
public:
  /// `op` has no uses. It is taken out of its block, if it is in one.
  DetachedOp(mlir::Operation *op, ConstantEvaluator &constants);
  ~DetachedOp();
  DetachedOp(const DetachedOp &) = delete;
  DetachedOp &operator=(const DetachedOp &) = delete;

  /// Puts the op in front of `before`.
  mlir::Operation *attach(mlir::Operation *before, mlir::ValueRange operands);

private:
  mlir::Operation *op;
  ConstantEvaluator &constants;
  bool isAttached = false;
};

/// The rewriter of `OperatorRecognizerInterface::prepare` and `split`. What it
/// erases is forgotten by the evaluator, and what is recorded is taken back by
/// `qbackend-raise` where nothing came of it: code that is not recognised stays
/// as it is.
class PreparationRewriter : public mlir::IRRewriter {
public:
  explicit PreparationRewriter(ConstantEvaluator &constants,
                               mlir::MLIRContext *context);

  ConstantEvaluator &constants;

  /// Takes back one rewrite, and returns the last of the ops that are there
  /// then; null, and nothing has changed, if that can't be done: what was
  /// recorded before has to hold all the same then, and is taken back. It
  /// erases nothing but the pieces of its record.
  using Undo = std::function<mlir::Operation *(PreparationRewriter &)>;

  /// Records that a rewrite has made `pieces`, for `undo` if none of
  /// `deciding`, which are among them, is recognised. Rewrites are taken back
  /// in reverse order, and not at all once a piece was erased.
  void recordUndo(llvm::ArrayRef<mlir::Operation *> pieces,
                  llvm::ArrayRef<mlir::Operation *> deciding, Undo undo);

  /// Replaces the results of `original` by `results`, which `pieces` compute,
  /// and records how to take it back: the operands are those that the pieces
  /// read.
  void replaceByPieces(mlir::Operation *original, mlir::ValueRange results,
                       llvm::ArrayRef<mlir::Operation *> pieces,
                       llvm::ArrayRef<mlir::Operation *> deciding);

  /// The same for `changed`, which does what `original` does on tensors of
  /// other shapes, each with the same elements in the same order, and has taken
  /// its body. The results of `original` were replaced. Loops before those of
  /// the original, if there are more, have one step.
  void recordReshaped(mlir::linalg::LinalgOp original,
                      mlir::linalg::LinalgOp changed);

  /// Records that `op` reads transposes of some of its operands, and had
  /// these maps before: input `i` is `transpose(before, permutations[i])`,
  /// where that is not empty.
  void
  recordTransposes(mlir::linalg::GenericOp op, mlir::ArrayAttr maps,
                   llvm::ArrayRef<llvm::SmallVector<int64_t>> permutations);

  /// To be called for each op that was visited and is no operator, users before
  /// producers. Takes back what can be; then, returns the last op to visit
  /// again, else null.
  mlir::Operation *noteUnrecognized(mlir::Operation *op);

  /// Whether `op` is there again because nothing came of what was made of it:
  /// nothing would come of it a second time.
  bool isRestored(mlir::Operation *op) const { return restored.contains(op); }

  /// The ops that were noted and are still there, in that order.
  llvm::ArrayRef<mlir::Operation *> getUnrecognized() const {
    return unrecognized.getArrayRef();
  }
  /// Forgets what was recorded and noted.
  void clear();

private:
  struct Record {
    llvm::SmallVector<mlir::Operation *> pieces;
    /// Of the deciding pieces, those that weren't visited yet.
    llvm::SmallPtrSet<mlir::Operation *, 2> waiting;
    Undo undo;
    /// The op that is in no block until this is taken back, if there is one.
    mlir::Operation *detached = nullptr;
  };
  struct EraseListener : mlir::RewriterBase::Listener {
    explicit EraseListener(PreparationRewriter &rewriter)
        : rewriter(rewriter) {}
    void notifyOperationErased(mlir::Operation *op) override;
    PreparationRewriter &rewriter;
  };

  void forget(mlir::Operation *op);
  /// Says that `op` is detached until the last record is taken back: it may be
  /// a piece of earlier ones.
  void noteDetached(mlir::Operation *op);

  EraseListener listener;
  std::deque<Record> records;
  /// The records that an op is a piece of, the newest last.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Record *, 1>> recordsOf;
  llvm::SetVector<mlir::Operation *> unrecognized;
  llvm::DenseSet<mlir::Operation *> restored;
  llvm::DenseSet<mlir::Operation *> detached;
};

} // namespace qbackend

#endif // QBACKEND_OPERATORS_PREPARATIONREWRITER_H

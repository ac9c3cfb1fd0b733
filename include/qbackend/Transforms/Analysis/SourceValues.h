// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are the network's own, and which ones passes have made of them.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H
#define QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace qbackend {

/// How many values of the network the result of an operator, or what an observe
/// op sees, stands for by its attribute.
int64_t getSourceValues(mlir::Operation *op);
void setSourceValues(mlir::Operation *op, int64_t count);

/// For each value of the network that the observe op `op` stands for, how many
/// values that the next observe ops of its observer stand for are seen before:
/// 0, for what follows at once.
llvm::SmallVector<int64_t> getSourcePlaces(mlir::Operation *op);
void setSourcePlaces(mlir::Operation *op, llvm::ArrayRef<int64_t> places);

/// Whether `op` only moves elements, as a part of what is before or behind it:
/// a pass has put it in; it has the name of one of these; or, without a name,
/// it adds the dimension of size 1 of the element of a stack.
bool isPartOfOther(OperatorOp op);

/// Whether `op` gives no activation: a constant, a destination, a shape.
bool isAuxiliary(mlir::Operation *op);

/// Records, in the attribute `qbackend.moves`, which values of `function` are
/// others in another shape or layout; nothing if it has the attribute. Values
/// are what ops with one name give, and have that name: PyTorch's nodes.
void recordMoves(mlir::func::FuncOp function);

/// How many values of the network each tensor stands for: itself, and what
/// moved it and is no operator any more.
class MovedValues {
public:
  /// Takes what was recorded of the functions of `module`. A movement that is
  /// no operator counts where its input comes from, if `isObserved` is true of
  /// its kind, "reshape" or "transpose".
  MovedValues(mlir::ModuleOp module,
              llvm::function_ref<bool(llvm::StringRef)> isObserved);

  /// Of the tensor behind `value`, seen through changes of layout.
  int64_t count(mlir::Value value) const;

  /// Where the code moves a tensor: after `before`, or if that is null after
  /// the arguments; `number` counts movements in the order of the code.
  struct Place {
    mlir::Value before;
    int64_t number;
  };
  llvm::ArrayRef<Place> getPlaces(mlir::Value tensor) const;

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Place, 1>> moved;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H

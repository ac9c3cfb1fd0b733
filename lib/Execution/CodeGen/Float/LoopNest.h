// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg op on buffers as loops whose addresses are sums of products.
//
//   y[n, f, h, w] += x[n, c, h + i, w + j] * k[f, c, i, j]
//
// has 7 loops; each operand is a flat buffer and one stride for each loop. What
// the layout is called (NCHW, NHWC, a transposed weight) is in the strides, and
// nowhere else.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_LOOPNEST_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_LOOPNEST_H

#include "ByteTable.h"
#include "SumStages.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/ArrayRef.h"

namespace qbackend::codegen {

/// How far the elements of an operand are apart along one loop.
struct Stride {
  /// The value, unless it is only known at run time.
  std::optional<int64_t> constant = 0;
  mlir::Value value;

  bool is(int64_t number) const { return constant == number; }
};

struct Loop {
  /// ShapedType::kDynamic if only `size` knows.
  int64_t extent;
  mlir::Value size;
  bool isReduction;
  /// The dimension of the linalg op, if it has not been merged with others.
  unsigned dimension;
};

struct NestOperand {
  /// The argument of the op's body that holds the element.
  mlir::BlockArgument argument;
  /// A value that is the same everywhere; the rest is empty then.
  mlir::Value scalar;
  /// The operand as it is in the op.
  mlir::Value buffer;
  mlir::Type elementType;
  /// In elements, one for each loop, and of the first element.
  llvm::SmallVector<Stride> strides;
  int64_t offset = 0;
  /// What the buffer holds, if it is a constant.
  mlir::ElementsAttr constant;
  /// Whether the body reads it.
  bool isRead = true;

  /// Returns whether the element depends on the loop.
  bool varies(unsigned loop) const { return !strides[loop].is(0); }
};

/// An elementwise op that is computed on the sums of a tile, in registers.
struct Stage {
  mlir::Block *body;
  /// What it reads besides sums.
  llvm::SmallVector<NestOperand> inputs;
  /// The argument of its body that holds the sum, if it reads it.
  mlir::BlockArgument sum;
};

struct LoopNest {
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<NestOperand> inputs;
  llvm::SmallVector<NestOperand> outputs;
  mlir::Block *body;
  /// What sums begin with, in place of what the output holds; what becomes of
  /// them before they are stored.
  std::optional<Stage> start, finish;
  /// Loops of one iteration that `linalg.index` may still ask for are not here;
  /// their index is 0.
  bool usesIndex = false;
  /// The loads of the body that look up bytes in tables, by `lookup`, and what
  /// computes their indices.
  llvm::SmallDenseMap<mlir::Operation *, TableLoad> tableLoads;
  llvm::SmallPtrSet<mlir::Operation *, 4> tableIndices;
  ByteLookup lookup = ByteLookup::None;

  bool hasReductions() const {
    return llvm::any_of(loops, [](const Loop &l) { return l.isReduction; });
  }

  /// All that has strides or a scalar.
  llvm::SmallVector<NestOperand *> getOperands();
  llvm::SmallVector<const NestOperand *> getOperands() const;

  /// Returns the nest of `op` on buffers, with the stages around it: loops of
  /// one iteration are gone, and neighbours that walk every operand like one
  /// loop are one. Returns nothing if an address is no sum of products, or if
  /// the body has an op that doesn't work on vectors too; tables of bytes do by
  /// `lookup`. May build ops at `builder` that nothing uses then.
  static std::optional<LoopNest> analyze(mlir::OpBuilder &builder,
                                         mlir::linalg::LinalgOp op,
                                         SumStages stages, ByteLookup lookup,
                                         const mlir::SymbolTable &symbols);

private:
  void readTableLoads(mlir::linalg::LinalgOp op,
                      const mlir::SymbolTable &symbols);
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_LOOPNEST_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector code for linalg ops on buffers.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORIZE_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORIZE_H

#include "LoopNest.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"

namespace qbackend::codegen {

/// What the vector unit has.
struct VectorUnit {
  int64_t bytes = 16;
  int64_t registers = 16;
  ByteLookup lookup = ByteLookup::None;
};

/// How a nest is cut into tiles whose sums stay in registers.
struct Schedule {
  /// The loop whose neighbours are the lanes of a vector.
  unsigned vectorLoop;
  int64_t lanes;
  /// Vectors in a tile.
  int64_t vectors = 1;
  /// How many iterations of each loop are in a tile; 1 except for the vector
  /// loop (`lanes * vectors`) and those that are unrolled.
  llvm::SmallVector<int64_t> tile;
  /// The loops around tiles, outermost first: the parallel ones, and those
  /// reductions whose sums wait in memory.
  llvm::SmallVector<unsigned> order;
};

/// Returns the loop along which elements of `operand` are neighbours, if those
/// along `vectorLoop` aren't: vectors of a tile of both are better loaded along
/// it, and transposed.
std::optional<unsigned> findTransposedLoop(const LoopNest &nest,
                                           const NestOperand &operand,
                                           unsigned vectorLoop);

/// Returns the loop of a few neighbours whose groups are neighbours along
/// `vectorLoop`: element `i` of group `k` is at `k * extent + i`, as channels
/// of an image are, or what a shuffle of them reads. As many vectors as the
/// loop has iterations are one run in memory, and interleaved in registers.
std::optional<unsigned> findInterleavedLoop(const LoopNest &nest,
                                            const NestOperand &operand,
                                            unsigned vectorLoop);

/// Returns how to run `nest`, in which it may split a reduction; nothing if no
/// loop can be the vector.
std::optional<Schedule> chooseSchedule(LoopNest &nest, const VectorUnit &unit);

/// Builds the loops at `builder`, which stands before the op that they are for.
/// Constants that are better stored in the order of the tiles are: as globals
/// of `symbols`, whose elements are in `store` if there is one.
void emitLoops(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::SymbolTable &symbols, LoopNest nest,
               const Schedule &schedule, ConstantStore *store);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_VECTORIZE_H

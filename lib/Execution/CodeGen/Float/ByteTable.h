// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of 256 bytes, looked up by vectors of bytes.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_BYTETABLE_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_BYTETABLE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace llvm {
class MCSubtargetInfo;
} // namespace llvm

namespace qbackend::codegen {

/// The instructions that a processor has for it.
enum class ByteLookup {
  None,
  Permute, // AVX-512 VBMI: 128 entries by 64 bytes
  Shuffle, // AVX2: 16 entries by the bytes of each half of 32
  Table,   // AArch64: 64 entries by 16 bytes
};

ByteLookup getByteLookup(const llvm::MCSubtargetInfo &subtarget);

/// A load, in the body of a linalg op, of the entry of a table for a byte.
struct TableLoad {
  mlir::Value byte;
  /// What the byte is before it is an unsigned index: 0x80 is added, or 0.
  bool flipsSign;
  /// What computes the index from the byte; nothing else uses it.
  llvm::SmallVector<mlir::Operation *, 2> indices;
};

/// Reads `load` of a buffer of 256 bytes whose index is a byte; nothing for
/// others.
std::optional<TableLoad> readTableLoad(mlir::memref::LoadOp load);

/// The entries of `table`, a buffer of 256 bytes, for a vector of unsigned
/// bytes.
mlir::Value emitLookup(mlir::OpBuilder &builder, mlir::Location loc,
                       ByteLookup lookup, mlir::Value table, mlir::Value bytes);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_BYTETABLE_H

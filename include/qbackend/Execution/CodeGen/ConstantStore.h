// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that code compiled in this process refers to by address. What is in
// the LLVM module is copied several times on the way to memory, and read by
// every pass.

#ifndef QBACKEND_EXECUTION_CODEGEN_CONSTANTSTORE_H
#define QBACKEND_EXECUTION_CODEGEN_CONSTANTSTORE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qbackend::codegen {

using Memory = std::unique_ptr<char, decltype(&std::free)>;

/// Memory for compiled code, which begins on a cache line: a vector that
/// crosses one is two loads. Large ones are in large pages where the system has
/// them, as entries of a page table are few. Null: there is none.
Memory allocateMemory(size_t size);

/// Bytes in memory of their own.
struct OwnedBytes {
  Memory data = {nullptr, &std::free};
  size_t size = 0;

  llvm::ArrayRef<char> get() const { return {data.get(), size}; }
};

struct ConstantStore {
  /// Returns zeros that live as long as the store, on a cache line's boundary.
  char *allocate(size_t size);
  /// Keeps `bytes` as long as the store lives, where they are.
  const char *keep(OwnedBytes bytes);

  /// Names of the module, and where their elements are.
  std::vector<std::pair<std::string, const void *>> symbols;

private:
  /// What isn't in an attribute of the context, and what is left of the last
  /// one.
  std::vector<Memory> owned;
  char *next = nullptr;
  size_t left = 0, total = 0;
};

/// How many bytes LLVM takes for an element of a buffer, at most, on all
/// targets: 8 for an i48, 16 for an i96, 1 for an i3.
int64_t getStoredBytes(mlir::Type element);

/// Returns the elements of `constant` as they are in memory; nothing if they
/// are stored otherwise (a splat, bits, six bytes each).
llvm::ArrayRef<char> getElementBytes(mlir::ElementsAttr constant);

/// Returns the elements of the constant that `buffer` is, by
/// `memref.get_global`; null if it is none.
mlir::ElementsAttr getConstantElements(mlir::Value buffer,
                                       const mlir::SymbolTable &symbols);

} // namespace qbackend::codegen

#endif // QBACKEND_EXECUTION_CODEGEN_CONSTANTSTORE_H

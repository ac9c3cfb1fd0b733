// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where constants are that code compiled in this process refers to.

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace qbackend::codegen;

/// A cache line, and what the systems that have large pages have most.
static constexpr size_t line = 64, largePage = size_t(1) << 21;

Memory qbackend::codegen::allocateMemory(size_t size) {
  size_t unit = size < largePage ? line : largePage;
  size = llvm::alignTo(std::max<size_t>(size, 1), unit);
  char *data = static_cast<char *>(std::aligned_alloc(unit, size));
#ifdef MADV_HUGEPAGE
  // One that the system doesn't give is as good as it is.
  if (data && unit == largePage)
    madvise(data, size, MADV_HUGEPAGE);
#endif
  return {data, &std::free};
}

char *ConstantStore::allocate(size_t size) {
  size = llvm::alignTo(std::max<size_t>(size, 1), line);
  if (size > left) {
    // As much as there is already, so that small networks take little.
    left = std::max(size, std::min(total, largePage));
    if (left >= largePage)
      left = llvm::alignTo(left, largePage);
    total += left;
    owned.push_back(allocateMemory(left));
    next = owned.back().get();
    if (!next)
      llvm::report_bad_alloc_error("weights in the order of the tiles");
  }
  char *data = std::exchange(next, next + size);
  left -= size;
  std::memset(data, 0, size);
  return data;
}

const char *ConstantStore::keep(OwnedBytes bytes) {
  owned.push_back(std::move(bytes.data));
  return owned.back().get();
}

int64_t qbackend::codegen::getStoredBytes(Type element) {
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::PowerOf2Ceil(std::max<uint64_t>(llvm::divideCeil(bits, 8), 1));
}

llvm::ArrayRef<char> qbackend::codegen::getElementBytes(ElementsAttr constant) {
  Type element = constant.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return {};
  // Attributes have as few bytes as there are, and some bit in those that are
  // left over.
  int64_t size = getStoredBytes(element);
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() != 8 * size)
    return {};
  std::optional<int64_t> count =
      qbackend::tryCountElements(constant.getShapedType());
  auto check = [&](llvm::ArrayRef<char> bytes) {
    return count && *count == int64_t(bytes.size()) / size &&
                   bytes.size() % size == 0
               ? bytes
               : llvm::ArrayRef<char>();
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.isSplat() ? llvm::ArrayRef<char>() : check(dense.getRawData());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return check(blob->getData());
  return {};
}

ElementsAttr
qbackend::codegen::getConstantElements(Value buffer,
                                       const SymbolTable &symbols) {
  auto get = buffer.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? symbols.lookup<memref::GlobalOp>(get.getName())
                    : memref::GlobalOp();
  return global && global.getConstant() && global.getInitialValue()
             ? dyn_cast<ElementsAttr>(*global.getInitialValue())
             : ElementsAttr();
}

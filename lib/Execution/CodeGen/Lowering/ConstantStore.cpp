// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes big constants out of a module.

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <optional>

using namespace mlir;
using namespace qbackend::codegen;

/// Smaller ones may become part of the code.
static constexpr int64_t minElements = 256;

char *ConstantStore::allocate(size_t size) {
  constexpr size_t line = 64;
  size = llvm::alignTo(size, line);
  char *data = static_cast<char *>(std::aligned_alloc(line, size));
  if (!data)
    llvm::report_bad_alloc_error("weights in the order of the tiles");
  std::memset(data, 0, size);
  owned.emplace_back(data, &std::free);
  return data;
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

void qbackend::codegen::externalizeConstants(ModuleOp module,
                                             ConstantStore &store) {
  for (auto global : module.getOps<memref::GlobalOp>()) {
    if (!global.getConstant() || !global.getInitialValue())
      continue;
    auto constant = dyn_cast<ElementsAttr>(*global.getInitialValue());
    if (!constant || constant.getNumElements() < minElements)
      continue;
    llvm::ArrayRef<char> bytes = getElementBytes(constant);
    if (bytes.empty())
      continue;
    store.symbols.emplace_back(global.getSymName().str(), bytes.data());
    // A private one would be defined, with any value.
    global.setPublic();
    global.removeInitialValueAttr();
    global.removeConstantAttr();
    // Attributes are aligned to their elements, no further.
    global.removeAlignmentAttr();
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a .safetensors file: an error, or tensors that are inside of it
// and have the bytes of their shapes.

#include "qbackend/Support/ParameterFile.h"

#include "llvm/ADT/StringSet.h"

#include <cstdlib>

using namespace qbackend;

/// Whether `tensor` has the bytes that its shape needs.
static bool isWhole(const StoredTensor &tensor) {
  uint64_t bytes = tensor.bits / 8;
  for (int64_t extent : tensor.shape) {
    if (extent < 0)
      return false;
    bytes *= extent;
  }
  return tensor.bits == 0 || bytes == tensor.bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef content(reinterpret_cast<const char *>(data), size);
  auto file = readSafeTensors(llvm::MemoryBuffer::getMemBuffer(
      content, "weights", /*RequiresNullTerminator=*/false));
  if (!file) {
    if (llvm::toString(file.takeError()).empty())
      std::abort();
    return 0;
  }
  llvm::StringSet<> names;
  for (const StoredTensor &tensor : file->tensors)
    if (!names.insert(tensor.name).second || !isWhole(tensor) ||
        tensor.bytes.begin() < content.begin() ||
        tensor.bytes.end() > content.end())
      std::abort();
  return 0;
}

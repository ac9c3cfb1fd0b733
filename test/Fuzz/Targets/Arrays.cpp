// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a file of arrays: an error, or arrays of their shapes.

#include "qbackend/Execution/Samples/ArrayFile.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace qbackend::arrays;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A file in memory.
  int file = memfd_create("arrays", 0);
  if (write(file, data, size) != ssize_t(size))
    std::abort();
  auto arrays = readArrays("/proc/self/fd/" + std::to_string(file));
  close(file);
  if (!arrays) {
    if (llvm::toString(arrays.takeError()).empty())
      std::abort();
    return 0;
  }
  for (const NamedArray &named : *arrays) {
    auto bytes = getNumBytes(named.array.type, named.array.shape);
    if (!bytes || uint64_t(*bytes) != named.array.data.size())
      std::abort();
    llvm::consumeError(toFloat(named.array, named.name).takeError());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named tensors of a file of parameters, and the reader of .safetensors.

#ifndef QBACKEND_SUPPORT_PARAMETERFILE_H
#define QBACKEND_SUPPORT_PARAMETERFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qbackend {

/// What the elements of a stored tensor are; `Other` is what nothing here
/// reads.
enum class StoredKind { Float, BFloat, Signed, Unsigned, Bool, Other };

/// One tensor of a file.
struct StoredTensor {
  std::string name;
  /// What the file calls the type of the elements: F32, float32.
  std::string typeName;
  StoredKind kind = StoredKind::Other;
  unsigned bits = 0;
  llvm::SmallVector<int64_t> shape;
  /// Little-endian and row-major, as many as `shape` needs; unaligned. The
  /// bytes of a bool are 0 or 1.
  llvm::ArrayRef<char> bytes;
};

/// What a file holds.
struct ParameterFile {
  /// In the order of the file; no name twice.
  std::vector<StoredTensor> tensors;
  /// What the bytes of the tensors are in.
  std::shared_ptr<const void> owner;
};

/// Reads the header of a .safetensors file: eight bytes that are the length of
/// a JSON object, that object, and the bytes of the tensors, which stay where
/// they are. As the format asks, those follow each other without a gap, an
/// overlap or a rest. Errors continue a sentence that starts with the file's
/// name.
llvm::Expected<ParameterFile>
readSafeTensors(std::unique_ptr<llvm::MemoryBuffer> buffer);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_PARAMETERFILE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a .npy.

#ifndef QBACKEND_LIB_EXECUTION_SAMPLES_NPYHEADER_H
#define QBACKEND_LIB_EXECUTION_SAMPLES_NPYHEADER_H

#include "qbackend/Execution/Samples/ArrayFile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace qbackend::arrays {

struct NpyHeader {
  ElementType type = ElementType::F32;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

/// Reads a header, whose shape fits in memory. `read` fills a buffer as far as
/// there is data. Errors continue a sentence that starts with the file's name.
llvm::Expected<NpyHeader>
readNpyHeader(llvm::function_ref<llvm::Expected<size_t>(void *, size_t)> read);

/// Rearranges column-major data to row-major.
void transposeFromFortran(Array &array);

/// Returns what stops whoever reads `found` of `wanted` bytes.
llvm::Error makeTruncatedError(uint64_t found, uint64_t wanted,
                               llvm::StringRef what);

} // namespace qbackend::arrays

#endif // QBACKEND_LIB_EXECUTION_SAMPLES_NPYHEADER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks in any format that there is a reader for.

#ifndef QBACKEND_SUPPORT_READNETWORK_H
#define QBACKEND_SUPPORT_READNETWORK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace qbackend {

/// MLIR, as text or bytecode, of the network in `path`; "-" is standard input.
/// A .pt2 or .onnx file is imported by qbackend-import, if that is in the
/// folder of this program. An error is one line, and so is one for what is
/// binary and no bytecode.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readNetwork(llvm::StringRef path);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_READNETWORK_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read whole.

#ifndef QBACKEND_SUPPORT_INPUTFILE_H
#define QBACKEND_SUPPORT_INPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace qbackend {

/// The content of `path`, or of standard input for "-". A device is read like a
/// pipe, but one that gives more than 64 MB (`/dev/zero`) is an error: it has
/// no end. So are a name with a null in it, which would be that of another
/// file, and standard input that was read to its end before. What is no text
/// has no null behind it, and is mapped into memory where it is long.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path, bool isText = true);

/// The same, but that nothing is mapped: a file that changes while it is read
/// is an error, and what is done to it afterwards makes no difference.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readWholeFile(llvm::StringRef path);

/// Whether `readFile` was given "-" before: nothing is left of it.
bool wasStandardInputRead();

} // namespace qbackend

#endif // QBACKEND_SUPPORT_INPUTFILE_H

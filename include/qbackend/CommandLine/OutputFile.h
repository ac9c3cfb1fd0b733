// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether what a program is going to write has a place.

#ifndef QBACKEND_COMMANDLINE_OUTPUTFILE_H
#define QBACKEND_COMMANDLINE_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// Fails if no file could be written at `path`: its folder doesn't exist or is
/// not writable, or a folder has that name. An empty path and "-" are fine, as
/// are devices and pipes. To be asked before work that takes its time.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace qbackend

#endif // QBACKEND_COMMANDLINE_OUTPUTFILE_H

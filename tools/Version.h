// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --version says in all tools.

#ifndef QBACKEND_TOOLS_VERSION_H
#define QBACKEND_TOOLS_VERSION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace qbackend {

/// Has --version name this project's version, too; LLVM's comes first.
inline void addVersionPrinter() {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "qbackend version " QBACKEND_VERSION_STRING "\n";
  });
}

} // namespace qbackend

#endif // QBACKEND_TOOLS_VERSION_H

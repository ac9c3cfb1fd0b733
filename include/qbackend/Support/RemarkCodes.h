// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the codes of remarks mean.

#ifndef QBACKEND_SUPPORT_REMARKCODES_H
#define QBACKEND_SUPPORT_REMARKCODES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace qbackend {

/// Why what has `code` is not quantized: the title of its section.
llvm::StringRef getRemarkTitle(llvm::StringRef code);

/// The title, the explanation and the remedy of `code` ("QB105") from
/// docs/Diagnostics.md, without its example; empty if there is no such code.
std::string explainRemarkCode(llvm::StringRef code);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_REMARKCODES_H

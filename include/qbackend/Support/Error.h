// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors with a formatted message.

#ifndef QBACKEND_SUPPORT_ERROR_H
#define QBACKEND_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace qbackend {

/// An error with the message `format`, in the style of llvm::formatv.
template <typename... Args>
llvm::Error makeError(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

} // namespace qbackend

#endif // QBACKEND_SUPPORT_ERROR_H

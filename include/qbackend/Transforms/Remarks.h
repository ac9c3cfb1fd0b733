// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes say about operators that stay real-valued.

#ifndef QBACKEND_TRANSFORMS_REMARKS_H
#define QBACKEND_TRANSFORMS_REMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace qbackend {

/// Emits a missed remark of category "qbackend" at `loc`: `subject` (such as
/// "conv2d+relu") is not quantized. `code` is a stable name like "QB101", which
/// docs/Diagnostics.md explains, `suggestion` says what to change.
void remarkMissed(mlir::Location loc, llvm::StringRef code,
                  llvm::StringRef subject, const llvm::Twine &reason,
                  const llvm::Twine &suggestion);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_REMARKS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of a backend in the order in which they are tried.

#ifndef QBACKEND_TRANSFORMS_PATTERNS_H
#define QBACKEND_TRANSFORMS_PATTERNS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The kind names of `op`, one for each operator that was fused into it.
llvm::SmallVector<llvm::StringRef> getKindNames(OperatorOp op);

/// Looks up the patterns of one backend.
class PatternTable {
public:
  explicit PatternTable(BackendConfigOp backend);

  /// The patterns of exactly these kinds, in the backend's order. PyTorch tells
  /// spellings apart that are one kind here, so there can be several.
  llvm::ArrayRef<PatternConfigOp>
  lookup(llvm::ArrayRef<llvm::StringRef> kinds) const;

  /// The patterns of several kinds whose last one is `anchor`: longer ones
  /// first, then in the backend's order.
  llvm::ArrayRef<PatternConfigOp> getFusions(llvm::StringRef anchor) const;

private:
  llvm::StringMap<llvm::SmallVector<PatternConfigOp, 2>> byKinds, byAnchor;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_PATTERNS_H

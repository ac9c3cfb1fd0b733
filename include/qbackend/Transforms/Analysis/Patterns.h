// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of a backend in the order in which they are tried, and the
// operators that match them.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_PATTERNS_H
#define QBACKEND_TRANSFORMS_ANALYSIS_PATTERNS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The kind names of `op`, one for each operator that was fused into it.
llvm::SmallVector<llvm::StringRef> getKindNames(OperatorOp op);

/// Looks up the patterns of one backend.
class PatternTable {
public:
  /// `places` are those of a list of backends, whose equal patterns are
  /// several.
  explicit PatternTable(
      BackendConfigOp backend,
      const llvm::DenseMap<mlir::Operation *, unsigned> &places =
          llvm::DenseMap<mlir::Operation *, unsigned>());

  /// The patterns of exactly these kinds, in the backend's order. PyTorch tells
  /// spellings apart that are one kind here, so there can be several. If there
  /// is none: those of several operators that become these kinds.
  llvm::ArrayRef<PatternConfigOp>
  lookup(llvm::ArrayRef<llvm::StringRef> kinds) const;

  /// The patterns of several operators whose last one is `anchor`: those with
  /// more elements first, then in the backend's order; equal ones of one place
  /// once.
  llvm::ArrayRef<PatternConfigOp> getFusions(llvm::StringRef anchor) const;

private:
  llvm::StringMap<llvm::SmallVector<PatternConfigOp, 2>> byKinds, byFusedKinds,
      byAnchor;
};

/// The operators that a pattern of several operators matched.
struct PatternMatch {
  /// In the order of execution; the last one is the anchor.
  llvm::SmallVector<OperatorOp> operators;
  /// The one whose inputs are the first inputs of the whole.
  OperatorOp root;
  /// The further inputs.
  llvm::SmallVector<mlir::Value> extraInputs;
};

/// Matches `pattern` with `anchor` as its last operator. All others must have
/// one user; if that is all that is missing, `blocked` is set to one that has
/// more. An element with operands needs as many arguments (inputs, then the
/// number that is its second operand), one without takes any.
std::optional<PatternMatch> matchPatternConfig(OperatorOp anchor,
                                               PatternConfigOp pattern,
                                               OperatorOp &blocked);

/// A pattern of which all is there but one thing.
struct NearMatch {
  /// What differs, as in "a qbackend.transpose stands between conv2d and relu".
  std::string reason;
  /// Where.
  mlir::Location place;
};

/// What keeps `pattern` from matching with `anchor` as its last operator, if it
/// is one thing: an op between two operators of the pattern, the order or
/// number of arguments, or, in a pattern of three operators or more, one of
/// another kind.
std::optional<NearMatch> findNearMatch(OperatorOp anchor,
                                       PatternConfigOp pattern);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_PATTERNS_H

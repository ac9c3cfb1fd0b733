// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from a float module to its reference form.

#ifndef QBACKEND_TRANSFORMS_PASSES_H
#define QBACKEND_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

/// Which observed values have one observer, where outputs share their inputs'.
enum class Sharing {
  /// All that share with each other, directly or not.
  Groups,
  /// PyTorch FX's: at each operator in turn, the output (and what else is in a
  /// list) gets the observer that the first input has at that time.
  FX,
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Transforms/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_PASSES_H

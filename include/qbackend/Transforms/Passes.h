// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from a real-valued module to its reference form.

#ifndef QBACKEND_TRANSFORMS_PASSES_H
#define QBACKEND_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Transforms/Passes.h.inc"

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_PASSES_H

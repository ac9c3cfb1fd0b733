// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines private functions at their calls.

#ifndef QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_INLINECALLS_H
#define QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_INLINECALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// Puts the bodies of private functions of one block in the place of their
/// calls, callees first, and erases those that nothing calls any more.
/// Functions that call themselves stay, and so do those whose arguments have
/// attributes, and calls that would make more than some 100,000 ops.
void inlineCalls(mlir::ModuleOp module);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_INLINECALLS_H

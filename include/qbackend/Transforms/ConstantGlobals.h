// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Globals that never change, as the constants that they are.

#ifndef QBACKEND_TRANSFORMS_CONSTANTGLOBALS_H
#define QBACKEND_TRANSFORMS_CONSTANTGLOBALS_H

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

namespace qbackend {

/// Replaces loads of `global` by its elements, and erases it if nothing else
/// names it. One that is mutable, or without elements, stays.
void inlineConstantGlobal(mlir::ml_program::GlobalOp global);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_CONSTANTGLOBALS_H

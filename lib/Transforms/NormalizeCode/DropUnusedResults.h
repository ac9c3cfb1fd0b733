// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drops unused results of ops that have others.

#ifndef QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPUNUSEDRESULTS_H
#define QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPUNUSEDRESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend {

/// A generic op that reduces to several results, such as a maximum and where it
/// is, has those only that are read, or that others are computed from.
void dropUnusedResults(mlir::func::FuncOp function);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_NORMALIZECODE_DROPUNUSEDRESULTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the `edges` of a pattern say of values, and ask of the neighbours.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H

#include "qbackend/Dialect/QBackend/Edges.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace qbackend {

/// Whether two edges of one value with these observers are one by PT2E's
/// implicit sharing: dtype, range, scheme, axis, fixed parameters and being
/// dynamic are equal. The class of the observer and its eps don't count.
bool haveSameNumbers(ObserverAttr a, ObserverAttr b);

/// Which condition of `edges` doesn't hold of `op`; empty if all do.
/// `isQuantized` says whether a producer is quantized, `hasPattern` whether
/// there is a pattern for a user.
std::string
whyConditionFails(OperatorOp op, EdgesAttr edges,
                  llvm::function_ref<bool(OperatorOp)> isQuantized,
                  llvm::function_ref<bool(mlir::Operation *)> hasPattern);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H

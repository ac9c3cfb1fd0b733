// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the `edges` of a pattern say of values, and ask of the neighbours.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H

#include "qbackend/Dialect/QBackend/Edges.h"

#include "llvm/ADT/DenseSet.h"

namespace qbackend {

/// Whether two edges of one value with these observers are one by PT2E's
/// implicit sharing: dtype, range, scheme, axis, fixed parameters and being
/// dynamic are equal. The class of the observer and its eps don't count.
bool haveSameNumbers(ObserverAttr a, ObserverAttr b);

/// Which condition of `edges` doesn't hold of `op`, whose producers were
/// decided before; empty if all do. `decided` are the operators that a pattern
/// is for.
std::string whyConditionFails(OperatorOp op, EdgesAttr edges,
                              const llvm::DenseSet<mlir::Operation *> &decided);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H

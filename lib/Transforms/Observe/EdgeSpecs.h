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

/// What the network calls the code of `op`, of `torchNames`, which may be null,
/// as operators that don't work in place and don't copy.
llvm::SmallVector<std::string> getTorchNames(OperatorOp op,
                                             mlir::DictionaryAttr torchNames);

/// Whether all operators in the `torch` of `pattern` are in `called`, if it
/// asks for that; nothing in it means that nobody knows.
bool isSpelled(llvm::ArrayRef<std::string> called, PatternConfigOp pattern);

/// Whether `pattern` has a spec for the number that `op` adds or multiplies by:
/// PyTorch's quantizers make it a buffer first (transform_for_annotation),
/// unless that is done in place.
bool observesNumber(OperatorOp op, mlir::DictionaryAttr torchNames,
                    PatternConfigOp pattern);

/// Makes that number the second input of `op`, a tensor of rank 0.
void makeNumberInput(OperatorOp op);

/// Which condition of `edges` doesn't hold of `op`; empty if all do.
/// `isQuantized` says whether a producer is quantized, `hasPattern` whether
/// there is a pattern for a user.
std::string
whyConditionFails(OperatorOp op, EdgesAttr edges,
                  llvm::function_ref<bool(OperatorOp)> isQuantized,
                  llvm::function_ref<bool(mlir::Operation *)> hasPattern);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_EDGESPECS_H

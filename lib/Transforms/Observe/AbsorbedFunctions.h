// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the network that are part of an operator.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_ABSORBEDFUNCTIONS_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_ABSORBEDFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend {

/// Says of each operator of `function` which values inside of it have names of
/// their own, QB128: FX, which goes by a network's calls and not by what they
/// compute, observes them. Reads the attribute `qbackend.moves`.
void remarkAbsorbedFunctions(mlir::func::FuncOp function);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_ABSORBEDFUNCTIONS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The int8 dialect: kernels on bytes, on tensors or buffers.

#ifndef QBACKEND_EXECUTION_INT8_INT8_H
#define QBACKEND_EXECUTION_INT8_INT8_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "qbackend/Execution/Int8/Int8Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qbackend/Execution/Int8/Int8Attrs.h.inc"

#define GET_OP_CLASSES
#include "qbackend/Execution/Int8/Int8Ops.h.inc"

namespace qbackend::int8 {

/// Lets the ops be bufferized: what they write is their `init`.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace qbackend::int8

#endif // QBACKEND_EXECUTION_INT8_INT8_H

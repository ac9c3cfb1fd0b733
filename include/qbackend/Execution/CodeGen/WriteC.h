// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks as C11, for compilers other than LLVM.

#ifndef QBACKEND_EXECUTION_CODEGEN_WRITEC_H
#define QBACKEND_EXECUTION_CODEGEN_WRITEC_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace qbackend::codegen {

/// Writes `module`, in the form that buildLowerToCPipeline makes, to `output`
/// as one file of C11. A public function @name is `static void name_network`,
/// with a pointer to the elements of each argument, row-major; all else is
/// static, too. The code has no undefined behaviour, and computes the integers
/// that the module does with any compiler whose numbers are those that it
/// asserts: two's complement, and IEEE 754 without excess precision.
///
/// Fails, before anything is written, with an error at the first op or type
/// that has no such code.
mlir::LogicalResult writeC(mlir::ModuleOp module, llvm::raw_ostream &output);

/// Registers the translation --qbackend-to-c.
void registerToCTranslation();

} // namespace qbackend::codegen

#endif // QBACKEND_EXECUTION_CODEGEN_WRITEC_H

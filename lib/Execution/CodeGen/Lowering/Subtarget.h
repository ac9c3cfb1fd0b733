// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM knows of the processor that code is made for.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_SUBTARGET_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_SUBTARGET_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"

#include <memory>

namespace qbackend::codegen {

/// Returns the processor that the options of `pass` name: `cpu` of `triple`, or
/// this one, with `features` ("+avx2,-fma") besides its own. Null, after an
/// error that names the pass, if there is none.
std::unique_ptr<llvm::MCSubtargetInfo> getSubtarget(mlir::MLIRContext *context,
                                                    llvm::StringRef pass,
                                                    llvm::StringRef triple,
                                                    llvm::StringRef cpu,
                                                    llvm::StringRef features);

/// Whether there are instructions for floats of 64 bits, or of fewer; else LLVM
/// calls functions, of which fmaximum and fminimum are C23. With MVE, LLVM 22
/// crashes on these for 64 bits, or doesn't end.
bool hasFloats(const llvm::MCSubtargetInfo &subtarget, bool isDouble);

/// Whether vectors of f32 are multiplied and added with one rounding.
bool hasFusedFloats(const llvm::MCSubtargetInfo &subtarget);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_SUBTARGET_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From integer TOSA, as TFLite and ExecuTorch spell it, to the kernels of
// QNNPACK.

#ifndef QBACKEND_CONVERSION_TOSATOQNNPACK_H
#define QBACKEND_CONVERSION_TOSATOQNNPACK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace qbackend {

#define GEN_PASS_DECL_CONVERTTOSATOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"

/// Makes kernels with a fixed-point requantization of the convolutions,
/// products and sums of bytes of `module` that a `tosa.rescale` makes bytes of
/// again, with the same integers. What is a contraction of integers before a
/// rescale, and stays, gets the missed remark QB147.
void importIntegerTosa(mlir::ModuleOp module);

} // namespace qbackend

#endif // QBACKEND_CONVERSION_TOSATOQNNPACK_H

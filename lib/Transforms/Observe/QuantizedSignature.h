// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of a network that are quantized for its caller.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_QUANTIZEDSIGNATURE_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_QUANTIZEDSIGNATURE_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// Puts `qbackend.quantized` on the arguments and results of these numbers, of
/// the only public function of `module`; fails, with an error, if there is no
/// such function, argument or result, or one has the attribute and can't.
mlir::LogicalResult markQuantized(mlir::ModuleOp module,
                                  llvm::ArrayRef<int64_t> inputs,
                                  llvm::ArrayRef<int64_t> outputs);

/// Whether `value` is an argument with `qbackend.quantized`, seen through
/// changes of layout.
bool isQuantizedArgument(mlir::Value value);

/// Gives the arguments and results with `qbackend.quantized` the types that
/// they are quantized to, instead of quantizing and dequantizing them inside.
/// One that isn't stays float, with a remark. Fails, with an error, for a
/// function that is called.
mlir::LogicalResult quantizeSignatures(mlir::ModuleOp module);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_QUANTIZEDSIGNATURE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that a module names, but doesn't have, from a file.

#ifndef QBACKEND_PIPELINES_BINDPARAMETERS_H
#define QBACKEND_PIPELINES_BINDPARAMETERS_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// Gives `module` the tensors of the file `path` (.safetensors, or what the
/// runner of the context reads: .npz), by name:
///
/// - to arguments of public functions that nothing calls, by the first of their
///   names that the file has: location, qbackend.name, iree.abi.name,
///   ml_program.identifier, jax.arg_info, `arg1` by place; they become
///   constants, and leave the signature;
/// - to globals of `ml_program` whose value is `#ml_program.extern`, by symbol;
/// - to resources (`dense_resource<key>`) without data, by key.
///
/// Each tensor has one place at least, and each such global and resource a
/// tensor, of the same type and shape; an error says where that is not so. The
/// module is changed only if nothing is wrong. No bytes are copied, unless
/// their alignment asks for it.
mlir::LogicalResult bindParameters(mlir::ModuleOp module, llvm::StringRef path);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_BINDPARAMETERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the functions that a backend gives as its patterns' arithmetic.

#ifndef QBACKEND_LIB_TRANSFORMS_CONVERT_REFERENCEIMPLEMENTATION_H
#define QBACKEND_LIB_TRANSFORMS_CONVERT_REFERENCEIMPLEMENTATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "qbackend/Backends/Backends.h"

namespace qbackend {

/// Puts calls of reference implementations into a module.
class ReferenceImplementations {
public:
  /// Those of `backend`, for `module`, which may be where its functions are.
  ReferenceImplementations(mlir::ModuleOp module, const Backend &backend)
      : symbols(module), config(backend.config), functions(backend.references) {
  }

  /// Puts a call of the `reference` that was decided for `op` in its place; its
  /// inputs are dequantized and its only user quantizes its result. Fails, and
  /// says so at `op`, if the function does not fit.
  mlir::LogicalResult apply(OperatorOp op);

private:
  /// The function `name` in the module: it is copied, with the functions that
  /// it calls, when it is first asked for.
  mlir::func::FuncOp getOrCopy(mlir::StringAttr name);

  mlir::SymbolTable symbols;
  BackendConfigOp config;
  mlir::ModuleOp functions;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> copies;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_CONVERT_REFERENCEIMPLEMENTATION_H

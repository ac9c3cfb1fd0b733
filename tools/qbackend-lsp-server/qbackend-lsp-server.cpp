// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor asks about configuration files and networks: errors while one
// types, definitions, descriptions, completion. MLIR's server, which speaks the
// Language Server Protocol on standard input, with the dialects of this
// project.

#include "qbackend/Interfaces/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

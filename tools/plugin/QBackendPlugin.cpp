// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin that a stock mlir-opt loads, for the dialects and for the passes.

#include "qbackend/Interfaces/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QBackend", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            qbackend::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QBackend", LLVM_VERSION_STRING,
          [] { qbackend::registerAllPasses(); }};
}

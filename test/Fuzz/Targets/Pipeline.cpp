// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any module through all passes, calibrated on a made-up sample and lowered: an
// error, or a module that verifies.

#include "Modules.h"

#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/ParseModule.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  qbackend::registerAllPasses();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(copyInput(data, size), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = qbackend::parseModule(sources, &fuzz.context);
  if (!module) {
    fuzz.requireError();
    return 0;
  }
  // The length chooses, so that all are tried.
  static constexpr llvm::StringRef forms[] = {"qnnpack", "linalg", "tosa",
                                              "reference"};
  fuzz.hasError = false;
  PassManager passes(&fuzz.context);
  if (failed(parsePassPipeline(
          ("apply-backend{backend=qnnpack samples=1 lower-to=" +
           forms[size % std::size(forms)] + "}")
              .str(),
          passes)))
    std::abort();
  if (failed(passes.run(*module)))
    fuzz.requireError();
  else if (failed(verify(*module)))
    std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes a module from C++, with the installed package. docs/Cpp.md has it.

#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackend.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  // Errors, warnings and remarks; without a handler they go to standard error.
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
        return mlir::success();
      });
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  // What becomes of each operator. Whoever doesn't ask takes
  // createApplyBackendPass(options) with an ApplyBackendPassOptions.
  std::vector<qbackend::OperatorVerdict> verdicts;
  auto pass = qbackend::createApplyBackendPass(verdicts, /*table=*/"");
  if (failed(pass->initializeOptions("backend=qnnpack calibration=ranges",
                                     [](const llvm::Twine &message) {
                                       llvm::errs() << message << "\n";
                                       return mlir::failure();
                                     })))
    return 1;
  mlir::PassManager pm(&context);
  pm.addPass(std::move(pass));
  if (failed(pm.run(*module)))
    return 1;
  for (const qbackend::OperatorVerdict &verdict : verdicts)
    llvm::outs() << "// " << verdict.kind << ": " << verdict.verdict << " "
                 << verdict.code << "\n";
  module->print(llvm::outs());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readies a module to be compiled here, and marks its functions.

#include "PrepareModule.h"

#include "InitialState.h"

#include "qbackend/Execution/Runtime/IsolateNetwork.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend;
using mlir::ModuleOp;

Error runtime::makeErrorAt(mlir::Location location, const Twine &message) {
  std::string text;
  raw_string_ostream os(text);
  if (!isa<mlir::UnknownLoc>(location))
    os << location << ": ";
  os << message;
  return createStringError(text);
}

/// Marks what is called from outside and how.
static void markFunctions(ModuleOp module, mlir::func::FuncOp entry) {
  mlir::Builder builder(module.getContext());
  mlir::UnitAttr unit = builder.getUnitAttr();
  StringRef wrapper = mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName();
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    function->setAttr(wrapper, unit);
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (isa<mlir::TensorType>(function.getArgumentTypes()[i]))
        function.setArgAttr(i, "bufferization.access",
                            builder.getStringAttr("read"));
  }
  entry->setAttr(wrapper, unit);
  // Inlining into the C wrapper would lose that arguments are not aliased by
  // fresh buffers.
  entry->setAttr("passthrough",
                 builder.getArrayAttr({builder.getStringAttr("noinline")}));
}

Error runtime::prepareModule(ModuleOp module, mlir::func::FuncOp entry,
                             ArrayRef<StringRef> hooks, bool onBuffers) {
  std::string message;
  if (!onBuffers) {
    mlir::ScopedDiagnosticHandler handler(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            message = toString(
                makeErrorAt(diagnostic.getLocation(), diagnostic.str()));
          return mlir::success();
        });
    if (failed(isolateNetwork(module, entry, hooks, /*mayRename=*/true)))
      return createStringError(message);
  }
  markFunctions(module, entry);
  return startFromInitialState(module, entry);
}

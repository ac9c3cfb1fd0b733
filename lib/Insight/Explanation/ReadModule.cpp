// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from files, for programs.

#include "qbackend/Insight/Explanation/ReadModule.h"

#include "qbackend/Insight/Explanation/SourceHints.h"
#include "qbackend/Pipelines/BindParameters.h"
#include "qbackend/Support/ParseModule.h"
#include "qbackend/Support/ReadNetwork.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace qbackend;

llvm::Expected<OwningOpRef<ModuleOp>>
qbackend::readModule(StringRef path, MLIRContext *context, StringRef weights) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  auto buffer = readNetwork(path);
  if (!buffer)
    return buffer.takeError();
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, context);
  OwningOpRef<ModuleOp> module = parseModule(sources, context);
  if (std::optional<SourceHint> hint =
          module ? std::nullopt
                 : findSourceHint(sources->getMemoryBuffer(1)->getBuffer()))
    emitError(FileLineColLoc::get(
        context, sources->getMemoryBuffer(1)->getBufferIdentifier(), hint->line,
        hint->column))
        << hint->message;
  if (!module)
    return llvm::createStringError("'" + path + "' is not a valid module");
  if (!weights.empty() && failed(bindParameters(*module, weights)))
    return llvm::createStringError("'" + path + "' has not got its weights");
  return module;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network as an ONNX file, through the C interface.

#include "Session.h"

#include "qbackend/Interfaces/ONNX.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

QBackendStatus qbackendToONNX(QBackendText module, QBackendText entry,
                              char **output, size_t *length,
                              QBackendDiagnosticCallback callback, void *user) {
  auto write = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    if (!length)
      return session.error() << "length is null";
    OwningOpRef<ModuleOp> parsed =
        session.parse(toRef(module), "module", "MLIR as text or bytecode");
    if (!parsed)
      return failure();
    printExportRemarks(session.getContext());
    if (failed(translateToONNX(*parsed, os, toRef(entry))))
      return failure();
    *length = os.tell();
    return success();
  };
  return giveText(output, callback, user, write);
}

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
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  if (!length) {
    session.error() << "length is null";
    return QBACKEND_FAILURE;
  }
  OwningOpRef<ModuleOp> parsed =
      session.parse(toRef(module), "module", "MLIR as text or bytecode");
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (!parsed || failed(translateToONNX(*parsed, stream, toRef(entry))))
    return QBACKEND_FAILURE;
  *length = bytes.size();
  return session.finish(bytes, output);
}

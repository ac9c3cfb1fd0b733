// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations to and from JSON through the C interface.

#include "Session.h"

#include "qbackend/Backends/Json.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

/// The end of a call that prints a module.
static QBackendStatus finishModule(Session &session, ModuleOp module,
                                   char **output) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return session.finish(text, output);
}

const char *qbackendGetObserverKinds(void) {
  static const std::string text = [] {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printObserverKinds(stream);
    return text;
  }();
  return text.c_str();
}

QBackendStatus qbackendBackendToJSON(QBackendText spec, char **output,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  FailureOr<Backend> backend = session.resolve(toRef(spec));
  if (failed(backend))
    return QBACKEND_FAILURE;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(toJSON(backend->config, stream)))
    return QBACKEND_FAILURE;
  return session.finish(text, output);
}

QBackendStatus qbackendBackendFromJSON(QBackendText json, char **output,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  FailureOr<OwningOpRef<ModuleOp>> module =
      fromJSON(toRef(json), session.getContext());
  if (failed(module))
    return QBACKEND_FAILURE;
  return finishModule(session, **module, output);
}

QBackendStatus qbackendMappingToJSON(QBackendText spec, QBackendText name,
                                     char **output,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  FailureOr<QConfigMappingOp> mapping =
      session.resolveMapping(toRef(spec), toRef(name));
  if (failed(mapping))
    return QBACKEND_FAILURE;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(toJSON(*mapping, stream)))
    return QBACKEND_FAILURE;
  return session.finish(text, output);
}

QBackendStatus qbackendMappingFromJSON(QBackendText json, QBackendText name,
                                       char **output,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  if (toRef(name).empty()) {
    session.error() << "the name of the mapping is empty, expected a symbol";
    return QBACKEND_FAILURE;
  }
  FailureOr<OwningOpRef<ModuleOp>> module =
      mappingFromJSON(toRef(json), toRef(name), session.getContext());
  if (failed(module))
    return QBACKEND_FAILURE;
  return finishModule(session, **module, output);
}

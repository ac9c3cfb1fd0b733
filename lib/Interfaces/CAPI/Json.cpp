// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations to and from JSON through the C interface.

#include "Session.h"

#include "qbackend/Backends/Json.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

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
  auto write = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    FailureOr<Backend> backend = session.resolve(toRef(spec));
    return failed(backend) ? failure() : toJSON(backend->config, os);
  };
  return giveText(output, callback, user, write);
}

/// Prints what was read, if it was.
static LogicalResult print(FailureOr<OwningOpRef<ModuleOp>> module,
                           llvm::raw_ostream &os) {
  if (failed(module))
    return failure();
  (*module)->print(os);
  os << "\n";
  return success();
}

QBackendStatus qbackendBackendFromJSON(QBackendText json, char **output,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  auto write = [&](Session &session, llvm::raw_ostream &os) {
    return print(fromJSON(toRef(json), session.getContext()), os);
  };
  return giveText(output, callback, user, write);
}

QBackendStatus qbackendMappingToJSON(QBackendText spec, QBackendText name,
                                     char **output,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  auto write = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    FailureOr<QConfigMappingOp> mapping =
        session.resolveMapping(toRef(spec), toRef(name));
    return failed(mapping) ? failure() : toJSON(*mapping, os);
  };
  return giveText(output, callback, user, write);
}

QBackendStatus qbackendMappingFromJSON(QBackendText json, QBackendText name,
                                       char **output,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  auto write = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    if (toRef(name).empty())
      return session.error()
             << "the name of the mapping is empty, expected a symbol";
    return print(
        mappingFromJSON(toRef(json), toRef(name), session.getContext()), os);
  };
  return giveText(output, callback, user, write);
}

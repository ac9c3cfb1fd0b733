// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one call of the C interface works in: a context with all dialects, whose
// diagnostics go to the caller.

#ifndef QBACKEND_LIB_INTERFACES_CAPI_SESSION_H
#define QBACKEND_LIB_INTERFACES_CAPI_SESSION_H

#include "qbackend-c/QBackend.h"
#include "qbackend/Backends/Backends.h"
#include "qbackend/Execution/Runtime/PassThreads.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

namespace qbackend::capi {

class Session {
public:
  Session(QBackendDiagnosticCallback callback, void *user);

  mlir::MLIRContext *getContext() { return &context; }

  /// Who is told from now on, in a call that begins: qbackendInterrupt ends
  /// this one, not those before.
  void setCallback(QBackendDiagnosticCallback newCallback, void *newUser);

  /// Parses `text`, which is called `name` in diagnostics. An empty one is an
  /// error that says what was expected.
  mlir::OwningOpRef<mlir::ModuleOp>
  parse(llvm::StringRef text, llvm::StringRef name, llvm::StringRef expected);

  /// The backend that `spec` of the C interface means.
  mlir::FailureOr<Backend> resolve(llvm::StringRef spec);

  /// Moves the backend_configs and qconfig_mappings of the text
  /// `configuration`, which may be empty, into `module`.
  mlir::LogicalResult addConfiguration(QBackendText configuration,
                                       mlir::ModuleOp module);

  /// The mapping `name` of what `spec` means, in the module or its backend;
  /// with an empty name the backend's default.
  mlir::FailureOr<QConfigMappingOp> resolveMapping(llvm::StringRef spec,
                                                   llvm::StringRef name);

  /// Reads the options of apply-backend into `pass`. LLVM's parsers of numbers
  /// tell standard error alone what they can't read: then the option is looked
  /// for, so that the error names it.
  mlir::LogicalResult setOptions(mlir::Pass &pass, llvm::StringRef options);

  /// Emits an error that has no place.
  mlir::InFlightDiagnostic error();

  /// Whether qbackendInterrupt was called since the session began; then an
  /// error says so. Passes that have not begun are skipped.
  bool failIfInterrupted();

  /// `text` as a string of the C interface. The end of each successful call.
  QBackendStatus finish(llvm::StringRef text, char **output);

private:
  void report(mlir::Diagnostic &diagnostic, QBackendSeverity severity);

  runtime::PassThreads threads;
  mlir::MLIRContext context;
  QBackendDiagnosticCallback callback;
  void *user;
  /// Where `resolve` looks for symbols, and what a mapping is part of.
  mlir::OwningOpRef<mlir::ModuleOp> scope;
  Backend backend;
  unsigned interrupts;
};

inline llvm::StringRef toRef(QBackendText text) {
  return text.data ? llvm::StringRef(text.data, text.length)
                   : llvm::StringRef();
}

/// A call that gives a text: what `write` writes becomes `output`, unless it
/// fails, with an error. There is room for `expected` bytes before it begins.
QBackendStatus
giveText(char **output, QBackendDiagnosticCallback callback, void *user,
         llvm::function_ref<mlir::LogicalResult(Session &, llvm::raw_ostream &)>
             write,
         size_t expected = 0);

} // namespace qbackend::capi

#endif // QBACKEND_LIB_INTERFACES_CAPI_SESSION_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What targets of modules have in common.

#ifndef QBACKEND_TEST_FUZZ_TARGETS_MODULES_H
#define QBACKEND_TEST_FUZZ_TARGETS_MODULES_H

#include "qbackend/Interfaces/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>

/// A context of all dialects whose errors are heard of, and not printed.
struct FuzzContext {
  FuzzContext()
      : context(getRegistry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          hasError |=
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
              !diagnostic.str().empty();
          return mlir::success();
        }) {
    context.allowUnregisteredDialects();
  }

  /// Ends the target unless there was an error.
  void requireError() const {
    if (!hasError)
      std::abort();
  }

  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  bool hasError = false;

private:
  static const mlir::DialectRegistry &getRegistry() {
    static const mlir::DialectRegistry registry = [] {
      mlir::DialectRegistry result;
      qbackend::registerAllDialects(result);
      return result;
    }();
    return registry;
  }
};

/// The input as the parser wants it, with a null behind.
inline std::unique_ptr<llvm::MemoryBuffer> copyInput(const uint8_t *data,
                                                     size_t size) {
  return llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), "input");
}

#endif // QBACKEND_TEST_FUZZ_TARGETS_MODULES_H

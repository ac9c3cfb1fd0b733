// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network of the C interface: a module in a context of its own.

#ifndef QBACKEND_LIB_INTERFACES_CAPI_MODEL_H
#define QBACKEND_LIB_INTERFACES_CAPI_MODEL_H

#include "Session.h"

#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Insight/Comparison/Compare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <mutex>
#include <string>

struct QBackendModel {
  /// Held by who uses the context.
  std::mutex mutex;
  qbackend::capi::Session session{nullptr, nullptr};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// See findEntry.
  std::string entry;
  /// Made by the first run, and by the first one that contracts.
  std::shared_ptr<qbackend::runtime::Executable> executable, contracted;
  /// What qbackendModelExplain gives; empty: nothing was quantized.
  std::string explanation;

  mlir::MLIRContext *getContext() { return session.getContext(); }

  /// The function to run; an error is emitted if there is none.
  mlir::FailureOr<mlir::func::FuncOp> findFunction();

  /// Writes the module to `bytes`; an error is emitted if that fails.
  mlir::LogicalResult writeBytecode(std::string &bytes);

  /// The same module in a context of its own, whose errors go to `callback`.
  std::unique_ptr<QBackendModel> copy(QBackendDiagnosticCallback callback,
                                      void *user);
};

namespace qbackend::capi {

/// Has the context of a model, and its diagnostics, for a call.
class ModelScope {
public:
  ModelScope(QBackendModel &model, QBackendDiagnosticCallback callback,
             void *user)
      : model(model), lock(model.mutex) {
    model.session.setCallback(callback, user);
  }
  ~ModelScope() { model.session.setCallback(nullptr, nullptr); }

private:
  QBackendModel &model;
  std::lock_guard<std::mutex> lock;
};

/// Tells `callback` an error that has no place.
void reportError(const llvm::Twine &message,
                 QBackendDiagnosticCallback callback, void *user);

/// Whether no pointer of `pointers` is null; else an error names the first one
/// that is.
bool checkPointers(
    llvm::ArrayRef<std::pair<llvm::StringRef, const void *>> pointers,
    QBackendDiagnosticCallback callback, void *user);

/// Whether `arrays` can be read: known types, extents that are not negative,
/// data where there are elements; else an error.
bool checkArrays(llvm::ArrayRef<QBackendArray> arrays,
                 QBackendDiagnosticCallback callback, void *user);

/// The samples of arrays of a caller, which are copied as they are read;
/// `names` are those of the inputs, `fixed` says which hold no samples.
std::unique_ptr<arrays::SampleSource>
createSource(llvm::ArrayRef<QBackendArray> arrays,
             llvm::ArrayRef<std::string> names, llvm::ArrayRef<bool> fixed);

/// The names of the arguments of `function`.
llvm::SmallVector<std::string> getArgumentNames(mlir::func::FuncOp function);

inline arrays::ElementType toElementType(QBackendElementType type) {
  return static_cast<arrays::ElementType>(type);
}
inline llvm::ArrayRef<int64_t> getShape(const QBackendArray &array) {
  return llvm::ArrayRef(array.shape, array.rank);
}

} // namespace qbackend::capi

#endif // QBACKEND_LIB_INTERFACES_CAPI_MODEL_H

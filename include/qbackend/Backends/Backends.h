// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where backend configurations come from.

#ifndef QBACKEND_BACKENDS_BACKENDS_H
#define QBACKEND_BACKENDS_BACKENDS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "llvm/Support/MemoryBuffer.h"

namespace qbackend {

/// A configuration, and the module that holds it if it came from a file, or had
/// to be upgraded.
struct Backend {
  BackendConfigOp config;
  mlir::OwningOpRef<mlir::ModuleOp> owner;
  /// The module with the functions that patterns name as their `reference`.
  mlir::ModuleOp references;
  /// The version that it had before it was upgraded.
  int64_t originalVersion = BackendConfigOp::kVersion;

  /// Of a list of backends: the mapping of each, in the order of precedence,
  /// and the place in the list that each pattern and limit of `config` is of.
  /// Those of one backend have the place 0.
  llvm::SmallVector<QConfigMappingOp> mappings;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
  /// What `references` is in.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> files;
};

/// Names of the built-in backends, sorted.
llvm::ArrayRef<llvm::StringRef> getBuiltinBackends();

/// The file of the built-in backend `name`; nothing if there is no such
/// backend.
std::optional<llvm::StringRef> getBuiltinBackendText(llvm::StringRef name);

/// Rewrites a configuration of an older version as one of the current version:
/// `resolveBackend` has done so. In version 1, a pattern listed the observation
/// types by number of tensors, and its spellings in `torch`, and `lowering` was
/// the usual form alone.
void upgradeToCurrentVersion(BackendConfigOp config);

/// The one backend_config of `text`, a module or PyTorch's dict form as JSON,
/// upgraded. Errors are located in the text.
mlir::FailureOr<Backend> parseBackend(std::unique_ptr<llvm::MemoryBuffer> text,
                                      mlir::MLIRContext *context);

/// The backend that `spec` means: `@symbol` of one in `module`, the name of a
/// built-in one, or the path of a file, see `parseBackend`. On failure an
/// error at `module` says what there is.
mlir::FailureOr<Backend> resolveBackend(llvm::StringRef spec,
                                        mlir::ModuleOp module);

/// The backends of `specs`, a list "FIRST:QCONFIG,SECOND", as one: patterns and
/// limits of all in that order, with a mapping for each, the default one where
/// no qconfig is named, and the lowerings that all have. Fails, and says so,
/// where they can't be one. One name alone is `resolveBackend`'s.
mlir::FailureOr<Backend> resolveBackends(llvm::StringRef specs,
                                         mlir::ModuleOp module);

/// Has printed modules name dtype configs and observers once, by an alias.
void registerConfigurationAliases(mlir::DialectRegistry &registry);

/// The qconfig mapping that `spec` means: the name of one in `backend`,
/// `@symbol` of one in `module`, the path of a file NAME.mlir that holds one,
/// or, when empty, the backend's default.
mlir::FailureOr<QConfigMappingOp> resolveQConfig(llvm::StringRef spec,
                                                 BackendConfigOp backend,
                                                 mlir::ModuleOp module);

/// The mappings of `backend`, one for each of a list: those that the list
/// names, or the one that `spec` means.
mlir::FailureOr<llvm::SmallVector<QConfigMappingOp>>
resolveQConfigs(llvm::StringRef spec, const Backend &backend,
                mlir::ModuleOp module);

} // namespace qbackend

#endif // QBACKEND_BACKENDS_BACKENDS_H

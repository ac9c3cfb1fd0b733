// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backends that the passes of one run share.

#ifndef QBACKEND_BACKENDS_BACKENDRESOLVER_H
#define QBACKEND_BACKENDS_BACKENDRESOLVER_H

#include "qbackend/Backends/Backends.h"

#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <vector>

namespace qbackend {

/// What a module's passes read backends through: an analysis that lives as long
/// as the pipeline that they are in. A file is read once, so that it may be a
/// pipe, and is the same for all passes.
///
/// A pass that runs a pipeline on its own module shares this with it; at the
/// end of that, MLIR clears all analyses of the module.
class BackendResolver {
public:
  explicit BackendResolver(mlir::Operation *module)
      : module(mlir::cast<mlir::ModuleOp>(module)) {}

  /// The backend that `spec` means, see `resolveBackends`; null after an error.
  /// Lives as long as this analysis.
  const Backend *resolve(llvm::StringRef spec);

  /// No pass changes what a file holds. Symbols are looked up each time.
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return false;
  }

private:
  mlir::ModuleOp module;
  std::vector<std::unique_ptr<Backend>> backends;
  llvm::StringMap<const Backend *> files;
};

} // namespace qbackend

#endif // QBACKEND_BACKENDS_BACKENDRESOLVER_H

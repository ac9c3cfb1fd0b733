// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what runs the networks of a context.

#include "qbackend/Pipelines/NetworkRunner.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Error.h"

using namespace mlir;
using namespace qbackend;

NetworkRun::~NetworkRun() = default;

llvm::Expected<ParameterFile>
NetworkRunnerInterface::readParameters(StringRef path) const {
  return makeError("'{0}' is no .safetensors file, which is all that is read "
                   "here; save the weights as one",
                   path);
}

llvm::Expected<const NetworkRunnerInterface *>
qbackend::findNetworkRunner(MLIRContext *context) {
  // A float network has no op of the dialect yet.
  context->getOrLoadDialect<QBackendDialect>();
  const NetworkRunnerInterface *found = nullptr;
  StringRef owner;
  for (Dialect *dialect : context->getLoadedDialects()) {
    auto *runner = dialect->getRegisteredInterface<NetworkRunnerInterface>();
    if (!runner)
      continue;
    // Execution's is on our own dialect. Of several hosts, the first by name.
    bool isOwn = isa<QBackendDialect>(dialect);
    StringRef name = dialect->getNamespace();
    if (!found || (!isOwn && (owner.empty() || name < owner))) {
      found = runner;
      owner = isOwn ? "" : name;
    }
  }
  if (!found)
    return makeError("nothing in this program runs networks; give a "
                     "calibration table or calibration=ranges, or register "
                     "Execution (registerExecution)");
  return found;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes for modules of strangers, through the C interface.

#include "Model.h"

#include "qbackend/Support/SystemCalls.h"

using namespace qbackend;
using namespace qbackend::capi;

QBackendStatus qbackendRestrictProcess(const QBackendText *readable,
                                       size_t count,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  if (count && !readable) {
    reportError("readable is null", callback, user);
    return QBACKEND_FAILURE;
  }
  std::vector<std::string> paths;
  for (const QBackendText &text : llvm::ArrayRef(readable, count))
    paths.push_back(toRef(text).str());
  llvm::Error error = restrictProcess(paths, /*written=*/{});
  if (!error)
    return QBACKEND_SUCCESS;
  Session session(callback, user);
  session.error() << llvm::toString(std::move(error));
  return QBACKEND_FAILURE;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong in a configuration, through the C interface.

#include "Session.h"

#include "qbackend/Insight/Explanation/Validate.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

static InFlightDiagnostic emitFinding(const Finding &finding) {
  Location loc = finding.op->getLoc();
  switch (finding.severity) {
  case Severity::Note:
    // A note of a caller belongs to what was said before it.
    return emitRemark(loc);
  case Severity::Warning:
    return emitWarning(loc);
  case Severity::Error:
    return emitError(loc);
  }
  llvm_unreachable("a severity that findings don't have");
}

QBackendStatus qbackendBackendValidate(QBackendText spec,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  Session session(callback, user);
  FailureOr<Backend> backend = session.resolve(toRef(spec));
  if (failed(backend))
    return QBACKEND_FAILURE;
  QBackendStatus status = QBACKEND_SUCCESS;
  for (const Finding &finding : validate(backend->config)) {
    emitFinding(finding) << finding.what << "; " << finding.fix;
    if (finding.severity == Severity::Error)
      status = QBACKEND_FAILURE;
  }
  return status;
}

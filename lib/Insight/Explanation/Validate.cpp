// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong or pointless in a configuration that its verifiers accept.

#include "qbackend/Insight/Explanation/Validate.h"

#include "Findings.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace qbackend;

void inspection::checkLowering(BackendConfigOp backend, Findings &found) {
  std::string reason;
  ScopedDiagnosticHandler collect(backend.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error)
      reason = diag.str();
    return success();
  });
  if (failed(findEngine(backend)))
    found.error(backend, reason,
                "name a form that there is, or load the plugin of its engine");
}

SmallVector<Finding> qbackend::validate(BackendConfigOp backend) {
  inspection::Findings found;
  inspection::checkLowering(backend, found);
  inspection::checkPatterns(backend, found);
  inspection::checkReferences(backend, found);
  inspection::checkTypes(backend, found);
  inspection::checkMappings(backend, found);
  SmallVector<Finding> findings = found.take();

  llvm::DenseMap<Operation *, unsigned> order;
  Operation *file =
      backend->getParentOp() ? backend->getParentOp() : backend.getOperation();
  file->walk<WalkOrder::PreOrder>([&](Operation *op) {
    order.insert({op, order.size()});
  });
  llvm::stable_sort(findings, [&](const Finding &a, const Finding &b) {
    return order.lookup(a.op) < order.lookup(b.op);
  });
  return findings;
}

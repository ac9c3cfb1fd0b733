// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole pipeline through the C interface.

#include "Session.h"

#include "qbackend/Pipelines/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

QBackendStatus qbackendApplyBackend(QBackendText module,
                                    QBackendText configuration,
                                    QBackendText options, char **output,
                                    QBackendDiagnosticCallback callback,
                                    void *user) {
  auto write = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    OwningOpRef<ModuleOp> parsed =
        session.parse(toRef(module), "module", "MLIR as text or bytecode");
    if (!parsed || failed(session.addConfiguration(configuration, *parsed)))
      return failure();
    std::unique_ptr<Pass> pass = createApplyBackendPass();
    if (failed(session.setOptions(*pass, toRef(options))))
      return failure();

    remark::RemarkCategories categories;
    for (auto *category : {&categories.passed, &categories.missed,
                           &categories.analysis, &categories.failed})
      *category = "qbackend.*";
    if (failed(remark::enableOptimizationRemarks(
            *session.getContext(), nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
            /*printAsEmitRemarks=*/true)))
      return session.error() << "cannot turn remarks on";
    PassManager manager(session.getContext());
    manager.addPass(std::move(pass));
    if (failed(manager.run(*parsed)) || session.failIfInterrupted())
      return failure();
    parsed->print(os);
    return success();
  };
  return giveText(output, callback, user, write);
}

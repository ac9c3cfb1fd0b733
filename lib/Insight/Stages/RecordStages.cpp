// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs all passes on a module, and keeps what each one left.

#include "qbackend/Insight/Stages/RecordStages.h"

#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Analysis/Entry.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace qbackend;

namespace {
class StageRecorder : public PassInstrumentation {
public:
  StageRecorder(std::vector<Stage> &stages, std::string &failed,
                std::string entry)
      : stages(stages), failed(failed), entry(std::move(entry)) {}

  /// Keeps what the entry is now, unless it is what it was.
  void record(ModuleOp module, StringRef pass, StringRef summary) {
    auto function = findEntry(module, entry);
    if (!function)
      return llvm::consumeError(function.takeError());
    Stage stage = recordStage(*function, pass, summary);
    if (stages.empty() || !stage.hasSameOps(stages.back()))
      stages.push_back(std::move(stage));
  }

  void runAfterPassFailed(Pass *pass, Operation *) override {
    // The first one is not one that runs others.
    if (failed.empty())
      failed = pass->getArgument().empty() ? pass->getName().str()
                                           : pass->getArgument().str();
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    // The passes inside of one that runs others were there before it.
    if (!module || pass->getArgument().empty())
      return;
    const PassInfo *info = PassInfo::lookup(pass->getArgument());
    record(module, pass->getArgument(),
           info ? info->getPassDescription() : StringRef());
  }

private:
  std::vector<Stage> &stages;
  /// The pass that failed.
  std::string &failed;
  std::string entry;
};
} // namespace

llvm::Expected<std::vector<Stage>>
qbackend::recordStages(ModuleOp module, StringRef entry, StringRef options) {
  auto function = findEntry(module, entry);
  if (!function)
    return function.takeError();
  std::vector<Stage> stages;
  PassManager manager(module.getContext());
  std::string message;
  auto report = [&](const Twine &text) {
    message = text.str();
    return failure();
  };
  std::unique_ptr<Pass> pass = createApplyBackendPass();
  if (failed(pass->initializeOptions(options, report)))
    return makeError("{0}", message.empty() ? "bad options: " + options.str()
                                            : message);
  manager.addPass(std::move(pass));
  std::string failedPass;
  auto recorder =
      std::make_unique<StageRecorder>(stages, failedPass, entry.str());
  recorder->record(module, "input", "the module as it came");
  manager.addInstrumentation(std::move(recorder));
  if (failed(manager.run(module)))
    return makeError("pass '{0}' failed; the error above says why", failedPass);
  return stages;
}

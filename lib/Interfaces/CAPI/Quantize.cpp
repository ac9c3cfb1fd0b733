// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes networks of the C interface, and says what became of them.

#include "Model.h"

#include "qbackend/Pipelines/ApplyBackend.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

namespace {
/// What a pass has to say about an operator.
struct Saying {
  Location loc;
  std::string code, kind, name, reason, remedy, where;
};

/// Keeps the remarks of a run but for the table, whose numbers are those of the
/// verdicts.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(std::vector<Saying> &sayings) : sayings(sayings) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (remark.getRemarkName() == "QB000")
      return;
    Saying saying{
        remark.getLocation(), remark.getRemarkName().str(), {}, {}, {}, {}, {}};
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      for (auto [key, field] : {std::pair("Operator", &saying.kind),
                                {"OperatorName", &saying.name},
                                {"Reason", &saying.reason},
                                {"Suggestion", &saying.remedy},
                                {"Where", &saying.where}})
        if (arg.key == key)
          *field = arg.val;
    sayings.push_back(std::move(saying));
  }

private:
  std::vector<Saying> &sayings;
};
} // namespace

static llvm::json::Object describe(Location loc, StringRef kind, StringRef name,
                                   StringRef verdict, StringRef code,
                                   const Saying *saying, int64_t macs) {
  llvm::json::Object result{{"operator", kind},
                            {"name", name},
                            {"verdict", verdict},
                            {"code", code},
                            {"reason", saying ? saying->reason : ""},
                            {"remedy", saying ? saying->remedy : ""},
                            {"where", saying ? saying->where : ""},
                            {"macs", macs}};
  auto place = loc->findInstanceOf<FileLineColLoc>();
  result["file"] = place ? place.getFilename().getValue() : "";
  result["line"] = place ? int64_t(place.getLine()) : 0;
  result["column"] = place ? int64_t(place.getColumn()) : 0;
  return result;
}

/// The verdicts, each with the remark that gives its reason, and the others.
static std::string explain(ArrayRef<OperatorVerdict> verdicts,
                           ArrayRef<Saying> sayings) {
  std::map<std::pair<const void *, std::string>, std::vector<size_t>> byPlace;
  for (auto [i, saying] : llvm::enumerate(sayings))
    byPlace[{saying.loc.getAsOpaquePointer(), saying.name}].push_back(i);
  std::vector<bool> isUsed(sayings.size());
  llvm::json::Array result;
  auto addRemark = [&](const Saying &saying) {
    result.push_back(describe(saying.loc, saying.kind, saying.name, "remark",
                              saying.code, &saying, 0));
  };
  for (const OperatorVerdict &verdict : verdicts) {
    std::vector<size_t> &here =
        byPlace[{verdict.loc.getAsOpaquePointer(), verdict.name}];
    // Operators that have no place of their own come in order. One remark may
    // be about several ops of a place, and says more of what they are.
    auto find = [&](bool allowUsed) -> const Saying * {
      for (size_t i : here)
        if ((allowUsed || !isUsed[i]) && sayings[i].code == verdict.code &&
            StringRef(sayings[i].kind).starts_with(verdict.kind)) {
          isUsed[i] = true;
          return &sayings[i];
        }
      return nullptr;
    };
    const Saying *saying = nullptr;
    if (!verdict.code.empty() && !(saying = find(/*allowUsed=*/false)))
      saying = find(/*allowUsed=*/true);
    result.push_back(describe(verdict.loc, saying ? saying->kind : verdict.kind,
                              verdict.name, verdict.verdict, verdict.code,
                              saying, verdict.macs));
    for (size_t i : here)
      if (!isUsed[i] && sayings[i].kind == verdict.kind &&
          sayings[i].code != verdict.code) {
        isUsed[i] = true;
        addRemark(sayings[i]);
      }
  }
  for (auto [i, saying] : llvm::enumerate(sayings))
    if (!isUsed[i])
      addRemark(saying);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(result));
  return text;
}

static LogicalResult quantize(QBackendModel &model, QBackendText configuration,
                              StringRef options, StringRef table) {
  Session &session = model.session;
  if (failed(session.addConfiguration(configuration, *model.module)))
    return failure();
  std::vector<OperatorVerdict> verdicts;
  std::vector<Saying> sayings;
  std::unique_ptr<Pass> pass = createApplyBackendPass(verdicts, table);
  if (failed(session.setOptions(*pass, options)))
    return failure();
  remark::RemarkCategories categories;
  for (auto *category : {&categories.passed, &categories.missed,
                         &categories.analysis, &categories.failed})
    *category = "qbackend.*";
  if (failed(remark::enableOptimizationRemarks(
          *model.getContext(), std::make_unique<RemarkCollector>(sayings),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
    return session.error() << "cannot turn remarks on";
  PassManager manager(model.getContext());
  manager.addPass(std::move(pass));
  LogicalResult result = manager.run(*model.module);
  // The collector refers to what ends here.
  model.getContext()->setRemarkEngine(nullptr);
  if (session.failIfInterrupted())
    return failure();
  if (succeeded(result))
    model.explanation = explain(verdicts, sayings);
  return result;
}

QBackendStatus qbackendModelQuantize(QBackendModel *model,
                                     QBackendText configuration,
                                     QBackendText options, QBackendText table,
                                     QBackendModel **quantized,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  if (!checkPointers({{"model", model}, {"quantized", quantized}}, callback,
                     user))
    return QBACKEND_FAILURE;
  *quantized = nullptr;
  std::unique_ptr<QBackendModel> result = model->copy(callback, user);
  if (!result)
    return QBACKEND_FAILURE;
  {
    ModelScope scope(*result, callback, user);
    if (failed(quantize(*result, configuration, toRef(options), toRef(table))))
      return QBACKEND_FAILURE;
  }
  *quantized = result.release();
  return QBACKEND_SUCCESS;
}

QBackendStatus qbackendModelExplain(QBackendModel *model, char **output,
                                    QBackendDiagnosticCallback callback,
                                    void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  ModelScope scope(*model, callback, user);
  return model->session.finish(
      model->explanation.empty() ? "[]" : model->explanation, output);
}

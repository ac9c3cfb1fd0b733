// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries what a report of operators suggests, before anybody reads it.

#include "qbackend/Insight/Tuning/Advice.h"

#include "Measurements.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using evaluation::Finding;
using evaluation::OperatorErrors;

/// In dB: less is nothing.
static constexpr double leastGain = 0.1;

/// A mapping with the entries of `text`; null if it can't be pasted.
static OwningOpRef<ModuleOp> parseEntries(llvm::StringRef text,
                                          MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return parseSourceString<ModuleOp>(
      ("qbackend.qconfig_mapping @advice {\n" + text + "\n}\n").str(), context);
}

/// The SQNR with what `finding` suggests; nothing, if that can't be had.
static std::optional<double>
trySuggestion(Measurements &measurements,
              llvm::ArrayRef<OperatorErrors> operators, const Finding &finding,
              MLIRContext *context) {
  std::string text = spell(operators, finding.change);
  if (text.empty() || finding.change.kind == evaluation::Suggestion::Range)
    return std::nullopt;
  OwningOpRef<ModuleOp> entries = parseEntries(text, context);
  if (!entries)
    return std::nullopt;
  Candidate candidate;
  candidate.name = text;
  Change change;
  change.entries = *entries->getOps<QConfigMappingOp>().begin();
  candidate.changes.push_back(change);
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  if (llvm::Error error = measurements.create(candidate)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  auto score = measurements.simulate(
      candidate, llvm::BitVector(candidate.simulation->getOperators().size()));
  if (!score) {
    llvm::consumeError(score.takeError());
    return std::nullopt;
  }
  return score->sqnr;
}

llvm::Expected<TriedAdvice>
tuning::tryAdvice(ModuleOp module, const NetworkOptions &options,
                  llvm::ArrayRef<OperatorErrors> operators,
                  std::vector<Finding> &findings, size_t count) {
  Measurements measurements(module, options, /*journalPath=*/"");
  if (llvm::Error error = measurements.prepare(/*resume=*/false))
    return error;
  Candidate asIs;
  if (llvm::Error error = measurements.create(asIs))
    return error;
  auto score = measurements.simulate(
      asIs, llvm::BitVector(asIs.simulation->getOperators().size()));
  if (!score)
    return score.takeError();
  TriedAdvice tried{score->sqnr};
  for (Finding &finding : llvm::MutableArrayRef(findings).take_front(count)) {
    if (finding.change.kind == evaluation::Suggestion::None)
      continue;
    auto attempt = [&] {
      auto sqnr =
          trySuggestion(measurements, operators, finding, module.getContext());
      finding.gain = sqnr ? *sqnr - tried.sqnr : 0;
      return *finding.gain >= leastGain;
    };
    if (attempt())
      continue;
    finding.change = keepFloat(operators, finding.op);
    finding.suggestion = spell(operators, finding.change);
    if (attempt())
      continue;
    finding.change = {};
    finding.suggestion.clear();
  }
  return tried;
}

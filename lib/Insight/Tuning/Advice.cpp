// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries what a report of operators suggests, before anybody reads it.

#include "qbackend/Insight/Tuning/Advice.h"

#include "Measurements.h"

#include "qbackend/Support/Error.h"

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

/// The SQNR with the entries of all `texts`, and with `mapping` the text of a
/// file that has them; nothing, if that can't be had.
static std::optional<double> simulate(Measurements &measurements,
                                      llvm::ArrayRef<std::string> texts,
                                      MLIRContext *context,
                                      std::string *mapping = nullptr) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  llvm::SmallVector<OwningOpRef<ModuleOp>> modules;
  llvm::SmallVector<Change> changes;
  for (const std::string &text : texts) {
    modules.push_back(parseEntries(text, context));
    if (!modules.back())
      return std::nullopt;
    Change change;
    change.entries = *modules.back()->getOps<QConfigMappingOp>().begin();
    changes.push_back(change);
  }
  Candidate candidate(changes);
  if (llvm::Error error = measurements.create(candidate)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  llvm::BitVector none(candidate.simulation->getOperators().size());
  auto score = measurements.simulate(candidate, none);
  if (!score) {
    llvm::consumeError(score.takeError());
    return std::nullopt;
  }
  if (mapping)
    *mapping = measurements.print(candidate, none, /*comment=*/"");
  return score->sqnr;
}

/// The same with what one finding suggests.
static std::optional<double>
trySuggestion(Measurements &measurements,
              llvm::ArrayRef<OperatorErrors> operators, const Finding &finding,
              MLIRContext *context) {
  std::string text = spell(operators, finding.change);
  if (text.empty() || finding.change.kind == evaluation::Suggestion::Range)
    return std::nullopt;
  return simulate(measurements, text, context);
}

/// Adds up what helps beside what was added already, in the order of
/// `findings`: first what keeps all operators quantized. If the result is poor
/// then, the worst operators are float, as many as it takes, less those that it
/// doesn't.
static void combine(Measurements &measurements,
                    ArrayRef<OperatorErrors> operators,
                    ArrayRef<Finding> findings, MLIRContext *context,
                    TriedAdvice &tried) {
  std::vector<std::string> texts;
  // The SQNR with the changes of all texts, if it is `least` at least.
  auto attempt = [&](double least) {
    std::string mapping;
    auto sqnr = simulate(measurements, texts, context, &mapping);
    if (!sqnr || *sqnr < least)
      return false;
    tried.mendedSqnr = *sqnr;
    tried.mapping = std::move(mapping);
    return true;
  };
  for (auto [i, finding] : llvm::enumerate(findings)) {
    if (!finding.gain || finding.suggestion.empty() ||
        finding.change.kind == evaluation::Suggestion::Float ||
        finding.change.kind == evaluation::Suggestion::Range)
      continue;
    texts.push_back(finding.suggestion);
    if (attempt(tried.mendedSqnr + leastGain))
      tried.mending.push_back(i);
    else
      texts.pop_back();
  }
  if (tried.mendedSqnr >= kPoor)
    return;
  std::vector<std::pair<unsigned, std::string>> kept;
  bool isMended = false;
  size_t quantized = texts.size();
  for (auto [i, finding] : llvm::enumerate(findings)) {
    std::string text = spell(operators, keepFloat(operators, finding.op));
    if (text.empty())
      continue;
    kept.push_back({i, text});
    texts.push_back(std::move(text));
    if ((isMended = attempt(kPoor)))
      break;
  }
  if (!isMended)
    return;
  // The last one was needed.
  for (size_t k = 0; k + 1 < kept.size();) {
    auto it = texts.begin() + quantized + k;
    std::string text = std::move(*it);
    texts.erase(it);
    if (attempt(kPoor)) {
      kept.erase(kept.begin() + k);
      continue;
    }
    texts.insert(texts.begin() + quantized + k, std::move(text));
    ++k;
  }
  for (auto &[i, text] : kept)
    tried.keptFloat.push_back(i);
}

llvm::Expected<TriedAdvice>
tuning::tryAdvice(ModuleOp module, const NetworkOptions &options,
                  llvm::ArrayRef<OperatorErrors> operators,
                  std::vector<Finding> &findings, size_t count, bool combined) {
  if (llvm::all_of(operators, [](const OperatorErrors &op) {
        return op.selectors.empty();
      }))
    return makeError("the integers of the other network come from no qconfig");
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
  TriedAdvice tried;
  tried.sqnr = tried.mendedSqnr = score->sqnr;
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
  if (combined)
    combine(measurements, operators, ArrayRef(findings).take_front(count),
            module.getContext(), tried);
  return tried;
}

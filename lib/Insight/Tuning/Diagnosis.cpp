// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether anything is wrong with a quantized network, and what mends it.

#include "qbackend/Insight/Tuning/Diagnosis.h"

#include "qbackend/Insight/Comparison/ComparisonJson.h"
#include "qbackend/Insight/Comparison/OperatorTable.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Error.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using evaluation::Cause;
using evaluation::Finding;
using evaluation::OperatorErrors;
using evaluation::Suggestion;

/// In dB: ranges of one calibration differ less from those of another.
static constexpr double kOtherRanges = 1;

/// Noise over signal: what a wrong weight does to nothing is no fault.
static constexpr double kLeastScore = 1e-4;

/// Whether the weight or the bias is another one.
static bool isOther(const Finding &finding) {
  return (finding.cause == Cause::WrongWeight ||
          finding.cause == Cause::Bias) &&
         finding.score > kLeastScore;
}

/// The operators whose observer has a range that holds far less or far more
/// than what was seen of all that share it; other samples of the same kind
/// differ less.
static llvm::BitVector findOtherRanges(ArrayRef<OperatorErrors> operators) {
  // What is held and seen of each. A product with a number computes in a part
  // of the range that it shares.
  llvm::StringMap<std::pair<double, double>> ranges;
  auto isOf = [](const OperatorErrors &op) {
    return op.range && !op.observer.empty();
  };
  for (const OperatorErrors &op : operators) {
    if (!isOf(op))
      continue;
    auto &[held, seen] = ranges[op.observer];
    held = std::max({held, std::abs(op.range->getLowest()),
                     std::abs(op.range->getHighest())});
    seen = std::max({seen, std::abs(double(op.statistics.min)),
                     std::abs(double(op.statistics.max))});
  }
  llvm::BitVector found(operators.size());
  for (auto [i, op] : llvm::enumerate(operators)) {
    if (!isOf(op))
      continue;
    auto [held, seen] = ranges.lookup(op.observer);
    found[i] = seen > 1.5 * held || held > 3 * seen;
  }
  return found;
}

bool tuning::judgeCalibration(double sqnr, double calibratedSqnr,
                              ArrayRef<OperatorErrors> operators,
                              MutableArrayRef<Finding> findings) {
  MutableArrayRef<Finding> worst = findings.take_front(evaluation::kExplained);
  llvm::BitVector others = findOtherRanges(operators);
  auto hasOther = [&](const Finding &finding) { return others[finding.op]; };
  // With other weights there is no telling what calibration does.
  if (calibratedSqnr <= sqnr + kOtherRanges || llvm::any_of(worst, isOther) ||
      llvm::none_of(worst, hasOther))
    return false;
  // If one observer alone has the range of other values, an entry of the table
  // is as good as a calibration, which was tried.
  llvm::StringSet<> observers;
  for (unsigned op : others.set_bits())
    observers.insert(operators[op].observer);
  bool isEntry = observers.size() == 1;
  for (Finding &finding : worst) {
    if (!hasOther(finding))
      continue;
    finding.change =
        isEntry ? evaluation::enterRange(operators, finding.op) : Suggestion();
    finding.suggestion = isEntry ? spell(operators, finding.change) : "";
    finding.gain.reset();
    if (isEntry)
      finding.gain = calibratedSqnr - sqnr;
  }
  return true;
}

llvm::Expected<Diagnosis> tuning::diagnose(ModuleOp module,
                                           const NetworkOptions &options,
                                           double sqnr,
                                           ArrayRef<OperatorErrors> operators,
                                           std::vector<Finding> findings) {
  Diagnosis diagnosis;
  diagnosis.sqnr = sqnr;
  auto advice = tryAdvice(module, options, operators, findings,
                          evaluation::kExplained, /*combined=*/true);
  if (!advice)
    return advice.takeError();
  diagnosis.advice = std::move(*advice);
  diagnosis.calibratedSqnr = diagnosis.advice.sqnr;
  if (options.calibration.data != options.data ||
      !options.calibration.calibration.empty()) {
    NetworkOptions onInput = options;
    onInput.calibration.data = options.data;
    onInput.calibration.samples = options.samples;
    onInput.calibration.calibration.clear();
    std::vector<Finding> none;
    auto calibrated = tryAdvice(module, onInput, operators, none, 0);
    if (!calibrated)
      return calibrated.takeError();
    diagnosis.calibratedSqnr = calibrated->sqnr;
  }
  diagnosis.isCalibrationWrong =
      judgeCalibration(sqnr, diagnosis.calibratedSqnr, operators, findings);
  ArrayRef<Finding> worst =
      ArrayRef(findings).take_front(evaluation::kExplained);
  const TriedAdvice &tried = diagnosis.advice;
  llvm::BitVector others = findOtherRanges(operators);
  bool namesRange = diagnosis.isCalibrationWrong;
  for (auto [i, finding] : llvm::enumerate(worst)) {
    bool mends = llvm::is_contained(tried.mending, i) ||
                 llvm::is_contained(tried.keptFloat, i);
    double gain = std::max(finding.gain.value_or(0),
                           mends ? tried.mendedSqnr - tried.sqnr : 0);
    bool hasRange = diagnosis.isCalibrationWrong && others[finding.op];
    if (isOther(finding) || (namesRange && hasRange) ||
        (!hasRange && gain >= kWrong &&
         (finding.change.kind != Suggestion::Float || tried.sqnr < kPoor))) {
      diagnosis.faults.push_back(finding);
    } else if (mends) {
      diagnosis.improvements.push_back(finding);
      continue;
    } else {
      continue;
    }
    namesRange &= !others[finding.op];
  }
  if (sqnr < kPoor && diagnosis.faults.empty() && !worst.empty())
    diagnosis.faults.push_back(worst.front());
  for (unsigned i : tried.keptFloat)
    diagnosis.floatOperators.push_back(operators[worst[i].op].name);
  return diagnosis;
}

void tuning::print(const Diagnosis &diagnosis,
                   ArrayRef<OperatorErrors> operators, unsigned width,
                   llvm::raw_ostream &os) {
  os << (diagnosis.isWrong() ? "wrong:\n" : "nothing is wrong\n");
  if (diagnosis.isCalibrationWrong)
    os << "calibration: that of these samples gives "
       << llvm::format("%.2f", diagnosis.calibratedSqnr)
       << " dB; calibrate again, with samples like these\n";
  if (diagnosis.isWrong() && !diagnosis.isCalibrationWrong &&
      diagnosis.faults.empty())
    os << "the results; no operator of the two could be compared: look at what "
          "comes "
          "before and behind those that are quantized\n";
  evaluation::printFindings(operators, diagnosis.faults, width, os);
  if (!diagnosis.improvements.empty()) {
    os << "could be better:\n";
    evaluation::printFindings(operators, diagnosis.improvements, width, os);
  }
  if (diagnosis.advice.mapping.empty())
    return;
  os << "all that helps together: SQNR "
     << llvm::format("%.2f", diagnosis.advice.mendedSqnr)
     << " dB, calibrated without it "
     << llvm::format("%.2f", diagnosis.advice.sqnr) << " dB";
  if (!diagnosis.floatOperators.empty())
    os << "; float: " << llvm::join(diagnosis.floatOperators, ", ");
  os << "\n";
}

/// `module` as --apply-backend has it with `options`.
static llvm::Expected<OwningOpRef<ModuleOp>>
quantize(ModuleOp module, const NetworkOptions &options) {
  ApplyBackendPassOptions apply;
  apply.backend = options.backend;
  apply.qconfig = options.qconfig;
  copyCalibrationOptions(options.calibration, apply);
  // The table says all, unless samples are given for what it lacks.
  if (!options.calibration.calibration.empty() &&
      options.calibration.data == options.data)
    apply.data.clear();
  OwningOpRef<ModuleOp> quantized(module.clone());
  PassManager manager(module.getContext());
  manager.addPass(createApplyBackendPass(apply));
  if (failed(manager.run(*quantized)))
    return makeError("the network can't be quantized");
  return quantized;
}

llvm::Expected<Examination> tuning::examine(ModuleOp module,
                                            OwningOpRef<ModuleOp> quantized,
                                            const NetworkOptions &options,
                                            const RunOptions &run,
                                            ArrayRef<int64_t> labels) {
  if (isObserved(module))
    return makeError(
        "the module has observers already; pass the float network");
  if (!quantized) {
    auto simulation = Simulation::create(module, options);
    if (!simulation)
      return simulation.takeError();
    if ((*simulation)->getOperators().empty())
      return makeError("nothing of the module can be quantized by backend "
                       "'{0}'; if it is quantized, pass the float network, and "
                       "this one to compare with",
                       options.backend);
    auto made = quantize(module, options);
    if (!made)
      return made.takeError();
    quantized = std::move(*made);
  }
  PreparePipelineOptions prepare;
  prepare.backend = options.backend;
  prepare.qconfig = options.qconfig;
  prepare.entry = options.calibration.entry;
  auto layers = compareOperators(module, *quantized, prepare, run);
  if (!layers)
    return layers.takeError();
  auto comparisons =
      evaluation::compare(layers->outputs, layers->otherOutputs, labels);
  if (!comparisons)
    return comparisons.takeError();
  Examination result;
  result.layers = std::move(*layers);
  result.comparisons = std::move(*comparisons);
  auto diagnosis =
      diagnose(module, options, evaluation::getWorstSqnr(result.comparisons),
               result.layers.operators,
               evaluation::rankOperators(result.layers.operators));
  if (!diagnosis)
    return diagnosis.takeError();
  result.diagnosis = std::move(*diagnosis);
  return result;
}

llvm::json::Object tuning::toJSON(const Examination &examination) {
  namespace json = llvm::json;
  const Diagnosis &diagnosis = examination.diagnosis;
  ArrayRef<OperatorErrors> operators = examination.layers.operators;
  auto toArray = [&](ArrayRef<Finding> findings) {
    json::Array result;
    for (const Finding &finding : findings) {
      json::Object object = evaluation::toJSON(finding);
      object["operator"] = json::fixUTF8(operators[finding.op].name);
      object["kind"] = json::fixUTF8(operators[finding.op].kind);
      object["float_macs"] = finding.change.kind == Suggestion::Float
                                 ? operators[finding.op].multiplyAccumulates
                                 : 0;
      result.push_back(std::move(object));
    }
    return result;
  };
  json::Array kept;
  for (const std::string &name : diagnosis.floatOperators)
    kept.push_back(json::fixUTF8(name));
  return json::Object{
      {"is_wrong", diagnosis.isWrong()},
      {"outputs", evaluation::toJSON(examination.comparisons)},
      {"sqnr", evaluation::toDecibels(diagnosis.sqnr)},
      {"is_calibration_wrong", diagnosis.isCalibrationWrong},
      {"calibrated_sqnr", evaluation::toDecibels(diagnosis.calibratedSqnr)},
      {"faults", toArray(diagnosis.faults)},
      {"improvements", toArray(diagnosis.improvements)},
      {"mended_sqnr", evaluation::toDecibels(diagnosis.advice.mendedSqnr)},
      {"float_operators", std::move(kept)},
      {"mapping", json::fixUTF8(diagnosis.advice.mapping)}};
}

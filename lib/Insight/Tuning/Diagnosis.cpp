// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether anything is wrong with a quantized network, and what mends it.

#include "qbackend/Insight/Tuning/Diagnosis.h"

#include "qbackend/Insight/Comparison/OperatorTable.h"

#include "llvm/ADT/StringExtras.h"
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

/// Whether the quantized values of `op` hold far less or far more than what was
/// seen; other samples of the same kind differ less.
static bool hasOtherRange(const OperatorErrors &op) {
  if (!op.range)
    return false;
  double seen = std::max(std::abs(double(op.statistics.min)),
                         std::abs(double(op.statistics.max)));
  double held = std::max(std::abs(op.range->getLowest()),
                         std::abs(op.range->getHighest()));
  return seen > 1.5 * held || held > 3 * seen;
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
  ArrayRef<Finding> worst =
      ArrayRef(findings).take_front(evaluation::kExplained);
  // With other weights there is no telling what calibration does.
  diagnosis.isCalibrationWrong =
      diagnosis.calibratedSqnr > sqnr + kOtherRanges &&
      llvm::none_of(worst, isOther) &&
      llvm::any_of(worst, [&](const Finding &finding) {
        return hasOtherRange(operators[finding.op]);
      });
  const TriedAdvice &tried = diagnosis.advice;
  bool namesRange = diagnosis.isCalibrationWrong;
  for (auto [i, finding] : llvm::enumerate(worst)) {
    bool mends = llvm::is_contained(tried.mending, i) ||
                 llvm::is_contained(tried.keptFloat, i);
    double gain = std::max(finding.gain.value_or(0),
                           mends ? tried.mendedSqnr - tried.sqnr : 0);
    if (isOther(finding) ||
        (gain >= kWrong &&
         (finding.change.kind != Suggestion::Float || tried.sqnr < kPoor))) {
      diagnosis.faults.push_back(finding);
    } else if (namesRange && hasOtherRange(operators[finding.op])) {
      // What mends it is calibration.
      diagnosis.faults.push_back(finding);
      diagnosis.faults.back().suggestion.clear();
    } else if (mends) {
      diagnosis.improvements.push_back(finding);
      continue;
    } else {
      continue;
    }
    namesRange &= !hasOtherRange(operators[finding.op]);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether anything is wrong with a quantized network, and what mends it.

#ifndef QBACKEND_INSIGHT_TUNING_DIAGNOSIS_H
#define QBACKEND_INSIGHT_TUNING_DIAGNOSIS_H

#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Insight/Tuning/Advice.h"

namespace qbackend::tuning {

/// What is wrong with a quantized network, and what would mend it.
struct Diagnosis {
  /// In dB, of the worst result: of the quantized network, and of one that is
  /// calibrated on the samples that it is judged on.
  double sqnr = 0, calibratedSqnr = 0;
  TriedAdvice advice;
  /// What is wrong, the culprit first; what is a fault see diagnose.
  std::vector<evaluation::Finding> faults;
  /// What can be better, and is no fault.
  std::vector<evaluation::Finding> improvements;

  /// Whether ranges of the samples at hand are 1 dB better.
  bool isCalibrationWrong = false;
  /// The operators that the mapping of `advice` keeps float.
  std::vector<std::string> floatOperators;
  bool isWrong() const {
    return isCalibrationWrong || !faults.empty() || sqnr < kPoor;
  }
};

/// Judges a quantized form of `module`, whose operators have `findings`, the
/// worst first, and whose worst result has `sqnr` dB. A fault is
///
///  - a weight or a bias that is no rounding of the float one,
///  - calibration, if that of these samples is 1 dB better, and one of the
///  worst
///    operators holds 1.5 times less or 3 times more than was seen, which other
///    samples of the same kind don't (not said beside other weights),
///  - an operator for which a change that was tried gives kWrong, or is one of
///    the changes that give as much together; if it is to be float, only where
///    the result of that calibration has less than kPoor,
///  - the worst operator, if the result has less than kPoor and there is no
///    other fault.
llvm::Expected<Diagnosis>
diagnose(mlir::ModuleOp module, const NetworkOptions &options, double sqnr,
         llvm::ArrayRef<evaluation::OperatorErrors> operators,
         std::vector<evaluation::Finding> findings);

/// A quantized form of a network, compared and judged.
struct Examination {
  OperatorComparison layers;
  std::vector<evaluation::Comparison> comparisons;
  Diagnosis diagnosis;
};

/// Compares `quantized`, or if that is null `module` as `options` quantize it,
/// with `module`, float, on the samples of `run`, and judges it. `labels` are
/// the right classes, or empty. Fails for a module that has observers, or in
/// which nothing can be quantized.
llvm::Expected<Examination> examine(mlir::ModuleOp module,
                                    mlir::OwningOpRef<mlir::ModuleOp> quantized,
                                    const NetworkOptions &options,
                                    const RunOptions &run,
                                    llvm::ArrayRef<int64_t> labels);

/// Whether ranges of other data are what is wrong: calibration on these samples
/// gives 1 dB more than `sqnr`, and one of the worst operators holds other
/// values. What mends that is calibration; where no more than one observer has
/// such a range, an entry of the table, which `findings` suggest then.
bool judgeCalibration(double sqnr, double calibratedSqnr,
                      llvm::ArrayRef<evaluation::OperatorErrors> operators,
                      llvm::MutableArrayRef<evaluation::Finding> findings);

/// As JSON, see qbackendModelDiagnose in qbackend-c/QBackend.h.
llvm::json::Object toJSON(const Examination &examination);

/// Prints the faults or that there are none, each with what mends it, then all
/// changes together; text has at most `width` columns, but for what is pasted.
void print(const Diagnosis &diagnosis,
           llvm::ArrayRef<evaluation::OperatorErrors> operators, unsigned width,
           llvm::raw_ostream &os);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_DIAGNOSIS_H

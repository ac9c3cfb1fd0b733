// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the results of two networks differ, and how many classes are right.

#ifndef QBACKEND_INSIGHT_COMPARISON_COMPARE_H
#define QBACKEND_INSIGHT_COMPARISON_COMPARE_H

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "llvm/Support/raw_ostream.h"

namespace qbackend::evaluation {

/// How one result differs from another of the same shape.
struct Comparison {
  std::string name;
  /// Whether it is of floats: of classes or truth values an SQNR says little.
  bool isFloat = false;
  /// 10 log10(sum a^2 / sum (a - b)^2) in dB; infinite if nothing differs.
  double sqnr = 0;
  /// sum ab / sqrt(sum a^2 sum b^2); 1 if both are zeros, 0 if one is.
  double cosine = 0;
  double maxDifference = 0;
  int64_t different = 0;
  int64_t elements = 0;
  /// Of a result with a row of scores for each sample: in what share of the
  /// samples the largest score is the same class.
  std::optional<double> top1Agreement;
  /// In what share each of the two has the right class, if labels are given.
  std::optional<std::pair<double, double>> accuracy;
};

/// In what share of the samples the largest score is the right class.
struct Accuracy {
  std::string name;
  int64_t right = 0;
  int64_t samples = 0;

  double getShare() const { return samples ? double(right) / samples : 0; }
};

/// The class numbers of `path`, FILE of one array or FILE:ARRAY: a vector of
/// integers. None for an empty path; of the first `samples` if that is not -1.
llvm::Expected<std::vector<int64_t>> readLabels(llvm::StringRef path,
                                                int64_t samples);

/// Compares each result of `base` with that of `other`. `labels` are the right
/// classes, empty if there are none. Of several results that have a row of
/// scores for each sample, they are of those with enough classes; an error if
/// there is none, or if there are not as many labels as samples.
llvm::Expected<std::vector<Comparison>>
compare(llvm::ArrayRef<arrays::NamedArray> base,
        llvm::ArrayRef<arrays::NamedArray> other,
        llvm::ArrayRef<int64_t> labels = {});

/// The SQNR of the worst result in dB, of those of floats if there are any; of
/// NaN it is -infinity. Infinite of none.
double getWorstSqnr(llvm::ArrayRef<Comparison> comparisons);

/// Counts, of each result that `labels` are of, the right classes; an error if
/// there is no such result, as in `compare`.
llvm::Expected<std::vector<Accuracy>>
countRight(llvm::ArrayRef<arrays::NamedArray> results,
           llvm::ArrayRef<int64_t> labels);

/// Prints a line.
void print(const Comparison &comparison, llvm::raw_ostream &os);
void print(const Accuracy &accuracy, llvm::raw_ostream &os);

} // namespace qbackend::evaluation

#endif // QBACKEND_INSIGHT_COMPARISON_COMPARE_H

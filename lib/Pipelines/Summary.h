// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how much of a module is quantized, by verdict.

#ifndef QBACKEND_LIB_PIPELINES_SUMMARY_H
#define QBACKEND_LIB_PIPELINES_SUMMARY_H

#include "qbackend/Dialect/QBackend/OperatorKinds.h"
#include "qbackend/Pipelines/ApplyBackend.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace qbackend {

/// Operators and multiply-accumulates (MACs) by verdict. A dynamic extent
/// counts as 1, and a function once, however often it is called.
class Summary {
public:
  /// Counts the operators of `module`, which is observed, and the code that is
  /// no operator. Those to quantize are taken for quantized.
  void countOperators(mlir::ModuleOp module);

  /// Counts the operators of `module`, of which all that have a kernel are
  /// lowered, to the reference form: float arithmetic.
  void countWithoutKernel(mlir::ModuleOp module);

  /// Emits the remark QB000 with all numbers; its note is the table.
  void emitRemark(mlir::ModuleOp module) const;

  /// Warns if there is nothing that is quantized, and says why.
  void warnIfNothing(mlir::ModuleOp module) const;
  /// Whether there are operators on integers.
  bool hasQuantized() const;

  /// Fails, with an error that names the largest of what is missing, if less
  /// than `percent` is quantized. `target` is the form that was lowered to.
  mlir::LogicalResult require(double percent, llvm::StringRef target,
                              mlir::ModuleOp module) const;

  /// What became of each operator, and of code that is none, in the order of
  /// the code.
  std::vector<OperatorVerdict> getVerdicts() const;

private:
  enum class Verdict { Quantized, Integer, Reference, Float, NotRecognised };
  struct Count {
    int64_t operators = 0, macs = 0;
    /// How many there are of what: conv2d+relu.
    std::map<std::string, int64_t> kinds;
    Count &operator+=(const Count &other) {
      operators += other.operators;
      macs = addCounts(macs, other.macs);
      for (const auto &[kind, count] : other.kinds)
        kinds[kind] += count;
      return *this;
    }
  };
  /// An operator, or code that is none.
  struct Row {
    Verdict verdict;
    mlir::Location loc;
    std::string kind, name, code;
    int64_t macs;
  };

  static llvm::StringRef getName(Verdict verdict);
  void add(Verdict verdict, mlir::Operation *op, llvm::StringRef kind,
           llvm::StringRef code, int64_t macs);
  Count getTotal() const;
  Count getQuantized() const;
  /// 100 * quantized / all, of MACs, or of operators where there are no MACs;
  /// 0 where there is nothing.
  double getPercent() const;
  std::string getTable() const;

  std::map<std::pair<Verdict, std::string>, Count> counts;
  std::vector<Row> rows;
};

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_SUMMARY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes in order, for those who want to know what became of each operator.

#ifndef QBACKEND_PIPELINES_APPLYBACKEND_H
#define QBACKEND_PIPELINES_APPLYBACKEND_H

#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qbackend {

/// What became of an operator, or of code that is none.
struct OperatorVerdict {
  /// As remarks have it, see getRemarkLocation.
  mlir::Location loc;
  /// What remarks call it: "conv2d+relu", or the name of an op.
  std::string kind;
  /// That of its location; may be empty.
  std::string name;
  /// "quantized", "already integer", "reference form", "float" or "not
  /// recognised".
  llvm::StringRef verdict;
  /// The remark that says why, see docs/Diagnostics.md; empty if quantized.
  std::string code;
  int64_t macs;
};

/// The pass apply-backend, which leaves in `verdicts` what became of each
/// operator once there are kernels, in the order of the code. `table` is the
/// text of a calibration table; empty: what the options say. What the option
/// `explain` asks for goes to `explanation`; null: to standard output.
std::unique_ptr<mlir::Pass>
createApplyBackendPass(std::vector<OperatorVerdict> &verdicts,
                       llvm::StringRef table,
                       llvm::raw_ostream *explanation = nullptr);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_APPLYBACKEND_H

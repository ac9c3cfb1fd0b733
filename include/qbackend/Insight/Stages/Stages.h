// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network after each pass, for people who want to know what the passes do.

#ifndef QBACKEND_INSIGHT_STAGES_STAGES_H
#define QBACKEND_INSIGHT_STAGES_STAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace qbackend {

/// One op of a function.
struct StageOp {
  /// As MLIR prints it, without large constants.
  std::string text;
  /// "conv2d+relu", "qnnpack.add".
  std::string kind;
  /// What it was made of: names and places of the code that came in.
  std::vector<std::string> origins;
  /// Numbers of the ops that give its operands.
  std::vector<unsigned> operands;
  bool isConstant = false;
};

/// A function as a pass left it.
struct Stage {
  /// The flag of the pass, and what it does in a phrase.
  std::string pass, summary;
  std::vector<StageOp> ops;

  bool hasSameOps(const Stage &other) const;
};

/// What `function` is now.
Stage recordStage(mlir::func::FuncOp function, llvm::StringRef pass,
                  llvm::StringRef summary);

/// HTML that needs nothing else: the stages side by side, as code and as graph;
/// what was made of an op is marked in all of them when it is chosen.
std::string makeStagesPage(llvm::StringRef title, llvm::ArrayRef<Stage> stages);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_STAGES_STAGES_H

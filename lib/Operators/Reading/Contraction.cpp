// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, whatever op computes them.

#include "Reading/Contraction.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

bool forms::usesLoop(AffineMap map, unsigned loop) {
  return llvm::any_of(map.getResults(),
                      [&](AffineExpr expr) { return getLoop(expr) == loop; });
}

std::optional<Contraction>
forms::readContraction(Operation *op, ScalarExpressions &expressions) {
  if (auto found = readLinalgContraction(op, expressions))
    return found;
  return readTosaContraction(op, expressions.constants);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises products of two activations, such as those of attention.

#include "Contraction.h"
#include "Functions/Functions.h"

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

/// The factor that `map` reads from `value`, with `loops` in this order.
static RecognizedOperand getFactor(Value value, AffineMap map,
                                   ArrayRef<unsigned> loops,
                                   ArrayRef<int64_t> sizes) {
  LayoutView view{value, {}, {}};
  for (AffineExpr expr : map.getResults())
    view.loops.push_back(getLoop(expr));
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    shape.push_back(sizes[loop]);
  if (ShapedType::isDynamicShape(shape))
    shape.clear();
  return arrange(view, loops, shape);
}

void forms::recognizeMatmul(Recognition &recognition) {
  // What is a linear layer stays one, even if it can't be raised.
  if (llvm::any_of(recognition.found, [](const RecognizedOperator &op) {
        return isa<LinearAttr>(op.kind);
      }))
    return;
  auto product = readContraction(recognition.root, recognition.expressions);
  if (!product || product->isConvolution || product->init || product->bias ||
      (recognition.isConstant(product->lhs) &&
       recognition.isConstant(product->rhs)))
    return;
  // Loops of both factors come first, then the rows, then the columns.
  SmallVector<unsigned> batch, rows, columns, reduced;
  for (AffineExpr expr : product->resultMap.getResults()) {
    std::optional<unsigned> loop = getLoop(expr);
    if (!loop)
      return;
    bool inLhs = usesLoop(product->lhsMap, *loop);
    bool inRhs = usesLoop(product->rhsMap, *loop);
    if (!inLhs && !inRhs)
      return;
    (inLhs && inRhs ? batch : inLhs ? rows : columns).push_back(*loop);
  }
  for (unsigned loop = 0; loop < product->sizes.size(); ++loop) {
    if (usesLoop(product->resultMap, loop))
      continue;
    if (!usesLoop(product->lhsMap, loop) || !usesLoop(product->rhsMap, loop))
      return;
    reduced.push_back(loop);
  }
  auto position = [&](unsigned loop) {
    return llvm::find_if(
               product->resultMap.getResults(),
               [&](AffineExpr expr) { return getLoop(expr) == loop; }) -
           product->resultMap.getResults().begin();
  };
  // Dimensions of 1 are in any factor, or none.
  auto moveUnits = [&](SmallVector<unsigned> &from) {
    while (from.size() > 1 && product->sizes[from.front()] == 1) {
      batch.push_back(from.front());
      from.erase(from.begin());
    }
  };
  moveUnits(rows);
  moveUnits(columns);
  llvm::sort(batch,
             [&](unsigned a, unsigned b) { return position(a) < position(b); });
  if (rows.size() != 1 || columns.size() != 1 || reduced.size() != 1)
    return;
  // (A B)^T is B^T A^T.
  if (position(columns[0]) < position(rows[0])) {
    std::swap(product->lhs, product->rhs);
    std::swap(product->lhsMap, product->rhsMap);
    std::swap(rows, columns);
  }
  RecognizedOperator op;
  op.kind = MatmulAttr::get(recognition.context());
  op.result = recognition.result();
  SmallVector<unsigned> loops(batch);
  loops.append({rows[0], reduced[0]});
  RecognizedOperand lhs =
      getFactor(product->lhs, product->lhsMap, loops, product->sizes);
  loops.assign(batch.begin(), batch.end());
  loops.append({reduced[0], columns[0]});
  RecognizedOperand rhs =
      getFactor(product->rhs, product->rhsMap, loops, product->sizes);
  if (!lhs || !rhs)
    return;
  op.inputs = {lhs, rhs};
  SmallVector<int64_t> permutation;
  for (unsigned loop : batch)
    permutation.push_back(position(loop));
  permutation.append({position(rows[0]), position(columns[0])});
  if (!llvm::is_sorted(permutation))
    op.outputPermutation = permutation;
  recognition.found.push_back(std::move(op));
}

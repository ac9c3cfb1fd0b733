// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises products of two activations, such as those of attention.

#include "Kinds/Recognizers.h"
#include "Reading/Contraction.h"
#include "Reading/Layout.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

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

/// `factor`, a batch of matrices, with the dimensions of the batch that were
/// merged for the product: null if they weren't.
static RecognizedOperand splitBatch(const RecognizedOperand &factor,
                                    ArrayRef<int64_t> batch) {
  Operation *op = getProducer(factor.value);
  Value source = op ? getReshaped(op) : Value();
  auto type = source ? getFloatType(source) : RankedTensorType();
  ArrayRef<int64_t> permutation = factor.permutation;
  bool isOwnShape = factor.sourceShape.empty() && factor.shape.empty();
  if (!type || !isOwnShape || type.getRank() != int64_t(batch.size()) + 2 ||
      type.getShape().drop_back(2) != batch ||
      getFloatType(factor.value).getRank() != 3 ||
      getFloatType(factor.value).getShape().drop_front() !=
          type.getShape().take_back(2) ||
      (!permutation.empty() && permutation.front() != 0))
    return {};
  RecognizedOperand split = RecognizedOperand::of(source);
  if (permutation.empty() || llvm::is_sorted(permutation))
    return split;
  int64_t rank = type.getRank();
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    split.permutation.push_back(dim);
  split.permutation.append({rank - 1, rank - 2});
  return split;
}

/// The product that ends at the root, or at what the root only cuts the batch
/// of; null if it is none of two activations.
static std::optional<RecognizedOperator>
readMatmul(Operation *root, const Recognition &recognition) {
  auto product = readContraction(root, recognition.expressions);
  if (!product || product->isConvolution || product->init || product->bias ||
      (recognition.isConstant(product->lhs) &&
       recognition.isConstant(product->rhs)))
    return std::nullopt;
  // Loops of both factors come first, then the rows, then the columns.
  SmallVector<unsigned> batch, rows, columns, reduced;
  for (AffineExpr expr : product->resultMap.getResults()) {
    std::optional<unsigned> loop = getLoop(expr);
    if (!loop)
      return std::nullopt;
    bool inLhs = usesLoop(product->lhsMap, *loop);
    bool inRhs = usesLoop(product->rhsMap, *loop);
    if (!inLhs && !inRhs)
      return std::nullopt;
    (inLhs && inRhs ? batch : inLhs ? rows : columns).push_back(*loop);
  }
  for (unsigned loop = 0; loop < product->sizes.size(); ++loop) {
    if (usesLoop(product->resultMap, loop))
      continue;
    if (!usesLoop(product->lhsMap, loop) || !usesLoop(product->rhsMap, loop))
      return std::nullopt;
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
    return std::nullopt;
  // (A B)^T is B^T A^T.
  if (position(columns[0]) < position(rows[0])) {
    std::swap(product->lhs, product->rhs);
    std::swap(product->lhsMap, product->rhsMap);
    std::swap(rows, columns);
  }
  RecognizedOperator op;
  op.kind = MatmulAttr::get(recognition.context());
  op.result = root->getResult(0);
  SmallVector<unsigned> loops(batch);
  loops.append({rows[0], reduced[0]});
  RecognizedOperand lhs =
      getFactor(product->lhs, product->lhsMap, loops, product->sizes);
  loops.assign(batch.begin(), batch.end());
  loops.append({reduced[0], columns[0]});
  RecognizedOperand rhs =
      getFactor(product->rhs, product->rhsMap, loops, product->sizes);
  if (!lhs || !rhs)
    return std::nullopt;
  op.inputs = {lhs, rhs};
  SmallVector<int64_t> permutation;
  for (unsigned loop : batch)
    permutation.push_back(position(loop));
  permutation.append({position(rows[0]), position(columns[0])});
  if (!llvm::is_sorted(permutation))
    op.outputPermutation = permutation;
  return op;
}

void forms::recognizeMatmul(Recognition &recognition) {
  // What is a linear layer stays one, even if it can't be raised.
  if (llvm::any_of(recognition.found, [](const RecognizedOperator &op) {
        return isa<LinearAttr>(op.kind);
      }))
    return;
  Operation *root = recognition.root;
  Value merged = getReshaped(root);
  if (!merged) {
    if (auto op = readMatmul(root, recognition))
      recognition.found.push_back(std::move(*op));
    return;
  }
  // Batches of several dimensions are merged for ops that have one.
  auto type = getFloatType(recognition.result());
  Operation *producer = getProducer(merged);
  if (!producer || !getFloatType(merged) ||
      getFloatType(merged).getRank() != 3 || type.getRank() < 3 ||
      getFloatType(merged).getShape().drop_front() !=
          type.getShape().take_back(2))
    return;
  auto op = readMatmul(producer, recognition);
  if (!op || !op->outputPermutation.empty())
    return;
  for (RecognizedOperand &input : op->inputs)
    if (!(input = splitBatch(input, type.getShape().drop_back(2))))
      return;
  op->result = recognition.result();
  recognition.found.push_back(std::move(*op));
}

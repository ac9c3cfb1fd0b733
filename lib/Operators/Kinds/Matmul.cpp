// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises products of two activations, such as those of attention.

#include "Kinds/Recognizers.h"
#include "Reading/Contraction.h"
#include "Reading/Layout.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static int64_t getSize(ArrayRef<unsigned> loops, ArrayRef<int64_t> sizes) {
  int64_t size = 1;
  for (unsigned loop : loops)
    size *= sizes[loop];
  return loops.size() == 1 ? sizes[loops[0]] : size;
}

/// The matrices that `map` reads from `value`: a dimension for each loop of
/// `batch`, and one for all of `rows` and of `columns` each.
static RecognizedOperand getFactor(Value value, AffineMap map,
                                   ArrayRef<unsigned> batch,
                                   ArrayRef<unsigned> rows,
                                   ArrayRef<unsigned> columns,
                                   ArrayRef<int64_t> sizes) {
  LayoutView view{value, {}, {}};
  for (AffineExpr expr : map.getResults())
    view.loops.push_back(getLoop(expr));
  SmallVector<unsigned> loops(batch);
  llvm::append_range(loops, rows);
  llvm::append_range(loops, columns);
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    shape.push_back(sizes[loop]);
  if (ShapedType::isDynamicShape(shape))
    shape.clear();
  RecognizedOperand factor = arrange(view, loops, shape);
  if (!factor || (rows.size() == 1 && columns.size() == 1))
    return factor;
  factor.shape.clear();
  for (unsigned loop : batch)
    factor.shape.push_back(sizes[loop]);
  factor.shape.append({getSize(rows, sizes), getSize(columns, sizes)});
  return factor;
}

/// Whether loops over rows, columns and what is summed, of which there are
/// several (fusion has put the windows of an image into a product), are one
/// each: of static sizes, and next to each other in the result.
static bool canMerge(ArrayRef<unsigned> rows, ArrayRef<unsigned> columns,
                     ArrayRef<unsigned> reduced, const Contraction &product,
                     llvm::function_ref<int64_t(unsigned)> position) {
  if (rows.size() == 1 && columns.size() == 1 && reduced.size() == 1)
    return true;
  for (ArrayRef<unsigned> loops : {rows, columns})
    for (size_t i = 1; i < loops.size(); ++i)
      if (position(loops[i]) != position(loops[0]) + int64_t(i))
        return false;
  return !ShapedType::isDynamicShape(product.sizes);
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
  if (rows.empty() || columns.empty() || reduced.empty() ||
      !canMerge(rows, columns, reduced, *product, position))
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
  RecognizedOperand lhs = getFactor(product->lhs, product->lhsMap, batch, rows,
                                    reduced, product->sizes);
  RecognizedOperand rhs = getFactor(product->rhs, product->rhsMap, batch,
                                    reduced, columns, product->sizes);
  if (!lhs || !rhs)
    return std::nullopt;
  op.inputs = {lhs, rhs};
  // Where the dimensions of the operator's result are in that of the code, in
  // which those of rows, and of columns, are one.
  SmallVector<int64_t> places;
  for (unsigned loop : batch)
    places.push_back(position(loop));
  places.append({position(rows[0]), position(columns[0])});
  SmallVector<int64_t> order(places), permutation;
  llvm::sort(order);
  for (int64_t place : places)
    permutation.push_back(llvm::find(order, place) - order.begin());
  if (!llvm::is_sorted(permutation))
    op.outputPermutation = permutation;
  if (rows.size() > 1 || columns.size() > 1)
    for (int64_t place : order) {
      unsigned loop = *getLoop(product->resultMap.getResult(place));
      op.outputShape.push_back(loop == rows[0] ? getSize(rows, product->sizes)
                               : loop == columns[0]
                                   ? getSize(columns, product->sizes)
                                   : product->sizes[loop]);
    }
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

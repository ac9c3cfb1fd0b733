// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises rows of a parameter that integers choose.

#include "Kinds/Recognizers.h"
#include "Reading/Layout.h"
#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The table as [rows, columns], if it is one, perhaps with a 1 in front.
static RecognizedOperand getTable(Value value, ConstantEvaluator &constants) {
  auto type = getFloatType(value);
  if (!type || !type.hasStaticShape() || !isParameter(value, constants))
    return {};
  if (type.getRank() == 2)
    return RecognizedOperand::of(value);
  if (type.getRank() != 3 || type.getDimSize(0) != 1)
    return {};
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  Value flat = getReshaped(getProducer(value));
  auto flatType = flat ? getFloatType(flat) : RankedTensorType();
  if (flatType && flatType.getShape() == shape)
    return RecognizedOperand::of(flat);
  // An argument of more dimensions may as well be an image.
  return constants.isConstant(value) ? RecognizedOperand::reshaped(value, shape)
                                     : RecognizedOperand();
}

/// Whether `row` is the index `variable` for each row of a table: it may be
/// clamped, or counted from the end if it is negative.
static bool isIndex(Value row, Value variable, int64_t rows,
                    ConstantEvaluator &constants) {
  auto expression = constants.readScalar(row, variable);
  if (!expression || !expression->dependsOnVariable() ||
      expression->getLoops().any())
    return false;
  for (int64_t index :
       {int64_t(0), int64_t(1), rows / 3, rows / 2, rows - 2, rows - 1})
    if (index >= 0 && index < rows && expression->evaluate({}, index) != index)
      return false;
  return true;
}

/// Whether `map` reads one index for each position but the last one.
static bool readsRows(AffineMap map, RankedTensorType type, unsigned loops) {
  if (map.getNumResults() + 1 != loops)
    return false;
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim ? dim.getPosition() != index : type.getDimSize(index) != 1)
      return false;
  }
  return true;
}

static void recognizeLookup(const Recognition &recognition,
                            linalg::LinalgOp op) {
  ConstantEvaluator &constants = recognition.constants();
  Block *body = op.getBlock();
  if (!body || body->empty() || op->getNumResults() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      body->getTerminator()->getNumOperands() != 1)
    return;
  auto extract =
      body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  unsigned loops = op.getNumLoops();
  if (!extract || loops < 1)
    return;
  RecognizedOperand table = getTable(extract.getTensor(), constants);
  if (!table)
    return;
  auto tableType = getFloatType(extract.getTensor());
  SmallVector<Value> indices(extract.getIndices());
  if (tableType.getRank() == 3 && !matchPattern(indices[0], m_Zero()) &&
      getDirectLoop(indices[0]) != 0u)
    return;
  int64_t rows = tableType.getShape().take_back(2).front();
  Value row = indices[indices.size() - 2];
  auto resultType = getFloatType(recognition.result());
  if (getDirectLoop(indices.back()) != loops - 1 ||
      resultType.getShape().back() != tableType.getShape().back())
    return;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type || !type.getElementType().isSignlessInteger() ||
        !readsRows(op.getMatchingIndexingMap(operand), type, loops) ||
        !isIndex(row, op.getMatchingBlockArgument(operand), rows, constants))
      continue;
    RecognizedOperator found;
    found.kind = EmbeddingAttr::get(recognition.context());
    found.result = recognition.result();
    found.inputs = {RecognizedOperand::of(operand->get())};
    found.weight = table;
    recognition.found.push_back(std::move(found));
    return;
  }
}

/// Whole rows by the first coordinate.
static void recognizeGather(const Recognition &recognition,
                            tensor::GatherOp gather) {
  RecognizedOperand table =
      getTable(gather.getSource(), recognition.constants());
  auto tableType = getFloatType(gather.getSource());
  RankedTensorType indices = gather.getIndicesType();
  auto resultType = getFloatType(recognition.result());
  if (!table || tableType.getRank() != 2 ||
      gather.getGatherDims() != ArrayRef<int64_t>{0} ||
      !indices.getElementType().isSignlessInteger() ||
      indices.getShape().back() != 1)
    return;
  RecognizedOperator op;
  op.kind = EmbeddingAttr::get(recognition.context());
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(gather.getIndices())};
  op.weight = table;
  // The indices, without the one coordinate that each of them has.
  Value flat = getReshaped(gather.getIndices().getDefiningOp());
  auto flatType =
      flat ? dyn_cast<RankedTensorType>(flat.getType()) : RankedTensorType();
  SmallVector<int64_t> shape(indices.getShape());
  if (flatType && flatType.getShape() == indices.getShape().drop_back()) {
    op.inputs = {RecognizedOperand::of(flat)};
    shape.pop_back();
  }
  shape.push_back(tableType.getDimSize(1));
  if (resultType.getShape() != ArrayRef<int64_t>(shape))
    op.outputShape = shape;
  recognition.found.push_back(std::move(op));
}

void forms::recognizeLinalgEmbedding(const Recognition &recognition) {
  if (auto gather = dyn_cast<tensor::GatherOp>(recognition.root))
    recognizeGather(recognition, gather);
  else if (auto op = dyn_cast<linalg::LinalgOp>(recognition.root))
    recognizeLookup(recognition, op);
}

//===----------------------------------------------------------------------===//
// TOSA: tosa.gather of the rows of a parameter
//===----------------------------------------------------------------------===//

/// Indices and what they were before conversions and changes of shape, the
/// first one first.
static SmallVector<Value> getOrigins(Value indices) {
  SmallVector<Value> origins = {indices};
  while (origins.size() < 6) {
    Operation *op = origins.back().getDefiningOp();
    Value before = getReshaped(op);
    if (!before && isa_and_nonnull<tosa::CastOp, arith::TruncIOp,
                                   arith::ExtSIOp, tensor::CastOp>(op))
      before = op->getOperand(0);
    auto type = before ? dyn_cast<RankedTensorType>(before.getType())
                       : RankedTensorType();
    if (!type || !type.getElementType().isSignlessInteger())
      break;
    origins.push_back(before);
  }
  std::reverse(origins.begin(), origins.end());
  return origins;
}

void forms::recognizeTosaEmbedding(const Recognition &recognition) {
  Operation *root = recognition.root;
  if (Value before = getReshaped(root))
    root = before.getDefiningOp();
  auto gather = dyn_cast_or_null<tosa::GatherOp>(root);
  if (!gather)
    return;
  RecognizedOperand weight =
      getTable(gather.getValues(), recognition.constants());
  auto type = getFloatType(recognition.result());
  if (!weight || type.getRank() < 1 ||
      type.getShape().back() != gather.getValues().getType().getDimSize(2))
    return;
  for (Value origin : getOrigins(gather.getIndices())) {
    auto indices = cast<RankedTensorType>(origin.getType());
    if (indices.getShape() != type.getShape().drop_back())
      continue;
    RecognizedOperator op;
    op.kind = EmbeddingAttr::get(recognition.context());
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(origin)};
    op.weight = weight;
    recognition.found.push_back(std::move(op));
  }
}

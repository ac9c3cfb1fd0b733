// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads reversals, and reverses constants.

#include "Reading/Flip.h"
#include "Reading/Expressions/ScalarExpression.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// `value` as an expression of the loops of the region it is computed in; null
/// if it is anything else. `depth` bounds how far it looks.
static AffineExpr readIndex(Value value, unsigned depth = 8) {
  MLIRContext *context = value.getContext();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), context);
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type =
        dyn_cast<RankedTensorType>(skipCasts(dim.getSource()).getType());
    if (!index || !type || *index < 0 || *index >= type.getRank() ||
        type.isDynamicDim(*index))
      return {};
    return getAffineConstantExpr(type.getDimSize(*index), context);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands())
      if (!operands.emplace_back(readIndex(operand, depth - 1)))
        return {};
    ArrayRef<AffineExpr> all(operands);
    return map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }
  if (isa<arith::IndexCastOp>(op))
    return readIndex(op->getOperand(0), depth - 1);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr lhs = readIndex(op->getOperand(0), depth - 1);
  AffineExpr rhs = readIndex(op->getOperand(1), depth - 1);
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (!lhs.isSymbolicOrConstant() && !rhs.isSymbolicOrConstant())
    return {};
  return lhs * rhs;
}

/// The flip of an op with the result of `resultType` whose element at (d0, d1,
/// ...) is that of `source` at `indices`.
static std::optional<Flip> readFlip(Value source, ArrayRef<AffineExpr> indices,
                                    RankedTensorType resultType) {
  auto type = getFloatType(skipCasts(source));
  unsigned rank = indices.size();
  if (!type || resultType.getRank() != rank || type.getRank() != rank ||
      !type.hasStaticShape())
    return std::nullopt;
  Flip flip{skipCasts(source), {}, {}};
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape())) {
    MLIRContext *context = resultType.getContext();
    // d or size - 1 - d
    std::optional<unsigned> found;
    bool reversed = false;
    for (unsigned dim = 0; dim < rank && index; ++dim) {
      AffineExpr loop = getAffineDimExpr(dim, context);
      reversed = index != loop;
      if (!reversed || simplifyAffineExpr(index + loop, rank, 0) ==
                           getAffineConstantExpr(size - 1, context)) {
        found = dim;
        break;
      }
    }
    if (!found || llvm::is_contained(flip.dims, *found) ||
        resultType.getDimSize(*found) != size)
      return std::nullopt;
    flip.dims.push_back(*found);
    flip.reversed.push_back(reversed);
  }
  return flip;
}

std::optional<Flip> forms::getFlip(Operation *op) {
  auto resultType = op && op->getNumResults() == 1
                        ? getFloatType(op->getResult(0))
                        : RankedTensorType();
  if (!resultType)
    return std::nullopt;
  if (auto reverse = dyn_cast<tosa::ReverseOp>(op)) {
    Flip flip{reverse.getInput1(), {}, {}};
    for (unsigned dim = 0; dim < resultType.getRank(); ++dim) {
      flip.dims.push_back(dim);
      flip.reversed.push_back(dim == unsigned(reverse.getAxis()));
    }
    return flip;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInits() != 1 ||
      structured.getNumLoops() != structured.getNumParallelLoops() ||
      !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  Value yielded = structured.getBlock()->getTerminator()->getOperand(0);
  if (auto extract = yielded.getDefiningOp<tensor::ExtractOp>()) {
    SmallVector<AffineExpr> indices;
    for (Value index : extract.getIndices())
      indices.push_back(readIndex(index));
    return readFlip(extract.getTensor(), indices, resultType);
  }
  for (OpOperand *input : structured.getDpsInputOperands())
    if (structured.getMatchingBlockArgument(input) == yielded)
      return readFlip(input->get(),
                      structured.getMatchingIndexingMap(input).getResults(),
                      resultType);
  return std::nullopt;
}

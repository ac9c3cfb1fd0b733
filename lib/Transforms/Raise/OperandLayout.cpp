// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings operands from the layout of the code into that of an operator kind,
// and back.

#include "Raise/OperandLayout.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qbackend;

/// Whether dimensions of `from` joined or cut give `to`, each of a size that
/// follows from the others.
static bool isReassociation(RankedTensorType from, RankedTensorType to) {
  auto groups = getReassociationIndicesForReshape(from, to);
  if (!groups)
    return false;
  ArrayRef<int64_t> finer =
      from.getRank() > to.getRank() ? from.getShape() : to.getShape();
  return llvm::all_of(*groups, [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return ShapedType::isDynamic(finer[dim]);
           }) <= 1;
  });
}

Value qbackend::createReshape(OpBuilder &builder, Location loc, Value value,
                              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto resultType = type.clone(shape);
  if (auto reassociation =
          getReassociationIndicesForReshape(type, resultType)) {
    if (type.getRank() > resultType.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, resultType, value,
                                             *reassociation);
    return tensor::ExpandShapeOp::create(builder, loc, resultType, value,
                                         *reassociation);
  }
  int64_t size = type.getNumElements();
  Value flat = createReshape(builder, loc, value, {size});
  return createReshape(builder, loc, flat, shape);
}

Value qbackend::createReshapeOperator(OpBuilder &builder, Location loc,
                                      Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  // Two extents that aren't known may differ.
  bool isFlatten =
      shape.size() == 2 && type.getRank() > 2 &&
      shape.front() == type.getDimSize(0) &&
      (!type.isDynamicDim(0) ||
       (type.getNumDynamicDims() == 1 &&
        tryCountElements(type.clone(type.getShape().drop_front())) ==
            shape.back()));
  MLIRContext *context = builder.getContext();
  auto kind = isFlatten
                  ? Attribute(FlattenAttr::get(context, DenseI64ArrayAttr()))
                  : ReshapeAttr::get(context, DenseI64ArrayAttr());
  auto op =
      OperatorOp::create(builder, loc, type.clone(shape),
                         builder.getArrayAttr(kind), ValueRange(value), Value(),
                         Value(), Value(), Value(), QConfigAttr(), Attribute());
  setSourceValues(op, 0);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = op.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  Value result =
      createReshape(builder, loc, body.addArgument(type, loc), shape);
  YieldOp::create(builder, loc, result);
  return op.getOutput();
}

Value qbackend::createTranspose(OpBuilder &builder, Location loc, Value value,
                                ArrayRef<int64_t> permutation) {
  // Dimensions of 1 that change places with others of 1 are where they were.
  auto type = cast<RankedTensorType>(value.getType());
  if (llvm::all_of(llvm::enumerate(permutation), [&](auto each) {
        return each.value() == int64_t(each.index()) ||
               (type.getDimSize(each.index()) == 1 &&
                type.getDimSize(each.value()) == 1);
      }))
    return value;
  return TransposeOp::create(builder, loc, value, permutation);
}

SmallVector<int64_t> qbackend::transposeShape(ArrayRef<int64_t> shape,
                                              ArrayRef<int64_t> permutation) {
  if (permutation.empty())
    return SmallVector<int64_t>(shape);
  return llvm::map_to_vector(permutation,
                             [&](int64_t dim) { return shape[dim]; });
}

bool qbackend::isReshapable(RankedTensorType from, ArrayRef<int64_t> shape) {
  auto to = from.clone(shape);
  if (shape.empty() || from == to)
    return true;
  // No elements are no reason for a shape, and a number that wraps is none.
  if (from.hasStaticShape() && to.hasStaticShape()) {
    std::optional<int64_t> count = tryCountElements(from);
    return count && *count > 0 && count == tryCountElements(to);
  }
  return isReassociation(from, to);
}

bool qbackend::isReshapable(const RecognizedOperand &operand, bool isInteger) {
  auto type =
      dyn_cast<RankedTensorType>(operand.value      ? operand.value.getType()
                                 : operand.constant ? operand.constant.getType()
                                                    : Type());
  if (isInteger)
    return type && type.getElementType().isSignlessInteger() &&
           operand.sourceShape.empty() && operand.permutation.empty() &&
           operand.shape.empty();
  if (!type || !type.getElementType().isF32() ||
      !isReshapable(type, operand.sourceShape))
    return false;
  if (!operand.sourceShape.empty())
    type = type.clone(operand.sourceShape);
  if (!operand.permutation.empty() &&
      int64_t(operand.permutation.size()) != type.getRank())
    return false;
  return isReshapable(
      type.clone(transposeShape(type.getShape(), operand.permutation)),
      operand.shape);
}

/// The resource or the large constant that `operand` is a transpose of, as a
/// constant in the shape that is transposed; null if it isn't one. Resources
/// may be gigabytes that are mapped from a file, and each copy of others takes
/// as long as reading them: they stay there until they are quantized.
static Value createStored(OpBuilder &builder, Location loc,
                          const RecognizedOperand &operand) {
  constexpr size_t large = 1 << 16;
  ElementsAttr elements;
  if (operand.constant || !operand.shape.empty() ||
      !matchPattern(operand.value, m_Constant(&elements)))
    return {};
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type || !hasFloats(elements))
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    if (!operand.sourceShape.empty())
      elements = DenseResourceElementsAttr::get(type.clone(operand.sourceShape),
                                                resource.getRawHandle());
  } else if (!operand.sourceShape.empty() || operand.permutation.empty() ||
             cast<DenseElementsAttr>(elements).getRawData().size() < large) {
    return {};
  }
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(elements));
}

Value qbackend::materialize(OpBuilder &builder, Location loc,
                            const RecognizedOperand &operand,
                            ConstantEvaluator &constants, bool isActivation) {
  if (!isActivation)
    if (Value stored = createStored(builder, loc, operand))
      return createTranspose(builder, loc, stored, operand.permutation);
  DenseElementsAttr elements = operand.constant;
  DenseResourceElementsAttr resource;
  if (!elements && matchPattern(operand.value, m_Constant(&resource)))
    elements = operand.arrange(resource);
  if (!elements) {
    elements = constants.evaluate(operand.value);
    if (elements)
      elements = operand.arrange(elements);
  }
  if (elements)
    return arith::ConstantOp::create(builder, loc, elements);
  auto reshape = isActivation ? createReshapeOperator : createReshape;
  Value value = operand.value;
  if (!operand.sourceShape.empty())
    value = reshape(builder, loc, value, operand.sourceShape);
  value = createTranspose(builder, loc, value, operand.permutation);
  if (!operand.shape.empty())
    value = reshape(builder, loc, value, operand.shape);
  return value;
}

Value qbackend::restore(OpBuilder &builder, Location loc, Value canonical,
                        const RecognizedOperand &operand) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  Value value = canonical;
  ArrayRef<int64_t> source = operand.sourceShape.empty()
                                 ? type.getShape()
                                 : ArrayRef(operand.sourceShape);
  if (!operand.shape.empty())
    value = createReshape(builder, loc, value,
                          transposeShape(source, operand.permutation));
  if (!operand.permutation.empty())
    value = createTranspose(builder, loc, value,
                            invertPermutationVector(operand.permutation));
  if (!operand.sourceShape.empty())
    value = createReshape(builder, loc, value, type.getShape());
  return value;
}

RankedTensorType qbackend::getCanonicalType(const RecognizedOperand &operand) {
  if (!operand)
    return {};
  if (operand.constant)
    return cast<RankedTensorType>(operand.constant.getType());
  auto type = cast<RankedTensorType>(operand.value.getType());
  if (!operand.shape.empty())
    return type.clone(operand.shape);
  ArrayRef<int64_t> source =
      operand.sourceShape.empty() ? type.getShape() : operand.sourceShape;
  return type.clone(transposeShape(source, operand.permutation));
}

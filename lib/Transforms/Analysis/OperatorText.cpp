// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "qbackend/Transforms/Analysis/OperatorText.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

SmallVector<int64_t> qbackend::getOtherSizes(Type type) {
  return llvm::filter_to_vector(cast<RankedTensorType>(type).getShape(),
                                [](int64_t size) { return size != 1; });
}

std::string qbackend::getShapeText(RankedTensorType type) {
  std::string shape;
  llvm::raw_string_ostream os(shape);
  os << "[";
  llvm::interleaveComma(type.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << "?";
    else
      os << size;
  });
  os << "]";
  if (!type.getElementType().isF32())
    os << " " << type.getElementType();
  return shape;
}

std::string qbackend::getActivationText(RankedTensorType type) {
  return getShapeText(type.clone(getOtherSizes(type)));
}

/// The kind as it is written, without the dialect's name.
static std::string getKindText(OperatorOp op, OperatorKindAttrInterface kind) {
  if (isa<BatchNormKindAttrInterface>(kind))
    return kind.getKindName().str();
  Attribute shown =
      op.isFused() ? kind : kind.getShownKind(op.getKindOperands());
  std::string text;
  llvm::raw_string_ostream os(text);
  shown.print(os);
  StringRef printed = text;
  printed.consume_front("#qbackend.");
  return printed.str();
}

std::string qbackend::getOperatorText(OperatorOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      op.getOperatorKinds(), os,
      [&](OperatorKindAttrInterface kind) { os << getKindText(op, kind); },
      "+");
  if (isa<BatchNormKindAttrInterface>(op.getKind()))
    return text;
  if (Value weight = op.getWeight())
    os << " weight" << getShapeText(cast<RankedTensorType>(weight.getType()));
  if (op.getBias())
    os << " bias";
  return text;
}

bool qbackend::isUnitReshape(OperatorOp op) {
  if (op.isFused() || !op.getKind().isShapeOnly())
    return false;
  Attribute shown = op.getKind().getShownKind(op.getKindOperands());
  // A permutation that moves nothing but dimensions of size 1 is none.
  if (auto transpose = dyn_cast<TransposeAttr>(shown))
    return llvm::is_sorted(transpose.getPermutation().asArrayRef());
  return shown == ReshapeAttr::get(op.getContext(), {}) &&
         getOtherSizes(op.getInputs().front().getType()) ==
             getOtherSizes(op.getOutput().getType());
}

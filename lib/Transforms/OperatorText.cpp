// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OperatorText.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

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

static bool isBatchNorm(Attribute kind) {
  return isa<BatchNorm1dAttr, BatchNorm2dAttr, BatchNorm3dAttr>(kind);
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// The place of `dim` among the dimensions of `type` that are not 1.
static int64_t getShownDim(RankedTensorType type, int64_t dim) {
  return llvm::count_if(type.getShape().take_front(dim),
                        [](int64_t size) { return size != 1; });
}

static DenseI64ArrayAttr getShownDims(RankedTensorType type,
                                      DenseI64ArrayAttr dims) {
  SmallVector<int64_t> shown;
  for (int64_t dim : dims.asArrayRef())
    if (type.getDimSize(dim) != 1)
      shown.push_back(getShownDim(type, dim));
  return DenseI64ArrayAttr::get(type.getContext(), shown);
}

/// The permutation of a reshape or flatten; null for other kinds.
static DenseI64ArrayAttr getPermutation(Attribute kind) {
  if (auto flatten = dyn_cast<FlattenAttr>(kind))
    return flatten.getPermutation();
  if (auto reshape = dyn_cast<ReshapeAttr>(kind))
    return reshape.getPermutation();
  return {};
}

/// What a reshape or flatten is without dimensions of 1: a transpose, if it
/// merges and cuts nothing.
static Attribute getShownReshape(OperatorOp op, DenseI64ArrayAttr permutation) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  DenseI64ArrayAttr shown;
  if (permutation)
    shown = getShownDims(type, permutation);
  if (!shown || llvm::is_sorted(shown.asArrayRef()))
    return ReshapeAttr::get(op.getContext(), {});
  SmallVector<int64_t> sizes = getOtherSizes(type), permuted;
  for (int64_t dim : shown.asArrayRef())
    permuted.push_back(sizes[dim]);
  if (permuted == getOtherSizes(op.getOutput().getType()))
    return TransposeAttr::get(op.getContext(), shown);
  return ReshapeAttr::get(op.getContext(), shown);
}

/// `kind` with parameters that count only the dimensions that are shown.
static Attribute getShownKind(OperatorOp op, Attribute kind) {
  MLIRContext *context = op.getContext();
  auto input = cast<RankedTensorType>(op.getInputs().front().getType());
  auto output = cast<RankedTensorType>(op.getOutput().getType());
  auto axisOf = [&](auto attr) { return getShownDim(output, attr.getAxis()); };
  return llvm::TypeSwitch<Attribute, Attribute>(kind)
      .Case<SoftmaxAttr, LogSoftmaxAttr, PreluAttr, CatAttr>(
          [&](auto attr) { return decltype(attr)::get(context, axisOf(attr)); })
      .Case<ChannelShuffleAttr>([&](ChannelShuffleAttr attr) {
        return ChannelShuffleAttr::get(context, axisOf(attr), attr.getGroups());
      })
      .Case<LayerNormAttr, RmsNormAttr>([&](auto attr) {
        return decltype(attr)::get(context, getShownDims(input, attr.getAxes()),
                                   attr.getEps());
      })
      .Case<MeanAttr>([&](MeanAttr attr) -> Attribute {
        // The pool to one pixel, which is the same sum.
        if (input.getRank() == 4 &&
            attr.getAxes().asArrayRef() == ArrayRef<int64_t>{1, 2})
          return AdaptiveAvgPool2dAttr::get(
              context, DenseI64ArrayAttr::get(context, {1, 1}));
        return MeanAttr::get(context, getShownDims(input, attr.getAxes()),
                             /*keepdim=*/false);
      })
      .Case<TransposeAttr>([&](TransposeAttr attr) {
        return TransposeAttr::get(context,
                                  getShownDims(input, attr.getPermutation()));
      })
      .Case<ReshapeAttr, FlattenAttr>(
          [&](auto attr) { return getShownReshape(op, attr.getPermutation()); })
      .Default(kind);
}

/// The kind as it is written, without the dialect's name.
static std::string getKindText(OperatorOp op, OperatorKindAttrInterface kind) {
  if (isBatchNorm(kind))
    return kind.getKindName().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  (op.isFused() ? Attribute(kind) : getShownKind(op, kind)).print(os);
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
  if (isBatchNorm(op.getKind()))
    return text;
  if (Value weight = op.getWeight())
    os << " weight" << getShapeText(cast<RankedTensorType>(weight.getType()));
  if (op.getBias())
    os << " bias";
  return text;
}

bool qbackend::isUnitReshape(OperatorOp op) {
  if (op.isFused())
    return false;
  // A permutation that moves nothing but dimensions of size 1 is none.
  if (auto transpose = dyn_cast<TransposeAttr>(op.getKind()))
    return llvm::is_sorted(
        getShownDims(cast<RankedTensorType>(op.getInputs().front().getType()),
                     transpose.getPermutation())
            .asArrayRef());
  return isa<FlattenAttr, ReshapeAttr>(op.getKind()) &&
         getOtherSizes(op.getInputs().front().getType()) ==
             getOtherSizes(op.getOutput().getType()) &&
         getShownReshape(op, getPermutation(op.getKind())) ==
             ReshapeAttr::get(op.getContext(), {});
}

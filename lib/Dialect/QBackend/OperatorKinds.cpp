// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operator kind allows, and how it changes with the layout.

#include "qbackend/Dialect/QBackend/OperatorKinds.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Adds the name of `AttrT` if it is a kind; `op` stands for others.
template <typename AttrT>
static void addKind(SmallVectorImpl<StringRef> &kinds) {
  if constexpr (!std::is_same_v<AttrT, OpAttr> &&
                std::is_base_of_v<OperatorKindAttrInterface::Trait<AttrT>,
                                  AttrT>)
    kinds.push_back(AttrT::getMnemonic());
}

template <typename... AttrTs> static SmallVector<StringRef> collectKinds() {
  SmallVector<StringRef> kinds;
  (addKind<AttrTs>(kinds), ...);
  llvm::sort(kinds);
  return kinds;
}

ArrayRef<StringRef> qbackend::getDialectKinds() {
  static const SmallVector<StringRef> kinds = collectKinds<
#define GET_ATTRDEF_LIST
#include "qbackend/Dialect/QBackend/QBackendAttrs.cpp.inc"
      >();
  return kinds;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Where the dimension `axis` is after a permutation.
static int64_t permuteAxis(int64_t axis, ArrayRef<int64_t> permutation) {
  auto *it = llvm::find(permutation, axis);
  return it == permutation.end() ? axis : it - permutation.begin();
}

Attribute BatchNorm1dAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getEps());
}

Attribute BatchNorm2dAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getEps());
}

Attribute CatAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}

Attribute SoftmaxAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}

Attribute MeanAttr::permute(ArrayRef<int64_t> permutation) const {
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes().asArrayRef())
    axes.push_back(permuteAxis(axis, permutation));
  llvm::sort(axes);
  // Without the reduced dimensions, the rest must stay in its order.
  if (!getKeepdim()) {
    int64_t last = -1;
    for (int64_t dim : permutation) {
      if (llvm::is_contained(getAxes().asArrayRef(), dim))
        continue;
      if (dim < last)
        return {};
      last = dim;
    }
  }
  return get(getContext(), DenseI64ArrayAttr::get(getContext(), axes),
             getKeepdim());
}

/// A reshape that first undoes the new layout, then does what it did.
template <typename ReshapeAttrT>
static Attribute permuteReshape(ReshapeAttrT kind,
                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> undo = inversePermutation(permutation);
  if (DenseI64ArrayAttr own = kind.getPermutation())
    undo = composePermutations(undo, own.asArrayRef());
  MLIRContext *context = kind.getContext();
  if (llvm::is_sorted(undo))
    return ReshapeAttrT::get(context, DenseI64ArrayAttr());
  return ReshapeAttrT::get(context, DenseI64ArrayAttr::get(context, undo));
}

Attribute FlattenAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteReshape(*this, permutation);
}
bool FlattenAttr::isShapeOnly() const { return true; }

Attribute ReshapeAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteReshape(*this, permutation);
}
bool ReshapeAttr::isShapeOnly() const { return true; }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// One of the integer lists of a window, with its size and smallest element.
static LogicalResult verifyInts(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, DenseI64ArrayAttr values,
                                int64_t size, int64_t least) {
  if (!values || values.size() != size)
    return emitError() << "'" << name << "' has "
                       << (values ? values.size() : 0) << " elements, expected "
                       << size;
  for (int64_t value : values.asArrayRef())
    if (value < least)
      return emitError() << "'" << name << "' holds " << value << ", expected "
                         << least << " or more";
  return success();
}

LogicalResult Conv2dAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DenseI64ArrayAttr stride,
                                 DenseI64ArrayAttr padding,
                                 DenseI64ArrayAttr dilation, int64_t groups) {
  if (failed(verifyInts(emitError, "stride", stride, 2, 1)) ||
      failed(verifyInts(emitError, "padding", padding, 4, 0)) ||
      failed(verifyInts(emitError, "dilation", dilation, 2, 1)))
    return failure();
  if (groups < 1)
    return emitError() << "'groups' is " << groups << ", expected 1 or more";
  return success();
}

LogicalResult
MaxPool2dAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      DenseI64ArrayAttr kernel, DenseI64ArrayAttr stride,
                      DenseI64ArrayAttr padding, DenseI64ArrayAttr dilation) {
  if (failed(verifyInts(emitError, "kernel", kernel, 2, 1)) ||
      failed(verifyInts(emitError, "stride", stride, 2, 1)) ||
      failed(verifyInts(emitError, "padding", padding, 4, 0)))
    return failure();
  return verifyInts(emitError, "dilation", dilation, 2, 1);
}

LogicalResult AvgPool2dAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, DenseI64ArrayAttr kernel,
    DenseI64ArrayAttr stride, DenseI64ArrayAttr padding, bool ceilMode,
    bool countExcludePad, std::optional<int64_t> divisorOverride) {
  if (failed(verifyInts(emitError, "kernel", kernel, 2, 1)) ||
      failed(verifyInts(emitError, "stride", stride, 2, 1)) ||
      failed(verifyInts(emitError, "padding", padding, 4, 0)))
    return failure();
  if (divisorOverride && *divisorOverride == 0)
    return emitError() << "'divisor_override' is 0";
  return success();
}

LogicalResult
Conv2dAttr::verifyOperands(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<RankedTensorType> activations,
                           RankedTensorType weight) const {
  if (!weight || weight.getRank() != 4)
    return emitError() << "a conv2d has a weight of rank 4, [out, height, "
                          "width, in / groups]";
  if (activations.size() != 1 || activations[0].getRank() != 4)
    return emitError() << "a conv2d has one activation of rank 4, NHWC";
  int64_t channels = activations[0].getDimSize(3);
  if (!ShapedType::isDynamic(channels) && weight.hasStaticShape() &&
      channels != weight.getDimSize(3) * getGroups())
    return emitError() << "the activation has " << channels
                       << " channels, the weight is for "
                       << weight.getDimSize(3) << " in each of " << getGroups()
                       << " groups";
  return success();
}

LogicalResult
LinearAttr::verifyOperands(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<RankedTensorType> activations,
                           RankedTensorType weight) const {
  if (!weight || weight.getRank() != 2)
    return emitError() << "a linear has a weight of rank 2, [out, in]";
  if (activations.size() != 1 || activations[0].getRank() < 1)
    return emitError() << "a linear has one activation of rank 1 or more";
  int64_t channels = activations[0].getShape().back();
  if (!ShapedType::isDynamic(channels) && weight.hasStaticShape() &&
      channels != weight.getDimSize(1))
    return emitError() << "the activation has " << channels
                       << " features, the weight is for "
                       << weight.getDimSize(1);
  return success();
}

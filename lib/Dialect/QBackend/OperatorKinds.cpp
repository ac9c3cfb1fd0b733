// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operator kind allows, and how it changes with the layout.

#include "qbackend/Dialect/QBackend/Edges.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
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

/// One number for each dimension.
static DenseI64ArrayAttr permuteInts(DenseI64ArrayAttr values,
                                     ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t dim : permutation)
    result.push_back(values[dim]);
  return DenseI64ArrayAttr::get(values.getContext(), result);
}

/// Axes whose order is that of a weight; null if they don't keep it.
static DenseI64ArrayAttr permuteOrdered(DenseI64ArrayAttr axes,
                                        ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes.asArrayRef())
    result.push_back(permuteAxis(axis, permutation));
  return llvm::is_sorted(result)
             ? DenseI64ArrayAttr::get(axes.getContext(), result)
             : DenseI64ArrayAttr();
}

static bool keepsBatch(ArrayRef<int64_t> permutation) {
  return !permutation.empty() && permutation.front() == 0;
}

template <typename InstanceNormAttrT>
static Attribute permuteInstanceNorm(InstanceNormAttrT kind,
                                     ArrayRef<int64_t> permutation) {
  if (!keepsBatch(permutation))
    return {};
  return InstanceNormAttrT::get(kind.getContext(),
                                permuteAxis(kind.getAxis(), permutation),
                                kind.getEps());
}

Attribute BatchNorm1dAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getEps());
}

Attribute BatchNorm2dAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getEps());
}

Attribute BatchNorm3dAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getEps());
}

Attribute InstanceNorm1dAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteInstanceNorm(*this, permutation);
}
Attribute InstanceNorm2dAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteInstanceNorm(*this, permutation);
}
Attribute InstanceNorm3dAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteInstanceNorm(*this, permutation);
}
Attribute GroupNormAttr::permute(ArrayRef<int64_t> permutation) const {
  if (!keepsBatch(permutation))
    return {};
  return get(getContext(), permuteAxis(getAxis(), permutation), getNumGroups(),
             getEps());
}

Attribute LayerNormAttr::permute(ArrayRef<int64_t> permutation) const {
  DenseI64ArrayAttr axes = permuteOrdered(getAxes(), permutation);
  return axes ? get(getContext(), axes, getEps()) : Attribute();
}
Attribute RmsNormAttr::permute(ArrayRef<int64_t> permutation) const {
  DenseI64ArrayAttr axes = permuteOrdered(getAxes(), permutation);
  return axes ? get(getContext(), axes, getEps()) : Attribute();
}

Attribute PreluAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}
Attribute LogSoftmaxAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}
Attribute ChannelShuffleAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation), getGroups());
}

Attribute NarrowAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteInts(getOffsets(), permutation),
             permuteInts(getSizes(), permutation),
             permuteInts(getStrides(), permutation));
}
Attribute PadAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteInts(getLow(), permutation),
             permuteInts(getHigh(), permutation), getValue());
}
Attribute RepeatAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteInts(getMultiples(), permutation));
}

Attribute CatAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}

Attribute SoftmaxAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), permuteAxis(getAxis(), permutation));
}

/// The same reduction, of dimensions that were permuted; null if it would
/// permute those of its result.
template <typename ReductionAttrT>
static Attribute permuteReduction(ReductionAttrT kind,
                                  ArrayRef<int64_t> permutation) {
  ArrayRef<int64_t> reduced = kind.getAxes().asArrayRef();
  SmallVector<int64_t> axes;
  for (int64_t axis : reduced)
    axes.push_back(permuteAxis(axis, permutation));
  llvm::sort(axes);
  // Without the reduced dimensions, the rest must stay in its order.
  if (!kind.getKeepdim()) {
    int64_t last = -1;
    for (int64_t dim : permutation) {
      if (llvm::is_contained(reduced, dim))
        continue;
      if (dim < last)
        return {};
      last = dim;
    }
  }
  MLIRContext *context = kind.getContext();
  return ReductionAttrT::get(context, DenseI64ArrayAttr::get(context, axes),
                             kind.getKeepdim());
}

Attribute MeanAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteReduction(*this, permutation);
}
Attribute SumAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteReduction(*this, permutation);
}
Attribute AmaxAttr::permute(ArrayRef<int64_t> permutation) const {
  return permuteReduction(*this, permutation);
}

/// A reshape that first undoes the new layout, then does what it did.
template <typename ReshapeAttrT>
static Attribute permuteReshape(ReshapeAttrT kind,
                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> undo = invertPermutationVector(permutation);
  if (DenseI64ArrayAttr own = kind.getPermutation())
    undo = applyPermutation(undo, own.asArrayRef());
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

LogicalResult
qbackend::detail::verifyInts(function_ref<InFlightDiagnostic()> emitError,
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

LogicalResult qbackend::detail::verifyConvolution(
    function_ref<InFlightDiagnostic()> emitError, int64_t rank,
    DenseI64ArrayAttr stride, DenseI64ArrayAttr padding,
    DenseI64ArrayAttr dilation, int64_t groups) {
  if (failed(verifyInts(emitError, "stride", stride, rank, 1)) ||
      failed(verifyInts(emitError, "padding", padding, 2 * rank, 0)) ||
      failed(verifyInts(emitError, "dilation", dilation, rank, 1)))
    return failure();
  if (groups < 1)
    return emitError() << "'groups' is " << groups << ", expected 1 or more";
  return success();
}

LogicalResult qbackend::detail::verifyConvolutionOperands(
    function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t rank,
    int64_t groups, ArrayRef<RankedTensorType> activations,
    RankedTensorType weight) {
  static constexpr StringLiteral kernels[] = {"length", "height, width",
                                              "depth, height, width"};
  if (!weight || weight.getRank() != rank + 2)
    return emitError() << "a " << name << " has a weight of rank " << rank + 2
                       << ", [out, " << kernels[rank - 1] << ", in / groups]";
  if (activations.size() != 1 || activations[0].getRank() != rank + 2)
    return emitError() << "a " << name << " has one activation of rank "
                       << rank + 2 << ", channels last";
  int64_t channels = activations[0].getShape().back();
  if (!ShapedType::isDynamic(channels) && weight.hasStaticShape() &&
      channels != weight.getShape().back() * groups)
    return emitError() << "the activation has " << channels
                       << " channels, the weight is for "
                       << weight.getShape().back() << " in each of " << groups
                       << " groups";
  return success();
}

LogicalResult
MatmulAttr::verifyOperands(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<RankedTensorType> activations,
                           RankedTensorType) const {
  if (activations.size() != 2 || activations[0].getRank() < 2 ||
      activations[1].getRank() < 2)
    return emitError() << "a matmul has two activations of rank 2 or more";
  int64_t left = activations[0].getShape().back();
  int64_t right = activations[1].getShape().take_back(2).front();
  if (left != right && !ShapedType::isDynamic(left) &&
      !ShapedType::isDynamic(right))
    return emitError() << "the rows of the first activation have " << left
                       << " elements, the columns of the second one " << right;
  return success();
}

LogicalResult
EmbeddingAttr::verifyOperands(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<RankedTensorType> activations,
                              RankedTensorType weight) const {
  if (!weight || weight.getRank() != 2)
    return emitError()
           << "an embedding has a weight of rank 2, [rows, columns]";
  if (activations.size() != 1 ||
      !activations[0].getElementType().isSignlessInteger())
    return emitError() << "an embedding has one input of integers, the indices";
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

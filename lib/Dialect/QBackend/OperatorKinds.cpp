// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operator kind allows, and how it changes with the layout.

#include "KindAnswers.h"

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

int64_t qbackend::detail::permuteAxis(int64_t axis,
                                      ArrayRef<int64_t> permutation) {
  auto *it = llvm::find(permutation, axis);
  return it == permutation.end() ? axis : it - permutation.begin();
}

DenseI64ArrayAttr qbackend::detail::permuteInts(DenseI64ArrayAttr values,
                                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t dim : permutation)
    result.push_back(values[dim]);
  return DenseI64ArrayAttr::get(values.getContext(), result);
}

DenseI64ArrayAttr
qbackend::detail::permuteOrdered(DenseI64ArrayAttr axes,
                                 ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes.asArrayRef())
    result.push_back(permuteAxis(axis, permutation));
  return llvm::is_sorted(result)
             ? DenseI64ArrayAttr::get(axes.getContext(), result)
             : DenseI64ArrayAttr();
}

DenseI64ArrayAttr
qbackend::detail::permuteReduced(DenseI64ArrayAttr axes, bool keepdim,
                                 ArrayRef<int64_t> permutation) {
  ArrayRef<int64_t> reduced = axes.asArrayRef();
  SmallVector<int64_t> result;
  for (int64_t axis : reduced)
    result.push_back(permuteAxis(axis, permutation));
  llvm::sort(result);
  // Without the reduced dimensions, the rest must stay in its order.
  if (!keepdim) {
    int64_t last = -1;
    for (int64_t dim : permutation) {
      if (llvm::is_contained(reduced, dim))
        continue;
      if (dim < last)
        return {};
      last = dim;
    }
  }
  return DenseI64ArrayAttr::get(axes.getContext(), result);
}

DenseI64ArrayAttr
qbackend::detail::permuteReshape(MLIRContext *context, DenseI64ArrayAttr own,
                                 ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> undo = invertPermutationVector(permutation);
  if (own)
    undo = applyPermutation(undo, own.asArrayRef());
  return llvm::is_sorted(undo) ? DenseI64ArrayAttr()
                               : DenseI64ArrayAttr::get(context, undo);
}

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

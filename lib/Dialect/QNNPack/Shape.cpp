// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of what moves integers: cat, transpose, reshape, slice,
// pad and repeat.

#include "Verify.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend::qnnpack;

LogicalResult CatOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "has no input, expected one or more";
  ShapedType output = getOutput().getType();
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, getInputs().front().getType())))
    return failure();
  int64_t total = 0;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    auto type = cast<ShapedType>(input.getType());
    bool fits = type.getRank() == output.getRank();
    for (int64_t i = 0; fits && i < type.getRank(); ++i)
      fits = i == axis || type.getDimSize(i) == output.getDimSize(i);
    if (!fits)
      return emitOpError() << "input " << index << " of type " << type
                           << " differs from the output " << output
                           << " in more than axis " << axis;
    if (type.isDynamicDim(axis) ||
        llvm::AddOverflow(total, type.getDimSize(axis), total))
      return emitOpError() << "input " << index << " has a dynamic axis "
                           << axis << "; only other dimensions may be dynamic";
  }
  if (output.getDimSize(axis) != total)
    return emitOpError() << "the inputs have " << total << " along axis "
                         << axis << ", the output "
                         << (output.isDynamicDim(axis)
                                 ? std::string("a dynamic size")
                                 : std::to_string(output.getDimSize(axis)));
  for (Value input : getInputs())
    if (failed(verifySameStorage(*this, input.getType(), output)))
      return failure();
  if (getChannelsLast() && (output.getRank() != 4 || axis != 3))
    return emitOpError() << "has channels_last and joins axis " << axis
                         << " of rank " << output.getRank()
                         << ", expected the channels, axis 3, of images; drop "
                            "the attribute for the contiguous formula";
  return success();
}

LogicalResult TransposeOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != input.getRank() ||
      !isPermutationVector(permutation))
    return emitOpError() << "permutation [" << permutation
                         << "] is not one of the " << input.getRank()
                         << " dimensions of the input";
  SmallVector<int64_t> expected =
      applyPermutation(input.getShape(), permutation);
  if (output.getShape() != ArrayRef(expected))
    return emitOpError() << "the output is " << output << ", expected "
                         << RankedTensorType::get(expected,
                                                  output.getElementType());
  return verifySameParameters(*this, input, output);
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  // transpose(x), identity -> x
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  // transpose(transpose(x, p), q) -> transpose(x, p[q])
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  setPermutation(applyPermutation(inner.getPermutation(), getPermutation()));
  getInputMutable().assign(inner.getInput());
  return getResult();
}

LogicalResult ReshapeOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  auto leadsDynamic = [](ShapedType type) {
    return type.getRank() > 0 && type.isDynamicDim(0);
  };
  bool dynamic = leadsDynamic(input);
  for (ShapedType type : {input, output})
    if (ShapedType::isDynamicShape(
            type.getShape().drop_front(std::min<int64_t>(1, type.getRank()))))
      return emitOpError() << "has a dynamic dimension beyond the first one: "
                           << type;
  if (dynamic != leadsDynamic(output))
    return emitOpError() << "has one dynamic shape and one static: " << input
                         << " and " << output;
  auto count = [&](ShapedType type) {
    std::optional<int64_t> product = 1;
    for (int64_t size : type.getShape().drop_front(dynamic)) {
      int64_t next = 0;
      if (!product || llvm::MulOverflow(*product, size, next))
        return std::optional<int64_t>();
      product = next;
    }
    return product;
  };
  std::optional<int64_t> from = count(input), to = count(output);
  if (!from || !to)
    return emitOpError() << "the number of elements overflows 64 bits: "
                         << input << " to " << output;
  // With a dynamic batch the rest may be split differently, if one divides
  // the other: ?x4 holds as many elements as some ?x2.
  if (!dynamic && *from != *to)
    return emitOpError() << "the input has " << *from
                         << " elements, the output " << *to;
  if (dynamic &&
      (*from == 0 || *to == 0 ? *from != *to : *from % *to && *to % *from))
    return emitOpError() << "no batch makes the number of elements of " << input
                         << " and " << output << " agree";
  return verifySameParameters(*this, input, output);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  // reshape(x), same shape -> x. A dynamic first dimension is the same, too:
  // the other ones are equal.
  if (getInput().getType() == getOutput().getType())
    return getInput();
  // reshape(reshape(x)) -> reshape(x)
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

/// The size `size` of dimension `dim` of the result is `expected`.
static LogicalResult verifySize(Operation *op, int64_t dim, int64_t size,
                                int64_t expected) {
  if (size == expected)
    return success();
  auto spell = [](int64_t size) {
    return ShapedType::isDynamic(size) ? std::string("a dynamic size")
                                       : std::to_string(size);
  };
  return op->emitOpError() << "the output has " << spell(size)
                           << " along dimension " << dim << ", expected "
                           << spell(expected);
}

/// The ranks are the same.
static LogicalResult verifySameRank(Operation *op, ShapedType input,
                                    ShapedType output) {
  if (input.getRank() == output.getRank())
    return success();
  return op->emitOpError() << "the output has rank " << output.getRank()
                           << ", expected " << input.getRank();
}

LogicalResult SliceOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  size_t rank = input.getRank();
  if (failed(verifySameRank(*this, input, output)) ||
      failed(verifyIntegers(*this, "offsets", getOffsets(), rank, 0)) ||
      failed(verifyIntegers(*this, "strides", getStrides(), rank, 1)))
    return failure();
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t from = input.getDimSize(dim), to = output.getDimSize(dim);
    int64_t offset = getOffsets()[dim], stride = getStrides()[dim];
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to)) {
      if (from != to || offset != 0 || stride != 1)
        return emitOpError() << "takes a part of dimension " << dim
                             << ", which is dynamic; only whole dimensions may "
                                "be dynamic";
      continue;
    }
    // Written so that nothing overflows.
    if (to != 0 && (offset >= from || (from - offset - 1) / stride < to - 1))
      return emitOpError() << "takes " << to << " elements from " << offset
                           << " on, by steps of " << stride << ", of dimension "
                           << dim << ", which has " << from;
  }
  return verifySameParameters(*this, input, output);
}

LogicalResult PadOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  size_t rank = input.getRank();
  if (failed(verifySameRank(*this, input, output)) ||
      failed(verifyIntegers(*this, "low", getLow(), rank, 0)) ||
      failed(verifyIntegers(*this, "high", getHigh(), rank, 0)))
    return failure();
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t size = input.getDimSize(dim);
    if (!ShapedType::isDynamic(size) &&
        (llvm::AddOverflow(size, getLow()[dim], size) ||
         llvm::AddOverflow(size, getHigh()[dim], size)))
      return emitOpError() << "the size of dimension " << dim
                           << " overflows 64 bits";
    if (failed(verifySize(*this, dim, output.getDimSize(dim), size)))
      return failure();
  }
  return verifySameParameters(*this, input, output);
}

LogicalResult RepeatOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  if (failed(verifySameRank(*this, input, output)) ||
      failed(verifyIntegers(*this, "multiples", getMultiples(), input.getRank(),
                            1)))
    return failure();
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t size = input.getDimSize(dim);
    if (!ShapedType::isDynamic(size) &&
        llvm::MulOverflow(size, getMultiples()[dim], size))
      return emitOpError() << "the size of dimension " << dim
                           << " overflows 64 bits";
    if (failed(verifySize(*this, dim, output.getDimSize(dim), size)))
      return failure();
  }
  return verifySameParameters(*this, input, output);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of convolutions and linear layers that reads their operands: where the
// code that was recognised has no place for a bias, or constants of its own.

#include "WeightedCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qbackend;

/// A tensor of `type` that starts as the bias of each output channel, the last
/// dimension. `sizes` are its dynamic extents.
static Value createBiasInit(ImplicitLocOpBuilder &b, RankedTensorType type,
                            Value bias, ValueRange sizes) {
  Value empty = tensor::EmptyOp::create(b, type, sizes);
  SmallVector<int64_t> dimensions =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  return linalg::BroadcastOp::create(b, bias, empty, dimensions)->getResult(0);
}

static void multiplyAccumulate(OpBuilder &builder, Location loc,
                               ValueRange args) {
  Value product = arith::MulFOp::create(builder, loc, args[0], args[1]);
  Value sum = arith::AddFOp::create(builder, loc, product, args[2]);
  linalg::YieldOp::create(builder, loc, sum);
}

/// `value` with its dimension `dim` as two, [outer, rest].
static Value splitDimension(ImplicitLocOpBuilder &b, Value value, int64_t dim,
                            int64_t outer) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, outer);
  shape[dim + 1] /= outer;
  SmallVector<ReassociationIndices> reassociation;
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
    reassociation.push_back({next++});
    if (i == dim)
      reassociation.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value,
                                       reassociation);
}

namespace {
/// Builds a convolution with a bias on channels-last images, over any number of
/// spatial dimensions, transposed or not, with any groups.
class ConvolutionBuilder {
public:
  ConvolutionBuilder(ImplicitLocOpBuilder &b, ConvolutionKindAttrInterface kind,
                     RankedTensorType type, RankedTensorType weightType)
      : b(b), kind(kind), type(type), weightType(weightType),
        rank(type.getRank() - 2) {}

  Value create(Value input, Value weight, Value bias) {
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim <= rank; ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(createOutputSize(input, dim));
    input = kind.isTransposed() ? spread(input) : pad(input);
    return accumulate(input, weight, createBiasInit(b, type, bias, sizes));
  }

private:
  int64_t getReach(int64_t i) const {
    return (weightType.getDimSize(1 + i) - 1) * kind.getDilations()[i];
  }

  Value createIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  /// (in + before + after - reach - 1) / stride + 1, or transposed
  /// (in - 1) * stride - before - after + reach + output_padding + 1.
  Value createOutputSize(Value input, int64_t dim) {
    Value size = tensor::DimOp::create(b, input, dim);
    if (dim == 0)
      return size;
    int64_t i = dim - 1;
    int64_t padding = kind.getPaddings()[2 * i] + kind.getPaddings()[2 * i + 1];
    Value stride = createIndex(kind.getStrides()[i]);
    if (kind.isTransposed()) {
      size = arith::MulIOp::create(b, size, stride);
      return arith::AddIOp::create(b, size,
                                   createIndex(getReach(i) +
                                               kind.getOutputPaddings()[i] + 1 -
                                               padding - kind.getStrides()[i]));
    }
    size =
        arith::AddIOp::create(b, size, createIndex(padding - getReach(i) - 1));
    size = arith::DivUIOp::create(b, size, stride);
    return arith::AddIOp::create(b, size, createIndex(1));
  }

  /// The image with zeros around it.
  Value pad(Value input) {
    ArrayRef<int64_t> padding = kind.getPaddings();
    if (llvm::all_of(padding, [](int64_t pad) { return pad == 0; }))
      return input;
    auto inputType = cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> low(rank + 2, b.getIndexAttr(0)), high = low;
    SmallVector<int64_t> shape(inputType.getShape());
    for (int64_t i = 0; i < rank; ++i) {
      low[1 + i] = b.getIndexAttr(padding[2 * i]);
      high[1 + i] = b.getIndexAttr(padding[2 * i + 1]);
      if (!inputType.isDynamicDim(1 + i))
        shape[1 + i] += padding[2 * i] + padding[2 * i + 1];
    }
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    return tensor::PadOp::create(b, inputType.clone(shape), input, low, high,
                                 zero);
  }

  /// The image with stride - 1 zeros between its pixels, and as many around it
  /// as the first and the last windows reach over. A transposed convolution is
  /// a plain one on this, with the kernel reversed.
  Value spread(Value input) {
    auto inputType = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(inputType.getShape());
    SmallVector<OpFoldResult> offsets(rank + 2, b.getIndexAttr(0)),
        strides(rank + 2, b.getIndexAttr(1));
    SmallVector<Value> sizes;
    if (inputType.isDynamicDim(0))
      sizes.push_back(tensor::DimOp::create(b, input, 0));
    for (int64_t i = 0; i < rank; ++i) {
      int64_t stride = kind.getStrides()[i];
      int64_t low =
          std::max<int64_t>(0, getReach(i) - kind.getPaddings()[2 * i]);
      int64_t high =
          std::max<int64_t>(0, getReach(i) - kind.getPaddings()[2 * i + 1] +
                                   kind.getOutputPaddings()[i]);
      int64_t extra = low + high + 1 - stride;
      offsets[1 + i] = b.getIndexAttr(low);
      strides[1 + i] = b.getIndexAttr(stride);
      if (!inputType.isDynamicDim(1 + i)) {
        shape[1 + i] = shape[1 + i] * stride + extra;
        continue;
      }
      Value size = tensor::DimOp::create(b, input, 1 + i);
      size = arith::MulIOp::create(b, size, createIndex(stride));
      sizes.push_back(arith::AddIOp::create(b, size, createIndex(extra)));
    }
    Value empty = tensor::EmptyOp::create(b, inputType.clone(shape), sizes);
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    Value zeros = linalg::FillOp::create(b, zero, empty).getResult(0);
    return tensor::InsertSliceOp::create(
        b, input, zeros, offsets, tensor::getMixedSizes(b, b.getLoc(), input),
        strides);
  }

  /// Where the output pixel `pixel` reads along dimension `i`, for the tap
  /// `tap`.
  AffineExpr getPosition(int64_t i, AffineExpr pixel, AffineExpr tap) {
    int64_t dilation = kind.getDilations()[i];
    if (!kind.isTransposed())
      return pixel * kind.getStrides()[i] + tap * dilation;
    // Padding beyond the reach of the kernel cuts pixels off.
    int64_t cut = std::max<int64_t>(0, kind.getPaddings()[2 * i] - getReach(i));
    return pixel - tap * dilation + (getReach(i) + cut);
  }

  /// init[n, p..., o] += input[n, position..., c] * weight[o, k..., i].
  Value accumulate(Value input, Value weight, Value init) {
    MLIRContext *context = b.getContext();
    int64_t groups = kind.getGroupCount();
    int64_t perGroup = weightType.getShape().back();
    bool depthwise = perGroup == 1 && groups == weightType.getDimSize(0);
    // Groups of several channels get a dimension of their own.
    bool grouped = groups != 1 && !depthwise;
    SmallVector<utils::IteratorType> loops;
    auto addDimension = [&](utils::IteratorType loop) {
      loops.push_back(loop);
      return getAffineDimExpr(loops.size() - 1, context);
    };
    auto parallel = utils::IteratorType::parallel;
    auto reduction = utils::IteratorType::reduction;
    SmallVector<AffineExpr> in, kernel, out = {addDimension(parallel)};
    for (int64_t i = 0; i < rank; ++i)
      out.push_back(addDimension(parallel));
    AffineExpr group;
    if (grouped) {
      group = addDimension(parallel);
      out.push_back(group);
      kernel.push_back(group);
    }
    out.push_back(addDimension(parallel));
    kernel.push_back(out.back());
    in.push_back(out.front());
    for (int64_t i = 0; i < rank; ++i) {
      kernel.push_back(addDimension(reduction));
      in.push_back(getPosition(i, out[1 + i], kernel.back()));
    }
    if (grouped)
      in.push_back(group);
    kernel.push_back(addDimension(reduction));
    in.push_back(depthwise && groups != 1 ? out.back() : kernel.back());

    if (grouped) {
      input = splitDimension(b, input, rank + 1, groups);
      weight = splitDimension(b, weight, 0, groups);
      init = splitDimension(b, init, rank + 1, groups);
    }
    unsigned dims = loops.size();
    SmallVector<AffineMap> maps = {AffineMap::get(dims, 0, in, context),
                                   AffineMap::get(dims, 0, kernel, context),
                                   AffineMap::get(dims, 0, out, context)};
    Value result =
        linalg::GenericOp::create(b, init.getType(), ValueRange{input, weight},
                                  init, maps, loops, multiplyAccumulate)
            .getResult(0);
    if (!grouped)
      return result;
    SmallVector<ReassociationIndices> back;
    for (int64_t i = 0; i < rank + 2; ++i)
      back.push_back({i});
    back.back().push_back(rank + 2);
    return tensor::CollapseShapeOp::create(b, type, result, back);
  }

  ImplicitLocOpBuilder &b;
  ConvolutionKindAttrInterface kind;
  RankedTensorType type, weightType;
  /// The number of spatial dimensions.
  int64_t rank;
};
} // namespace

/// y[..., n] = bias[n] + sum over k of x[..., k] * weight[n, k].
static Value createLinear(ImplicitLocOpBuilder &b, RankedTensorType type,
                          Value input, Value weight, Value bias) {
  int64_t rank = type.getRank();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, input, dim));
  Value init = createBiasInit(b, type, bias, sizes);
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> in, out;
  for (int64_t dim = 0; dim < rank; ++dim)
    out.push_back(b.getAffineDimExpr(dim));
  AffineExpr n = out.back(), k = b.getAffineDimExpr(rank);
  in.append(out.begin(), out.end() - 1);
  in.push_back(k);
  SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, in, context),
                                 AffineMap::get(rank + 1, 0, {n, k}, context),
                                 AffineMap::get(rank + 1, 0, out, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(b, type, ValueRange{input, weight}, init,
                                   maps, iterators, multiplyAccumulate)
      .getResult(0);
}

Value qbackend::createWeightedCode(ImplicitLocOpBuilder &b, Attribute kind,
                                   RankedTensorType type, Value input,
                                   Value weight, Value bias) {
  if (auto convolution = dyn_cast<ConvolutionKindAttrInterface>(kind))
    return ConvolutionBuilder(b, convolution, type,
                              cast<RankedTensorType>(weight.getType()))
        .create(input, weight, bias);
  return createLinear(b, type, input, weight, bias);
}

void qbackend::readOperands(OperatorOp op) {
  Attribute kind = op.getKinds()[0];
  auto type = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (op.isFused() || !type || op.getInputs().size() != 1 || !op.getWeight() ||
      !isa<ConvolutionKindAttrInterface, LinearAttr>(kind))
    return;
  Block &body = op.getBody().front();
  Value weight = body.getArgument(1);
  Value bias = op.getBias() ? body.getArgument(2) : Value();
  // Numbers that are not the operands', at any depth.
  bool hasNumbers = body.walk([](Operation *op) {
                          return op->hasTrait<OpTrait::ConstantLike>() ||
                                         isa<linalg::IndexOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (!hasNumbers || (!weight.use_empty() && (!bias || !bias.use_empty())))
    return;
  body.clear();
  ImplicitLocOpBuilder b =
      ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), &body);
  if (!bias)
    bias = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               RankedTensorType::get({type.getShape().back()}, b.getF32Type()),
               0.0f));
  YieldOp::create(
      b, createWeightedCode(b, kind, type, body.getArgument(0), weight, bias));
}

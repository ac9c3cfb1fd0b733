// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins operators that are one pattern of the backend, and folds batch norm.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Numerics/BatchNorm.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/Patterns.h"
#include "qbackend/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace qbackend {
#define GEN_PASS_DEF_FUSEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Bodies of convolution and linear with a bias
//===----------------------------------------------------------------------===//

/// A tensor of `type` that starts as the bias of each output channel, the last
/// dimension. `sizes` are its dynamic extents.
static Value createBiasInit(OpBuilder &builder, Location loc,
                            RankedTensorType type, Value bias,
                            ValueRange sizes) {
  Value empty = tensor::EmptyOp::create(builder, loc, type, sizes);
  SmallVector<int64_t> dimensions =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  return linalg::BroadcastOp::create(builder, loc, bias, empty, dimensions)
      ->getResult(0);
}

static void multiplyAccumulate(OpBuilder &builder, Location loc,
                               ValueRange args) {
  Value product = arith::MulFOp::create(builder, loc, args[0], args[1]);
  Value sum = arith::AddFOp::create(builder, loc, product, args[2]);
  linalg::YieldOp::create(builder, loc, sum);
}

/// conv2d on NHWC, with groups and a bias, as one structured op.
static Value createConv2d(OpBuilder &builder, Location loc, Conv2dAttr kind,
                          RankedTensorType type, Value input, Value weight,
                          Value bias) {
  auto inputType = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> padding = kind.getPadding().asArrayRef();
  if (llvm::any_of(padding, [](int64_t pad) { return pad != 0; })) {
    SmallVector<OpFoldResult> low, high;
    for (int64_t pad : {int64_t(0), padding[0], padding[2], int64_t(0)})
      low.push_back(builder.getIndexAttr(pad));
    for (int64_t pad : {int64_t(0), padding[1], padding[3], int64_t(0)})
      high.push_back(builder.getIndexAttr(pad));
    SmallVector<int64_t> shape(inputType.getShape());
    for (int64_t dim : {1, 2})
      if (!inputType.isDynamicDim(dim))
        shape[dim] += padding[2 * dim - 2] + padding[2 * dim - 1];
    auto padded = inputType.clone(shape);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
    input = tensor::PadOp::create(builder, loc, padded, input, low, high, zero);
  }
  // (in - ((kernel - 1) * dilation + 1)) / stride + 1, all of them positive.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < 3; ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value size = tensor::DimOp::create(builder, loc, input, dim);
    if (dim > 0) {
      int64_t reach =
          (cast<RankedTensorType>(weight.getType()).getDimSize(dim) - 1) *
              kind.getDilation()[dim - 1] +
          1;
      size = arith::SubIOp::create(builder, loc, size, constant(reach));
      size = arith::DivUIOp::create(builder, loc, size,
                                    constant(kind.getStride()[dim - 1]));
      size = arith::AddIOp::create(builder, loc, size, constant(1));
    }
    sizes.push_back(size);
  }
  Value init = createBiasInit(builder, loc, type, bias, sizes);

  // n, oh, ow, o, kh, kw, i; with groups, channel (o / (O/G)) * I + i.
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> d(7);
  bindDimsList(context, MutableArrayRef(d));
  ArrayRef<int64_t> stride = kind.getStride().asArrayRef();
  ArrayRef<int64_t> dilation = kind.getDilation().asArrayRef();
  auto weightType = cast<RankedTensorType>(weight.getType());
  int64_t groups = kind.getGroups(), perGroup = weightType.getDimSize(3);
  auto parallel = utils::IteratorType::parallel;
  auto reduction = utils::IteratorType::reduction;
  AffineExpr row = d[1] * stride[0] + d[4] * dilation[0];
  AffineExpr column = d[2] * stride[1] + d[5] * dilation[1];
  if (groups == 1 || (perGroup == 1 && groups == weightType.getDimSize(0))) {
    AffineExpr channel = groups == 1 ? d[6] : d[3];
    SmallVector<AffineMap> maps = {
        AffineMap::get(7, 0, {d[0], row, column, channel}, context),
        AffineMap::get(7, 0, {d[3], d[4], d[5], d[6]}, context),
        AffineMap::get(7, 0, {d[0], d[1], d[2], d[3]}, context)};
    return linalg::GenericOp::create(builder, loc, type,
                                     ValueRange{input, weight}, init, maps,
                                     {parallel, parallel, parallel, parallel,
                                      reduction, reduction, reduction},
                                     multiplyAccumulate)
        .getResult(0);
  }
  // Groups of several channels get a dimension of their own.
  int64_t outPerGroup = weightType.getDimSize(0) / groups;
  auto split = [&](Value value, unsigned dim, int64_t inner) -> Value {
    auto valueType = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(valueType.getShape());
    shape[dim] = groups;
    shape.insert(shape.begin() + dim + 1, inner);
    SmallVector<ReassociationIndices> reassociation;
    for (int64_t i = 0, e = valueType.getRank(), next = 0; i < e; ++i) {
      reassociation.push_back({next++});
      if (i == dim)
        reassociation.back().push_back(next++);
    }
    return tensor::ExpandShapeOp::create(builder, loc, valueType.clone(shape),
                                         value, reassociation);
  };
  d.resize(8);
  bindDimsList(context, MutableArrayRef(d));
  row = d[1] * stride[0] + d[5] * dilation[0];
  column = d[2] * stride[1] + d[6] * dilation[1];
  SmallVector<AffineMap> maps = {
      AffineMap::get(8, 0, {d[0], row, column, d[3], d[7]}, context),
      AffineMap::get(8, 0, {d[3], d[4], d[5], d[6], d[7]}, context),
      AffineMap::get(8, 0, {d[0], d[1], d[2], d[3], d[4]}, context)};
  Value grouped = split(init, 3, outPerGroup);
  Value result =
      linalg::GenericOp::create(
          builder, loc, grouped.getType(),
          ValueRange{split(input, 3, perGroup), split(weight, 0, outPerGroup)},
          grouped, maps,
          {parallel, parallel, parallel, parallel, parallel, reduction,
           reduction, reduction},
          multiplyAccumulate)
          .getResult(0);
  SmallVector<ReassociationIndices> back = {{0}, {1}, {2}, {3, 4}};
  return tensor::CollapseShapeOp::create(builder, loc, type, result, back);
}

/// y[..., n] = bias[n] + sum over k of x[..., k] * weight[n, k].
static Value createLinear(OpBuilder &builder, Location loc,
                          RankedTensorType type, Value input, Value weight,
                          Value bias) {
  int64_t rank = type.getRank();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, input, dim));
  Value init = createBiasInit(builder, loc, type, bias, sizes);
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> in, out;
  for (int64_t dim = 0; dim < rank; ++dim)
    out.push_back(builder.getAffineDimExpr(dim));
  AffineExpr n = out.back(), k = builder.getAffineDimExpr(rank);
  in.append(out.begin(), out.end() - 1);
  in.push_back(k);
  SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, in, context),
                                 AffineMap::get(rank + 1, 0, {n, k}, context),
                                 AffineMap::get(rank + 1, 0, out, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(builder, loc, type,
                                   ValueRange{input, weight}, init, maps,
                                   iterators, multiplyAccumulate)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// The numbers of a constant operand; `size` times `missing` if there is none.
static std::optional<SmallVector<float, 0>>
readOperand(Value operand, int64_t size, float missing) {
  if (!operand)
    return SmallVector<float, 0>(size, missing);
  ElementsAttr elements;
  if (!matchPattern(operand, m_Constant(&elements)) ||
      elements.getNumElements() != size)
    return std::nullopt;
  return readFloats(elements);
}

static Value createConstant(OpBuilder &builder, Location loc,
                            ArrayRef<float> numbers, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, numbers));
}

/// norm(root(x, weight, bias)) -> root(x, weight', bias'); null, with a
/// remark, if the parameters are not constants, or of another dimension than
/// the channels of the weight.
static OperatorOp foldBatchNorm(OperatorOp root, OperatorOp norm) {
  if (!isa<Conv2dAttr, LinearAttr>(root.getKind()) ||
      !isa<BatchNorm1dAttr, BatchNorm2dAttr>(norm.getKind())) {
    remarkMissed(norm.getLoc(), "QB102", norm.getKindName(),
                 "not folded: the backend asks to fold " + norm.getKindName() +
                     " into " + root.getKindName(),
                 "the fuser method folds batch norm into conv2d or linear");
    return {};
  }
  double eps;
  int64_t axis;
  if (auto kind = dyn_cast<BatchNorm2dAttr>(norm.getKind())) {
    eps = kind.getEps().getValueAsDouble();
    axis = kind.getAxis();
  } else {
    auto kind1d = cast<BatchNorm1dAttr>(norm.getKind());
    eps = kind1d.getEps().getValueAsDouble();
    axis = kind1d.getAxis();
  }
  int64_t last =
      cast<RankedTensorType>(norm.getOutput().getType()).getRank() - 1;
  if (axis != last) {
    remarkMissed(norm.getLoc(), "QB102", norm.getKindName(),
                 "not folded: it normalizes dimension " + Twine(axis) +
                     ", the channels of " + root.getKindName() +
                     " are dimension " + Twine(last),
                 "normalize the channels");
    return {};
  }
  auto weightType = dyn_cast_or_null<RankedTensorType>(
      root.getWeight() ? root.getWeight().getType() : Type());
  if (!weightType || !weightType.hasStaticShape())
    return {};
  int64_t channels = weightType.getDimSize(0);
  if (channels == 0)
    return {};
  auto weight = readOperand(root.getWeight(), weightType.getNumElements(), 0);
  auto bias = readOperand(root.getBias(), channels, 0);
  auto gamma = readOperand(norm.getWeight(), channels, 1);
  auto beta = readOperand(norm.getBias(), channels, 0);
  auto mean = readOperand(norm.getRunningMean(), channels, 0);
  auto var = readOperand(norm.getRunningVar(), channels, 1);
  if (!weight || !bias || !gamma || !beta || !mean || !var) {
    remarkMissed(norm.getLoc(), "QB102", norm.getKindName(),
                 "not folded: the parameters are not constants with data",
                 "give the weights as dense constants");
    return {};
  }
  numerics::foldBatchNorm(weight->data(), channels,
                          weightType.getNumElements() / channels, bias->data(),
                          mean->data(), var->data(), gamma->data(),
                          beta->data(), float(eps));

  OpBuilder builder(norm);
  Location loc =
      FusedLoc::get(norm.getContext(), {root.getLoc(), norm.getLoc()});
  Value newWeight =
      createConstant(builder, root.getLoc(), *weight, weightType.getShape());
  Value newBias = createConstant(builder, root.getLoc(), *bias, {channels});
  auto type = cast<RankedTensorType>(norm.getOutput().getType());
  auto fused =
      OperatorOp::create(builder, loc, type, root.getKinds(), root.getInputs(),
                         newWeight, newBias, Value(), Value(), QConfigAttr());
  Block &body = fused.getBody().emplaceBlock();
  for (Value operand : fused.getOperands())
    body.addArgument(operand.getType(), loc);
  builder.setInsertionPointToStart(&body);
  Value input = body.getArgument(0);
  Value result;
  if (auto conv = dyn_cast<Conv2dAttr>(root.getKind()))
    result = createConv2d(builder, loc, conv, type, input, body.getArgument(1),
                          body.getArgument(2));
  else
    result = createLinear(builder, loc, type, input, body.getArgument(1),
                          body.getArgument(2));
  YieldOp::create(builder, loc, result);
  norm.replaceAllUsesWith(fused.getOutput());
  norm.erase();
  root.erase();
  return fused;
}

/// The operators of `match` as one, with the root's parameters. Its inputs are
/// the root's, then the extra ones. `nameOf` is the one whose location names
/// the result.
static OperatorOp join(const PatternMatch &match, OperatorOp nameOf) {
  OperatorOp anchor = match.operators.back(), root = match.root;
  OpBuilder builder(anchor);
  SmallVector<Location> locations = {nameOf.getLoc()};
  SmallVector<Attribute> kinds;
  for (OperatorOp op : match.operators) {
    llvm::append_range(kinds, op.getKinds());
    if (op != nameOf)
      locations.push_back(op.getLoc());
  }
  Location loc = FusedLoc::get(anchor.getContext(), locations);
  SmallVector<Value> inputs(root.getInputs());
  llvm::append_range(inputs, match.extraInputs);
  auto joined = OperatorOp::create(
      builder, loc, anchor.getOutput().getType(), builder.getArrayAttr(kinds),
      inputs, root.getWeight(), root.getBias(), root.getRunningMean(),
      root.getRunningVar(), QConfigAttr());

  Block &body = joined.getBody().emplaceBlock();
  for (Value operand : joined.getOperands())
    body.addArgument(operand.getType(), loc);
  builder.setInsertionPointToStart(&body);
  // What an operand of one of the operators is inside of the body.
  unsigned rootInputs = root.getInputs().size();
  unsigned extra = match.extraInputs.size();
  llvm::DenseMap<Value, Value> inside;
  for (auto [i, input] : llvm::enumerate(match.extraInputs))
    inside[input] = body.getArgument(rootInputs + i);
  for (OperatorOp op : match.operators) {
    IRMapping mapping;
    for (auto [i, argument] :
         llvm::enumerate(op.getBody().front().getArguments()))
      mapping.map(argument, op != root       ? inside.lookup(op.getOperand(i))
                            : i < rootInputs ? body.getArgument(i)
                                             : body.getArgument(i + extra));
    for (Operation &inner : op.getBody().front().without_terminator())
      builder.clone(inner, mapping);
    inside[op.getOutput()] = mapping.lookup(op.getYielded());
  }
  YieldOp::create(builder, loc, inside.lookup(anchor.getOutput()));
  anchor.replaceAllUsesWith(joined.getOutput());
  for (OperatorOp op : llvm::reverse(match.operators))
    op.erase();
  return joined;
}

/// The operators of `match` that `pattern` folds into others.
static SmallVector<OperatorOp> getFolded(PatternConfigOp pattern,
                                         const PatternMatch &match) {
  SmallVector<OperatorOp> folded;
  SmallVector<StringRef> fused = pattern.getFusedKinds();
  ArrayRef<StringRef> kept = fused;
  for (OperatorOp op : match.operators) {
    if (!kept.empty() && kept.front() == op.getKind().getKindName())
      kept = kept.drop_front();
    else
      folded.push_back(op);
  }
  return folded;
}

/// Applies `pattern` to the operators of `match`, and adds those that are
/// erased to `claimed`. If one of them can't be part of it, returns that one,
/// after a remark.
static OperatorOp applyPattern(PatternConfigOp pattern, PatternMatch match,
                               llvm::DenseSet<Operation *> &claimed) {
  SmallVector<OperatorOp> folded = getFolded(pattern, match);
  for (OperatorOp op : match.operators)
    if (op != match.root && !llvm::is_contained(folded, op) &&
        op->getNumOperands() != op.getInputs().size()) {
      remarkMissed(op.getLoc(), "QB110", op.getKindName(),
                   "not fused: it has parameters of its own, " +
                       match.root.getKindName() +
                       " is the operator of the pattern that has them",
                   "make it the root of the pattern");
      return op;
    }
  for (OperatorOp norm : folded) {
    auto producer = norm.getInputs()[0].getDefiningOp<OperatorOp>();
    std::array<Operation *, 2> oldOps = {norm, producer};
    OperatorOp result = foldBatchNorm(producer, norm);
    if (!result)
      return norm;
    claimed.insert(oldOps.begin(), oldOps.end());
    llvm::erase(match.operators, norm);
    llvm::replace(match.operators, producer, result);
    if (match.root == producer)
      match.root = result;
  }
  claimed.insert(match.operators.begin(), match.operators.end());
  if (match.operators.size() > 1)
    join(match, pattern.isFusion() ? match.root : match.operators.back());
  return {};
}

namespace {
struct FusePass : qbackend::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    FailureOr<Backend> found = resolveBackend(backend, getOperation());
    if (failed(found))
      return signalPassFailure();
    PatternTable patterns(found->config);
    // PyTorch fuses modules first, and matches all patterns afterwards: linear,
    // batch norm, relu becomes linear, then linear+relu.
    // What can't be part of one pattern can't be of another.
    llvm::DenseSet<Operation *> refused;
    fuse(patterns, /*fusionsOnly=*/true, refused);
    fuse(patterns, /*fusionsOnly=*/false, refused);
  }

  void fuse(const PatternTable &patterns, bool fusionsOnly,
            llvm::DenseSet<Operation *> &refused) {
    SmallVector<OperatorOp> anchors;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      anchors.push_back(op);
      return WalkResult::skip();
    });
    llvm::DenseSet<Operation *> claimed;
    for (OperatorOp anchor : llvm::reverse(anchors)) {
      if (claimed.contains(anchor) || anchor.isFused())
        continue;
      OperatorOp blocked;
      for (PatternConfigOp pattern :
           patterns.getFusions(anchor.getKind().getKindName())) {
        if (fusionsOnly && !pattern.isFusion())
          continue;
        std::optional<PatternMatch> match =
            matchPatternConfig(anchor, pattern, blocked);
        if (!match || llvm::any_of(match->operators, [&](OperatorOp op) {
              return refused.contains(op);
            }))
          continue;
        if (OperatorOp culprit =
                applyPattern(pattern, *std::move(match), claimed)) {
          refused.insert(culprit);
          continue;
        }
        blocked = {};
        break;
      }
      if (blocked && !fusionsOnly)
        remarkMissed(anchor.getLoc(), "QB101",
                     blocked.getKindName() + "+" + anchor.getKindName(),
                     "not fused: the result of " + blocked.getKindName() +
                         " has other users",
                     "give each user its own copy, or accept a quantization "
                     "step between the two");
    }
  }
};
} // namespace

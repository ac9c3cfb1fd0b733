// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises fully connected layers: products with a parameter, the bias that
// is added to them, and the reshapes around that only merge or split rows.

#include "Kinds/Recognizers.h"
#include "Reading/Contraction.h"
#include "Reading/Layout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No product is further away from the end of its layer.
static constexpr int kMaxSteps = 6;

namespace {
/// A product, seen from the op that ends the layer.
struct Product {
  Contraction contraction;
  /// What the bias is added with, and to a value of what type.
  const Scalar *bias = nullptr;
  RankedTensorType biasType;
  /// The last change of shape between product and end.
  Operation *reshape = nullptr;
  /// Whether the bias is added after it.
  bool needsReshape = false;
};

/// Which operand of a product is the weight, and how it is read.
struct Factors {
  Value weight, input;
  AffineMap weightMap, inputMap;
  LayoutView weightView;
  /// The weight of a batch, if it is a constant that repeats it for each; with
  /// the loops of `weightView`.
  DenseElementsAttr repeated;
  /// The loops of the result that the input has, in the order of the result.
  SmallVector<unsigned> rows;
  /// The loops of the sum, in the order of the input.
  SmallVector<unsigned> reduced;
  /// The loop of the output features; none if there is one feature, without a
  /// dimension.
  std::optional<unsigned> channel;
};
} // namespace

/// What `op` only changes the shape of, or moves dimensions of 1 in; else null.
static Value getReordered(Operation *op) {
  if (Value before = getReshaped(op))
    return before;
  Value source;
  auto map = getCopyMap(op, source);
  auto type = map ? getFloatType(source) : RankedTensorType();
  if (!type || !map->isPermutation())
    return {};
  SmallVector<unsigned> loops;
  for (auto [dim, expr] : llvm::enumerate(map->getResults()))
    if (type.getDimSize(dim) != 1)
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return llvm::is_sorted(loops) ? source : Value();
}

/// Goes back from the root over one sum with a parameter, changes of shape, and
/// what changes nothing, in any order.
static std::optional<Product> findProduct(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  Product product;
  Value value = recognition.result();
  for (int i = 0; i < kMaxSteps; ++i) {
    Operation *op = getProducer(value);
    if (!op || op->getNumResults() != 1 || !getFloatType(op->getResult(0)))
      return std::nullopt;
    if (auto contraction = readContraction(op, expressions)) {
      product.contraction = std::move(*contraction);
      return product;
    }
    if (Value before = getReordered(op)) {
      if (!getFloatType(before))
        return std::nullopt;
      if (!product.reshape)
        product.reshape = op;
      product.needsReshape |= product.bias != nullptr;
      value = before;
      continue;
    }
    if (Value before = getUnchanged(op, expressions)) {
      value = before;
      continue;
    }
    if (auto addition =
            product.bias ? std::nullopt : getBiasAddition(op, expressions)) {
      product.bias = addition->parameter;
      product.biasType = getFloatType(op->getResult(0));
      value = addition->value;
      continue;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The part that constant `elements` repeat along their first dimension.
static DenseElementsAttr getRepeated(DenseElementsAttr elements) {
  auto type = cast<ShapedType>(elements.getType());
  ShapedType partType = type.clone(type.getShape().drop_front());
  if (elements.isSplat())
    return elements.resizeSplat(partType);
  ArrayRef<char> data = elements.getRawData();
  size_t size = data.size() / type.getDimSize(0);
  for (size_t start = size; start < data.size(); start += size)
    if (data.slice(start, size) != data.take_front(size))
      return {};
  return DenseElementsAttr::getFromRawBuffer(partType, data.take_front(size));
}

/// If a constant weight has a batch dimension, but is the same all along it:
/// reads it without.
static void skipRepeats(const Contraction &product, Factors &factors,
                        ConstantEvaluator &constants) {
  SmallVector<std::optional<unsigned>> loops;
  for (AffineExpr expr : factors.weightMap.getResults())
    loops.push_back(getLoop(expr));
  if (loops.size() != 3 || !loops[0] || product.sizes[*loops[0]] <= 1 ||
      !usesLoop(product.resultMap, *loops[0]) ||
      !usesLoop(factors.inputMap, *loops[0]) ||
      !llvm::is_contained(factors.weightView.loops, loops[0]))
    return;
  DenseElementsAttr elements = constants.evaluate(factors.weight);
  if (!elements || !elements.getElementType().isF32() ||
      !(factors.repeated = getRepeated(elements)))
    return;
  factors.weightView.loops.assign(loops.begin() + 1, loops.end());
}

/// The factors with the operand that `isRhs` says as the weight, if the loops
/// are those of a linear layer.
static std::optional<Factors> getFactors(const Contraction &product, bool isRhs,
                                         ConstantEvaluator &constants) {
  Factors factors;
  factors.weight = isRhs ? product.rhs : product.lhs;
  factors.input = isRhs ? product.lhs : product.rhs;
  factors.weightMap = isRhs ? product.rhsMap : product.lhsMap;
  factors.inputMap = isRhs ? product.lhsMap : product.rhsMap;
  auto view = viewThroughLayout(factors.weight, factors.weightMap,
                                /*reshapes=*/true);
  if (!view || !getFloatType(factors.weight).hasStaticShape())
    return std::nullopt;
  factors.weightView = std::move(*view);
  skipRepeats(product, factors, constants);

  for (AffineExpr expr : product.resultMap.getResults()) {
    std::optional<unsigned> loop = getLoop(expr);
    if (!loop)
      continue;
    bool isUnit = product.sizes[*loop] == 1;
    bool inWeight = llvm::is_contained(factors.weightView.loops, loop);
    if (usesLoop(factors.inputMap, *loop)) {
      if (inWeight && !isUnit)
        return std::nullopt;
      factors.rows.push_back(*loop);
    } else if (inWeight) {
      if (factors.channel)
        return std::nullopt;
      factors.channel = loop;
    } else if (isUnit) {
      factors.rows.push_back(*loop);
    } else {
      return std::nullopt;
    }
  }
  // One feature may have a dimension that the weight lacks.
  if (!factors.channel && !factors.rows.empty() &&
      product.sizes[factors.rows.back()] == 1 &&
      getLoop(product.resultMap.getResults().back()) == factors.rows.back())
    factors.channel = factors.rows.pop_back_val();
  for (AffineExpr expr : factors.inputMap.getResults()) {
    std::optional<unsigned> loop = getLoop(expr);
    if (!loop || usesLoop(product.resultMap, *loop))
      continue;
    if (llvm::is_contained(factors.weightView.loops, loop))
      factors.reduced.push_back(*loop);
    else if (product.sizes[*loop] != 1)
      return std::nullopt;
  }
  // Windows of one element are loops of the weight alone.
  for (auto [loop, size] : llvm::enumerate(product.sizes))
    if (size != 1 && !usesLoop(product.resultMap, loop) &&
        !llvm::is_contained(factors.reduced, loop))
      return std::nullopt;
  if (factors.reduced.empty())
    return std::nullopt;
  return factors;
}

/// True if an argument as the weight is more likely than two activations, when
/// the other factor may be a parameter as well.
static bool isLikelyWeight(const Product &product, const Factors &factors,
                           const Origin &weight, const Origin &input) {
  if (product.bias || product.contraction.bias || product.contraction.init ||
      weight.sliced || product.contraction.isConvolution)
    return true;
  auto weightType = getFloatType(weight.argument);
  auto inputType = getFloatType(input.argument);
  if (inputType.getRank() != weightType.getRank())
    return true;
  // PyTorch's weights are [out, in]; so are keys, but they look like queries.
  ArrayRef<std::optional<unsigned>> loops = factors.weightView.loops;
  bool isTransposed =
      weight.transposed ||
      (factors.channel &&
       llvm::find(loops, factors.channel) <
           llvm::find(loops, std::optional<unsigned>(factors.reduced.front())));
  return isTransposed && inputType.getShape() != weightType.getShape();
}

/// Finds out which factor is the parameter, if one is.
static std::optional<Factors> findWeight(const Product &product,
                                         ConstantEvaluator &constants) {
  const Contraction &contraction = product.contraction;
  // The weight is the second one, but for what multiplies from the left.
  for (bool isRhs : {true, false}) {
    auto factors = getFactors(contraction, isRhs, constants);
    // One feature has a dimension at least after a change of shape.
    if (!factors || (!factors->channel && !product.reshape))
      continue;
    Origin weight = getOrigin(factors->weight, constants, contraction.op);
    if (weight.kind == Origin::Activation ||
        constants.isConstant(factors->input))
      continue;
    Origin input = getOrigin(factors->input, constants, contraction.op);
    if (input.kind == Origin::Parameter)
      continue;
    if (weight.kind == Origin::Parameter)
      return factors;
    // No linear layer has a weight of more dimensions.
    if (getFloatType(weight.argument).getRank() > 2 &&
        !contraction.isConvolution)
      continue;
    if (input.kind == Origin::Activation)
      return factors;
    // Parts of one argument are of a kind, such as queries and keys.
    if (input.argument == weight.argument)
      continue;
    bool isVector = getFloatType(factors->input).getRank() == 1;
    if (isVector || (isRhs && isLikelyWeight(product, *factors, weight, input)))
      return factors;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// True if `reshape` gives its result the dynamic sizes of `value`.
static bool copiesExtents(Operation *reshape, Value value) {
  auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(reshape);
  if (!expand)
    return false;
  for (auto [dim, size] : llvm::enumerate(expand.getMixedOutputShape())) {
    auto extent = dyn_cast<Value>(size);
    if (!extent)
      continue;
    auto dimOp = extent.getDefiningOp<tensor::DimOp>();
    if (!dimOp || skipCasts(dimOp.getSource()) != skipCasts(value) ||
        dimOp.getConstantIndex() != std::optional<int64_t>(dim))
      return false;
  }
  return true;
}

/// Appends the operands that the input of the layer may be in `shape`, the one
/// that needs no change of shape first.
static void getInputs(const Product &product, const Factors &factors,
                      ArrayRef<int64_t> shape, bool isReshaped, Operation *root,
                      SmallVectorImpl<RecognizedOperand> &found) {
  SmallVector<unsigned> loops(factors.rows);
  llvm::append_range(loops, factors.reduced);
  auto dropUnits = [&](ArrayRef<std::optional<unsigned>> all) {
    SmallVector<unsigned> kept;
    for (std::optional<unsigned> loop : all)
      if (loop && product.contraction.sizes[*loop] != 1)
        kept.push_back(*loop);
    return kept;
  };
  SmallVector<unsigned> wanted = dropUnits(
      SmallVector<std::optional<unsigned>>(loops.begin(), loops.end()));
  LayoutView own{factors.input, {}, {}};
  for (AffineExpr expr : factors.inputMap.getResults())
    own.loops.push_back(getLoop(expr));
  // Broadcasts that add nothing, and identities, are the layer's.
  LayoutView view = own;
  if (auto before = viewThroughLayout(factors.input, factors.inputMap,
                                      /*reshapes=*/false))
    if (dropUnits(before->loops) == wanted)
      view = std::move(*before);

  bool isStatic = !ShapedType::isDynamicShape(shape);
  if (dropUnits(view.loops) != wanted) {
    if (RecognizedOperand operand =
            isReshaped
                ? RecognizedOperand()
                : arrange(own, loops, isStatic ? shape : ArrayRef<int64_t>()))
      found.push_back(operand);
    return;
  }
  // The elements are in order: only the shape may differ.
  Value value = view.source;
  bool isSame = false;
  auto isProper = [](int64_t size) { return size != 1; };
  for (int i = 0; i < 3; ++i) {
    auto type = getFloatType(value);
    isSame |=
        i > 0 && llvm::equal(llvm::make_filter_range(type.getShape(), isProper),
                             llvm::make_filter_range(shape, isProper));
    bool crosses = i > 0 || isReshaped;
    if (type.getShape() == shape &&
        (!crosses || llvm::count(shape, ShapedType::kDynamic) <= 1 ||
         copiesExtents(product.reshape, value)))
      found.push_back(RecognizedOperand::of(value));
    Operation *op = getProducer(value);
    Value before = op ? getReshaped(op) : Value();
    if (!before || !getFloatType(before))
      break;
    value = before;
  }
  // Only dimensions of 1 change after the layer: it ends before that.
  if (isSame && found.empty() && getReordered(root))
    return;
  // A change of shape before the product makes up for one after it. One extent
  // follows from the number of elements.
  auto isKnown = [](ArrayRef<int64_t> sizes) {
    return llvm::count(sizes, ShapedType::kDynamic) <= 1;
  };
  bool hasReshape = value != view.source;
  if ((!isReshaped || product.needsReshape || hasReshape ||
       product.contraction.isConvolution) &&
      isKnown(shape)) {
    if (hasReshape && isKnown(getFloatType(value).getShape()) && isReshaped)
      found.push_back(RecognizedOperand::reshaped(value, shape));
    if (isKnown(getFloatType(view.source).getShape()))
      found.push_back(RecognizedOperand::reshaped(view.source, shape));
  }
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// The last dimensions of `type` if they hold `size` features, such as heads
/// and what is in each; else none.
static SmallVector<unsigned> getLastDims(RankedTensorType type, int64_t size) {
  SmallVector<unsigned> dims;
  int64_t features = 1;
  unsigned first = type.getRank();
  while (features < size && first > 0)
    features *= type.getDimSize(--first);
  if (features == size)
    for (unsigned dim = first; dim < type.getRank(); ++dim)
      dims.push_back(dim);
  return dims;
}

/// The bias of a layer of `size` features; null if there is none, failure if
/// what is added is no bias.
static FailureOr<RecognizedOperand> getBias(const Product &product,
                                            unsigned channel, int64_t size,
                                            ScalarExpressions &expressions) {
  const Contraction &contraction = product.contraction;
  RecognizedOperand bias;
  if (contraction.init) {
    if (failed(getInitialBias(contraction.init, channel, expressions, bias)))
      return failure();
  } else if (contraction.bias) {
    bias = RecognizedOperand::of(contraction.bias);
    if (getFloatType(contraction.bias).getDimSize(0) != size) {
      DenseElementsAttr elements =
          expressions.constants.evaluate(contraction.bias);
      if (!elements || elements.size() != 1)
        return failure();
      bias = RecognizedOperand::ofConstant(
          elements.resizeSplat(getFloatType(contraction.bias).clone({size})));
    }
  }
  if (!product.bias)
    return bias;
  if (bias)
    return failure();
  if (product.reshape) {
    if (product.biasType.getRank() == 0)
      return failure();
    if (product.biasType.getShape().back() != size) {
      bias = getSplitChannelOperand(*product.bias,
                                    getLastDims(product.biasType, size),
                                    product.biasType, expressions.constants);
      if (!bias)
        return failure();
      return bias;
    }
    channel = product.biasType.getRank() - 1;
  }
  // One number for all features is a sum, not a bias.
  auto type = getFloatType(product.bias->value);
  if (size != 1 && type && type.hasStaticShape() && type.getNumElements() == 1)
    return failure();
  bias =
      getChannelOperand(product.bias, channel, product.biasType, expressions);
  if (!bias)
    return failure();
  return bias;
}

bool forms::isBetweenReshapes(Operation *op) {
  // To images and back; what reads the result was raised before.
  auto getSizes = [](Value value) {
    SmallVector<int64_t> sizes;
    for (int64_t size : getFloatType(value).getShape())
      if (size != 1)
        sizes.push_back(size);
    return sizes;
  };
  auto isImage = [&](Value value, Value image) {
    auto type = getFloatType(value);
    return !type || (type.getRank() == 4 && getSizes(value) == getSizes(image));
  };
  auto flattens = [&](Operation *user) {
    auto raised = dyn_cast<OperatorOp>(user);
    return (getReshaped(user) ||
            (raised && !raised.isFused() &&
             isa<ReshapeAttr, FlattenAttr>(raised.getKind()))) &&
           !isImage(user->getResult(0), op->getResult(0));
  };
  if (op->getNumOperands() == 0 || !getFloatType(op->getOperand(0)))
    return false;
  Value source = getReshaped(getProducer(op->getOperand(0)));
  return source && !isImage(source, op->getOperand(0)) &&
         llvm::all_of(op->getUsers(), flattens);
}

/// Whether the images that the convolution `op` gives are one pixel each, a row
/// of `type`, which has other images, or none.
static bool isOfRows(Operation *op, RankedTensorType type) {
  RankedTensorType images = getFloatType(op->getResult(0));
  ArrayRef<int64_t> image = images.getShape().drop_front(),
                    rest = type.getShape().drop_front();
  return llvm::count(image, 1) + 1 >= int64_t(image.size()) &&
         !ShapedType::isDynamicShape(image) &&
         !ShapedType::isDynamicShape(rest) &&
         ShapedType::getNumElements(image) != ShapedType::getNumElements(rest);
}

void forms::recognizeLinear(Recognition &recognition) {
  auto product = findProduct(recognition);
  if (!product)
    return;
  const Contraction &contraction = product->contraction;
  auto type = getFloatType(recognition.result());
  // TFLite's layers are convolutions of images of one pixel, with changes of
  // shape around them.
  bool isPixel = contraction.isConvolution && !product->reshape;
  if (contraction.isConvolution && product->reshape && type.getRank() > 3 &&
      !isOfRows(contraction.op, type))
    return;
  if (isPixel && (contraction.op != recognition.root ||
                  !isBetweenReshapes(contraction.op) || type.getRank() == 0))
    return;
  auto factors = findWeight(*product, recognition.constants());
  if (!factors)
    return;

  int64_t size = factors->channel ? contraction.sizes[*factors->channel] : 1;
  int64_t numInputs = 1;
  for (unsigned loop : factors->reduced)
    numInputs *= contraction.sizes[loop];
  RecognizedOperator op;
  op.kind = LinearAttr::get(recognition.context());
  op.result = recognition.result();
  SmallVector<unsigned> loops;
  SmallVector<int64_t> weightShape = {size, numInputs};
  if (factors->channel)
    loops.push_back(*factors->channel);
  llvm::append_range(loops, factors->reduced);
  if (!factors->repeated) {
    op.weight = arrange(factors->weightView, loops, weightShape);
  } else if (loops.size() == 2) {
    bool isArranged = factors->weightView.loops.front() == loops.front();
    op.weight = RecognizedOperand::ofConstant(
        isArranged ? factors->repeated
                   : transposeElements(factors->repeated, {1, 0}));
  }
  if (!op.weight)
    return;

  // Where the features are in the result, and all else in its order.
  ArrayRef<AffineExpr> results = contraction.resultMap.getResults();
  unsigned channel = results.size();
  SmallVector<int64_t> permutation;
  for (auto [index, expr] : llvm::enumerate(results))
    if (factors->channel && getLoop(expr) == factors->channel)
      channel = index;
    else
      permutation.push_back(index);
  bool isLast = channel + 1 >= results.size();
  SmallVector<int64_t> shape(type.getShape());
  if (isPixel) {
    if (!isLast || size == 0 || shape.back() != size)
      return;
    shape = {type.hasStaticShape() ? type.getNumElements() / size
                                   : ShapedType::kDynamic,
             size};
    op.outputShape = shape;
  } else if (product->reshape) {
    if (!isLast || shape.empty())
      return;
    // Fusion has put the bias behind the change of shape that cuts the
    // features.
    if (shape.back() != size) {
      if (!product->bias || product->biasType != type || !type.hasStaticShape())
        return;
      int64_t features = 1;
      while (features < size && !shape.empty())
        features *= shape.pop_back_val();
      if (features != size)
        return;
      shape.push_back(size);
      op.outputShape = shape;
    }
  } else {
    if (channel == results.size() || shape.size() != results.size())
      return;
    permutation.push_back(channel);
    if (!isLast)
      op.outputPermutation = permutation;
    shape.clear();
    for (int64_t dim : permutation)
      shape.push_back(type.getDimSize(dim));
  }
  shape.back() = numInputs;
  auto bias = getBias(*product, channel, size, recognition.expressions);
  if (failed(bias))
    return;
  op.bias = *bias;

  SmallVector<RecognizedOperand> inputs;
  getInputs(*product, *factors, shape, isPixel || product->reshape,
            recognition.root, inputs);
  for (RecognizedOperand &input : inputs) {
    op.inputs = {input};
    recognition.found.push_back(op);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises batch norm in inference: with its four parameters, or as any
// affine function whose constants vary along the channels only.

#include "Kinds/Recognizers.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Batch norm along `axis` of a value of this rank; null if PyTorch has none.
static Attribute getKind(Recognition &recognition, unsigned axis, double eps) {
  int64_t rank =
      cast<RankedTensorType>(recognition.result().getType()).getRank();
  FloatAttr asFloat = recognition.asFloat(eps);
  MLIRContext *context = recognition.context();
  // Channels are second or last.
  if (axis == 0 || (axis != 1 && axis + 1 != rank))
    return {};
  switch (rank) {
  case 2:
  case 3:
    return BatchNorm1dAttr::get(context, axis, asFloat);
  case 4:
    return BatchNorm2dAttr::get(context, axis, asFloat);
  case 5:
    return BatchNorm3dAttr::get(context, axis, asFloat);
  default:
    return {};
  }
}

static RecognizedOperand getSplat(int64_t size, float number,
                                  MLIRContext *context) {
  auto type = RankedTensorType::get({size}, Float32Type::get(context));
  return RecognizedOperand::ofConstant(DenseElementsAttr::get(type, number));
}

//===----------------------------------------------------------------------===//
// With its parameters
//===----------------------------------------------------------------------===//

/// (x - mean) * rsqrt(var + eps) [* gamma] [+ beta], in any order of factors.
static void recognizeParametric(Recognition &recognition) {
  using M = ScalarMatcher;
  const Scalar *mean = nullptr, *var = nullptr, *gamma = nullptr,
               *beta = nullptr;
  double eps = 0;
  auto shifted = M::binary(ScalarKind::Add, M::channel(var), M::capture(eps));
  auto centered = M::binary(ScalarKind::Sub, M::x(), M::channel(mean));
  auto root = M::unary(ScalarKind::Sqrt, shifted);
  auto inverse = M::oneOf({M::unary(ScalarKind::Rsqrt, shifted),
                           M::binary(ScalarKind::Div, M::number(1), root),
                           M::unary(ScalarKind::Rsqrt, M::channel(var))});
  auto normal = M::oneOf({M::binary(ScalarKind::Mul, centered, inverse),
                          M::binary(ScalarKind::Div, centered, root)});
  auto weighted = M::oneOf(
      {M::binary(ScalarKind::Mul, normal, M::channel(gamma)),
       M::binary(ScalarKind::Mul, centered,
                 M::binary(ScalarKind::Mul, inverse, M::channel(gamma))),
       M::binary(ScalarKind::Mul,
                 M::binary(ScalarKind::Mul, centered, M::channel(gamma)),
                 inverse)});

  const Scalar *scalar =
      recognition.expressions.readElementwise(recognition.root);
  if (!scalar)
    return;
  for (int form = 0; form < 4; ++form) {
    mean = var = gamma = beta = nullptr;
    eps = 0;
    auto body = form & 1 ? normal : weighted;
    if (form < 2)
      body = M::binary(ScalarKind::Add, body, M::channel(beta));
    ScalarMatcher matcher(recognition.expressions);
    if (!matcher.match(scalar, body))
      continue;
    std::optional<unsigned> axis = getChannelLoop(mean);
    auto type = cast<RankedTensorType>(recognition.result().getType());
    if (!axis || *axis >= type.getRank() || type.isDynamicDim(*axis))
      return;
    int64_t size = type.getDimSize(*axis);
    auto parameter = [&](const Scalar *found, float otherwise) {
      return found ? getChannelOperand(found, *axis, type,
                                       recognition.expressions)
                   : getSplat(size, otherwise, recognition.context());
    };
    RecognizedOperator op;
    op.kind = getKind(recognition, *axis, eps);
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(matcher.input->value)};
    op.weight = parameter(form & 1 ? nullptr : gamma, 1);
    op.bias = parameter(form < 2 ? beta : nullptr, 0);
    op.runningMean = parameter(mean, 0);
    op.runningVar = parameter(var, 1);
    if (op.kind && op.weight && op.bias && op.runningMean && op.runningVar)
      recognition.found.push_back(std::move(op));
    return;
  }
}

//===----------------------------------------------------------------------===//
// Affine
//===----------------------------------------------------------------------===//

namespace {
/// scale * x + shift, each one number for all channels or one for each; the
/// value doesn't vary with x where all scales are 0.
struct Affine {
  SmallVector<double> scale, shift;
  double getScale(size_t channel) const {
    return scale[scale.size() == 1 ? 0 : channel];
  }
  double getShift(size_t channel) const {
    return shift[shift.size() == 1 ? 0 : channel];
  }
  unsigned multiplications = 0, additions = 0;
  /// Whether there is a number for each channel, and whether x is multiplied by
  /// one: a number for all and a mask along the last dimension are no norm.
  bool varies = false, isScaled = false;
  /// Whether each step is by one number for all channels, and of the last one
  /// what such a step is: an operator of its own, before or behind a norm.
  bool isByNumbers = false;
  unsigned lastMultiplications = 0, lastAdditions = 0;
};

/// Reads scalars as affine functions of one activation.
class AffineReader {
public:
  AffineReader(ScalarExpressions &expressions, RankedTensorType type,
               unsigned axis)
      : expressions(expressions), type(type), axis(axis) {}
  std::optional<Affine> read(const Scalar *scalar, unsigned depth);

  const Scalar *input = nullptr;

private:
  std::optional<Affine> readOperand(const Scalar *scalar, unsigned depth);
  std::optional<Affine> constant(ArrayRef<double> numbers) {
    Affine affine;
    affine.scale.assign(numbers.size(), 0);
    affine.shift.assign(numbers.begin(), numbers.end());
    return affine;
  }

  ScalarExpressions &expressions;
  RankedTensorType type;
  unsigned axis;
};
} // namespace

/// True if the op before `value`, but for changes of shape, is a convolution or
/// a matrix product, whose bias an addition of constants is.
static bool isContractionResult(Value value) {
  Operation *producer = getProducer(value);
  constexpr unsigned kMaxReshapes = 4;
  for (unsigned i = 0; i < kMaxReshapes && producer; ++i) {
    Value source = getReshaped(producer);
    if (!source)
      break;
    producer = getProducer(source);
  }
  if (isa_and_nonnull<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
                      tosa::TransposeConv2DOp, tosa::MatMulOp>(producer))
    return true;
  auto op = dyn_cast_or_null<linalg::LinalgOp>(producer);
  return op && op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2;
}

std::optional<Affine> AffineReader::readOperand(const Scalar *scalar,
                                                unsigned depth) {
  int64_t size = type.getDimSize(axis);
  if (std::optional<double> number = expressions.getNumber(scalar)) {
    auto affine = constant(*number);
    // One for each channel, though all are equal.
    affine->varies = size != 1 && !scalar->full &&
                     scalar->kind == ScalarKind::Operand &&
                     getChannelLoop(scalar) == axis;
    return affine;
  }
  if (expressions.constants.isConstant(scalar->value)) {
    std::optional<SmallVector<float>> numbers;
    if (scalar->full) {
      numbers = getChannelNumbers(scalar->value, axis, expressions.constants);
    } else if (getChannelLoop(scalar) == axis) {
      auto elements = expressions.constants.evaluate(scalar->value);
      if (elements && elements.getElementType().isF32() &&
          elements.getNumElements() == size)
        numbers = llvm::to_vector(elements.getValues<float>());
    }
    if (!numbers || int64_t(numbers->size()) != size)
      return std::nullopt;
    auto affine =
        constant(SmallVector<double>(numbers->begin(), numbers->end()));
    affine->varies = true;
    return affine;
  }
  if (!expressions.isActivation(scalar) || !scalar->full)
    return std::nullopt;
  if (depth > 0 && hasOneReader(scalar->value)) {
    const Scalar *before = input;
    const Scalar *expanded = expressions.expand(scalar);
    bool isBias = false;
    if (expanded && expanded->kind == ScalarKind::Add)
      for (const Scalar *term : {expanded->a, expanded->b})
        isBias |= term->kind == ScalarKind::Operand &&
                  isContractionResult(term->value);
    if (expanded && !isBias)
      if (auto affine = read(expanded, depth - 1);
          affine && (size == 1 || !affine->isByNumbers))
        return affine;
    input = before;
  }
  if (input && input->value != scalar->value)
    return std::nullopt;
  input = scalar;
  Affine affine;
  affine.scale = {1};
  affine.shift = {0};
  return affine;
}

static bool isConstant(const Affine &affine) {
  return llvm::all_of(affine.scale, [](double scale) { return scale == 0; });
}

std::optional<Affine> AffineReader::read(const Scalar *scalar, unsigned depth) {
  if (scalar->kind == ScalarKind::Operand)
    return readOperand(scalar, depth);
  if (std::optional<double> number = expressions.getNumber(scalar))
    return constant(*number);
  if (!scalar->a || scalar->c)
    return std::nullopt;
  // The division of an average pool is not the normalization's.
  if ((scalar->kind == ScalarKind::Div || scalar->kind == ScalarKind::Mul) &&
      scalar->a->kind == ScalarKind::Operand && isWindowSum(scalar->a->value) &&
      expressions.getNumber(scalar->b))
    return std::nullopt;
  std::optional<Affine> a = read(scalar->a, depth);
  if (!a)
    return std::nullopt;
  if (scalar->kind == ScalarKind::Sqrt || scalar->kind == ScalarKind::Rsqrt) {
    if (!isConstant(*a))
      return std::nullopt;
    for (double &number : a->shift)
      number = compute(scalar->kind, number);
    return a;
  }
  if (!scalar->b)
    return std::nullopt;
  std::optional<Affine> b = read(scalar->b, depth);
  if (!b)
    return std::nullopt;
  bool ofX = !isConstant(*a) || !isConstant(*b);
  bool isProduct =
      scalar->kind == ScalarKind::Mul || scalar->kind == ScalarKind::Div;
  const Affine &by = isConstant(*a) ? *a : *b, &steps = &by == &*a ? *b : *a;
  bool isFactor = by.varies;
  bool isNumber = ofX && !by.varies && by.shift.size() == 1 &&
                  by.shift.front() != (isProduct ? 1 : 0);
  bool isFirst = steps.multiplications + steps.additions == 0;
  b->isByNumbers = isNumber && (isFirst || steps.isByNumbers);
  b->lastMultiplications = isNumber && isProduct;
  b->lastAdditions = isNumber && !isProduct;
  b->varies |= a->varies;
  b->isScaled |= a->isScaled;
  b->multiplications += a->multiplications;
  b->additions += a->additions;
  // One for all channels, unless one of both has one for each.
  Affine result = *b;
  result.scale.resize(std::max(a->scale.size(), b->scale.size()));
  result.shift.resize(result.scale.size());
  switch (scalar->kind) {
  case ScalarKind::Add:
  case ScalarKind::Sub: {
    double sign = scalar->kind == ScalarKind::Sub ? -1 : 1;
    if (ofX && !isConstant(*a) && !isConstant(*b))
      return std::nullopt;
    for (size_t i = 0; i < result.scale.size(); ++i) {
      result.scale[i] = a->getScale(i) + sign * b->getScale(i);
      result.shift[i] = a->getShift(i) + sign * b->getShift(i);
    }
    break;
  }
  case ScalarKind::Mul:
    if (!isConstant(*a))
      std::swap(a->scale, b->scale), std::swap(a->shift, b->shift);
    if (!isConstant(*a))
      return std::nullopt;
    for (size_t i = 0; i < result.scale.size(); ++i) {
      result.scale[i] = b->getScale(i) * a->getShift(i);
      result.shift[i] = b->getShift(i) * a->getShift(i);
    }
    break;
  case ScalarKind::Div:
    if (!isConstant(*b))
      return std::nullopt;
    for (size_t i = 0; i < result.scale.size(); ++i) {
      result.scale[i] = a->getScale(i) / b->getShift(i);
      result.shift[i] = a->getShift(i) / b->getShift(i);
    }
    break;
  default:
    return std::nullopt;
  }
  result.isScaled |= ofX && isProduct && isFactor;
  result.multiplications += ofX && isProduct;
  result.additions += ofX && !isProduct;
  return result;
}

static RecognizedOperand getOperand(ArrayRef<double> numbers, int64_t size,
                                    MLIRContext *context) {
  SmallVector<float> floats(numbers.begin(), numbers.end());
  if (floats.size() == 1)
    floats.assign(size, floats.front());
  auto type = RankedTensorType::get({int64_t(floats.size())},
                                    Float32Type::get(context));
  return RecognizedOperand::ofConstant(
      DenseElementsAttr::get(type, ArrayRef<float>(floats)));
}

/// How many multiplications, and additions, make a batch norm. Of an image one
/// is enough; of other ranks it could as well be the end of a layer norm.
static unsigned getLeastSteps(RankedTensorType type) {
  return type.getRank() >= 4 ? 1 : 2;
}

/// [- mean] * weight + bias with parameters whose numbers are not known.
static void recognizeSteps(Recognition &recognition) {
  using M = ScalarMatcher;
  const Scalar *scalar =
      recognition.expressions.readElementwise(recognition.root);
  auto type = cast<RankedTensorType>(recognition.result().getType());
  if (!scalar || scalar->kind != ScalarKind::Add || getLeastSteps(type) > 1)
    return;
  for (bool centered : {true, false}) {
    const Scalar *mean = nullptr, *weight = nullptr, *bias = nullptr;
    auto x = centered ? M::binary(ScalarKind::Sub, M::x(), M::channel(mean))
                      : M::x();
    auto scaled = M::binary(ScalarKind::Mul, x, M::channel(weight));
    ScalarMatcher matcher(recognition.expressions);
    if (!matcher.match(scalar,
                       M::binary(ScalarKind::Add, scaled, M::channel(bias))))
      continue;
    std::optional<unsigned> axis = getChannelLoop(weight);
    Attribute kind = axis && *axis < type.getRank() && !type.isDynamicDim(*axis)
                         ? getKind(recognition, *axis, /*eps=*/0)
                         : Attribute();
    if (!kind)
      return;
    int64_t size = type.getDimSize(*axis);
    auto parameter = [&](const Scalar *found) {
      return getChannelOperand(found, *axis, type, recognition.expressions);
    };
    RecognizedOperator op;
    op.kind = kind;
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(matcher.input->value)};
    op.weight = parameter(weight);
    op.bias = parameter(bias);
    op.runningMean =
        centered ? parameter(mean) : getSplat(size, 0, recognition.context());
    op.runningVar = getSplat(size, 1, recognition.context());
    if (op.weight && op.bias && op.runningMean)
      recognition.found.push_back(std::move(op));
    return;
  }
}

/// Whether `value` is what a convolution computes, with its channels along
/// `axis`, or with a bias or another shape after it. Where channels are can't
/// be told of one that is a sum in a generic, or behind a change of shape.
static bool isOfConvolution(Value value, int64_t axis,
                            ScalarExpressions &expressions) {
  // A bias, and shapes around it.
  constexpr unsigned most = 6;
  bool isKnown = true;
  // Follows what reads `source` through `map`.
  auto goTo = [&](Value source, AffineMap map) {
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(axis, map.getContext()));
    isKnown &= dim.has_value();
    axis = dim.value_or(0);
    value = source;
  };
  for (unsigned step = 0; step < most; ++step) {
    Operation *op = getProducer(value);
    if (!op)
      return false;
    bool isLast = axis + 1 == cast<RankedTensorType>(value.getType()).getRank();
    if (isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
            tosa::TransposeConv2DOp>(op))
      return !isKnown || isLast;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && linalgOp.getNumReductionLoops() != 0) {
      StringRef name = op->getName().stripDialect();
      if (!name.contains("conv"))
        return isa<linalg::GenericOp>(op) && linalgOp.getNumDpsInputs() == 2;
      return !isKnown || (name.contains("_nc") ? axis == 1 : isLast);
    }
    Value source;
    if (auto map = getCopyMap(op, source)) {
      goTo(source, *map);
    } else if (Value before = getReshaped(op)) {
      isKnown = false;
      value = before;
    } else {
      const Scalar *sum = expressions.readElementwise(op);
      if (!sum || sum->kind != ScalarKind::Add)
        return false;
      // What isn't a parameter.
      const Scalar *term = nullptr;
      for (const Scalar *each : {sum->a, sum->b})
        if (expressions.isActivation(expressions.skipMoves(each))) {
          if (term)
            return false;
          term = each;
        }
      if (!term || term->kind != ScalarKind::Operand)
        return false;
      goTo(term->value, term->map);
    }
    if (!isa<RankedTensorType>(value.getType()))
      return false;
  }
  return false;
}

/// A multiplication and an addition by constants for each channel.
static void recognizeAffine(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  const Scalar *scalar = expressions.readElementwise(recognition.root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Add && scalar->kind != ScalarKind::Sub &&
       scalar->kind != ScalarKind::Mul))
    return;
  auto type = cast<RankedTensorType>(recognition.result().getType());
  for (int64_t axis : {int64_t(1), type.getRank() - 1}) {
    if (axis < 1 || axis >= type.getRank() || type.isDynamicDim(axis))
      continue;
    AffineReader reader(expressions, type, axis);
    // Subtract, multiply, multiply, add, and an operation of slack.
    std::optional<Affine> affine = reader.read(scalar, 5);
    if (!affine || !reader.input)
      continue;
    // Of one channel all parameters are numbers: all four of them tell a norm,
    // behind a convolution.
    bool isOne = type.getDimSize(axis) == 1 &&
                 isOfConvolution(reader.input->value, axis, expressions);
    unsigned least = isOne ? 2 : getLeastSteps(type);
    auto isNorm = [&](unsigned multiplications, unsigned additions) {
      return (isOne || affine->isScaled) && multiplications >= least &&
             additions >= least;
    };
    unsigned multiplications =
        affine->multiplications - affine->lastMultiplications;
    unsigned additions = affine->additions - affine->lastAdditions;
    if (!isNorm(affine->multiplications, affine->additions) ||
        (affine->lastMultiplications + affine->lastAdditions != 0 &&
         isNorm(multiplications, additions)))
      continue;
    Attribute kind = getKind(recognition, axis, /*eps=*/0);
    if (!kind || !llvm::all_of(affine->scale, [](double number) {
          return std::isfinite(number);
        }))
      continue;
    RecognizedOperator op;
    op.kind = kind;
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(reader.input->value)};
    MLIRContext *context = recognition.context();
    int64_t size = type.getDimSize(axis);
    op.weight = getOperand(affine->scale, size, context);
    op.bias = getOperand(affine->shift, size, context);
    op.runningMean = getSplat(size, 0, context);
    op.runningVar = getSplat(size, 1, context);
    recognition.found.push_back(std::move(op));
    return;
  }
}

void forms::recognizeNormalization(Recognition &recognition) {
  size_t before = recognition.found.size();
  recognizeParametric(recognition);
  if (recognition.found.size() == before)
    recognizeAffine(recognition);
  if (recognition.found.size() == before)
    recognizeSteps(recognition);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises normalisations by the statistics of the activation itself: layer,
// instance, group and RMS norm. More than 600 lines, as they differ in their
// dimensions alone, and are read by the same classes.

#include "Kinds/Recognizers.h"
#include "Reading/Expressions/Statistics.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// What a parameter does to the normalised value.
struct Affine {
  const Variable *weight = nullptr, *bias = nullptr;
  /// Numbers in the place of parameters.
  double scale = 1, shift = 0;
};

struct Norm {
  Value input;
  SmallVector<unsigned> axes;
  double eps = 0;
  /// Without the mean.
  bool isRms = false;
  Affine affine;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool isNear(double value, double expected) {
  return std::fabs(value - expected) <=
         3e-6 * std::max(1.0, std::fabs(expected));
}

/// Sets the variable of a parameter, if there is one.
static void assign(std::vector<Samples> &values, const FormulaReader &reader,
                   const Variable *parameter, Samples samples) {
  if (parameter)
    values[parameter - reader.variables.data()] = std::move(samples);
}

/// The ways in which parameters may be weight and bias.
static SmallVector<Affine, 2> getRoles(const FormulaReader &reader,
                                       const Formula *formula) {
  SmallVector<const Variable *> parameters;
  for (unsigned index : reader.getVariables(formula))
    if (reader.variables[index].kind == Variable::Parameter)
      parameters.push_back(&reader.variables[index]);
  switch (parameters.size()) {
  case 0:
    return {Affine()};
  case 1:
    return {{parameters[0], nullptr}, {nullptr, parameters[0]}};
  case 2:
    return {{parameters[0], parameters[1]}, {parameters[1], parameters[0]}};
  default:
    return {};
  }
}

/// Finds scale, shift and eps where they show, and tries them elsewhere.
static bool matchNorm(const FormulaReader &reader, const Formula *formula,
                      const Statistics &statistics, Norm &norm) {
  Affine &affine = norm.affine;
  auto evaluate = [&](const Distribution &at, Samples weight, Samples bias) {
    std::vector<Samples> values = statistics.getValues(reader, at);
    assign(values, reader, affine.weight, std::move(weight));
    assign(values, reader, affine.bias, std::move(bias));
    return reader.evaluate(formula, values);
  };
  auto getStatistic = [&](double mean, double variance) {
    return norm.isRms ? variance + mean * mean : variance;
  };

  // No variance, much of it, and no deviation.
  Distribution at;
  at.x = {1, 1e10, 0};
  at.mean = {0, 0, 0};
  at.variance = {0, 1e20, 1};
  at.max = at.exponentials = Samples(3, std::nan(""));
  Samples found = evaluate(at, {1, 1, 1}, {0, 0, 0});
  affine.shift = found[2];
  affine.scale = found[1] - affine.shift;
  if (isNear(affine.scale, 1))
    affine.scale = 1;
  double root = affine.scale / (found[0] - affine.shift);
  // Rounded like the number it was.
  norm.eps = float(root * root);
  if (!std::isfinite(affine.shift) || !std::isfinite(affine.scale) ||
      affine.scale == 0 || !std::isfinite(norm.eps) || norm.eps > 1 || root < 0)
    return false;

  double tiny = norm.eps;
  at.x = {0.3, 1.1, -0.7, 1.3, -1.9, 0.5, std::sqrt(tiny), -std::sqrt(tiny)};
  at.mean = {0.5, -0.4, 0.2, 0.9, -0.6, 0.7, 0, 0};
  at.variance = {0.8, 1.7, 0.6, 3.1, 1.2, 0.9, tiny * 0.5, tiny * 2};
  at.max = at.exponentials = Samples(8, std::nan(""));
  Samples weight = {1.3, -0.4, 2.2, 0.7, -1.8, 0.6, 1.1, 0.9};
  Samples bias = {0.2, 0.9, -0.3, 1.4, 0.8, -2.1, 0.5, -0.6};
  if (tiny == 0)
    for (Samples *samples : {&at.x, &at.mean, &at.variance, &at.max,
                             &at.exponentials, &weight, &bias})
      samples->resize(6);
  found = evaluate(at, weight, bias);
  for (auto [i, value] : llvm::enumerate(found)) {
    double deviation = norm.isRms ? at.x[i] : at.x[i] - at.mean[i];
    double expected =
        deviation /
        std::sqrt(getStatistic(at.mean[i], at.variance[i]) + norm.eps) *
        affine.scale * (affine.weight ? weight[i] : 1);
    expected += affine.shift + (affine.bias ? bias[i] : 0);
    if (!isNear(value, expected))
      return false;
  }
  return true;
}

/// x * weight + bias
static bool matchAffine(const FormulaReader &reader, const Formula *formula,
                        Affine &affine) {
  // Other variables have no place here.
  std::vector<Samples> values(reader.variables.size(),
                              Samples(5, std::nan("")));
  values[0] = {0, 1, 0.4, -2.5, 1.7};
  Samples weight = {1, 1, -0.6, 1.9, 2.3}, bias = {0, 0, 1.2, -0.7, 0.3};
  assign(values, reader, affine.weight, weight);
  assign(values, reader, affine.bias, bias);
  Samples found = reader.evaluate(formula, values);
  affine.shift = found[0];
  affine.scale = found[1] - affine.shift;
  if (!std::isfinite(affine.shift) || !std::isfinite(affine.scale) ||
      affine.scale == 0)
    return false;
  for (auto [i, value] : llvm::enumerate(found)) {
    double expected =
        values[0][i] * affine.scale * (affine.weight ? weight[i] : 1) +
        affine.shift + (affine.bias ? bias[i] : 0);
    if (!isNear(value, expected))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether scale and shift may be numbers: not if constants could say so, or if
/// they are an operator of their own. A deviation of n - 1 elements, or a
/// length in its place, is no norm of PyTorch's, either.
static bool hasValidNumbers(const Norm &norm, const FormulaReader &reader,
                            double count, const Scalar *root,
                            ScalarExpressions &expressions) {
  double scale = norm.affine.scale;
  // Parameters of one element are numbers.
  if ((scale == 1 && norm.affine.shift == 0) || count == 1)
    return true;
  for (const Scalar *operand : {root->a, root->b})
    if (expressions.getNumber(operand))
      return false;
  return !norm.isRms && !reader.hasBroadcastSplat &&
         !isClose(scale * scale * count, 1) &&
         !isClose(scale * scale * count, count - 1);
}

/// The norm that `root` ends. `reader` holds its parameters.
static std::optional<Norm> readNorm(Operation *root,
                                    ScalarExpressions &expressions,
                                    std::unique_ptr<FormulaReader> &holder) {
  const Scalar *scalar = expressions.readElementwise(root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Div && scalar->kind != ScalarKind::Mul &&
       scalar->kind != ScalarKind::Sub && scalar->kind != ScalarKind::Add))
    return std::nullopt;
  // The deviations of a layer norm would do for an RMS norm.
  std::optional<Norm> best;
  unsigned most = 0;
  for (Value candidate : getCandidates(root, /*reduced=*/true, expressions)) {
    for (bool splatsAreParameters : {false, true}) {
      auto reader = std::make_unique<FormulaReader>(expressions, candidate,
                                                    splatsAreParameters);
      const Formula *formula = reader->read(root);
      auto statistics =
          formula ? Statistics::read(*reader, formula) : std::nullopt;
      if (!statistics || statistics->countKinds() <= most ||
          statistics->getCount() == 0 || statistics->has(Statistic::Max) ||
          statistics->has(Statistic::Exponentials))
        break;
      bool matched = false;
      for (const Affine &roles : getRoles(*reader, formula)) {
        Norm norm;
        norm.input = candidate;
        norm.axes.assign(statistics->getAxes().begin(),
                         statistics->getAxes().end());
        norm.isRms = !statistics->has(Statistic::Sum);
        norm.affine = roles;
        if (!matchNorm(*reader, formula, *statistics, norm) ||
            !hasValidNumbers(norm, *reader, statistics->getCount(), scalar,
                             expressions))
          continue;
        most = statistics->countKinds();
        best = norm;
        matched = true;
        break;
      }
      if (matched) {
        holder = std::move(reader);
        break;
      }
      if (!reader->hasBroadcastSplat)
        break;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// The dimensions along which a parameter varies.
static SmallVector<unsigned> getDims(const Variable *parameter) {
  SmallVector<unsigned> dims;
  if (!parameter)
    return dims;
  auto type = cast<RankedTensorType>(parameter->value.getType());
  for (auto [place, size] :
       llvm::zip_equal(parameter->position, type.getShape()))
    if (place && size != 1)
      dims.push_back(*place);
  llvm::sort(dims);
  return dims;
}

namespace {
/// Makes an operator of a norm of the result's own shape.
class NormBuilder {
public:
  NormBuilder(Recognition &recognition, const Norm &norm)
      : recognition(recognition), norm(norm),
        type(cast<RankedTensorType>(recognition.result().getType())) {}
  /// Over the dimensions of the norm.
  bool build();
  /// Over groups of channels.
  bool buildGroups(unsigned axis, int64_t groups);
  /// The same where groups and the channels of each are two dimensions, of the
  /// result and of weight and bias: fusion has put these in front of the change
  /// of shape that merges them.
  bool buildSplitGroups();

private:
  /// The one of `dims` along which all parameters vary, if they are constants
  /// that were broadcast along the others; else `dims`.
  SmallVector<unsigned> getVaryingDims(ArrayRef<unsigned> dims) const;
  Attribute getInstanceNorm(unsigned axis) const;
  bool finish(Attribute kind, ArrayRef<unsigned> dims);
  RecognizedOperand getParameter(const Variable *variable, double number,
                                 double neutral, ArrayRef<unsigned> dims,
                                 bool &failed) const;
  FloatAttr eps() const { return recognition.asFloat(norm.eps); }
  bool isProper(unsigned dim) const { return type.getDimSize(dim) != 1; }

  Recognition &recognition;
  const Norm &norm;
  RankedTensorType type;
};
} // namespace

RecognizedOperand NormBuilder::getParameter(const Variable *variable,
                                            double number, double neutral,
                                            ArrayRef<unsigned> dims,
                                            bool &failed) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(type.getDimSize(dim));
  if (variable ? number != neutral : llvm::any_of(shape, [](int64_t size) {
        return ShapedType::isDynamic(size);
      })) {
    failed |= variable || number != neutral;
    return {};
  }
  if (!variable) {
    if (number == neutral)
      return {};
    auto splat = RankedTensorType::get(shape, type.getElementType());
    return RecognizedOperand::ofConstant(
        DenseElementsAttr::get(splat, float(number)));
  }
  SmallVector<AffineExpr> exprs;
  MLIRContext *context = recognition.context();
  auto source = cast<RankedTensorType>(variable->value.getType());
  for (auto [place, size] :
       llvm::zip_equal(variable->position, source.getShape()))
    exprs.push_back(place && size != 1 ? getAffineDimExpr(*place, context)
                                       : getAffineConstantExpr(0, context));
  auto map = AffineMap::get(type.getRank(), 0, exprs, context);
  auto view = viewThroughLayout(variable->value, map, /*reshapes=*/true);
  RecognizedOperand operand =
      view ? arrange(*view, dims, shape) : RecognizedOperand();
  if (!operand && recognition.constants().isConstant(variable->value))
    if (DenseElementsAttr numbers =
            gatherAlong(*variable, dims, recognition.constants());
        numbers && numbers.getType().getShape() == ArrayRef(shape))
      operand = RecognizedOperand::ofConstant(numbers);
  failed |= !operand;
  return operand;
}

SmallVector<unsigned>
NormBuilder::getVaryingDims(ArrayRef<unsigned> dims) const {
  for (unsigned dim : {1u, unsigned(type.getRank() - 1)}) {
    bool isOne = llvm::is_contained(dims, dim);
    for (const Variable *parameter : {norm.affine.weight, norm.affine.bias})
      isOne &=
          !parameter || (recognition.constants().isConstant(parameter->value) &&
                         gatherAlong(*parameter, dim, recognition.constants()));
    if (isOne)
      return {dim};
  }
  return SmallVector<unsigned>(dims);
}

bool NormBuilder::finish(Attribute kind, ArrayRef<unsigned> dims) {
  bool failed = !kind;
  RecognizedOperator op;
  op.kind = kind;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(norm.input)};
  op.weight =
      getParameter(norm.affine.weight, norm.affine.scale, 1, dims, failed);
  op.bias = getParameter(norm.affine.bias, norm.affine.shift, 0, dims, failed);
  if (failed || (norm.isRms && op.bias))
    return false;
  recognition.found.push_back(std::move(op));
  return true;
}

Attribute NormBuilder::getInstanceNorm(unsigned axis) const {
  MLIRContext *context = recognition.context();
  switch (type.getRank()) {
  case 3:
    return InstanceNorm1dAttr::get(context, axis, eps());
  case 4:
    return InstanceNorm2dAttr::get(context, axis, eps());
  case 5:
    return InstanceNorm3dAttr::get(context, axis, eps());
  default:
    return {};
  }
}

bool NormBuilder::buildGroups(unsigned axis, int64_t groups) {
  if (norm.isRms)
    return false;
  if (groups == type.getDimSize(axis))
    return finish(getInstanceNorm(axis), {axis});
  return finish(GroupNormAttr::get(recognition.context(), axis, groups, eps()),
                {axis});
}

bool NormBuilder::build() {
  SmallVector<unsigned> dims = getDims(norm.affine.weight);
  for (unsigned dim : getDims(norm.affine.bias))
    if (!llvm::is_contained(dims, dim))
      dims.push_back(dim);
  if (dims.size() > 1)
    dims = getVaryingDims(dims);
  auto isAxis = [&](unsigned dim) {
    return llvm::is_contained(norm.axes, dim);
  };
  // All but the batch and `channel` are normalised together. Those of size 1
  // tell norms over one element apart.
  bool isOfOne =
      llvm::none_of(norm.axes, [&](unsigned axis) { return isProper(axis); });
  auto isRest = [&](unsigned channel) {
    for (unsigned dim = 1; dim < type.getRank(); ++dim)
      if (dim != channel && (isProper(dim) || isOfOne) && !isAxis(dim))
        return false;
    return !isAxis(0);
  };
  bool isAffine = norm.affine.weight || norm.affine.bias;
  if (!norm.isRms && isAffine && dims.size() == 1 && dims[0] != 0 &&
      isRest(dims[0]) && norm.axes != dims)
    return buildGroups(dims[0], isAxis(dims[0]) ? 1 : type.getDimSize(dims[0]));
  // Without parameters, images are taken by channel.
  if (!norm.isRms && !isAffine && type.getRank() >= 4)
    for (unsigned channel : {1u, unsigned(type.getRank() - 1)})
      if (isProper(channel) && !isAxis(channel) && isRest(channel))
        return buildGroups(channel, type.getDimSize(channel));
  if (!llvm::all_of(dims, isAxis))
    return false;
  MLIRContext *context = recognition.context();
  DenseI64ArrayAttr axes = recognition.ints(
      SmallVector<int64_t>(norm.axes.begin(), norm.axes.end()));
  if (norm.isRms)
    return finish(RmsNormAttr::get(context, axes, eps()), norm.axes);
  return finish(LayerNormAttr::get(context, axes, eps()), norm.axes);
}

//===----------------------------------------------------------------------===//
// Through a change of shape
//===----------------------------------------------------------------------===//

/// True if the first dimensions of both types are the same.
static bool haveSamePrefix(RankedTensorType lhs, RankedTensorType rhs,
                           unsigned size) {
  return lhs.getRank() >= size && rhs.getRank() >= size &&
         lhs.getShape().take_front(size) == rhs.getShape().take_front(size);
}

/// Moves the parameters of a norm of another shape to a norm of `outer`.
static bool moveParameters(const Affine &inner, RankedTensorType innerType,
                           RankedTensorType outer, Affine &affine) {
  for (const Variable *parameter : {inner.weight, inner.bias})
    for (unsigned dim : getDims(parameter))
      if (!haveSamePrefix(innerType, outer, dim + 1))
        return false;
  bool hasInner =
      inner.weight || inner.bias || inner.scale != 1 || inner.shift != 0;
  bool hasOuter =
      affine.weight || affine.bias || affine.scale != 1 || affine.shift != 0;
  if (hasInner && hasOuter)
    return false;
  if (hasInner)
    affine = inner;
  return true;
}

/// What `value` is a change of shape of, in several steps or none. With `type`,
/// the first that has it.
static Value skipReshapes(Value value, RankedTensorType type = {}) {
  constexpr unsigned kMaxReshapes = 4;
  for (unsigned i = 0; i < kMaxReshapes; ++i) {
    Operation *producer = getProducer(value);
    Value source = producer ? getReshaped(producer) : Value();
    if (!source || !getFloatType(source) || value.getType() == type)
      break;
    value = source;
  }
  return skipCasts(value);
}

/// A norm of `value`, which another shape of the result has; `affine` comes
/// after it.
static bool recognizeRegrouped(Recognition &recognition, Value value,
                               Affine affine) {
  ScalarExpressions &expressions = recognition.expressions;
  auto type = cast<RankedTensorType>(recognition.result().getType());
  Value inner = skipReshapes(getRegrouped(getProducer(value)));
  std::unique_ptr<FormulaReader> holder;
  auto norm = inner.getDefiningOp()
                  ? readNorm(inner.getDefiningOp(), expressions, holder)
                  : std::nullopt;
  if (!norm || norm->isRms)
    return false;
  auto innerType = cast<RankedTensorType>(inner.getType());
  // The input had the result's shape before.
  Value source = getRegrouped(getProducer(norm->input));
  if (source)
    source = skipReshapes(source, type);
  if (!source || source.getType() != type ||
      !moveParameters(norm->affine, innerType, type, affine))
    return false;
  norm->input = source;
  norm->affine = affine;

  int64_t rank = type.getRank(), sample = 1, size = 1;
  for (int64_t dim : type.getShape().drop_front())
    sample = ShapedType::isDynamic(dim) ? 0 : sample * dim;
  for (unsigned axis : norm->axes)
    size *= innerType.getDimSize(axis);
  if (rank < 2 || sample == 0 || sample % size != 0)
    return false;
  SmallVector<unsigned> axes = norm->axes;
  bool isTrailing = llvm::all_of(
      llvm::seq<unsigned>(axes.front(), innerType.getRank()),
      [&](unsigned dim) {
        return innerType.getDimSize(dim) == 1 || llvm::is_contained(axes, dim);
      });
  if (isTrailing) {
    // Whole dimensions of the result, or neighbouring channels.
    int64_t trailing = 1;
    norm->axes.clear();
    for (unsigned dim = rank; dim-- > 1 && trailing < size;) {
      trailing *= type.getDimSize(dim);
      if (type.getDimSize(dim) != 1)
        norm->axes.insert(norm->axes.begin(), dim);
    }
    NormBuilder builder(recognition, *norm);
    if (trailing == size)
      return builder.build();
    int64_t groups = sample / size;
    bool ofChannels = type.getDimSize(1) % groups == 0;
    return ofChannels && builder.buildGroups(/*axis=*/1, groups);
  }
  // Channels last: their dimension as [groups, channels of a group].
  if (innerType.getRank() != rank + 1 ||
      !haveSamePrefix(innerType, type, rank - 1) ||
      innerType.isDynamicDim(rank - 1))
    return false;
  for (unsigned dim = 0; dim <= rank; ++dim)
    if (innerType.getDimSize(dim) != 1 &&
        llvm::is_contained(axes, dim) != (dim != 0 && dim != rank - 1))
      return false;
  return NormBuilder(recognition, *norm)
      .buildGroups(/*axis=*/rank - 1, innerType.getDimSize(rank - 1));
}

bool NormBuilder::buildSplitGroups() {
  SmallVector<unsigned> dims = getDims(norm.affine.weight);
  if (dims.empty())
    dims = getDims(norm.affine.bias);
  if (norm.isRms || dims.size() != 2 || dims[0] == 0 || dims[1] != dims[0] + 1)
    return false;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (isProper(dim) &&
        llvm::is_contained(norm.axes, dim) != (dim != 0 && dim != dims[0]))
      return false;
  SmallVector<int64_t> shape(type.getShape());
  if (ShapedType::isDynamic(shape[dims[0]]) ||
      ShapedType::isDynamic(shape[dims[1]]))
    return false;
  int64_t channels = shape[dims[0]] * shape[dims[1]];
  shape[dims[0]] = channels;
  shape.erase(shape.begin() + dims[1]);
  RankedTensorType outer = type.clone(shape);
  Value source = getRegrouped(getProducer(norm.input));
  if (source)
    source = skipReshapes(source, outer);
  if (!source || source.getType() != outer ||
      (dims[0] != 1 && dims[0] + 1 != outer.getRank()))
    return false;
  RecognizedOperator op;
  op.kind = GroupNormAttr::get(recognition.context(), dims[0],
                               type.getDimSize(dims[0]), eps());
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(source)};
  op.outputShape = shape;
  bool failed = false;
  auto getMerged = [&](const Variable *variable, double number,
                       double neutral) {
    RecognizedOperand operand =
        getParameter(variable, number, neutral, dims, failed);
    failed |= variable && getDims(variable) != dims;
    if (operand.constant)
      operand.constant =
          operand.constant.reshape(operand.constant.getType().clone(channels));
    else if (operand)
      operand.shape = {channels};
    return operand;
  };
  op.weight = getMerged(norm.affine.weight, norm.affine.scale, 1);
  op.bias = getMerged(norm.affine.bias, norm.affine.shift, 0);
  if (failed)
    return false;
  recognition.found.push_back(std::move(op));
  return true;
}

void forms::recognizeLayerNorm(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  Operation *root = recognition.root;
  if (getRegrouped(root)) {
    recognizeRegrouped(recognition, root->getResult(0), {});
    return;
  }
  std::unique_ptr<FormulaReader> holder;
  if (auto norm = readNorm(root, expressions, holder)) {
    NormBuilder builder(recognition, *norm);
    if (!builder.build())
      builder.buildSplitGroups();
    return;
  }
  // Weight and bias after a change of shape.
  const Scalar *scalar = expressions.readElementwise(root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Mul && scalar->kind != ScalarKind::Add))
    return;
  for (Value candidate : getCandidates(root, /*reduced=*/false, expressions)) {
    if (!getRegrouped(getProducer(candidate)))
      continue;
    for (bool splatsAreParameters : {false, true}) {
      FormulaReader reader(expressions, candidate, splatsAreParameters);
      const Formula *formula = reader.read(root);
      if (!formula)
        break;
      for (Affine roles : getRoles(reader, formula))
        if (matchAffine(reader, formula, roles) &&
            recognizeRegrouped(recognition, candidate, roles))
          return;
      if (!reader.hasBroadcastSplat)
        break;
    }
  }
}

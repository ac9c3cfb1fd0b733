// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grouped convolutions that are spelled as one convolution for each group.

#include "Kinds/Convolution/Convolution.h"
#include "Kinds/Movement/Movement.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// More groups than this are as many operators.
static constexpr size_t kMaxGroups = 64;

/// The value that `parts` are slices of along dimension `dim`, one after the
/// other, and all of it; null if they aren't.
static Value getWhole(ArrayRef<Value> parts, int64_t dim) {
  Value whole;
  int64_t position = 0;
  for (Value part : parts) {
    auto crop = getCrop(getProducer(part));
    if (!crop || (whole && crop->source != whole))
      return {};
    whole = crop->source;
    for (auto [index, amount] : llvm::enumerate(crop->amounts)) {
      bool isCut = int64_t(index) == dim;
      if (isCut ? amount.first != position
                : amount.first != 0 || amount.second != 0)
        return {};
    }
    position += cast<RankedTensorType>(part.getType()).getDimSize(dim);
  }
  auto type = cast<RankedTensorType>(whole.getType());
  return type.getDimSize(dim) == position ? whole : Value();
}

/// One operand that is `parts` one after the other along its first dimension:
/// what they are slices of, or a constant. Null if it is neither.
static RecognizedOperand concatenate(ArrayRef<RecognizedOperand> parts,
                                     ConstantEvaluator &constants) {
  const RecognizedOperand &first = parts.front();
  // Dimension `dim` of the slices is the first one of the operands.
  int64_t dim = first.permutation.empty() ? 0 : first.permutation[0];
  bool isSimple =
      first.value && first.sourceShape.empty() && first.shape.empty();
  SmallVector<Value> values;
  for (const RecognizedOperand &part : parts) {
    isSimple &= part.value && part.sourceShape.empty() && part.shape.empty() &&
                part.permutation == first.permutation;
    values.push_back(part.value);
  }
  if (Value whole = isSimple ? getWhole(values, dim) : Value()) {
    RecognizedOperand operand = RecognizedOperand::of(whole);
    operand.permutation = first.permutation;
    return operand;
  }
  SmallVector<float, 0> elements;
  SmallVector<int64_t> shape;
  for (const RecognizedOperand &part : parts) {
    DenseElementsAttr own = evaluateOperand(part, constants);
    if (!own)
      return {};
    ArrayRef<int64_t> ownShape = own.getType().getShape();
    if (shape.empty())
      shape.assign(ownShape.begin(), ownShape.end());
    else if (ownShape.drop_front() != ArrayRef(shape).drop_front())
      return {};
    else
      shape[0] += ownShape[0];
    elements.append(own.value_begin<float>(), own.value_end<float>());
  }
  auto type = RankedTensorType::get(
      shape, Float32Type::get(parts.front().value
                                  ? parts.front().value.getContext()
                                  : parts.front().constant.getContext()));
  return RecognizedOperand::ofConstant(
      DenseElementsAttr::get(type, ArrayRef<float>(elements)));
}

/// The bias of all groups; those without one have zeros.
static FailureOr<RecognizedOperand>
concatenateBiases(ArrayRef<Convolution> parts, int64_t channels,
                  ConstantEvaluator &constants) {
  std::vector<RecognizedOperand> biases;
  bool hasBias = false;
  for (const Convolution &part : parts) {
    hasBias |= bool(part.op.bias);
    biases.push_back(part.op.bias);
  }
  if (!hasBias)
    return RecognizedOperand();
  MLIRContext *context = parts.front().op.result.getContext();
  auto type = RankedTensorType::get({channels}, Float32Type::get(context));
  for (RecognizedOperand &bias : biases)
    if (!bias)
      bias = RecognizedOperand::ofConstant(DenseElementsAttr::get(type, 0.0f));
  RecognizedOperand bias = concatenate(biases, constants);
  if (!bias)
    return failure();
  return bias;
}

/// The kind of convolution that `count` of `kind` with a group each make up;
/// null if it has groups already.
static Attribute getGroupedKind(Attribute kind, int64_t count) {
  auto conv = dyn_cast<ConvolutionKindAttrInterface>(kind);
  if (!conv || conv.getGroupCount() != 1 || conv.isTransposed())
    return {};
  MLIRContext *context = kind.getContext();
  auto ints = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(context, values);
  };
  DenseI64ArrayAttr stride = ints(conv.getStrides());
  DenseI64ArrayAttr padding = ints(conv.getPaddings());
  DenseI64ArrayAttr dilation = ints(conv.getDilations());
  switch (stride.size()) {
  case 1:
    return Conv1dAttr::get(context, stride, padding, dilation, count);
  case 2:
    return Conv2dAttr::get(context, stride, padding, dilation, count);
  default:
    return Conv3dAttr::get(context, stride, padding, dilation, count);
  }
}

std::optional<Convolution> forms::matchGroups(Value value,
                                              ScalarExpressions &expressions) {
  auto concatenation =
      getConcatenation(getProducer(value), expressions.constants);
  if (!concatenation || concatenation->inputs.size() < 2 ||
      concatenation->inputs.size() > kMaxGroups)
    return std::nullopt;
  int64_t axis = concatenation->axis;
  SmallVector<Value> values;
  for (const RecognizedOperand &input : concatenation->inputs) {
    if (!input.shape.empty())
      return std::nullopt;
    values.push_back(input.value);
  }
  std::vector<Convolution> parts;
  std::vector<RecognizedOperand> weights;
  SmallVector<Value> inputs;
  for (Value part : values) {
    auto found = matchConvolutions(part, expressions);
    // The image without anything in front of it but the slice.
    auto it = llvm::find_if(found, [](const Convolution &conv) {
      return getCrop(getProducer(conv.op.inputs[0].value)).has_value();
    });
    if (it == found.end())
      return std::nullopt;
    const RecognizedOperator &op = it->op;
    if (int64_t(it->channel) != axis)
      return std::nullopt;
    if (!parts.empty()) {
      const RecognizedOperator &first = parts.front().op;
      auto getShape = [](const RecognizedOperand &operand) {
        return cast<RankedTensorType>(operand.value.getType()).getShape();
      };
      if (op.kind != first.kind ||
          op.outputPermutation != first.outputPermutation ||
          op.inputs[0].permutation != first.inputs[0].permutation ||
          getShape(op.inputs[0]) != getShape(first.inputs[0]) ||
          part.getType() != values.front().getType())
        return std::nullopt;
    }
    weights.push_back(op.weight);
    inputs.push_back(op.inputs[0].value);
    parts.push_back(std::move(*it));
  }
  const RecognizedOperator &first = parts.front().op;
  ArrayRef<int64_t> permutation = first.inputs[0].permutation;
  auto inputType = cast<RankedTensorType>(inputs.front().getType());
  int64_t channel =
      permutation.empty() ? inputType.getRank() - 1 : permutation.back();
  Value input = getWhole(inputs, channel);
  Attribute kind = getGroupedKind(first.kind, parts.size());
  if (!input || !kind)
    return std::nullopt;
  Convolution result;
  result.channel = axis;
  RecognizedOperator &op = result.op;
  op.kind = kind;
  op.result = value;
  op.inputs = {RecognizedOperand::of(input)};
  op.inputs[0].permutation.assign(permutation.begin(), permutation.end());
  op.outputPermutation = first.outputPermutation;
  op.weight = concatenate(weights, expressions.constants);
  auto bias = concatenateBiases(
      parts, cast<RankedTensorType>(values.front().getType()).getDimSize(axis),
      expressions.constants);
  if (!op.weight || failed(bias))
    return std::nullopt;
  op.bias = *bias;
  return result;
}

std::optional<RecognizedOperator>
forms::matchGroupsOfRows(Operation *root, ScalarExpressions &expressions) {
  Value image = getReshaped(root);
  auto type = getFloatType(root->getResult(0));
  if (!image || !type || type.getRank() != 3 || type.getNumDynamicDims() > 1)
    return std::nullopt;
  // Without the height of 1, which is behind the batch.
  auto isImageOf = [](Value image, RankedTensorType rows) {
    auto type = getFloatType(image);
    return type && rows && type.getRank() == 4 && rows.getRank() == 3 &&
           type.getShape() == ArrayRef<int64_t>{rows.getDimSize(0), 1,
                                                rows.getDimSize(1),
                                                rows.getDimSize(2)};
  };
  if (!isImageOf(image, type))
    return std::nullopt;
  auto groups = matchGroups(image, expressions);
  if (!groups)
    return std::nullopt;
  RecognizedOperator &op = groups->op;
  auto kind = dyn_cast<Conv2dAttr>(op.kind);
  Operation *producer = getProducer(op.inputs[0].value);
  Value rows = producer ? getReshaped(producer) : Value();
  DenseElementsAttr weight = op.weight.constant;
  if (!kind || !rows || !weight ||
      !isImageOf(op.inputs[0].value, getFloatType(rows)) ||
      !op.inputs[0].permutation.empty() || !op.outputPermutation.empty())
    return std::nullopt;
  weight = op.weight.arrange(weight);
  SmallVector<int64_t> shape(weight.getType().getShape());
  ArrayRef<int64_t> padding = kind.getPadding();
  if (shape.size() != 4 || shape[1] != 1 || padding[0] != 0 || padding[1] != 0)
    return std::nullopt;
  shape.erase(shape.begin() + 1);
  MLIRContext *context = root->getContext();
  auto last = [&](ArrayRef<int64_t> values, size_t count) {
    return DenseI64ArrayAttr::get(context, values.take_back(count));
  };
  op.kind =
      Conv1dAttr::get(context, last(kind.getStride(), 1), last(padding, 2),
                      last(kind.getDilation(), 1), kind.getGroups());
  op.result = root->getResult(0);
  op.inputs = {RecognizedOperand::of(rows)};
  op.weight = RecognizedOperand::ofConstant(
      weight.reshape(weight.getType().clone(shape)));
  return std::move(op);
}

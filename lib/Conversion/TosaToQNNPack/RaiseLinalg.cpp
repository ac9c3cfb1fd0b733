// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what upstream's tosa-to-linalg passes write: named convolutions with
// zero points as scalars, paddings in front of them, biases that are broadcast
// or added, and elementwise code. Each becomes the op that it was.

#include "RaiseLinalg.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_to_qnnpack;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T>
Value LinalgRaiser::createConstant(Location loc, ArrayRef<T> numbers,
                                   ArrayRef<int64_t> shape) {
  auto type =
      RankedTensorType::get(shape, rewriter.getIntegerType(8 * sizeof(T)));
  return keep(arith::ConstantOp::create(rewriter, loc,
                                        DenseElementsAttr::get(type, numbers)));
}

Value LinalgRaiser::createIntegers(Location loc, ArrayRef<APInt> numbers,
                                   ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(
      shape, rewriter.getIntegerType(numbers.front().getBitWidth()));
  return keep(arith::ConstantOp::create(rewriter, loc,
                                        DenseElementsAttr::get(type, numbers)));
}

Value LinalgRaiser::createZeroPoint(Location loc, Type element,
                                    int64_t number) {
  auto type = RankedTensorType::get({1}, element);
  return keep(arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type, rewriter.getIntegerAttr(element, number))));
}

bool LinalgRaiser::addBias(Value value, SmallVectorImpl<APInt> &bias) {
  DenseElementsAttr numbers = constants.evaluate(value);
  if (!numbers || bias.empty() ||
      !numbers.getElementType().isInteger(bias.front().getBitWidth()) ||
      (!numbers.isSplat() && numbers.getNumElements() != int64_t(bias.size())))
    return false;
  for (auto [i, number] : llvm::enumerate(bias))
    number += numbers.isSplat() ? numbers.getSplatValue<APInt>()
                                : numbers.getValues<APInt>()[i];
  return true;
}

/// Whether `map` reads, of `value`, one number for each index of the last loop,
/// or one number.
static bool isOfChannels(AffineMap map, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return false;
  if (type.getNumElements() == 1)
    return true;
  return map.getNumResults() != 0 &&
         type.getShape().back() == type.getNumElements() &&
         map.getResults().back() ==
             getAffineDimExpr(map.getNumDims() - 1, map.getContext());
}

bool LinalgRaiser::addInit(Value init, SmallVectorImpl<APInt> &bias) {
  Operation *op = init.getDefiningOp();
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
    APInt number;
    if (!matchPattern(fill.getInputs()[0], m_ConstantInt(&number)) ||
        bias.empty() || number.getBitWidth() != bias.front().getBitWidth())
      return false;
    for (APInt &element : bias)
      element += number;
    return true;
  }
  if (auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(op)) {
    auto type = cast<RankedTensorType>(init.getType());
    return llvm::equal(broadcast.getDimensions(),
                       llvm::seq<int64_t>(0, type.getRank() - 1)) &&
           addBias(broadcast.getInput(), bias);
  }
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op)) {
    if (generic.getNumDpsInputs() != 1 || generic.getNumDpsInits() != 1 ||
        generic.getNumReductionLoops() != 0 ||
        generic.getBody()->getTerminator()->getOperand(0) !=
            generic.getBody()->getArgument(0) ||
        !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
             .isIdentity() ||
        !isOfChannels(
            generic.getMatchingIndexingMap(generic.getDpsInputOperand(0)),
            generic.getInputs()[0]))
      return false;
    return addBias(generic.getInputs()[0], bias);
  }
  SplatElementsAttr splat;
  return matchPattern(init, m_Constant(&splat)) && addBias(init, bias);
}

std::optional<int64_t> LinalgRaiser::getZeroPoint(linalg::LinalgOp op,
                                                  unsigned number) {
  if (op.getNumDpsInputs() == 2)
    return 0;
  APInt zeroPoint;
  if (!matchPattern(op.getDpsInputOperand(2 + number)->get(),
                    m_ConstantInt(&zeroPoint)) ||
      !zeroPoint.isSignedIntN(8))
    return std::nullopt;
  return zeroPoint.getSExtValue();
}

Value LinalgRaiser::skipPadding(Value input, int64_t zeroPoint,
                                SmallVectorImpl<int64_t> &pad) {
  pad.assign(4, 0);
  auto op = input.getDefiningOp<tensor::PadOp>();
  if (!op || op.getResultType().getRank() != 4)
    return input;
  Value padding = op.getConstantPaddingValue();
  APInt number;
  if (!padding || !matchPattern(padding, m_ConstantInt(&number)) ||
      number.getSExtValue() != zeroPoint)
    return input;
  SmallVector<int64_t> sizes;
  for (unsigned i = 0; i < 4; ++i)
    for (OpFoldResult size :
         {op.getMixedLowPad()[i], op.getMixedHighPad()[i]}) {
      std::optional<int64_t> constant = getConstantIntValue(size);
      if (!constant || *constant < 0)
        return input;
      sizes.push_back(*constant);
    }
  if (sizes[0] != 0 || sizes[1] != 0 || sizes[6] != 0 || sizes[7] != 0)
    return input;
  pad.assign(sizes.begin() + 2, sizes.begin() + 6);
  return op.getSource();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// [height, width, in, out], row by row, as [out, height, width, in].
static SmallVector<int8_t> moveOutputsFirst(ArrayRef<int8_t> weight,
                                            int64_t outputs) {
  SmallVector<int8_t> moved(weight.size());
  int64_t steps = weight.size() / outputs;
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < steps; ++i)
      moved[o * steps + i] = weight[i * outputs + o];
  return moved;
}

// conv(pad(x), w) + b -> tosa.conv2d, tosa.depthwise_conv2d
template <typename OpT>
OrRefusal<Value> LinalgRaiser::raiseWindowed(OpT op, RankedTensorType type,
                                             ArrayRef<APInt> bias) {
  constexpr bool isDepthwise =
      llvm::is_one_of<OpT, linalg::DepthwiseConv2DNhwcHwcmOp,
                      linalg::DepthwiseConv2DNhwcHwcmQOp,
                      linalg::DepthwiseConv2DNhwcHwcOp,
                      linalg::DepthwiseConv2DNhwcHwcQOp>::value;
  constexpr bool isOutputLast =
      llvm::is_one_of<OpT, linalg::Conv2DNhwcHwcfOp,
                      linalg::Conv2DNhwcHwcfQOp>::value;
  std::optional<int64_t> inputZeroPoint = getZeroPoint(op, 0),
                         weightZeroPoint = getZeroPoint(op, 1);
  if (!inputZeroPoint || !weightZeroPoint)
    return Refusal("a zero point of it is not constant, or none of bytes");
  DenseElementsAttr elements = constants.evaluate(op.getInputs()[1]);
  if (!elements || !elements.getElementType().isInteger(8))
    return Refusal("its weight is not a constant of bytes");
  Type integer = getElementTypeOrSelf(op.getInputs()[0].getType()),
       sum = type.getElementType();
  if (!integer.isInteger(sum.isInteger(48) ? 16 : 8))
    return Refusal("its input is neither of bytes nor, with sums of 48 bits, "
                   "of 16");
  SmallVector<int64_t> pad;
  Value input = skipPadding(op.getInputs()[0], *inputZeroPoint, pad);
  SmallVector<int8_t> weight = llvm::to_vector(elements.getValues<int8_t>());
  SmallVector<int64_t> shape = llvm::to_vector(elements.getType().getShape());
  if (isOutputLast) {
    weight = moveOutputsFirst(weight, shape[3]);
    shape = {shape[3], shape[0], shape[1], shape[2]};
  }
  if (isDepthwise && shape.size() == 3)
    shape.push_back(1);
  Location loc = op.getLoc();
  Value weightValue = createConstant<int8_t>(loc, weight, shape);
  Value biasValue = createIntegers(loc, bias, {int64_t(bias.size())});
  Value zeroPoints[] = {
      createZeroPoint(loc, integer, *inputZeroPoint),
      createZeroPoint(loc, rewriter.getI8Type(), *weightZeroPoint)};
  SmallVector<int64_t> strides, dilations;
  for (const APInt &stride : op.getStrides().template getValues<APInt>())
    strides.push_back(stride.getSExtValue());
  for (const APInt &dilation : op.getDilations().template getValues<APInt>())
    dilations.push_back(dilation.getSExtValue());
  using Raised =
      std::conditional_t<isDepthwise, tosa::DepthwiseConv2DOp, tosa::Conv2DOp>;
  return Value(keep(Raised::create(rewriter, loc, type, input, weightValue,
                                   biasValue, zeroPoints[0], zeroPoints[1], pad,
                                   strides, dilations, sum)));
}

// batch_matmul(x, w) + b -> tosa.add(tosa.matmul, b)
OrRefusal<Value> LinalgRaiser::raiseMatmul(linalg::LinalgOp op,
                                           RankedTensorType type,
                                           ArrayRef<APInt> bias) {
  std::optional<int64_t> zeroPoints[] = {getZeroPoint(op, 0),
                                         getZeroPoint(op, 1)};
  if (!zeroPoints[0] || !zeroPoints[1])
    return Refusal("a zero point of it is not constant, or none of bytes");
  if (!type.getElementType().isInteger(32))
    return Refusal("it adds up in another type than i32");
  Location loc = op.getLoc();
  Value operands[2], points[2];
  for (unsigned i : {0, 1}) {
    operands[i] = op.getDpsInputOperand(i)->get();
    if (!cast<RankedTensorType>(operands[i].getType())
             .getElementType()
             .isInteger(8))
      return Refusal("its operands are not of bytes: kernels add up products "
                     "of bytes in 32 bits");
    points[i] = createZeroPoint(loc, rewriter.getI8Type(), *zeroPoints[i]);
  }
  Value sums = keep(tosa::MatMulOp::create(rewriter, loc, type, operands[0],
                                           operands[1], points[0], points[1]));
  if (llvm::all_of(bias, [](const APInt &number) { return number.isZero(); }))
    return sums;
  Value added = createIntegers(loc, bias, {1, 1, int64_t(bias.size())});
  return Value(keep(tosa::AddOp::create(rewriter, loc, type, sums, added)));
}

/// `numbers`, as often as it takes for as many channels; one for all stays.
template <typename T>
static SmallVector<T> tile(ArrayRef<T> numbers, int64_t channels) {
  SmallVector<T> tiled(numbers);
  if (numbers.size() != 1)
    for (int64_t i = numbers.size(); i < channels; ++i)
      tiled.push_back(numbers[i % numbers.size()]);
  return tiled;
}

OrRefusal<Value> LinalgRaiser::raiseContraction(Value sums,
                                                SmallVector<APInt> bias) {
  auto type = cast<RankedTensorType>(sums.getType());
  // [n, h, w, channels, multiplier] -> [n, h, w, channels * multiplier]
  auto collapse = sums.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse) {
    sums = collapse.getSrc();
    if (!isa_and_nonnull<linalg::DepthwiseConv2DNhwcHwcmOp,
                         linalg::DepthwiseConv2DNhwcHwcmQOp>(
            sums.getDefiningOp()) ||
        type.getRank() != 4 ||
        collapse.getReassociationIndices().back().size() != 2)
      collapse = {};
  }
  bool isMovable = movement.read(sums, bias.size());
  Operation *op = movement.getSource().getDefiningOp();
  if (!op || countIntegerMultiplyAccumulates(op) == 0)
    return Refusal();
  contraction = op;
  bool isDepthwise = isa<linalg::DepthwiseConv2DNhwcHwcmOp,
                         linalg::DepthwiseConv2DNhwcHwcmQOp>(op);
  if (!isMovable || (isDepthwise && (!collapse || !movement.isEmpty())))
    return Refusal("its sums are moved otherwise than pixel by pixel before "
                   "they are rescaled");
  if (!movement.isEmpty()) {
    sums = movement.getSource();
    type = cast<RankedTensorType>(sums.getType());
    bias = tile(ArrayRef(bias), type.getShape().back());
  }
  if (!isReadOnce(sums))
    return Refusal("its sums are used by others than one rescale");
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInits() != 1)
    return Refusal();
  if (!addInit(structured.getDpsInits()[0], bias))
    return Refusal("its bias is not a constant for each channel");
  return llvm::TypeSwitch<Operation *, OrRefusal<Value>>(op)
      .Case<
          linalg::Conv2DNhwcFhwcOp, linalg::Conv2DNhwcFhwcQOp,
          linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcHwcfQOp,
          linalg::DepthwiseConv2DNhwcHwcmOp, linalg::DepthwiseConv2DNhwcHwcmQOp,
          linalg::DepthwiseConv2DNhwcHwcOp, linalg::DepthwiseConv2DNhwcHwcQOp>(
          [&](auto convolution) {
            return raiseWindowed(convolution, type, bias);
          })
      .Case<linalg::BatchMatmulOp, linalg::QuantizedBatchMatmulOp>(
          [&](auto matmul) {
            auto plain = dyn_cast<linalg::BatchMatmulOp>(op);
            if (plain && plain.hasUserDefinedMaps())
              return OrRefusal<Value>(
                  Refusal("it reads its operands by maps of its own"));
            if (plain && plain.getCast() != linalg::TypeFn::cast_signed)
              return OrRefusal<Value>(Refusal("its bytes are unsigned"));
            return raiseMatmul(structured, type, bias);
          })
      .Default([](Operation *) {
        return Refusal("it is no named op of linalg that TOSA is lowered to");
      });
}

//===----------------------------------------------------------------------===//
// Elementwise code
//===----------------------------------------------------------------------===//

Value LinalgRaiser::raiseWidening(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return {};
  std::optional<ElementRescale> rescale = readElementRescale(op, constants);
  if (!rescale || rescale->isClamp() ||
      rescale->min != std::numeric_limits<int32_t>::min() ||
      rescale->max != std::numeric_limits<int32_t>::max() ||
      !cast<RankedTensorType>(rescale->input.getType())
           .getElementType()
           .isInteger(8))
    return {};
  return createRescale(op.getLoc(), rescale->input, value.getType(), *rescale);
}

/// Whether `map` reads an element at its own place, or at 0 along dimensions of
/// size 1.
static bool isBroadcast(AffineMap map, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (map.getNumResults() != map.getNumDims())
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr != getAffineDimExpr(i, map.getContext()) &&
        (expr != getAffineConstantExpr(0, map.getContext()) ||
         type.getDimSize(i) != 1))
      return false;
  return true;
}

OrRefusal<Value> LinalgRaiser::raiseElementwise(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      std::distance(body->begin(), body->end()) != 2)
    return Refusal();
  Operation *inner = &body->front();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isa<arith::AddIOp, arith::MulIOp>(inner) ||
      body->getTerminator()->getOperand(0) != inner->getResult(0) ||
      inner->getOperand(0) == inner->getOperand(1) ||
      llvm::any_of(inner->getOperands(), [&](Value operand) {
        auto argument = dyn_cast<BlockArgument>(operand);
        return !argument || argument.getOwner() != body ||
               argument.getArgNumber() >= 2;
      }))
    return Refusal();
  // A bias, on either side.
  for (unsigned i : {0, 1}) {
    OpOperand *bias = op.getDpsInputOperand(i),
              *sums = op.getDpsInputOperand(1 - i);
    if (!isa<arith::AddIOp>(inner) || !constants.isConstant(bias->get()))
      continue;
    if (!op.getMatchingIndexingMap(sums).isIdentity() ||
        type.isDynamicDim(type.getRank() - 1))
      return Refusal();
    SmallVector<APInt> numbers(type.getShape().back(),
                               APInt(type.getElementTypeBitWidth(), 0));
    if (isOfChannels(op.getMatchingIndexingMap(bias), bias->get()) &&
        addBias(bias->get(), numbers))
      return raiseContraction(sums->get(), std::move(numbers));
    return Refusal();
  }
  Value widened[2];
  for (unsigned i : {0, 1}) {
    OpOperand *operand = op.getDpsInputOperand(i);
    if (!isBroadcast(op.getMatchingIndexingMap(operand), operand->get()))
      return Refusal();
    widened[i] = raiseWidening(operand->get());
    if (!widened[i])
      return Refusal();
  }
  if (isa<arith::AddIOp>(inner))
    return Value(keep(tosa::AddOp::create(rewriter, op.getLoc(), type,
                                          widened[0], widened[1])));
  Value shift = createZeroPoint(op.getLoc(), rewriter.getI8Type(), 0);
  return Value(keep(tosa::MulOp::create(rewriter, op.getLoc(), type, widened[0],
                                        widened[1], shift)));
}

//===----------------------------------------------------------------------===//
// Rescales
//===----------------------------------------------------------------------===//

OrRefusal<Value> LinalgRaiser::raiseSums(Value sums) {
  auto type = dyn_cast<RankedTensorType>(sums.getType());
  if (!type || type.getRank() == 0 ||
      !(type.getElementType().isInteger(32) ||
        type.getElementType().isInteger(48)))
    return Refusal();
  auto generic = sums.getDefiningOp<linalg::GenericOp>();
  if (generic && countIntegerMultiplyAccumulates(generic) == 0) {
    OrRefusal<Value> raised = raiseElementwise(generic);
    if (raised && !sums.hasOneUse())
      return Refusal("its sums are used by others than one rescale");
    return raised;
  }
  if (type.isDynamicDim(type.getRank() - 1))
    return Refusal();
  return raiseContraction(
      sums, SmallVector<APInt>(type.getShape().back(),
                               APInt(type.getElementTypeBitWidth(), 0)));
}

tosa::RescaleOp LinalgRaiser::createRescale(Location loc, Value input,
                                            Type type,
                                            const ElementRescale &rescale) {
  int64_t inputChannels = cast<RankedTensorType>(type).getShape().back();
  auto tiled = tile<int32_t>(rescale.multipliers, inputChannels);
  int64_t channels = tiled.size();
  // Of sums of 48 bits, which `raise` has looked at.
  bool scale32 = !getElementTypeOrSelf(input.getType()).isInteger(48);
  SmallVector<APInt> integers = llvm::map_to_vector(tiled, [&](int32_t number) {
    return APInt(scale32 ? 32 : 16, number, /*isSigned=*/true);
  });
  Value multipliers = createIntegers(loc, integers, {channels}),
        shifts = createConstant<int8_t>(
            loc, tile<int8_t>(rescale.shifts, inputChannels), {channels});
  auto getElement = [](Type tensor) {
    return cast<RankedTensorType>(tensor).getElementType();
  };
  Value from = createZeroPoint(loc, getElement(input.getType()),
                               rescale.inputZeroPoint),
        to = createZeroPoint(loc, getElement(type), rescale.outputZeroPoint);
  return keep(tosa::RescaleOp::create(
      rewriter, loc, type, input, multipliers, shifts, from, to, scale32,
      rescale.rounding, /*per_channel=*/channels != 1,
      /*input_unsigned=*/false, /*output_unsigned=*/false));
}

tosa::ClampOp LinalgRaiser::createClamp(Location loc, Value bytes,
                                        const ElementRescale &limits) {
  Type element = getElementTypeOrSelf(bytes.getType());
  return keep(
      tosa::ClampOp::create(rewriter, loc, bytes.getType(), bytes,
                            rewriter.getIntegerAttr(element, limits.min),
                            rewriter.getIntegerAttr(element, limits.max),
                            tosa::NanPropagationMode::PROPAGATE));
}

OrRefusal<tosa::RescaleOp> LinalgRaiser::raise(linalg::GenericOp op,
                                               const ElementRescale &rescale) {
  contraction = nullptr;
  movement = {};
  if (rescale.outputZeroPoint < -128 || rescale.outputZeroPoint > 127)
    return Refusal();
  rewriter.setInsertionPoint(op);
  OrRefusal<Value> sums = raiseSums(rescale.input);
  if (!sums)
    return sums.getRefusal();
  if (getElementTypeOrSelf((*sums).getType()).isInteger(48) &&
      llvm::any_of(rescale.multipliers,
                   [](int32_t number) { return number > INT16_MAX; }))
    return Refusal("its rescale of 48 bits has multipliers of more than 16");
  auto type = cast<RankedTensorType>((*sums).getType())
                  .clone(getElementTypeOrSelf(op->getResult(0).getType()));
  return createRescale(op.getLoc(), *sums, type, rescale);
}

void LinalgRaiser::discard() {
  for (Operation *op : llvm::reverse(created))
    if (op->use_empty())
      rewriter.eraseOp(op);
  created.clear();
}

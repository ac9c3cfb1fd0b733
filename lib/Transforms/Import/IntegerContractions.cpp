// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites integer matmuls and convolutions with zero points to float ones:
// `sum (a - za) (b - zb)` to `sum a b` of what is dequantized.

#include "IntegerContractions.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// A bias is a float in between, which has 24 bits: beyond this it might
/// not be the same integer again.
static constexpr int64_t kLargestBias = 1 << 21;

/// What is between a quantize, a contraction and a dequantize is a few ops.
static constexpr unsigned kMaxSteps = 64;

static Refusal notRecognized() {
  return Refusal("its integers are no sums of products that are recognised");
}

static RankedTensorType toFloat(Value value) {
  return cast<RankedTensorType>(value.getType())
      .clone(Float32Type::get(value.getContext()));
}

/// An uninitialised f32 tensor of the shape of `init`.
static Value createEmpty(OpBuilder &builder, Location loc, Value init) {
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, init),
                                 builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Whether `op` yields its one input.
static bool isMovingGeneric(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0)
    return false;
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  return yielded && yielded.getArgNumber() == 0;
}

Value ContractionImporter::createMovement(Operation *op,
                                          function_ref<Value()> getFloat,
                                          int64_t zeroPoint) {
  OpBuilder builder(user);
  Location loc = op->getLoc();
  auto isPaddedWithZero = [&](Value padding) {
    return padding && constants.getSplat(padding) == double(zeroPoint);
  };
  auto clone = [&]() -> Value {
    Value asFloat = getFloat();
    if (!asFloat)
      return {};
    IRMapping mapping;
    mapping.map(op->getOperand(0), asFloat);
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(toFloat(op->getResult(0)));
    return copy->getResult(0);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::CastOp, tosa::TransposeOp,
            tosa::ReshapeOp, tosa::SliceOp>([&](auto) { return clone(); })
      .Case([&](linalg::TransposeOp transpose) -> Value {
        Value asFloat = getFloat();
        if (!asFloat)
          return {};
        return linalg::TransposeOp::create(
                   builder, loc, asFloat,
                   createEmpty(builder, loc, transpose.getInit()),
                   transpose.getPermutation())
            ->getResult(0);
      })
      .Case([&](linalg::BroadcastOp broadcast) -> Value {
        Value asFloat = getFloat();
        if (!asFloat)
          return {};
        return linalg::BroadcastOp::create(
                   builder, loc, asFloat,
                   createEmpty(builder, loc, broadcast.getInit()),
                   broadcast.getDimensions())
            ->getResult(0);
      })
      .Case([&](linalg::GenericOp generic) -> Value {
        if (!isMovingGeneric(generic))
          return {};
        Value asFloat = getFloat();
        if (!asFloat)
          return {};
        Value init = createEmpty(builder, loc, generic.getDpsInits()[0]);
        return linalg::GenericOp::create(
                   builder, loc, TypeRange(toFloat(generic->getResult(0))),
                   asFloat, init, generic.getIndexingMapsArray(),
                   generic.getIteratorTypesArray(),
                   [](OpBuilder &b, Location inner, ValueRange arguments) {
                     linalg::YieldOp::create(b, inner, arguments[0]);
                   })
            ->getResult(0);
      })
      .Case([&](tensor::PadOp pad) -> Value {
        if (!isPaddedWithZero(pad.getConstantPaddingValue()))
          return {};
        Value asFloat = getFloat();
        if (!asFloat)
          return {};
        Value zero = arith::ConstantOp::create(builder, loc,
                                               builder.getF32FloatAttr(0.0f));
        return tensor::PadOp::create(builder, loc, toFloat(pad.getResult()),
                                     asFloat, pad.getMixedLowPad(),
                                     pad.getMixedHighPad(), zero);
      })
      .Case([&](tosa::PadOp pad) -> Value {
        if (!isPaddedWithZero(pad.getPadConst()))
          return {};
        Value asFloat = getFloat();
        if (!asFloat)
          return {};
        Value zero = tosa::ConstOp::create(
            builder, loc, toFloat(pad.getPadConst()),
            DenseElementsAttr::get(toFloat(pad.getPadConst()), 0.0f));
        return tosa::PadOp::create(builder, loc, toFloat(pad.getOutput()),
                                   asFloat, pad.getPadding(), zero);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

std::optional<int64_t> ContractionImporter::getInteger(Value value,
                                                       Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParentOp() != op)
      return std::nullopt;
    value = op->getOperand(argument.getArgNumber());
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  std::optional<double> number = constants.getSplat(value);
  if (!number || *number != std::trunc(*number) || std::fabs(*number) > 1e6)
    return std::nullopt;
  return int64_t(*number);
}

/// Reads `extend(x) - z`, and `extend(x) + (-z)`, of a region of `op`.
std::optional<ContractionImporter::Factor>
ContractionImporter::getFactor(Value value, linalg::LinalgOp op) {
  Factor factor;
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    std::optional<int64_t> zeroPoint = getInteger(sub.getRhs(), op);
    if (!zeroPoint)
      return std::nullopt;
    factor.zeroPoint = *zeroPoint;
    value = sub.getLhs();
  } else if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> zeroPoint = getInteger(add.getRhs(), op);
    if (!zeroPoint)
      return std::nullopt;
    factor.zeroPoint = -*zeroPoint;
    value = add.getLhs();
  }
  while (Operation *extend = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(extend))
      return std::nullopt;
    // The first one that reads the byte says the sign.
    factor.isSigned = isa<arith::ExtSIOp>(extend);
    value = extend->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != op.getBlock() || !value.getType().isInteger(8))
    return std::nullopt;
  factor.operand = argument.getArgNumber();
  factor.integers = op->getOperand(factor.operand);
  return factor;
}

OrRefusal<Value> ContractionImporter::importBytes(const Factor &factor,
                                                  double &scale) {
  if (++steps > kMaxSteps)
    return notRecognized();
  Refusal refusal;
  if (Operation *op = factor.integers.getDefiningOp()) {
    auto getFloat = [&]() -> Value {
      Factor before = factor;
      before.integers = op->getOperand(0);
      OrRefusal<Value> asFloat = importBytes(before, scale);
      if (asFloat)
        return *asFloat;
      refusal = asFloat.getRefusal();
      return {};
    };
    if (Value moved = createMovement(op, getFloat, factor.zeroPoint))
      return moved;
    if (!refusal.reason.empty())
      return refusal;
  }
  QuantizationReader reader(constants);
  std::optional<QuantizationForm> form =
      reader.readQuantize(factor.integers, factor.isSigned);
  if (!form || form->scales.size() != 1)
    return Refusal("the integers that it multiplies are not those of a "
                   "quantize that is recognised");
  if (form->zeroPoints[0] != factor.zeroPoint)
    return Refusal(
        llvm::formatv("it subtracts {0} of integers whose zero point "
                      "is {1}",
                      factor.zeroPoint, form->zeroPoints[0])
            .str());
  scale = form->scales[0];
  return createPair(user, *form);
}

/// The factor that gives `product` with `scale`; scales are of f32.
static double divideScale(double product, double scale) {
  float nearest = float(product / scale);
  for (float candidate : {nearest, std::nextafterf(nearest, INFINITY),
                          std::nextafterf(nearest, 0.0f)})
    if (float(scale * double(candidate)) == float(product))
      return candidate;
  return nearest;
}

OrRefusal<std::pair<Value, Value>>
ContractionImporter::importFactors(const Factor &lhs, const Factor &rhs,
                                   double scale) {
  using Pair = std::pair<Value, Value>;
  bool isLhsConstant = constants.isConstant(lhs.integers);
  bool isRhsConstant = constants.isConstant(rhs.integers);
  if (isLhsConstant && isRhsConstant)
    return Refusal("it multiplies constants");
  if (isLhsConstant) {
    OrRefusal<Pair> swapped = importFactors(rhs, lhs, scale);
    if (!swapped)
      return swapped.getRefusal();
    return Pair(swapped->second, swapped->first);
  }
  double lhsScale = 0, rhsScale = 0;
  OrRefusal<Value> left = importBytes(lhs, lhsScale);
  if (!left)
    return left.getRefusal();
  if (!isRhsConstant) {
    OrRefusal<Value> right = importBytes(rhs, rhsScale);
    if (!right)
      return right.getRefusal();
    if (std::fabs(lhsScale * rhsScale / scale - 1) > 1e-6)
      return Refusal(
          llvm::formatv("its sums are multiplied by {0}, the product "
                        "of the scales is {1}",
                        scale, lhsScale * rhsScale)
              .str());
    return Pair(*left, *right);
  }
  DenseElementsAttr integers = constants.evaluate(rhs.integers);
  if (!integers || !integers.getElementType().isInteger(8))
    return Refusal("its weight is not known");
  QuantizationForm form;
  form.isDequantize = true;
  form.isSigned = rhs.isSigned;
  form.min = rhs.isSigned ? -128 : 0;
  form.max = form.min + 255;
  form.scales = {divideScale(scale, lhsScale)};
  form.zeroPoints = {rhs.zeroPoint};
  OrRefusal<Value> right = createConstant(user, integers, form);
  if (!right)
    return right.getRefusal();
  return Pair(*left, *right);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

OrRefusal<Value> ContractionImporter::importConstant(Value sums, double scale) {
  DenseElementsAttr integers = constants.evaluate(sums);
  if (!integers)
    return Refusal("its bias is not known");
  bool isLarge = false;
  auto type = cast<ShapedType>(toFloat(sums));
  auto convert = [&](const APInt &integer) {
    isLarge |= std::abs(integer.getSExtValue()) > kLargestBias;
    return float(double(integer.getSExtValue()) * scale);
  };
  DenseElementsAttr numbers;
  if (integers.isSplat()) {
    numbers =
        DenseElementsAttr::get(type, convert(integers.getSplatValue<APInt>()));
  } else {
    SmallVector<float> converted;
    converted.reserve(integers.size());
    for (const APInt &integer : integers.getValues<APInt>())
      converted.push_back(convert(integer));
    numbers = DenseElementsAttr::get(type, ArrayRef<float>(converted));
  }
  if (isLarge)
    return Refusal(
        llvm::formatv("its bias has an integer beyond {0}", kLargestBias)
            .str());
  OpBuilder builder(user);
  return Value(arith::ConstantOp::create(builder, sums.getLoc(), numbers));
}

/// `init + a * b` of the region of a contraction: a and b.
static std::optional<std::pair<Value, Value>> getProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto add = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  Value sum = op.getRegionOutputArgs()[0];
  Value other = add.getLhs() == sum   ? add.getRhs()
                : add.getRhs() == sum ? add.getLhs()
                                      : Value();
  auto product = other ? other.getDefiningOp<arith::MulIOp>() : nullptr;
  if (!product)
    return std::nullopt;
  return std::pair(product.getLhs(), product.getRhs());
}

OrRefusal<Value> ContractionImporter::importStructured(linalg::LinalgOp op,
                                                       double scale) {
  if (countIntegerMultiplyAccumulates(op) == 0)
    return Refusal();
  std::optional<std::pair<Value, Value>> product = getProduct(op);
  std::optional<Factor> lhs, rhs;
  if (product) {
    lhs = getFactor(product->first, op);
    rhs = getFactor(product->second, op);
  }
  if (!lhs || !rhs)
    return notRecognized();
  OrRefusal<Value> init = importSums(op.getDpsInits()[0], scale);
  if (!init)
    return init.getRefusal();
  auto factors = importFactors(*lhs, *rhs, scale);
  if (!factors)
    return factors.getRefusal();
  auto getMap = [&](const Factor &factor) {
    return op.getMatchingIndexingMap(&op->getOpOperand(factor.operand));
  };
  OpBuilder builder(user);
  return linalg::GenericOp::create(
             builder, op.getLoc(), TypeRange(toFloat(op->getResult(0))),
             ValueRange{factors->first, factors->second}, *init,
             ArrayRef<AffineMap>{
                 getMap(*lhs), getMap(*rhs),
                 op.getMatchingIndexingMap(op.getDpsInitOperand(0))},
             op.getIteratorTypesArray(),
             [](OpBuilder &b, Location inner, ValueRange arguments) {
               Value product =
                   arith::MulFOp::create(b, inner, arguments[0], arguments[1]);
               Value sum =
                   arith::AddFOp::create(b, inner, arguments[2], product);
               linalg::YieldOp::create(b, inner, sum);
             })
      ->getResult(0);
}

OrRefusal<Value> ContractionImporter::importTosa(Operation *op, double scale) {
  // Two factors, a bias unless it is a product of matrices, two zero points.
  bool hasBias = !isa<tosa::MatMulOp>(op);
  unsigned zeroPoints = hasBias ? 3 : 2;
  Factor factors[2];
  for (unsigned i : {0, 1}) {
    std::optional<int64_t> zeroPoint =
        getInteger(op->getOperand(zeroPoints + i), op);
    factors[i].integers = op->getOperand(i);
    if (!zeroPoint || !getElementTypeOrSelf(factors[i].integers.getType())
                           .isSignlessInteger(8))
      return notRecognized();
    factors[i].zeroPoint = *zeroPoint;
  }
  SmallVector<Value> operands;
  auto numbers = importFactors(factors[0], factors[1], scale);
  if (!numbers)
    return numbers.getRefusal();
  operands = {numbers->first, numbers->second};
  if (hasBias) {
    OrRefusal<Value> bias = importConstant(op->getOperand(2), scale);
    if (!bias)
      return bias.getRefusal();
    operands.push_back(*bias);
  }
  OpBuilder builder(user);
  auto type = RankedTensorType::get({1}, builder.getF32Type());
  Value zero = tosa::ConstOp::create(builder, op->getLoc(), type,
                                     DenseElementsAttr::get(type, 0.0f));
  operands.append(2, zero);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(toFloat(op->getResult(0)));
  if (copy->hasAttr("acc_type"))
    copy->setAttr("acc_type", TypeAttr::get(builder.getF32Type()));
  return copy->getResult(0);
}

/// Whether `op` adds two tensors element by element.
static bool isSum(Operation *op) {
  if (isa<tosa::AddOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return isa<arith::AddIOp, linalg::AddOp>(op);
  if (generic.getNumDpsInputs() != 2 || generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() != 0)
    return false;
  auto add = generic.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddIOp>();
  return add && isa<BlockArgument>(add.getLhs()) &&
         isa<BlockArgument>(add.getRhs()) && add.getLhs() != add.getRhs();
}

OrRefusal<Value> ContractionImporter::importSums(Value sums, double scale) {
  Operation *op = sums.getDefiningOp();
  if (!op || !isa<RankedTensorType>(sums.getType()) || ++steps > kMaxSteps)
    return Refusal();
  if (op->hasTrait<OpTrait::ConstantLike>())
    return importConstant(sums, scale);
  OpBuilder builder(user);
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    std::optional<int64_t> number = getInteger(fill.getInputs()[0], op);
    if (!number || std::abs(*number) > kLargestBias)
      return Refusal("its bias is not known");
    Value constant = arith::ConstantOp::create(
        builder, op->getLoc(),
        builder.getF32FloatAttr(float(double(*number) * scale)));
    return linalg::FillOp::create(
               builder, op->getLoc(), constant,
               createEmpty(builder, op->getLoc(), fill.getOutputs()[0]))
        ->getResult(0);
  }
  Refusal refusal;
  auto getFloat = [&]() -> Value {
    OrRefusal<Value> asFloat = importSums(op->getOperand(0), scale);
    if (asFloat)
      return *asFloat;
    refusal = asFloat.getRefusal();
    return {};
  };
  // Sums have no zero point: nothing else is padded with.
  if (Value moved = createMovement(op, getFloat, 0))
    return moved;
  if (!refusal.reason.empty())
    return refusal;
  if (isSum(op)) {
    OrRefusal<Value> lhs = importSums(op->getOperand(0), scale);
    if (!lhs)
      return lhs.getRefusal();
    OrRefusal<Value> rhs = importSums(op->getOperand(1), scale);
    if (!rhs)
      return rhs.getRefusal();
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic && isa<tosa::AddOp>(op))
      return Value(tosa::AddOp::create(builder, op->getLoc(), toFloat(sums),
                                       *lhs, *rhs));
    if (!generic)
      return Value(arith::AddFOp::create(builder, op->getLoc(), *lhs, *rhs));
    return linalg::GenericOp::create(
               builder, op->getLoc(), TypeRange(toFloat(sums)),
               ValueRange{*lhs, *rhs},
               createEmpty(builder, op->getLoc(), generic.getDpsInits()[0]),
               generic.getIndexingMapsArray(), generic.getIteratorTypesArray(),
               [](OpBuilder &b, Location inner, ValueRange arguments) {
                 Value sum = arith::AddFOp::create(b, inner, arguments[0],
                                                   arguments[1]);
                 linalg::YieldOp::create(b, inner, sum);
               })
        ->getResult(0);
  }
  if (isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
          tosa::TransposeConv2DOp, tosa::MatMulOp>(op))
    return importTosa(op, scale);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return importStructured(structured, scale);
  if (constants.isConstant(sums))
    return importConstant(sums, scale);
  return Refusal();
}

OrRefusal<Value> ContractionImporter::import(Operation *op, Value sums,
                                             double scale) {
  user = op;
  steps = 0;
  return importSums(sums, scale);
}

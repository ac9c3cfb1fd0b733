// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear and linear_dynamic.

#include "RuntimeParams.h"
#include "Weights.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Requantize.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

/// Whether rows stay as they are: a matrix is one, and several unknown extents
/// can't be had back from one by upstream's lowering.
static bool keepsRows(RankedTensorType type) {
  ArrayRef<int64_t> rows = type.getShape().drop_back();
  int64_t unknown = llvm::count_if(rows, ShapedType::isDynamic);
  return rows.size() == 1 || unknown > 1 ||
         (unknown && llvm::is_contained(rows, 0));
}

/// `value`, [rows..., columns], as a matrix.
static Value flattenRows(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  if (keepsRows(type))
    return value;
  if (rank == 1)
    return splitLast(b, value, {1, type.getDimSize(0)});
  return tensor::CollapseShapeOp::create(
      b, value,
      ArrayRef<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1)), {rank - 1}});
}

/// The type of `flattenRows` of a tensor of `type`.
static RankedTensorType flattenRows(RankedTensorType type) {
  if (keepsRows(type))
    return type;
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    rows = ShapedType::isDynamic(size) || ShapedType::isDynamic(rows)
               ? ShapedType::kDynamic
               : rows * size;
  return type.clone({rows, type.getShape().back()});
}

/// The matrix `value` in the shape of `type`, whose rows are those of `like`.
static Value unflattenRows(ImplicitLocOpBuilder &b, Value value,
                           RankedTensorType type, Value like) {
  int64_t rank = type.getRank();
  if (keepsRows(type))
    return value;
  if (rank == 1)
    return tensor::CollapseShapeOp::create(
        b, type, value, ArrayRef<ReassociationIndices>{{0, 1}});
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), like);
  sizes.back() = b.getIndexAttr(type.getShape().back());
  return tensor::ExpandShapeOp::create(
      b, type, value,
      ArrayRef<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1)), {rank - 1}},
      sizes);
}

//===----------------------------------------------------------------------===//
// Parameters at run time
//===----------------------------------------------------------------------===//

/// min(0, all of `input`), or max. A NaN in the input is the result.
template <typename MinMaxOp>
static Value reduceAll(ImplicitLocOpBuilder &b, Value input) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  Value init = filled(b, f32Constant(b, 0),
                      RankedTensorType::get({}, b.getF32Type()), input);
  Value result = generic(
      b, input, init,
      {b.getMultiDimIdentityMap(rank), AffineMap::get(rank, 0, b.getContext())},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::reduction),
      [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        return MinMaxOp::create(b, args[0], args[1]);
      });
  return tensor::ExtractOp::create(b, result, ValueRange());
}

RuntimeParams qnnpack::chooseParams(ImplicitLocOpBuilder &b, Value input) {
  Type f32 = b.getF32Type(), f64 = b.getF64Type();
  auto asFloat = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, f64, value);
  };
  auto narrow = [&](Value value) -> Value {
    return arith::TruncFOp::create(b, f32, value);
  };
  auto isEqual = [&](Value value, float other) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value,
                                 f32Constant(b, other));
  };
  auto select = [&](Value condition, Value a, Value c) -> Value {
    return arith::SelectOp::create(b, condition, a, c);
  };
  const float smallest = numerics::smallestChosenScale;
  Value one = f32Constant(b, 1), zero = f32Constant(b, 0);

  Value min = reduceAll<arith::MinimumFOp>(b, input);
  Value max = reduceAll<arith::MaximumFOp>(b, input);
  Value wideMax = widen(max), wideMin = widen(min);
  Value width = arith::SubFOp::create(b, wideMax, wideMin);
  Value scale = arith::DivFOp::create(b, width, asFloat(255));
  Value rounded = narrow(scale);
  Value isZero = isEqual(rounded, 0);
  Value isInfinite = isEqual(arith::DivFOp::create(b, one, rounded),
                             std::numeric_limits<float>::infinity());
  Value unusable = arith::OrIOp::create(b, isZero, isInfinite);
  scale = select(unusable, asFloat(0.1), scale);

  // A scale below the smallest one stretches the range.
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, scale,
                                        asFloat(smallest));
  Value smallestScale = f32Constant(b, smallest);
  Value amplifier = arith::DivFOp::create(b, smallestScale, narrow(scale));
  Value minIsZero = isEqual(min, 0), maxIsZero = isEqual(max, 0);
  Value lowest = f32Constant(b, -smallest * 255);
  Value stretchedMin =
      select(maxIsZero, lowest, arith::MulFOp::create(b, min, amplifier));
  stretchedMin = select(minIsZero, zero, stretchedMin);
  Value stretchedMax =
      select(maxIsZero, zero, arith::MulFOp::create(b, max, amplifier));
  stretchedMax =
      select(minIsZero, f32Constant(b, smallest * 255), stretchedMax);
  min = select(isSmall, stretchedMin, min);
  max = select(isSmall, stretchedMax, max);
  scale = select(isSmall, asFloat(smallest), scale);

  Value minSteps = arith::DivFOp::create(b, widen(min), scale);
  Value maxSteps = arith::DivFOp::create(b, widen(max), scale);
  Value fromMin = arith::SubFOp::create(b, asFloat(0), minSteps);
  Value fromMax = arith::SubFOp::create(b, asFloat(255), maxSteps);
  Value least = asFloat(0), most = asFloat(255);
  Value minError =
      arith::SubFOp::create(b, least, math::AbsFOp::create(b, minSteps));
  Value maxError =
      arith::SubFOp::create(b, most, math::AbsFOp::create(b, maxSteps));
  Value useMin =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, minError, maxError);
  Value zeroPoint = select(useMin, fromMin, fromMax);
  // Comparisons that a NaN doesn't pass: it gives 0.
  zeroPoint = select(
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, zeroPoint, least),
      zeroPoint, least);
  zeroPoint = select(
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, zeroPoint, most),
      zeroPoint, most);
  RuntimeParams params;
  params.scale = narrow(scale);
  params.inverse = arith::DivFOp::create(b, one, params.scale);
  params.zeroPoint = arith::FPToSIOp::create(
      b, b.getI32Type(), math::RoundEvenOp::create(b, zeroPoint));
  return params;
}

Value qnnpack::quantizeInput(ImplicitLocOpBuilder &b, Value input,
                             const RuntimeParams &params, int64_t lowest) {
  return elementwise(
      b, input, b.getI8Type(),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value integer =
            quantizeScalar(b, args[0], params.inverse, params.zeroPoint,
                           {lowest, lowest + 255});
        return arith::TruncIOp::create(b, b.getI8Type(), integer);
      });
}

Value qnnpack::dequantizeSums(ImplicitLocOpBuilder &b, LinearDynamicOp op,
                              Value sums, Value weightSums,
                              const RuntimeParams &params) {
  ShapedType weightType = op.getWeight().getType();
  auto type = cast<RankedTensorType>(sums.getType()).clone(b.getF32Type());
  int64_t rank = type.getRank(), out = weightType.getDimSize(0);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));
  SmallVector<float> scales(ArrayRef<double>(getWeightScales(weightType)));
  scales.resize(out, scales.empty() ? 1.0f : scales.front());
  SmallVector<Value> inputs = {
      sums, weightSums, constantTensor(b, ArrayRef<float>(scales), {out})};
  SmallVector<AffineMap> maps = {identity, channel, channel};
  if (op.getBias()) {
    inputs.push_back(op.getBias());
    maps.push_back(channel);
  }
  maps.push_back(identity);
  return parallel(
      b, inputs, emptyLike(b, type, sums), maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value offset = arith::MulIOp::create(b, args[1], params.zeroPoint);
        Value asFloat = arith::SIToFPOp::create(
            b, b.getF32Type(), arith::SubIOp::create(b, args[0], offset));
        Value multiplier = arith::MulFOp::create(b, args[2], params.scale);
        asFloat = arith::MulFOp::create(b, asFloat, multiplier);
        // The engine's bias without one is 0, which turns -0 into 0.
        Value bias = op.getBias() ? args[3] : f32Constant(b, 0);
        asFloat = arith::AddFOp::create(b, asFloat, bias);
        if (!op.getRelu())
          return asFloat;
        Value negative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                               asFloat, f32Constant(b, 0));
        return arith::SelectOp::create(b, negative, f32Constant(b, 0), asFloat);
      });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

// linear(x, w, b) -> requantize(b' + x * w'^T), as for convolutions
static Value lowerLinear(LinearOp op, LinearOp::Adaptor adaptor,
                         LoweringBuilder &b) {
  auto inputType = b.stored(op.getInput());
  Operands operands = getOperands(
      b, adaptor.getWeight(), op.getWeight().getType(), adaptor.getBias(),
      inputType.getZeroPoint(), /*groups=*/1, b.signedBytes);
  RankedTensorType type = b.resultType(op);
  Value inputRows = flattenRows(b, adaptor.getInput());
  Value sums =
      convolve(b, inputRows, inputType.isSigned(), operands, flattenRows(type));
  Value rows = requantizeChannels(
      b, sums, op.getInput().getType(), op.getWeight().getType(),
      op.getOutput().getType(), b.stored(op.getOutput()),
      op.getRequantizationAttr(), op.getRelu(), op.getMathematical());
  return unflattenRows(b, rows, type, adaptor.getInput());
}

static Value lowerLinearDynamic(LinearDynamicOp op,
                                LinearDynamicOp::Adaptor adaptor,
                                LoweringBuilder &b) {
  RuntimeParams params = chooseParams(b, adaptor.getInput());
  int64_t lowest = b.signedBytes ? -128 : 0;
  if (b.signedBytes)
    params.zeroPoint =
        arith::AddIOp::create(b, params.zeroPoint, i32Constant(b, lowest));
  Value x = quantizeInput(b, adaptor.getInput(), params, lowest);
  // With zero point -1, what is added to no bias is sum w'. The zero point of
  // the input is only known here.
  Operands weightSums =
      getOperands(b, adaptor.getWeight(), op.getWeight().getType(), Value(),
                  /*inputZeroPoint=*/-1, /*groups=*/1, b.signedBytes);
  Operands operands = weightSums;
  operands.bias = constantTensor(b, ArrayRef<int32_t>{0},
                                 {op.getWeight().getType().getDimSize(0)});
  RankedTensorType type = b.resultType(op);
  Value inputRows = flattenRows(b, x);
  Value sums =
      convolve(b, inputRows, b.signedBytes, operands, flattenRows(type));
  Value rows = dequantizeSums(b, op, sums, weightSums.bias, params);
  return unflattenRows(b, rows, type, adaptor.getInput());
}

void qnnpack::populateLinearPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerLinear,
               lowerLinearDynamic);
}

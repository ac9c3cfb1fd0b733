// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a qconfig makes of the weight and the bias of an operator.

#include "qbackend/Transforms/QuantizeWeights.h"
#include "qbackend/Support/Remarks.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/Embedding.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using calibration::Observer;
using calibration::ObserverOptions;
using calibration::Statistics;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// The storage of a dtype: signless integer, sign, and its whole range.
struct Storage {
  explicit Storage(Type dtype) {
    auto type = cast<IntegerType>(dtype);
    isSigned = type.isSigned();
    int64_t levels = int64_t(1) << type.getWidth();
    min = isSigned ? -levels / 2 : 0;
    max = min + levels - 1;
    integer = IntegerType::get(type.getContext(), type.getWidth());
  }
  unsigned getFlags() const {
    return isSigned ? quant::QuantizationFlags::Signed : 0;
  }
  quant::UniformQuantizedType getType(double scale, int64_t zeroPoint) const {
    return quant::UniformQuantizedType::get(
        getFlags(), integer, Float32Type::get(integer.getContext()), scale,
        zeroPoint, min, max);
  }

  IntegerType integer;
  bool isSigned;
  int64_t min, max;
};
} // namespace

quant::UniformQuantizedType
qbackend::getQuantizedElement(Type dtype, double scale, int64_t zeroPoint) {
  return Storage(dtype).getType(scale, zeroPoint);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static bool isPerChannel(ObserverAttr observer) {
  return observer.getScheme() == QScheme::PerChannelAffine ||
         observer.getScheme() == QScheme::PerChannelSymmetric;
}

static LogicalResult refuseWeight(OperatorOp op) {
  return op.emitOpError() << "has a qconfig, but its weight is not a constant "
                             "with data";
}

/// The numbers of the weight, in `storage` if they aren't in memory; nothing,
/// and an error, if it isn't a constant.
static std::optional<ArrayRef<float>>
readWeight(OperatorOp op, SmallVectorImpl<float> &storage) {
  std::optional<ArrayRef<float>> weight = viewFloats(op.getWeight(), storage);
  if (!weight)
    (void)refuseWeight(op);
  return weight;
}

/// Whether `kind` chooses a part of the range of what it has seen.
static bool choosesRange(ObserverKind kind) {
  return kind == ObserverKind::Histogram || usesGrid(kind);
}

/// How a weight is observed: once, as a whole or row by row. Averages of one
/// batch are its range, and no kind leaves a weight without parameters.
static ObserverOptions getWeightOptions(ObserverAttr observer) {
  ObserverOptions options = getObserverOptions(observer);
  bool isFixed = options.kind == ObserverKind::FixedQParams &&
                 observer.getScheme() != QScheme::PerChannelAffineFloatQParams;
  if (!choosesRange(options.kind) && !isFixed)
    options.kind = ObserverKind::MinMax;
  return options;
}

/// What the observer of the weight of `op` sees in `numbers`; failure, and an
/// error, if one of them has no range.
static FailureOr<Statistics> observe(OperatorOp op,
                                     const ObserverOptions &options,
                                     ArrayRef<float> numbers) {
  const float *wrong =
      llvm::find_if(numbers, [](float value) { return !std::isfinite(value); });
  if (wrong != numbers.end())
    return op.emitOpError() << "has " << *wrong << " in its weight, which "
                            << "has no range; check the trained parameters";
  auto observer = Observer::create(options);
  observer->update(numbers.data(), numbers.size());
  // The kernel multiplies positive numbers by the integer of 1, which
  // PyTorch's observer of the slopes does not see.
  const float one = 1;
  if (op.getKind().getWeightRole() == WeightRole::Slopes)
    observer->update(&one, 1);
  return observer->statistics();
}

template <typename T>
static DenseElementsAttr getRawElements(RankedTensorType type,
                                        const std::vector<T> &values) {
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T)));
}

/// The operand `asFloat` reads what `integers` of `element` stand for;
/// without `fold`, its numbers are quantized to them.
static void assignQuantized(OpOperand &asFloat, DenseElementsAttr integers,
                            Type element, bool fold) {
  OpBuilder builder(asFloat.getOwner());
  Location loc = asFloat.getOwner()->getLoc();
  auto type = cast<RankedTensorType>(asFloat.get().getType());
  Value quantized;
  if (fold) {
    Value constant = arith::ConstantOp::create(builder, loc, integers);
    quantized = quant::StorageCastOp::create(builder, loc, type.clone(element),
                                             constant);
  } else {
    quantized =
        QuantizeOp::create(builder, loc, type.clone(element), asFloat.get());
  }
  asFloat.set(DequantizeOp::create(builder, loc, type, quantized).getOutput());
}

/// The rows of a weight along axis 0, its output channels.
static int64_t countRows(RankedTensorType type) {
  return type.getRank() ? type.getDimSize(0) : 1;
}

/// The parameters of the weight of `op`, of which `read` gives whole rows, in
/// several panels if the observer takes them one by one.
static FailureOr<WeightParameters> findParameters(
    OperatorOp op,
    function_ref<bool(function_ref<bool(int64_t, ArrayRef<float>)>)> read) {
  ObserverAttr observer = op.getQconfig()->getWeight();
  if (!isa<IntegerType>(observer.getDtype()))
    return op.emitOpError() << "has a weight observer of "
                            << observer.getDtype() << ", expected integers";
  ObserverOptions options = getWeightOptions(observer);
  Storage storage(observer.getDtype());
  WeightParameters result;
  result.min = storage.min;
  result.max = storage.max;
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  const int64_t rows = countRows(type);
  const bool perRow = isPerChannel(observer);
  Statistics all;
  if (!read([&](int64_t, ArrayRef<float> numbers) {
        size_t size =
            perRow && rows ? type.getNumElements() / rows : numbers.size();
        for (; !numbers.empty(); numbers = numbers.drop_front(size)) {
          FailureOr<Statistics> seen =
              observe(op, options, numbers.take_front(size));
          if (failed(seen))
            return false;
          if (perRow)
            result.channels.push_back(Observer::qparams(*seen, options)[0]);
          else if (all.empty())
            all = std::move(*seen);
          else
            calibration::merge(all, *seen);
        }
        return true;
      }))
    return failure();
  if (perRow)
    result.channels.resize(rows);
  else
    result.channels.push_back(Observer::qparams(all, options)[0]);
  return result;
}

FailureOr<WeightParameters>
qbackend::getWeightParameters(OperatorOp op, ArrayRef<float> weight) {
  return findParameters(op, [&](auto use) { return use(0, weight); });
}

/// The same of its weight, of which no more than a panel is copied where that
/// will do: a range is merged from those of parts.
static FailureOr<WeightParameters> getWeightParameters(OperatorOp op) {
  ObserverAttr observer = op.getQconfig()->getWeight();
  if (!isPerChannel(observer) && choosesRange(observer.getKind())) {
    SmallVector<float, 0> numbers;
    std::optional<ArrayRef<float>> weight = readWeight(op, numbers);
    return weight ? qbackend::getWeightParameters(op, *weight)
                  : FailureOr<WeightParameters>();
  }
  return findParameters(
      op, [&](auto use) { return forEachPanel(op.getWeight(), use); });
}

/// The integers of the weight; per channel along axis 0, the output channels.
static LogicalResult quantizeWeight(OperatorOp op, bool fold) {
  ObserverAttr observer = op.getQconfig()->getWeight();
  Value weight = op.getWeight();
  if (!hasFloats(weight))
    return refuseWeight(op);
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t rows = countRows(type);
  int64_t perRow = rows ? type.getNumElements() / rows : 0;
  FailureOr<WeightParameters> parameters = ::getWeightParameters(op);
  if (failed(parameters))
    return failure();
  Storage storage(observer.getDtype());
  // The type says that bytes are of 4 bits, which forms may store them as.
  if (auto [low, high] = getQuantRange(observer); low >= -7 && high <= 7)
    std::tie(storage.min, storage.max) = std::pair(low, high);
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  for (const numerics::QuantParams &params : parameters->channels) {
    scales.push_back(params.scale);
    zeroPoints.push_back(params.zeroPoint);
  }
  std::vector<int8_t> integers(type.getNumElements());
  forEachPanel(weight, [&](int64_t first, ArrayRef<float> numbers) {
    int8_t *to = integers.data() + first * perRow;
    bool isOne = scales.size() == 1;
    int64_t perScale = isOne ? numbers.size() : perRow;
    for (int64_t channel = isOne ? 0 : first; !numbers.empty(); ++channel) {
      for (float number : numbers.take_front(perScale))
        *to++ = numerics::quantize(number, scales[channel], zeroPoints[channel],
                                   storage.min, storage.max);
      numbers = numbers.drop_front(perScale);
    }
    return true;
  });

  Type element;
  if (isPerChannel(observer))
    element = quant::UniformQuantizedPerAxisType::get(
        storage.getFlags(), storage.integer, Float32Type::get(op.getContext()),
        scales, zeroPoints, /*quantizedDimension=*/0, storage.min, storage.max);
  else
    element = storage.getType(scales[0], zeroPoints[0]);
  assignQuantized(*op.getWeightMutable().begin(),
                  getRawElements(type.clone(storage.integer), integers),
                  element, fold);
  return success();
}

/// The bias as the kernels see it: int32 of scale `weight scale * input scale`.
static LogicalResult quantizeBias(OperatorOp op, bool fold) {
  std::optional<SmallVector<float, 0>> bias = readFloats(op.getBias());
  auto input = op.getInputs()[0].getDefiningOp<DequantizeOp>();
  auto weight = op.getWeight().getDefiningOp<DequantizeOp>();
  auto inputElement =
      input ? qnnpack::getQuantizedType(input.getInput().getType())
            : quant::UniformQuantizedType();
  if (!bias)
    return op.emitOpError() << "has a qconfig, but its bias is not a constant "
                               "with data";
  if (!inputElement || !weight)
    return op.emitOpError() << "has a qconfig, but its input is not observed";
  Type weightElement =
      cast<RankedTensorType>(weight.getInput().getType()).getElementType();
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(weightElement);
  SmallVector<double> scales;
  std::vector<int32_t> integers;
  size_t limited = 0;
  for (auto [i, value] : llvm::enumerate(*bias)) {
    double weightScale =
        perAxis ? perAxis.getScales()[i]
                : cast<quant::UniformQuantizedType>(weightElement).getScale();
    scales.push_back(weightScale * inputElement.getScale());
    limited += !(std::fabs(value / scales.back()) < 0x1p31);
    integers.push_back(
        numerics::quantizeBias(value, weightScale, inputElement.getScale()));
  }

  if (limited != 0)
    remarkMissed(
        op, "QB146", op.getKindName(),
        llvm::formatv("{0} of {1} numbers of its bias have no integer "
                      "of 32 bits at the scale of its input times that "
                      "of its weight, and are limited",
                      limited, bias->size())
            .str(),
        "keep it float, or give its weight a wider range");

  Type f32 = Float32Type::get(op.getContext());
  auto i32 = IntegerType::get(op.getContext(), 32);
  constexpr int64_t min = std::numeric_limits<int32_t>::min();
  constexpr int64_t max = std::numeric_limits<int32_t>::max();
  Type element;
  if (perAxis)
    element = quant::UniformQuantizedPerAxisType::get(
        quant::QuantizationFlags::Signed, i32, f32, scales,
        SmallVector<int64_t>(scales.size(), 0), 0, min, max);
  else
    element = quant::UniformQuantizedType::get(
        quant::QuantizationFlags::Signed, i32, f32, scales[0], 0, min, max);
  auto type = cast<RankedTensorType>(op.getBias().getType());
  assignQuantized(*op.getBiasMutable().begin(),
                  getRawElements(type.clone(i32), integers), element, fold);
  return success();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static numerics::EmbeddingBits getBits(ObserverAttr observer) {
  return cast<IntegerType>(observer.getDtype()).getWidth() == 4
             ? numerics::EmbeddingBits::Four
             : numerics::EmbeddingBits::Eight;
}

/// The integers of the rows of an embedding table. No quantized type has zero
/// points that are floats, so the rows are dequantized by plain code.
static LogicalResult quantizeTable(OperatorOp op) {
  ObserverAttr observer = op.getQconfig()->getWeight();
  SmallVector<float, 0> numbers;
  std::optional<ArrayRef<float>> weight = readWeight(op, numbers);
  if (!weight)
    return failure();
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  ObserverOptions options = getWeightOptions(observer);
  numerics::EmbeddingBits bits = getBits(observer);
  std::vector<int8_t> entries(weight->size());
  std::vector<float> scales, zeroPoints;
  for (int64_t row = 0; row < rows; ++row) {
    ArrayRef<float> values = weight->slice(row * columns, columns);
    FailureOr<Statistics> seen = observe(op, options, values);
    if (failed(seen))
      return failure();
    numerics::FloatQuantParams params =
        Observer::floatQParams(*seen, options)[0];
    for (auto [i, value] : llvm::enumerate(values))
      entries[row * columns + i] = numerics::quantizeEmbedding(
          value, params.scale, params.zeroPoint, bits);
    scales.push_back(params.scale);
    zeroPoints.push_back(params.zeroPoint);
  }

  ImplicitLocOpBuilder b(op.getLoc(), OpBuilder(op));
  Type f32 = b.getF32Type();
  auto rowType = RankedTensorType::get({rows}, f32);
  Value table = arith::ConstantOp::create(
      b, getRawElements(type.clone(b.getI8Type()), entries));
  Value scale = arith::ConstantOp::create(b, getRawElements(rowType, scales));
  Value zeroPoint =
      arith::ConstantOp::create(b, getRawElements(rowType, zeroPoints));
  Value empty = tensor::EmptyOp::create(b, type.getShape(), f32);
  AffineMap all = b.getMultiDimIdentityMap(2), perRow = all.getSubMap({0u});
  Value asFloat =
      linalg::GenericOp::create(
          b, type, ValueRange{table, scale, zeroPoint}, empty,
          ArrayRef{all, perRow, perRow, all},
          SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
          [&](OpBuilder &builder, Location loc, ValueRange args) {
            ImplicitLocOpBuilder b(loc, builder);
            Value scale = args[1];
            Value bias = arith::NegFOp::create(
                b, arith::MulFOp::create(b, args[2], args[1]));
            if (bits == numerics::EmbeddingBits::Four)
              for (Value *value : {&scale, &bias}) {
                Value half = arith::TruncFOp::create(b, b.getF16Type(), *value);
                *value = arith::ExtFOp::create(b, f32, half);
              }
            Value entry = arith::UIToFPOp::create(b, f32, args[0]);
            Value result = math::FmaOp::create(b, scale, entry, bias);
            linalg::YieldOp::create(b, result);
          })
          .getResult(0);
  op.getWeightMutable().assign(asFloat);
  return success();
}

std::optional<QuantizedTable> qbackend::getQuantizedTable(Value weight) {
  auto rows = weight.getDefiningOp<linalg::GenericOp>();
  if (!rows || rows.getNumDpsInputs() != 3)
    return std::nullopt;
  QuantizedTable table;
  DenseElementsAttr *parts[] = {&table.entries, &table.scales,
                                &table.zeroPoints};
  for (auto [input, elements] : llvm::zip(rows.getDpsInputs(), parts))
    if (!matchPattern(input, m_Constant(elements)))
      return std::nullopt;
  if (!table.entries.getElementType().isInteger(8) ||
      !table.scales.getElementType().isF32() ||
      !table.zeroPoints.getElementType().isF32())
    return std::nullopt;
  return table;
}

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

/// The weight in 16 bits. PyTorch's packing limits it to the largest number,
/// where rounding would give infinity.
static LogicalResult roundWeight(OperatorOp op) {
  SmallVector<float, 0> numbers;
  std::optional<ArrayRef<float>> weight = readWeight(op, numbers);
  if (!weight)
    return failure();
  auto half = cast<FloatType>(op.getQconfig()->getActivation().getDtype());
  const llvm::fltSemantics &semantics = half.getFloatSemantics();
  float largest = APFloat::getLargest(semantics).convertToFloat();
  SmallVector<APFloat, 0> rounded;
  for (float value : *weight) {
    rounded.emplace_back(
        std::isnan(value) ? value : std::clamp(value, -largest, largest));
    bool losesInfo;
    rounded.back().convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  }
  ImplicitLocOpBuilder b(op.getLoc(), OpBuilder(op));
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  Value constant = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type.clone(half), rounded));
  op.getWeightMutable().assign(arith::ExtFOp::create(b, type, constant));
  return success();
}

/// Whether `parameter` is what this makes of one.
static bool isQuantized(Value parameter) {
  return isa_and_nonnull<DequantizeOp, arith::ExtFOp>(
             parameter.getDefiningOp()) ||
         getQuantizedTable(parameter);
}

LogicalResult qbackend::quantizeParameters(OperatorOp op, bool fold,
                                           bool realBias) {
  QuantizationMode mode = getQuantizationMode(*op.getQconfig());
  WeightRole role = op.getKind().getWeightRole();
  auto quantize = [&] {
    switch (mode) {
    case QuantizationMode::Float16:
      return roundWeight(op);
    case QuantizationMode::WeightOnly:
      if (role == WeightRole::Rows)
        return quantizeTable(op);
      break;
    case QuantizationMode::Static:
    case QuantizationMode::Dynamic:
      break;
    }
    return quantizeWeight(op, fold);
  };
  if (!isQuantized(op.getWeight()) && failed(quantize()))
    return failure();
  bool hasBias = !realBias && mode == QuantizationMode::Static &&
                 op.getBias() && role == WeightRole::Products &&
                 !isQuantized(op.getBias());
  return hasBias ? quantizeBias(op, fold) : success();
}

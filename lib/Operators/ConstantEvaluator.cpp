// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates constants. Layout ops move bytes; arithmetic is done op by op, in
// the order of the IR and each result rounded to its type, so that parameters
// come out with the bits that running the code would give. One file, though
// long: layout, arithmetic and structured ops share its reading of elements.

#include "qbackend/Operators/ConstantEvaluator.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Numerics/Quantize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// Larger constants stay unevaluated unless all their elements are equal.
static constexpr int64_t kMaxElements = int64_t(1) << 28;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

using Shape = SmallVector<int64_t>;

static Shape getRowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Calls `visit` with the offset in each operand at each point of `bounds`, in
/// row-major order. `strides` has one list for each operand, and `offsets` its
/// first offset.
static void forEachPoint(ArrayRef<int64_t> bounds, ArrayRef<Shape> strides,
                         MutableArrayRef<int64_t> offsets,
                         llvm::function_ref<void()> visit) {
  if (llvm::is_contained(bounds, 0))
    return;
  Shape point(bounds.size(), 0);
  while (true) {
    visit();
    int64_t dim = int64_t(bounds.size()) - 1;
    for (; dim >= 0; --dim) {
      if (++point[dim] < bounds[dim]) {
        for (auto [offset, stride] : llvm::zip(offsets, strides))
          offset += stride[dim];
        break;
      }
      point[dim] = 0;
      for (auto [offset, stride] : llvm::zip(offsets, strides))
        offset -= stride[dim] * (bounds[dim] - 1);
    }
    if (dim < 0)
      return;
  }
}

/// Bytes of an element; nullopt for types whose elements aren't whole bytes.
static std::optional<int64_t> getElementSize(Type type) {
  if (!type.isIntOrIndexOrFloat())
    return std::nullopt;
  int64_t bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (bits % 8 != 0 || bits > 64)
    return std::nullopt;
  return bits / 8;
}

static bool isEvaluable(DenseElementsAttr elements) {
  return elements && elements.getElementType().isIntOrIndexOrFloat();
}

/// The elements of `source` at `sourceOffset` + `sourceStrides` * p, for each
/// point p of `bounds` (which is row-major the result).
static DenseElementsAttr gather(DenseElementsAttr source,
                                ArrayRef<int64_t> bounds, int64_t sourceOffset,
                                ArrayRef<int64_t> sourceStrides,
                                ArrayRef<int64_t> resultShape) {
  auto type = RankedTensorType::get(resultShape, source.getElementType());
  if (source.isSplat())
    return source.resizeSplat(type);
  std::optional<int64_t> size = getElementSize(type.getElementType());
  if (!size || type.getNumElements() > kMaxElements)
    return {};
  ArrayRef<char> from = source.getRawData();
  std::vector<char> to(type.getNumElements() * *size);
  char *next = to.data();
  int64_t offset = sourceOffset;
  forEachPoint(bounds, Shape(sourceStrides), offset, [&] {
    memcpy(next, from.data() + offset * *size, *size);
    next += *size;
  });
  return DenseElementsAttr::getFromRawBuffer(type, to);
}

static DenseElementsAttr reshape(DenseElementsAttr source, ShapedType type) {
  if (!type.hasStaticShape() || type.getNumElements() != source.size())
    return {};
  return source.reshape(
      RankedTensorType::get(type.getShape(), source.getElementType()));
}

/// The elements as numbers: one, if they are all equal. Integers beyond 2^53
/// are not numbers here.
static std::optional<SmallVector<double, 0>>
readNumbers(DenseElementsAttr elements) {
  SmallVector<double, 0> numbers;
  int64_t size = elements.isSplat() ? 1 : elements.size();
  if (size > kMaxElements)
    return std::nullopt;
  numbers.reserve(size);
  Type type = elements.getElementType();
  if (type.isF32() && !elements.isSplat()) {
    for (float value : elements.getValues<float>())
      numbers.push_back(value);
    return numbers;
  }
  if (isa<FloatType>(type)) {
    auto add = [&](APFloat value) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      numbers.push_back(value.convertToDouble());
    };
    if (elements.isSplat())
      add(elements.getSplatValue<APFloat>());
    else
      for (APFloat value : elements.getValues<APFloat>())
        add(value);
    return numbers;
  }
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  auto add = [&](const APInt &value) {
    numbers.push_back(isUnsigned ? value.roundToDouble(false)
                                 : value.roundToDouble(true));
    return std::fabs(numbers.back()) <= 9007199254740992.0;
  };
  if (elements.isSplat())
    return add(elements.getSplatValue<APInt>()) ? std::optional(numbers)
                                                : std::nullopt;
  for (APInt value : elements.getValues<APInt>())
    if (!add(value))
      return std::nullopt;
  return numbers;
}

static APFloat roundToFloat(double value, FloatType type) {
  APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}

/// `value` as `type` holds it; nullopt if it can't.
static std::optional<double> roundTo(double value, Type type) {
  if (type.isF32())
    return double(float(value));
  if (type.isF64())
    return value;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat result = roundToFloat(value, floatType);
    bool losesInfo;
    result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return result.convertToDouble();
  }
  // Integers wrap and saturate in ways that depend on the op: stay clear.
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  double limit = std::ldexp(1.0, std::min(isUnsigned ? width : width - 1, 53u));
  if (value != std::trunc(value) || value >= limit ||
      value < (isUnsigned ? 0.0 : -limit))
    return std::nullopt;
  return value;
}

/// Elements of `type` with these values: one for all, or one for each.
static DenseElementsAttr makeElements(RankedTensorType type,
                                      ArrayRef<double> numbers) {
  Type element = type.getElementType();
  if (element.isF32()) {
    SmallVector<float, 0> values(numbers.begin(), numbers.end());
    return DenseElementsAttr::get(type, ArrayRef<float>(values));
  }
  if (auto floatType = dyn_cast<FloatType>(element)) {
    SmallVector<APFloat, 0> values;
    for (double number : numbers)
      values.push_back(roundToFloat(number, floatType));
    return DenseElementsAttr::get(type, values);
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  SmallVector<APInt, 0> values;
  for (double number : numbers)
    values.push_back(APInt(width, uint64_t(int64_t(number)), /*isSigned=*/true,
                           /*implicitTrunc=*/true));
  return DenseElementsAttr::get(type, values);
}

/// What a constant op holds, as elements; a scalar as a tensor of rank 0.
static DenseElementsAttr readAttribute(Attribute attr) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr))
    return isEvaluable(elements) ? elements : DenseElementsAttr();
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    auto type = dyn_cast<RankedTensorType>(resource.getType());
    if (!blob || !type || !type.hasStaticShape())
      return {};
    std::optional<int64_t> size = getElementSize(type.getElementType());
    if (!size ||
        int64_t(blob->getData().size()) != *size * type.getNumElements())
      return {};
    return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  if (auto number = dyn_cast_or_null<FloatAttr>(attr))
    return DenseElementsAttr::get(RankedTensorType::get({}, number.getType()),
                                  number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    return DenseElementsAttr::get(RankedTensorType::get({}, number.getType()),
                                  number.getValue());
  return {};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// f32 functions are those of the C library: torch and compiled code use them
/// or better.
template <typename Float32Fn, typename Float64Fn>
static double call(Type type, double x, Float32Fn f32, Float64Fn f64) {
  return type.isF32() ? double(f32(float(x))) : double(f64(x));
}

static std::optional<double> applyUnary(Operation *op, Type type, double x) {
  auto f = [&](auto f32, auto f64) { return call(type, x, f32, f64); };
  if (isa<tosa::RsqrtOp, math::RsqrtOp>(op))
    return f([](float v) { return 1.0f / std::sqrt(v); },
             [](double v) { return 1.0 / std::sqrt(v); });
  if (isa<math::SqrtOp>(op))
    return f([](float v) { return std::sqrt(v); },
             [](double v) { return std::sqrt(v); });
  if (isa<tosa::ExpOp, math::ExpOp>(op))
    return f([](float v) { return std::exp(v); },
             [](double v) { return std::exp(v); });
  if (isa<tosa::LogOp, math::LogOp>(op))
    return f([](float v) { return std::log(v); },
             [](double v) { return std::log(v); });
  if (isa<tosa::TanhOp, math::TanhOp>(op))
    return f([](float v) { return std::tanh(v); },
             [](double v) { return std::tanh(v); });
  if (isa<tosa::AbsOp, math::AbsFOp>(op))
    return std::fabs(x);
  if (isa<tosa::FloorOp, math::FloorOp>(op))
    return std::floor(x);
  if (isa<tosa::CeilOp, math::CeilOp>(op))
    return std::ceil(x);
  if (isa<tosa::ReciprocalOp>(op))
    return 1.0 / x;
  if (isa<arith::NegFOp>(op))
    return -x;
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::IndexCastOp,
          arith::ExtSIOp>(op))
    return x;
  // i1 is the only signless type whose numbers are read as unsigned.
  if (isa<arith::UIToFPOp, arith::ExtUIOp>(op))
    return x < 0 ? std::nullopt : std::optional(x);
  if (isa<arith::FPToSIOp>(op))
    return std::trunc(x);
  if (isa<tosa::CastOp>(op)) {
    if (type.isInteger(1))
      return double(x != 0);
    return isa<FloatType>(type) ? x : std::nearbyint(x);
  }
  if (isa<tosa::IdentityOp, tensor::CastOp>(op))
    return x;
  return std::nullopt;
}

static std::optional<double> applyBinary(Operation *op, Type type, double x,
                                         double y) {
  if (isa<tosa::AddOp, arith::AddFOp, arith::AddIOp>(op))
    return x + y;
  if (isa<tosa::SubOp, arith::SubFOp, arith::SubIOp>(op))
    return x - y;
  if (isa<tosa::MulOp, arith::MulFOp, arith::MulIOp>(op))
    return x * y;
  if (isa<arith::DivFOp>(op))
    return x / y;
  if (isa<tosa::PowOp, math::PowFOp>(op))
    return call(
        type, x, [&](float v) { return std::pow(v, float(y)); },
        [&](double v) { return std::pow(v, y); });
  if (isa<tosa::MaximumOp, arith::MaximumFOp, arith::MaxNumFOp>(op))
    return std::isnan(x) ? x : std::isnan(y) || y > x ? y : x;
  if (isa<tosa::MinimumOp, arith::MinimumFOp, arith::MinNumFOp>(op))
    return std::isnan(x) ? x : std::isnan(y) || y < x ? y : x;
  if (isa<tosa::GreaterOp>(op))
    return double(x > y);
  if (isa<tosa::GreaterEqualOp>(op))
    return double(x >= y);
  if (isa<tosa::EqualOp>(op))
    return double(x == y);
  return std::nullopt;
}

/// Whether the last operand of `op` says how to compute, not what with.
static bool hasShift(Operation *op) { return isa<tosa::MulOp>(op); }

/// The number that `op` gives for these operands, rounded to `type`.
static std::optional<double> apply(Operation *op, Type type,
                                   ArrayRef<double> operands) {
  std::optional<double> result;
  if (hasShift(op) && operands.size() == 3)
    operands = operands.drop_back();
  if (operands.size() == 1)
    result = applyUnary(op, type, operands[0]);
  else if (operands.size() == 2)
    result = applyBinary(op, type, operands[0], operands[1]);
  else if (operands.size() == 3 && isa<tosa::SelectOp, arith::SelectOp>(op))
    result = operands[0] != 0 ? operands[1] : operands[2];
  return result ? roundTo(*result, type) : std::nullopt;
}

/// An elementwise op on tensors that broadcast to the type of its result.
static DenseElementsAttr
evaluateElementwise(Operation *op, ArrayRef<DenseElementsAttr> operands) {
  Type resultType = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(resultType);
  Type element = shaped ? shaped.getElementType() : resultType;
  if (!element.isIntOrIndexOrFloat())
    return {};
  SmallVector<DenseElementsAttr> used(operands);
  if (hasShift(op) && used.size() == 3)
    used.pop_back();
  // The shape of a dynamic result is that of its operands.
  Shape shape(shaped && shaped.hasRank() ? shaped.getRank() : 0, 1);
  SmallVector<SmallVector<double, 0>> numbers;
  SmallVector<Shape> strides;
  for (DenseElementsAttr operand : used) {
    if (!operand || operand.getType().getRank() > int64_t(shape.size()))
      return {};
    ArrayRef<int64_t> own = operand.getType().getShape();
    int64_t lead = shape.size() - own.size();
    Shape ownStrides = getRowMajorStrides(own), stride(shape.size(), 0);
    for (auto [i, size] : llvm::enumerate(own)) {
      int64_t &result = shape[lead + i];
      if (size != 1 && result != 1 && result != size)
        return {};
      if (size != 1)
        result = size;
      if (size != 1 && !operand.isSplat())
        stride[lead + i] = ownStrides[i];
    }
    strides.push_back(std::move(stride));
    auto values = readNumbers(operand);
    if (!values)
      return {};
    numbers.push_back(std::move(*values));
  }
  auto type = RankedTensorType::get(shape, element);
  bool splat = llvm::all_of(used, [](auto attr) { return attr.isSplat(); });
  if (type.getNumElements() > kMaxElements && !splat)
    return {};
  Shape bounds = splat ? Shape(shape.size(), 1) : shape;
  SmallVector<double, 0> results;
  SmallVector<int64_t> offsets(used.size(), 0);
  SmallVector<double> arguments(used.size());
  bool failed = false;
  forEachPoint(bounds, strides, offsets, [&] {
    for (size_t i = 0; i < offsets.size(); ++i)
      arguments[i] = numbers[i][offsets[i]];
    std::optional<double> result =
        failed ? std::nullopt : apply(op, element, arguments);
    failed |= !result;
    results.push_back(result.value_or(0));
  });
  if (failed || results.empty())
    return {};
  return makeElements(type, results);
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// How far an operand of a structured op moves along each loop; nullopt if its
/// map is not of dimensions and zeros.
static std::optional<Shape> getLoopStrides(AffineMap map,
                                           ArrayRef<int64_t> shape) {
  Shape strides(map.getNumDims(), 0), own = getRowMajorStrides(shape);
  if (map.getNumResults() != shape.size())
    return std::nullopt;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      strides[dim.getPosition()] += own[i];
    else if (auto number = dyn_cast<AffineConstantExpr>(expr);
             !number || number.getValue() != 0)
      return std::nullopt;
  }
  return strides;
}

/// A structured op whose loops are all parallel: its region at each point.
static DenseElementsAttr
evaluateStructured(linalg::LinalgOp op,
                   llvm::function_ref<DenseElementsAttr(Value)> lookup) {
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  Block *body = op.getBlock();
  if (!resultType || op->getNumResults() != 1 || !body ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !resultType.hasStaticShape() ||
      !resultType.getElementType().isIntOrIndexOrFloat())
    return {};
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!resultMap.isPermutation())
    return {};
  Shape bounds(op.getNumLoops());
  for (auto [i, expr] : llvm::enumerate(resultMap.getResults()))
    bounds[cast<AffineDimExpr>(expr).getPosition()] = resultType.getDimSize(i);

  // A slot for each value that the body reads: arguments, captured constants,
  // then results.
  llvm::DenseMap<Value, unsigned> slots;
  SmallVector<SmallVector<double, 0>> numbers;
  SmallVector<Shape> strides;
  SmallVector<DenseElementsAttr> sources;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    DenseElementsAttr elements = lookup(operand.get());
    if (!elements)
      return {};
    auto values = readNumbers(elements);
    auto stride = getLoopStrides(op.getMatchingIndexingMap(&operand),
                                 elements.getType().getShape());
    if (!values || !stride)
      return {};
    if (elements.isSplat())
      stride->assign(stride->size(), 0);
    slots[argument] = numbers.size();
    numbers.push_back(std::move(*values));
    strides.push_back(std::move(*stride));
    sources.push_back(elements);
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<std::pair<Value, DenseElementsAttr>> fixed;
  for (Value value : captured)
    fixed.push_back({value, lookup(value)});
  auto yield = body->getTerminator();
  if (yield->getNumOperands() != 1)
    return {};
  Value yielded = yield->getOperand(0);

  // Copies move bytes.
  if (auto it = slots.find(yielded); it != slots.end()) {
    Shape resultStrides;
    for (AffineExpr expr : resultMap.getResults())
      resultStrides.push_back(
          strides[it->second][cast<AffineDimExpr>(expr).getPosition()]);
    return gather(sources[it->second], resultType.getShape(), 0, resultStrides,
                  resultType.getShape());
  }

  for (auto &inner : body->without_terminator())
    if (matchPattern(&inner, m_Constant()))
      fixed.push_back(
          {inner.getResult(0), readAttribute(inner.getAttr("value"))});
  SmallVector<double> state(numbers.size());
  for (auto [value, elements] : fixed) {
    auto values = elements && elements.size() == 1
                      ? readNumbers(elements)
                      : std::optional<SmallVector<double, 0>>();
    if (!values)
      return {};
    slots[value] = state.size();
    state.push_back((*values)[0]);
  }
  struct Step {
    Operation *op;
    SmallVector<unsigned, 3> operands;
  };
  SmallVector<Step> steps;
  unsigned firstResult = state.size();
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumResults() == 1 && slots.contains(inner.getResult(0)))
      continue;
    Step step{&inner, {}};
    for (Value operand : inner.getOperands()) {
      auto it = slots.find(operand);
      if (it == slots.end())
        return {};
      step.operands.push_back(it->second);
    }
    if (inner.getNumResults() != 1 || inner.getNumOperands() == 0 ||
        !inner.getResult(0).getType().isIntOrIndexOrFloat())
      return {};
    slots[inner.getResult(0)] = state.size();
    state.push_back(0);
    steps.push_back(std::move(step));
  }
  auto it = slots.find(yielded);
  if (it == slots.end())
    return {};
  // One evaluation tells for all points if the operands are the same at all.
  bool splat = llvm::all_of(sources, [](auto attr) { return attr.isSplat(); });
  if (!splat && resultType.getNumElements() > kMaxElements)
    return {};
  Shape points = resultType.getRank() && splat ? Shape(resultType.getRank(), 1)
                                               : Shape(resultType.getShape());
  SmallVector<Shape> resultStrides;
  for (const Shape &stride : strides) {
    Shape &mapped = resultStrides.emplace_back();
    for (AffineExpr expr : resultMap.getResults())
      mapped.push_back(stride[cast<AffineDimExpr>(expr).getPosition()]);
  }
  SmallVector<int64_t> offsets(numbers.size(), 0);
  SmallVector<double, 0> results;
  bool failed = false;
  forEachPoint(points, resultStrides, offsets, [&] {
    for (size_t i = 0; i < offsets.size(); ++i)
      state[i] = numbers[i][offsets[i]];
    SmallVector<double, 3> arguments;
    for (auto [i, step] : llvm::enumerate(steps)) {
      arguments.clear();
      for (unsigned slot : step.operands)
        arguments.push_back(state[slot]);
      auto result = apply(step.op, step.op->getResult(0).getType(), arguments);
      failed |= !result;
      state[firstResult + i] = result.value_or(0);
    }
    results.push_back(state[it->second]);
  });
  if (failed || results.empty())
    return {};
  return makeElements(resultType, results);
}

//===----------------------------------------------------------------------===//
// Layout ops
//===----------------------------------------------------------------------===//

static DenseElementsAttr evaluateTranspose(DenseElementsAttr source,
                                           ArrayRef<int32_t> permutation) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  Shape strides = getRowMajorStrides(shape), resultShape, resultStrides;
  if (permutation.size() != shape.size())
    return {};
  for (int32_t dim : permutation) {
    if (dim < 0 || dim >= int64_t(shape.size()))
      return {};
    resultShape.push_back(shape[dim]);
    resultStrides.push_back(strides[dim]);
  }
  return gather(source, resultShape, 0, resultStrides, resultShape);
}

static DenseElementsAttr evaluateSlice(DenseElementsAttr source,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> steps,
                                       ArrayRef<int64_t> resultShape) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  if (starts.size() != shape.size() || sizes.size() != shape.size())
    return {};
  Shape strides = getRowMajorStrides(shape);
  int64_t offset = 0, count = 1, resultCount = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = steps.empty() ? 1 : steps[i];
    if (starts[i] < 0 || sizes[i] < 1 || step < 1 ||
        starts[i] + (sizes[i] - 1) * step >= shape[i])
      return {};
    offset += starts[i] * strides[i];
    strides[i] *= step;
    count *= sizes[i];
  }
  for (int64_t size : resultShape)
    resultCount *= size;
  if (count != resultCount)
    return {};
  return gather(source, sizes, offset, strides, resultShape);
}

/// Pads with one value, `low` before each dimension.
static DenseElementsAttr evaluatePad(DenseElementsAttr source,
                                     DenseElementsAttr padding,
                                     ArrayRef<int64_t> low,
                                     RankedTensorType type) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  auto size = getElementSize(type.getElementType());
  if (!size || !type.hasStaticShape() || !padding || !padding.isSplat() ||
      type.getNumElements() > kMaxElements || low.size() != shape.size() ||
      padding.getElementType() != type.getElementType())
    return {};
  Shape strides = getRowMajorStrides(type.getShape());
  Shape from = getRowMajorStrides(shape);
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (low[i] < 0 || low[i] + shape[i] > type.getDimSize(i))
      return {};
    offset += low[i] * strides[i];
  }
  if (source.isSplat())
    from.assign(from.size(), 0);
  std::vector<char> bytes(type.getNumElements() * *size);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    memcpy(&bytes[i * *size], padding.getRawData().data(), *size);
  SmallVector<int64_t> offsets = {0, offset};
  forEachPoint(shape, {from, strides}, offsets, [&] {
    memcpy(&bytes[offsets[1] * *size],
           source.getRawData().data() + offsets[0] * *size, *size);
  });
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

static DenseElementsAttr evaluateTile(DenseElementsAttr source,
                                      RankedTensorType type) {
  ArrayRef<int64_t> shape = source.getType().getShape();
  if (!type.hasStaticShape() || type.getRank() != int64_t(shape.size()))
    return {};
  // Each dimension is two: how often, and what.
  Shape strides = getRowMajorStrides(shape), bounds, steps;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 1 || type.getDimSize(i) % shape[i] != 0)
      return {};
    bounds.append({type.getDimSize(i) / shape[i], shape[i]});
    steps.append({0, strides[i]});
  }
  return gather(source, bounds, 0, steps, type.getShape());
}

static DenseElementsAttr evaluateConcat(ArrayRef<DenseElementsAttr> operands,
                                        int64_t axis, RankedTensorType type) {
  auto size = getElementSize(type.getElementType());
  if (!size || !type.hasStaticShape() || axis < 0 || axis >= type.getRank() ||
      type.getNumElements() > kMaxElements)
    return {};
  int64_t rows = 1;
  for (int64_t dim : type.getShape().take_front(axis))
    rows *= dim;
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * *size);
  for (int64_t row = 0; row < rows; ++row)
    for (DenseElementsAttr operand : operands) {
      if (!operand || operand.size() % rows != 0)
        return {};
      int64_t run = operand.size() / rows;
      const char *data = operand.getRawData().data();
      for (int64_t i = 0; i < run; ++i) {
        const char *from =
            data + (operand.isSplat() ? 0 : (row * run + i) * *size);
        bytes.insert(bytes.end(), from, from + *size);
      }
    }
  if (int64_t(bytes.size()) != type.getNumElements() * *size)
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// The numbers of a shape operand.
static std::optional<Shape> readShape(Value value) {
  DenseIntElementsAttr elements;
  if (auto shape = value.getDefiningOp<tosa::ConstShapeOp>())
    elements = dyn_cast<DenseIntElementsAttr>(shape.getValues());
  if (!elements)
    return std::nullopt;
  Shape result;
  for (const APInt &number : elements.getValues<APInt>())
    result.push_back(number.getSExtValue());
  return result;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The numbers that `integers` of `type` stand for.
static DenseElementsAttr dequantizeElements(DenseElementsAttr integers,
                                            quant::QuantizedType type) {
  ArrayRef<int64_t> shape = integers.getType().getShape();
  bool isSigned = type.isSigned();
  std::vector<float> numbers;
  numbers.reserve(integers.size());
  auto get = [&](const APInt &value) {
    return isSigned ? value.getSExtValue() : int64_t(value.getZExtValue());
  };
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type)) {
    for (const APInt &value : integers.getValues<APInt>())
      numbers.push_back(numerics::dequantize(get(value), perTensor.getScale(),
                                             perTensor.getZeroPoint()));
  } else if (auto perAxis =
                 dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    ArrayRef<double> scales = perAxis.getScales();
    size_t axis = perAxis.getQuantizedDimension();
    if (axis >= shape.size() || shape[axis] != int64_t(scales.size()))
      return {};
    int64_t inner = 1;
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
    for (auto [i, value] : llvm::enumerate(integers.getValues<APInt>())) {
      size_t channel = i / inner % scales.size();
      numbers.push_back(numerics::dequantizePerChannel(
          get(value), scales[channel], perAxis.getZeroPoints()[channel]));
    }
  } else {
    return {};
  }
  return DenseElementsAttr::get(
      RankedTensorType::get(shape, Float32Type::get(type.getContext())),
      ArrayRef<float>(numbers));
}

//===----------------------------------------------------------------------===//
// ConstantEvaluator
//===----------------------------------------------------------------------===//

/// What `op` reads, captured values included.
static SmallVector<Value> getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    values.append(captured.begin(), captured.end());
  }
  return values;
}

static bool mayBeConstant(Operation *op) {
  if (isa_and_nonnull<DequantizeOp, quant::StorageCastOp>(op))
    return true;
  return op && op->getNumResults() == 1 &&
         isa_and_nonnull<tosa::TosaDialect, tensor::TensorDialect,
                         linalg::LinalgDialect, arith::ArithDialect,
                         math::MathDialect>(op->getDialect());
}

void ConstantEvaluator::notifyOperationErased(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults()) {
      cache.erase(result);
      constness.erase(result);
    }
  });
}

bool ConstantEvaluator::isConstant(Value value) {
  // Nobody says when an argument of a block is erased: none is remembered.
  if (isa<BlockArgument>(value))
    return false;
  // Depth first over an explicit stack: chains may be as deep as networks.
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value current = stack.back();
    if (constness.contains(current)) {
      stack.pop_back();
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!mayBeConstant(op)) {
      constness[current] = false;
      continue;
    }
    bool constant = true;
    size_t size = stack.size();
    for (Value operand : getReadValues(op)) {
      // Graph regions may have cycles; what is asked for already is open.
      if (isa<BlockArgument>(operand)) {
        constant = false;
        break;
      }
      auto it = constness.find(operand);
      if (it == constness.end() && !llvm::is_contained(stack, operand))
        stack.push_back(operand);
      else if (it == constness.end() || !it->second)
        constant = false;
      if (!constant)
        break;
    }
    if (!constant)
      stack.resize(size);
    if (stack.size() == size)
      constness[current] = constant;
  }
  return constness[value];
}

DenseElementsAttr ConstantEvaluator::evaluate(Value value) {
  if (auto it = cache.find(value); it != cache.end())
    return it->second;
  if (!isConstant(value))
    return {};
  SmallVector<std::pair<Value, bool>> stack = {{value, false}};
  while (!stack.empty()) {
    auto [current, expanded] = stack.pop_back_val();
    if (cache.contains(current))
      continue;
    Operation *op = current.getDefiningOp();
    if (expanded) {
      // Evaluating looks up operands only: no recursion.
      DenseElementsAttr result = evaluateUncached(op, current);
      cache[current] = isEvaluable(result) ? result : DenseElementsAttr();
      continue;
    }
    stack.push_back({current, true});
    for (Value operand : getReadValues(op))
      if (!cache.contains(operand))
        stack.push_back({operand, false});
  }
  return cache[value];
}

std::optional<double> ConstantEvaluator::getSplat(Value value) {
  DenseElementsAttr elements = evaluate(value);
  if (!elements || elements.empty() || !elements.isSplat())
    return std::nullopt;
  auto numbers = readNumbers(elements);
  return numbers ? std::optional((*numbers)[0]) : std::nullopt;
}

DenseElementsAttr ConstantEvaluator::evaluateUncached(Operation *op,
                                                      Value value) {
  auto lookup = [&](Value operand) { return cache.lookup(operand); };
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return readAttribute(constant.getValue());
  if (auto constant = dyn_cast<tosa::ConstOp>(op))
    return readAttribute(constant.getValues());
  if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
    auto integers = dequantize.getInput().getDefiningOp<quant::StorageCastOp>();
    DenseElementsAttr elements =
        integers ? lookup(integers.getInput()) : DenseElementsAttr();
    return elements ? dequantizeElements(
                          elements,
                          cast<quant::QuantizedType>(
                              dequantize.getInput().getType().getElementType()))
                    : elements;
  }
  if (isa<quant::StorageCastOp>(op))
    return {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateStructured(structured, lookup);
  if (operands.empty())
    return {};

  DenseElementsAttr source = operands[0];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (isa<tosa::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ReshapeOp>(op))
    return source && type ? reshape(source, type) : DenseElementsAttr();
  if (isa<tensor::CastOp, tosa::IdentityOp>(op))
    return source;
  if (!source)
    return {};
  if (auto transpose = dyn_cast<tosa::TransposeOp>(op))
    return evaluateTranspose(source, transpose.getPerms());
  if (auto slice = dyn_cast<tosa::SliceOp>(op)) {
    auto starts = readShape(slice.getStart());
    if (!starts || !type || !type.hasStaticShape())
      return {};
    return evaluateSlice(source, *starts, type.getShape(), {}, type.getShape());
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!type || !type.hasStaticShape() || op->getNumOperands() != 1)
      return {};
    return evaluateSlice(source, slice.getStaticOffsets(),
                         slice.getStaticSizes(), slice.getStaticStrides(),
                         type.getShape());
  }
  if (auto pad = dyn_cast<tosa::PadOp>(op)) {
    auto amounts = readShape(pad.getPadding());
    if (!amounts || !type)
      return {};
    Shape low;
    for (size_t i = 0; i < amounts->size(); i += 2)
      low.push_back((*amounts)[i]);
    return evaluatePad(source, lookup(pad.getPadConst()), low, type);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    if (!padding || !pad.getLow().empty())
      return {};
    if (auto constant = padding.getDefiningOp<arith::ConstantOp>())
      return evaluatePad(source, readAttribute(constant.getValue()),
                         pad.getStaticLow(), type);
    return {};
  }
  if (isa<tosa::TileOp>(op))
    return type ? evaluateTile(source, type) : DenseElementsAttr();
  if (auto concat = dyn_cast<tosa::ConcatOp>(op))
    return type ? evaluateConcat(operands, concat.getAxis(), type)
                : DenseElementsAttr();
  if (isa<tensor::SplatOp>(op))
    return type && type.hasStaticShape() ? source.resizeSplat(type)
                                         : DenseElementsAttr();
  if (isa<tensor::FromElementsOp>(op) && operands.size() == 1)
    return type ? reshape(source, type) : DenseElementsAttr();
  if (isa<tensor::ExtractOp>(op) && source.isSplat())
    return source.resizeSplat(
        RankedTensorType::get({}, source.getElementType()));
  if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
    return {};
  return evaluateElementwise(op, operands);
}

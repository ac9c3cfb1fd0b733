// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers of modules that come quantized: their qparams stay.

#include "ImportedObservers.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

/// The type of integers of `dtype` with the numbers of `element`: the sign
/// moves them, and the zero point, by 128.
static quant::UniformQuantizedType withSign(quant::UniformQuantizedType element,
                                            Type dtype) {
  auto integer = dyn_cast_or_null<IntegerType>(dtype);
  if (!integer || integer.getWidth() != 8 ||
      integer.isSigned() == element.isSigned())
    return element;
  return getQuantizedElement(dtype, element.getScale(),
                             element.getZeroPoint() +
                                 (integer.isSigned() ? -128 : 128));
}

static ObserverAttr getFixedObserver(quant::UniformQuantizedType element) {
  MLIRContext *context = element.getContext();
  Type dtype = IntegerType::get(context, 8,
                                element.isSigned() ? IntegerType::Signed
                                                   : IntegerType::Unsigned);
  ObserverFields fields;
  fields.kind = ObserverKind::FixedQParams;
  fields.dtype = dtype;
  fields.scale = FloatAttr::get(Float64Type::get(context), element.getScale());
  fields.zeroPoint = element.getZeroPoint();
  return ObserverAttr::get(context, fields);
}

ImportedObservers::ImportedObservers(ModuleOp module)
    : symbols(module), builder(OpBuilder::atBlockBegin(module.getBody())) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto dequantize = dyn_cast<DequantizeOp>(op);
    if (dequantize && dequantize.getInput().getDefiningOp<QuantizeOp>() &&
        isa<quant::UniformQuantizedType>(
            dequantize.getInput().getType().getElementType()))
      pairs.push_back(dequantize);
    return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

void ImportedObservers::insert(DequantizeOp op, Type dtype,
                               TensorNames &names) {
  auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
  auto element = withSign(cast<quant::UniformQuantizedType>(
                              quantize.getOutput().getType().getElementType()),
                          dtype);
  ObserverAttr config = getFixedObserver(element);
  Value input = quantize.getInput();
  auto isSame = [&](ObserveOp observe) {
    return observe &&
           symbols.lookup<ObserverOp>(observe.getObserver()).getConfig() ==
               config;
  };
  // What is quantized so already, or in another place, is not once more.
  Value observed;
  if (isSame(input.getDefiningOp<ObserveOp>()))
    observed = input;
  for (Operation *user : input.getUsers())
    if (auto observe = dyn_cast<ObserveOp>(user);
        !observed && isSame(observe) && observe->getBlock() == op->getBlock() &&
        observe->isBeforeInBlock(op))
      observed = observe.getOutput();
  if (!observed) {
    auto observer = ObserverOp::create(
        builder, op.getLoc(), names.lookup(input).name, config, FloatAttr(),
        FloatAttr(), FloatAttr(), IntegerAttr());
    symbols.insert(observer, builder.getInsertionPoint());
    OpBuilder local(op);
    observed =
        ObserveOp::create(local, op.getLoc(), input.getType(), input,
                          FlatSymbolRefAttr::get(observer.getSymNameAttr()));
  }
  op.getOutput().replaceAllUsesWith(observed);
  op.erase();
  if (quantize.use_empty())
    quantize.erase();
}

/// Whether what is quantized before `op` is quantized after it.
static bool keepsNumbers(OperatorOp op) {
  return !op.isFused() && op.getKind().keepsNumbers();
}

/// The one observer of `values`; null if they don't have one.
template <typename RangeT>
static FlatSymbolRefAttr getCommonObserver(RangeT &&observes) {
  FlatSymbolRefAttr common;
  for (ObserveOp observe : observes) {
    if (!observe || (common && common != observe.getObserverAttr()))
      return {};
    common = observe.getObserverAttr();
  }
  return common;
}

static FlatSymbolRefAttr getInputObserver(OperatorOp op) {
  return getCommonObserver(llvm::map_range(op.getInputs(), [](Value input) {
    return input.getDefiningOp<ObserveOp>();
  }));
}

static FlatSymbolRefAttr getOutputObserver(OperatorOp op) {
  return getCommonObserver(
      llvm::map_range(op.getOutput().getUsers(), [](Operation *user) {
        return dyn_cast<ObserveOp>(user);
      }));
}

/// All users of `value` read it through `observer`.
static void observe(Value value, FlatSymbolRefAttr observer) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto op = ObserveOp::create(builder, value.getLoc(), value.getType(), value,
                              observer);
  value.replaceAllUsesExcept(op.getOutput(), op);
}

void ImportedObservers::insert(
    const llvm::MapVector<OperatorOp, QConfigAttr> &qconfigs,
    TensorNames &names) {
  auto getDType = [&](Operation *op) {
    auto operation = dyn_cast_or_null<OperatorOp>(op);
    auto it = operation ? qconfigs.find(operation) : qconfigs.end();
    return it == qconfigs.end() ? Type()
                                : it->second.getActivation().getDtype();
  };
  for (DequantizeOp pair : pairs) {
    auto quantize = pair.getInput().getDefiningOp<QuantizeOp>();
    Type dtype =
        getDType(TensorNames::getTensor(quantize.getInput()).getDefiningOp());
    for (Operation *user : pair.getOutput().getUsers())
      if (!dtype)
        dtype = getDType(user);
    insert(pair, dtype, names);
  }
  for (auto [op, qconfig] : qconfigs) {
    FlatSymbolRefAttr observer =
        keepsNumbers(op) ? getInputObserver(op) : FlatSymbolRefAttr();
    if (observer &&
        llvm::none_of(op.getOutput().getUsers(), llvm::IsaPred<ObserveOp>))
      observe(op.getOutput(), observer);
  }
  for (auto [op, qconfig] : llvm::reverse(qconfigs)) {
    FlatSymbolRefAttr observer =
        keepsNumbers(op) ? getOutputObserver(op) : FlatSymbolRefAttr();
    if (!observer || getInputObserver(op))
      continue;
    for (Value input : op.getInputs())
      if (!input.getDefiningOp<ObserveOp>() && input.hasOneUse())
        observe(input, observer);
  }
}

std::string ImportedObservers::whyNotObserved(OperatorOp op) {
  for (Value input : op.getInputs())
    if (!input.getDefiningOp<ObserveOp>() && !isQuantizedConstant(input))
      return "not all of its inputs are quantized in the module, which comes "
             "with quantization of its own";
  if (hasQuantizedWeight(op) && !isQuantizedConstant(op.getWeight()))
    return "its weight is not quantized in the module, which comes with "
           "quantization of its own";
  if (op.getOutput().use_empty() ||
      !llvm::all_of(op.getOutput().getUsers(), llvm::IsaPred<ObserveOp>))
    return "its result is not quantized in the module, which comes with "
           "quantization of its own";
  return "";
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The integers behind `value`, and what they stand for; nulls if it isn't one
/// of constant integers.
static std::pair<DenseElementsAttr, quant::QuantizedType>
getQuantizedConstant(Value value) {
  auto dequantize =
      value ? value.getDefiningOp<DequantizeOp>() : DequantizeOp();
  auto cast = dequantize
                  ? dequantize.getInput().getDefiningOp<quant::StorageCastOp>()
                  : quant::StorageCastOp();
  DenseElementsAttr integers;
  if (!cast || !matchPattern(cast.getInput(), m_Constant(&integers)))
    return {};
  return {integers, llvm::cast<quant::QuantizedType>(
                        getElementTypeOrSelf(dequantize.getInput().getType()))};
}

bool qbackend::isQuantizedConstant(Value value) {
  return bool(getQuantizedConstant(value).first);
}

double ImportedObservers::getScale(ObserveOp op) {
  auto observer = symbols.lookup<ObserverOp>(op.getObserver());
  FloatAttr scale = observer.getConfig().getScale();
  return scale ? scale.getValueAsDouble() : 0;
}

SmallVector<double> ImportedObservers::getSumScales(OperatorOp op) {
  SmallVector<double> scales;
  auto input = op.getInputs().empty()
                   ? ObserveOp()
                   : op.getInputs()[0].getDefiningOp<ObserveOp>();
  quant::QuantizedType weight = getQuantizedConstant(op.getWeight()).second;
  if (!input || !weight)
    return scales;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(weight))
    llvm::append_range(scales, perAxis.getScales());
  else
    scales.push_back(cast<quant::UniformQuantizedType>(weight).getScale());
  for (double &scale : scales)
    scale *= getScale(input);
  return scales;
}

std::string ImportedObservers::whyNoKernel(OperatorOp op) {
  for (Operation *user : op.getOutput().getUsers())
    for (double scale : getSumScales(op)) {
      double factor = scale / getScale(cast<ObserveOp>(user));
      if (!(factor >= 0x1p-32 && factor < 0x1p8))
        return llvm::formatv("input scale * weight scale / output scale is "
                             "{0:E3}, expected a number in [2^-32, 2^8)",
                             factor)
            .str();
    }
  return "";
}

size_t ImportedObservers::countUnrepresentableBiases(OperatorOp op) {
  SmallVector<double> scales = getSumScales(op);
  if (scales.empty() || !op.getBias())
    return 0;
  std::optional<SmallVector<float, 0>> bias = readFloats(op.getBias());
  if (!bias)
    return 0;
  size_t count = 0;
  for (auto [i, value] : llvm::enumerate(*bias))
    count += !(std::fabs(value / scales[scales.size() == 1 ? 0 : i]) < 0x1p31);
  return count;
}

static SmallVector<int64_t> getZeroPoints(quant::QuantizedType type) {
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    return SmallVector<int64_t>(perAxis.getZeroPoints());
  return {cast<quant::UniformQuantizedType>(type).getZeroPoint()};
}

ObserverAttr qbackend::getImportedWeightObserver(OperatorOp op,
                                                 QConfigAttr qconfig) {
  auto [integers, element] = getQuantizedConstant(op.getWeight());
  ObserverAttr observer = qconfig.getWeight();
  auto dtype = dyn_cast<IntegerType>(observer.getDtype());
  if (!integers || !dtype || dtype.getWidth() != 8)
    return {};
  int64_t offset = dtype.isSigned() == element.isSigned() ? 0
                   : dtype.isSigned()                     ? -128
                                                          : 128;
  int64_t center = dtype.isSigned() ? 0 : 128;
  bool isSymmetric =
      llvm::all_of(getZeroPoints(element), [&](int64_t zeroPoint) {
        return zeroPoint + offset == center;
      });
  bool isPerChannel = isa<quant::UniformQuantizedPerAxisType>(element);
  // Symmetric ones are affine, too: of both names the qconfig's holds.
  bool symmetric = isSymmetric && numerics::isSymmetric(observer.getScheme());
  QScheme scheme = isPerChannel ? symmetric ? QScheme::PerChannelSymmetric
                                            : QScheme::PerChannelAffine
                   : symmetric  ? QScheme::PerTensorSymmetric
                                : QScheme::PerTensorAffine;
  int64_t min = 127, max = -128;
  auto include = [&, isSigned = element.isSigned()](const APInt &value) {
    int64_t integer =
        (isSigned ? value.getSExtValue() : value.getZExtValue()) + offset;
    min = std::min(min, integer), max = std::max(max, integer);
  };
  if (integers.isSplat())
    include(integers.getSplatValue<APInt>());
  else
    llvm::for_each(integers.getValues<APInt>(), include);
  ObserverFields fields = observer.getFields();
  fields.dtype = dtype;
  fields.scheme = scheme;
  if (fields.quantMin && (min < *fields.quantMin || max > *fields.quantMax)) {
    fields.quantMin = std::min(min, *fields.quantMin);
    fields.quantMax = std::max(max, *fields.quantMax);
  }
  return ObserverAttr::get(op.getContext(), fields);
}

void qbackend::setWeightSign(OperatorOp op, ObserverAttr observer) {
  auto [integers, element] = getQuantizedConstant(op.getWeight());
  auto dtype = dyn_cast<IntegerType>(observer.getDtype());
  if (!integers || !dtype || dtype.getWidth() != 8 ||
      dtype.isSigned() == element.isSigned())
    return;
  quant::QuantizedType moved;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(element)) {
    moved = withSign(perTensor, dtype);
  } else {
    auto perAxis = cast<quant::UniformQuantizedPerAxisType>(element);
    auto storage = getQuantizedElement(dtype, 1.0, 0);
    SmallVector<int64_t> zeroPoints(perAxis.getZeroPoints());
    for (int64_t &zeroPoint : zeroPoints)
      zeroPoint += dtype.isSigned() ? -128 : 128;
    moved = quant::UniformQuantizedPerAxisType::get(
        storage.getFlags(), storage.getStorageType(),
        storage.getExpressedType(), perAxis.getScales(), zeroPoints,
        perAxis.getQuantizedDimension(), storage.getStorageTypeMin(),
        storage.getStorageTypeMax());
  }
  std::vector<char> bytes(integers.getRawData().begin(),
                          integers.getRawData().end());
  for (char &byte : bytes)
    byte ^= char(0x80);
  OpBuilder builder(op);
  Value constant = arith::ConstantOp::create(
      builder, op.getLoc(),
      DenseElementsAttr::getFromRawBuffer(integers.getType(), bytes));
  Value quantized = quant::StorageCastOp::create(
      builder, op.getLoc(), integers.getType().clone(moved), constant);
  op.getWeightMutable().assign(DequantizeOp::create(
      builder, op.getLoc(), op.getWeight().getType(), quantized));
}

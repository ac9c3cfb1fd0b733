// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites integer TOSA to qnnpack ops with a fixed-point requantization:
// `clamp(rescale(conv2d(x, w, b)))` becomes
// `qnnpack.clamp(qnnpack.conv2d(x, w, b) {requantization})` between storage
// casts. Bytes have no scales in TOSA, only ratios of them: here activations
// have the scale 1, and weights that of the rescale, so that ratios are right.
// Other code on bytes stays, and takes and gives them through the casts. Of
// linalg, the TOSA that it was lowered from is rewritten (RaiseLinalg.h). One
// file, since each kind of layer is a few lines on what all of them read.

#include "qbackend/Conversion/TosaToQNNPack.h"
#include "RaiseLinalg.h"
#include "Rescale.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTTOSATOQNNPACKPASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::tosa_to_qnnpack;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Signed integers of the type `storage` with the zero point `zeroPoint`. Their
/// scale is the unit.
static quant::UniformQuantizedType getActivation(Type storage,
                                                 int64_t zeroPoint) {
  unsigned bits = storage.getIntOrFloatBitWidth();
  return quant::UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, storage,
      Float32Type::get(storage.getContext()), /*scale=*/1.0, zeroPoint,
      llvm::minIntN(bits), llvm::maxIntN(bits));
}

static bool isOf(Value value, unsigned bits) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isSignlessInteger(bits);
}

static bool isBytes(Value value) { return isOf(value, 8); }

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a layer, as kernels have them.
struct Layer {
  Value input;
  int64_t inputZeroPoint = 0;
  SmallVector<int8_t> weight;
  SmallVector<int64_t> weightShape;
  int64_t weightZeroPoint = 0;
  Value bias; // null: none
};

class Importer {
public:
  explicit Importer(MLIRContext *context) : rewriter(context, &constants) {}

  void run(ModuleOp module);

private:
  /// The bytes that `op` gives, by a kernel.
  OrRefusal<Value> import(tosa::RescaleOp op);
  OrRefusal<Value> importSums(tosa::RescaleOp op, const Rescale &rescale);
  Value importClamp(tosa::ClampOp op);
  /// Those that `op` gives, if it is a rescale or a clamp in linalg.
  Value importLinalg(linalg::GenericOp op);
  /// Says why the sums of a rescale stay what they are.
  void remarkRefusal(Operation *sums, const Refusal &refusal);

  OrRefusal<Value> importConvolution(tosa::Conv2DOp op, tosa::RescaleOp last,
                                     const Rescale &rescale);
  OrRefusal<Value> importDepthwise(tosa::DepthwiseConv2DOp op,
                                   tosa::RescaleOp last,
                                   const Rescale &rescale);
  OrRefusal<Value> importTransposed(tosa::TransposeConv2DOp op,
                                    tosa::RescaleOp last,
                                    const Rescale &rescale);
  /// A null `bias` is none.
  OrRefusal<Value> importMatmul(tosa::MatMulOp op, tosa::RescaleOp last,
                                const Rescale &rescale,
                                DenseElementsAttr bias = {});
  OrRefusal<Value> importBiasedMatmul(tosa::AddOp op, tosa::RescaleOp last,
                                      const Rescale &rescale);
  OrRefusal<Value> importAdd(tosa::AddOp op, tosa::RescaleOp last,
                             const Rescale &rescale);
  OrRefusal<Value> importMul(tosa::MulOp op, tosa::RescaleOp last,
                             const Rescale &rescale);

  /// Operands of a convolution, its weight in TOSA's order.
  template <typename OpT>
  OrRefusal<Layer> readLayer(OpT op, tosa::RescaleOp last);
  template <typename OpT>
  OrRefusal<Value> createConvolution(OpT op, tosa::RescaleOp last,
                                     const Rescale &rescale, const Layer &layer,
                                     int64_t groups);
  /// A rescale of bytes to i32 without a zero point behind it.
  std::optional<Rescale> readWidening(Value value, Value &bytes);

  /// `bytes` as quantized integers, at the insertion point.
  Value quantized(Location loc, Value bytes, int64_t zeroPoint);
  Value createWeight(Location loc, const Layer &layer, const Rescale &rescale);
  RankedTensorType getResultType(tosa::RescaleOp op, const Rescale &rescale);
  /// The bytes of `kernel`, unless it doesn't verify.
  OrRefusal<Value> finish(Operation *kernel, Type bytes);

  /// Contractions of which is said why they stay.
  llvm::SmallPtrSet<Operation *, 8> refused;
  ConstantEvaluator constants;
  IRRewriter rewriter;
  LinalgRaiser raiser{rewriter, constants};
};
} // namespace

Value Importer::quantized(Location loc, Value bytes, int64_t zeroPoint) {
  auto type = cast<RankedTensorType>(bytes.getType());
  type = type.clone(getActivation(type.getElementType(), zeroPoint));
  if (auto cast = bytes.getDefiningOp<quant::StorageCastOp>())
    if (cast.getInput().getType() == type)
      return cast.getInput();
  return quant::StorageCastOp::create(rewriter, loc, type, bytes);
}

RankedTensorType Importer::getResultType(tosa::RescaleOp op,
                                         const Rescale &rescale) {
  auto type = cast<RankedTensorType>(op.getType());
  return type.clone(
      getActivation(type.getElementType(), rescale.outputZeroPoint));
}

OrRefusal<Value> Importer::finish(Operation *kernel, Type bytes) {
  std::string reason;
  {
    ScopedDiagnosticHandler collect(
        kernel->getContext(), [&](Diagnostic &diag) {
          if (diag.getSeverity() == DiagnosticSeverity::Error)
            reason = diag.str();
          return success();
        });
    if (succeeded(verify(kernel)))
      return Value(quant::StorageCastOp::create(rewriter, kernel->getLoc(),
                                                bytes, kernel->getResult(0)));
  }
  rewriter.eraseOp(kernel);
  return Refusal(reason);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

template <typename OpT>
OrRefusal<Layer> Importer::readLayer(OpT op, tosa::RescaleOp last) {
  Layer layer;
  layer.input = op.getInput();
  bool isWide = isOf(layer.input, 16);
  if (!isBytes(layer.input) && !isWide)
    return Refusal("its input is neither of bytes nor of 16 bits");
  if (getElementTypeOrSelf(last.getType()) !=
      getElementTypeOrSelf(layer.input.getType()))
    return Refusal("its rescale gives another type than its input has");
  unsigned sumBits = isWide ? 48 : 32;
  if (!op.getAccType().isInteger(sumBits))
    return Refusal("it adds up in another type than i" + Twine(sumBits));
  DenseElementsAttr weight = constants.evaluate(op.getWeight());
  if (!weight || !weight.getElementType().isInteger(8))
    return Refusal("its weight is not a constant of bytes");
  std::optional<int64_t> inputZeroPoint =
                             readInteger(op.getInputZp(), constants),
                         weightZeroPoint =
                             readInteger(op.getWeightZp(), constants);
  if (!inputZeroPoint || !weightZeroPoint)
    return Refusal("a zero point of it is not constant");
  layer.inputZeroPoint = *inputZeroPoint;
  layer.weightZeroPoint = *weightZeroPoint;
  layer.weight = llvm::to_vector(weight.getValues<int8_t>());
  layer.weightShape = llvm::to_vector(weight.getType().getShape());
  DenseElementsAttr bias = constants.evaluate(op.getBias());
  if (!bias || !bias.getElementType().isInteger(sumBits))
    return Refusal("its bias is not a constant of i" + Twine(sumBits));
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || type.isDynamicDim(3))
    return Refusal("its channels are not known");
  int64_t channels = type.getDimSize(3);
  if (bias.getNumElements() != channels && bias.getNumElements() != 1)
    return Refusal("its bias has " + Twine(bias.getNumElements()) +
                   " numbers for " + Twine(channels) + " channels");
  // A product is at most 2^15 * 2^8, 2^23 of them 2^46.
  constexpr int64_t mostProducts = int64_t(1) << 23;
  bool isSafe =
      !isWide || int64_t(layer.weight.size()) / channels <= mostProducts;
  SmallVector<APInt> integers;
  for (const APInt &integer : bias.getValues<APInt>()) {
    integers.push_back(integer.sext(isWide ? 64 : 32));
    isSafe &= !isWide || integer.isSignedIntN(46);
  }
  if (!isSafe)
    return Refusal("its sums may be beyond 48 bits");
  integers.resize(channels, integers.front());
  layer.bias = arith::ConstantOp::create(
      rewriter, op.getLoc(),
      DenseElementsAttr::get(
          RankedTensorType::get({channels},
                                rewriter.getIntegerType(isWide ? 64 : 32)),
          ArrayRef<APInt>(integers)));
  return layer;
}

Value Importer::createWeight(Location loc, const Layer &layer,
                             const Rescale &rescale) {
  auto type = RankedTensorType::get(layer.weightShape, rewriter.getI8Type());
  Value bytes = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type, ArrayRef<int8_t>(layer.weight)));
  return quant::StorageCastOp::create(
      rewriter, loc, type.clone(rescale.getWeight(layer.weightZeroPoint)),
      bytes);
}

template <typename OpT>
OrRefusal<Value> Importer::createConvolution(OpT op, tosa::RescaleOp last,
                                             const Rescale &rescale,
                                             const Layer &layer,
                                             int64_t groups) {
  Location loc = op.getLoc();
  Value input = quantized(loc, layer.input, layer.inputZeroPoint);
  Value kernelWeight = createWeight(loc, layer, rescale);
  auto kernel = Conv2dOp::create(
      rewriter, loc, getResultType(last, rescale), input, kernelWeight,
      layer.bias, op.getStrideAttr(), op.getPadAttr(), op.getDilationAttr(),
      rewriter.getI64IntegerAttr(groups), rescale.requantization,
      /*relu=*/UnitAttr(), /*mathematical=*/UnitAttr());
  return finish(kernel, last.getType());
}

// rescale(conv2d(x, w, b)): the weight is [out, height, width, in] already
OrRefusal<Value> Importer::importConvolution(tosa::Conv2DOp op,
                                             tosa::RescaleOp last,
                                             const Rescale &rescale) {
  OrRefusal<Layer> layer = readLayer(op, last);
  if (!layer)
    return layer.getRefusal();
  return createConvolution(op, last, rescale, *layer, /*groups=*/1);
}

// rescale(depthwise_conv2d(x, w, b)): [height, width, in, multiplier] becomes
// [in * multiplier, height, width, 1]
OrRefusal<Value> Importer::importDepthwise(tosa::DepthwiseConv2DOp op,
                                           tosa::RescaleOp last,
                                           const Rescale &rescale) {
  OrRefusal<Layer> layer = readLayer(op, last);
  if (!layer)
    return layer.getRefusal();
  int64_t taps = layer->weightShape[0] * layer->weightShape[1],
          channels = layer->weightShape[2],
          outputs = channels * layer->weightShape[3];
  SmallVector<int8_t> weight(layer->weight.size());
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t tap = 0; tap < taps; ++tap)
      weight[o * taps + tap] = layer->weight[tap * outputs + o];
  layer->weight = std::move(weight);
  layer->weightShape = {outputs, layer->weightShape[0], layer->weightShape[1],
                        1};
  return createConvolution(op, last, rescale, *layer, channels);
}

// rescale(transpose_conv2d(x, w, b)): what TOSA pads the result with is cut off
// if negative; after the last pixel it is output padding else
OrRefusal<Value> Importer::importTransposed(tosa::TransposeConv2DOp op,
                                            tosa::RescaleOp last,
                                            const Rescale &rescale) {
  ArrayRef<int64_t> pad = op.getOutPad();
  if (pad[0] > 0 || pad[2] > 0)
    return Refusal("it pads its result before the first pixel");
  OrRefusal<Layer> layer = readLayer(op, last);
  if (!layer)
    return layer.getRefusal();
  Location loc = op.getLoc();
  SmallVector<int64_t> padding, outputPadding;
  for (int i : {0, 2}) {
    padding.append({-pad[i], std::max<int64_t>(0, -pad[i + 1])});
    outputPadding.push_back(std::max<int64_t>(0, pad[i + 1]));
  }
  Value input = quantized(loc, layer->input, layer->inputZeroPoint);
  Value kernelWeight = createWeight(loc, *layer, rescale);
  auto kernel = ConvTranspose2dOp::create(
      rewriter, loc, getResultType(last, rescale), input, kernelWeight,
      layer->bias, op.getStrideAttr(), rewriter.getDenseI64ArrayAttr(padding),
      rewriter.getDenseI64ArrayAttr(outputPadding),
      rewriter.getDenseI64ArrayAttr({1, 1}), rewriter.getI64IntegerAttr(1),
      rescale.requantization, /*mathematical=*/UnitAttr());
  return finish(kernel, last.getType());
}

// rescale(matmul(x, w)) of one constant matrix: [1, in, out] becomes [out, in]
OrRefusal<Value> Importer::importMatmul(tosa::MatMulOp op, tosa::RescaleOp last,
                                        const Rescale &rescale,
                                        DenseElementsAttr bias) {
  if (!isBytes(op.getA()) || !isBytes(op.getB()))
    return Refusal("its operands are not of bytes: kernels add up products of "
                   "bytes in 32 bits");
  DenseElementsAttr weight = constants.evaluate(op.getB());
  auto type = cast<RankedTensorType>(op.getB().getType());
  if (!weight || type.getRank() != 3 || type.getDimSize(0) != 1)
    return Refusal("it multiplies two matrices that are computed, or several: "
                   "kernels multiply by one that is constant");
  std::optional<int64_t> inputZeroPoint = readInteger(op.getAZp(), constants),
                         weightZeroPoint = readInteger(op.getBZp(), constants);
  if (!inputZeroPoint || !weightZeroPoint)
    return Refusal("a zero point of it is not constant");
  Layer layer;
  layer.input = op.getA();
  layer.inputZeroPoint = *inputZeroPoint;
  layer.weightZeroPoint = *weightZeroPoint;
  int64_t in = type.getDimSize(1), out = type.getDimSize(2);
  layer.weightShape = {out, in};
  SmallVector<int8_t> values = llvm::to_vector(weight.getValues<int8_t>());
  layer.weight.resize(values.size());
  for (int64_t o = 0; o < out; ++o)
    for (int64_t i = 0; i < in; ++i)
      layer.weight[o * in + i] = values[i * out + o];
  Location loc = op.getLoc();
  if (bias) {
    if (!bias.isSplat() && bias.getNumElements() != out)
      return Refusal("what is added to it is not one number for each channel");
    auto vector = RankedTensorType::get({out}, rewriter.getI32Type());
    layer.bias = arith::ConstantOp::create(
        rewriter, loc,
        bias.isSplat()
            ? DenseElementsAttr::get(vector, bias.getSplatValue<int32_t>())
            : bias.reshape(vector));
  }
  Value input = quantized(loc, layer.input, layer.inputZeroPoint);
  Value kernelWeight = createWeight(loc, layer, rescale);
  auto kernel =
      LinearOp::create(rewriter, loc, getResultType(last, rescale), input,
                       kernelWeight, layer.bias, rescale.requantization,
                       /*relu=*/UnitAttr(), /*mathematical=*/UnitAttr());
  return finish(kernel, last.getType());
}

// rescale(matmul(x, w) + b), where b is a constant [1, 1, out], or one number
OrRefusal<Value> Importer::importBiasedMatmul(tosa::AddOp op,
                                              tosa::RescaleOp last,
                                              const Rescale &rescale) {
  for (auto [sums, added] : {std::pair(op.getInput1(), op.getInput2()),
                             std::pair(op.getInput2(), op.getInput1())}) {
    auto matmul = sums.getDefiningOp<tosa::MatMulOp>();
    DenseElementsAttr bias = matmul ? constants.evaluate(added) : nullptr;
    if (!bias || !bias.getElementType().isInteger(32))
      continue;
    auto type = bias.getType();
    if (!bias.isSplat() && type.getShape().back() != type.getNumElements())
      return Refusal();
    if (!sums.hasOneUse())
      return Refusal();
    return importMatmul(matmul, last, rescale, bias);
  }
  return Refusal();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<Rescale> Importer::readWidening(Value value, Value &bytes) {
  auto op = value.getDefiningOp<tosa::RescaleOp>();
  if (!op || !isBytes(op.getInput()) ||
      !getElementTypeOrSelf(value.getType()).isInteger(32) ||
      op.getInputUnsigned() || op.getOutputUnsigned() || op.getPerChannel())
    return std::nullopt;
  OrRefusal<Rescale> rescale = readRescale(op, constants);
  if (!rescale || rescale->outputZeroPoint != 0)
    return std::nullopt;
  bytes = op.getInput();
  return *rescale;
}

// rescale(rescale(a) + rescale(b))
OrRefusal<Value> Importer::importAdd(tosa::AddOp op, tosa::RescaleOp last,
                                     const Rescale &rescale) {
  Value a, b;
  std::optional<Rescale> lhs = readWidening(op.getInput1(), a),
                         rhs = readWidening(op.getInput2(), b);
  if (!lhs || !rhs)
    return importBiasedMatmul(op, last, rescale);
  if (last.getPerChannel())
    return Refusal();
  Location loc = op.getLoc();
  Value left = quantized(loc, a, lhs->inputZeroPoint);
  Value right = quantized(loc, b, rhs->inputZeroPoint);
  auto kernel =
      AddOp::create(rewriter, loc, getResultType(last, rescale), left, right,
                    rescale.requantization, lhs->requantization,
                    rhs->requantization, /*relu=*/UnitAttr(),
                    /*aten=*/UnitAttr(), /*vectorized=*/UnitAttr());
  return finish(kernel, last.getType());
}

// rescale((a - za) * (b - zb))
OrRefusal<Value> Importer::importMul(tosa::MulOp op, tosa::RescaleOp last,
                                     const Rescale &rescale) {
  Value a, b;
  std::optional<Rescale> lhs = readWidening(op.getInput1(), a),
                         rhs = readWidening(op.getInput2(), b);
  if (!lhs || !rhs || !lhs->isIdentity() || !rhs->isIdentity() ||
      readInteger(op.getShift(), constants) != 0 || last.getPerChannel())
    return Refusal();
  Location loc = op.getLoc();
  Value left = quantized(loc, a, lhs->inputZeroPoint);
  Value right = quantized(loc, b, rhs->inputZeroPoint);
  auto kernel =
      MulOp::create(rewriter, loc, getResultType(last, rescale), left, right,
                    rescale.requantization, /*relu=*/UnitAttr());
  return finish(kernel, last.getType());
}

// clamp(q, lo, hi) of what a kernel gives. Of the unit's scale, a number is an
// integer less the zero point.
Value Importer::importClamp(tosa::ClampOp op) {
  auto cast = op.getInput().getDefiningOp<quant::StorageCastOp>();
  Operation *kernel = cast ? cast.getInput().getDefiningOp() : nullptr;
  auto lo = dyn_cast<IntegerAttr>(op.getMinValAttr()),
       hi = dyn_cast<IntegerAttr>(op.getMaxValAttr());
  if (!kernel || !isa_and_nonnull<QNNPackDialect>(kernel->getDialect()) ||
      !lo || !hi)
    return {};
  auto type = getQuantizedType(cast.getInput().getType());
  if (!type || !type.isSigned() || type.getScale() != 1.0)
    return {};
  auto number = [&](IntegerAttr bound) {
    return rewriter.getF32FloatAttr(
        float(bound.getValue().getSExtValue() - type.getZeroPoint()));
  };
  rewriter.setInsertionPoint(op);
  Value clamped =
      ClampOp::create(rewriter, op.getLoc(), cast.getInput().getType(),
                      cast.getInput(), number(lo), number(hi));
  return quant::StorageCastOp::create(rewriter, op.getLoc(), op.getType(),
                                      clamped);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

OrRefusal<Value> Importer::importSums(tosa::RescaleOp op,
                                      const Rescale &rescale) {
  if (rescale.inputZeroPoint != 0)
    return Refusal("its rescale has the zero point " +
                   Twine(rescale.inputZeroPoint) + " for sums");
  return llvm::TypeSwitch<Operation *, OrRefusal<Value>>(
             op.getInput().getDefiningOp())
      .Case([&](tosa::Conv2DOp sums) {
        return importConvolution(sums, op, rescale);
      })
      .Case([&](tosa::DepthwiseConv2DOp sums) {
        return importDepthwise(sums, op, rescale);
      })
      .Case([&](tosa::TransposeConv2DOp sums) {
        return importTransposed(sums, op, rescale);
      })
      .Case(
          [&](tosa::MatMulOp sums) { return importMatmul(sums, op, rescale); })
      .Case([&](tosa::AddOp sums) { return importAdd(sums, op, rescale); })
      .Case([&](tosa::MulOp sums) { return importMul(sums, op, rescale); })
      .Default([](Operation *) { return Refusal(); });
}

OrRefusal<Value> Importer::import(tosa::RescaleOp op) {
  Operation *sums = op.getInput().getDefiningOp();
  if (!sums || sums->getNumResults() != 1)
    return Refusal();
  if (!sums->getResult(0).hasOneUse())
    return Refusal("its sums are used by others than one rescale");
  if (!isBytes(op.getOutput()) && !isOf(op.getOutput(), 16))
    return Refusal("its rescale gives neither bytes nor 16 bits");
  if (op.getInputUnsigned() || op.getOutputUnsigned())
    return Refusal("its rescale has unsigned integers");
  OrRefusal<Rescale> rescale = readRescale(op, constants);
  if (!rescale)
    return rescale.getRefusal();
  rewriter.setInsertionPoint(op);
  return importSums(op, *rescale);
}

void Importer::remarkRefusal(Operation *sums, const Refusal &refusal) {
  if (sums && !refusal.reason.empty() &&
      countIntegerMultiplyAccumulates(sums) != 0 && refused.insert(sums).second)
    remarkMissed(sums, "QB147", sums->getName().getStringRef(),
                 "stays integer code: " + refusal.reason,
                 "see docs/Pipeline.md for what of integer TOSA has kernels");
}

Value Importer::importLinalg(linalg::GenericOp op) {
  if (op->getNumResults() != 1 ||
      !(isBytes(op->getResult(0)) || isOf(op->getResult(0), 16)))
    return {};
  unsigned bits =
      getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  std::optional<ElementRescale> rescale = readElementRescale(op, constants);
  if (!rescale)
    return {};
  rewriter.setInsertionPoint(op);
  Value bytes;
  if (rescale->isClamp()) {
    bytes = rescale->input;
  } else {
    OrRefusal<tosa::RescaleOp> raised = raiser.raise(op, *rescale);
    OrRefusal<Value> imported =
        raised ? import(*raised) : OrRefusal<Value>(raised.getRefusal());
    if (imported)
      bytes = *imported;
    else
      remarkRefusal(raiser.getContraction(), imported.getRefusal());
  }
  if (bytes && (rescale->min != llvm::minIntN(bits) ||
                rescale->max != llvm::maxIntN(bits))) {
    rewriter.setInsertionPoint(op);
    // What limits other bytes stays.
    bytes = importClamp(raiser.createClamp(op.getLoc(), bytes, *rescale));
  } else if (rescale->isClamp()) {
    bytes = {};
  }
  if (bytes && !rescale->isClamp()) {
    rewriter.setInsertionPoint(op);
    bytes = raiser.getMovement().apply(rewriter, bytes);
  }
  raiser.discard();
  return bytes;
}

void Importer::run(ModuleOp module) {
  SmallVector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isForeign(op, module))
      return WalkResult::skip();
    if (isa<tosa::RescaleOp, tosa::ClampOp, linalg::GenericOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  bool isChanged = false;
  for (Operation *op : ops) {
    Value bytes;
    if (auto clamp = dyn_cast<tosa::ClampOp>(op)) {
      bytes = importClamp(clamp);
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      bytes = importLinalg(generic);
    } else {
      auto rescale = cast<tosa::RescaleOp>(op);
      OrRefusal<Value> imported = import(rescale);
      if (imported)
        bytes = *imported;
      else
        remarkRefusal(rescale.getInput().getDefiningOp(),
                      imported.getRefusal());
    }
    isChanged |= bool(bytes) || isa<tosa::RescaleOp>(op);
    if (bytes)
      rewriter.replaceOp(op, bytes);
  }
  // Sums, and the rescales of operands, that nothing reads any more, and
  // constants of kernels that were refused.
  if (isChanged)
    module->walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isa_and_nonnull<tosa::TosaDialect, quant::QuantDialect,
                            arith::ArithDialect, linalg::LinalgDialect,
                            tensor::TensorDialect>(op.getDialect()) &&
            isOpTriviallyDead(&op))
          rewriter.eraseOp(&op);
    });
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isForeign(op, module))
      return WalkResult::skip();
    if (isa<linalg::LinalgOp>(op) && countIntegerMultiplyAccumulates(op) != 0 &&
        isNarrowed(op->getResult(0)))
      remarkRefusal(op, Refusal("what makes 8 or 16 bits of its sums is no "
                                "rescale of TOSA's to signed integers"));
    return WalkResult::advance();
  });
}

void qbackend::importIntegerTosa(ModuleOp module) {
  Importer(module.getContext()).run(module);
}

namespace {
struct ConvertTosaToQNNPack
    : qbackend::impl::ConvertTosaToQNNPackPassBase<ConvertTosaToQNNPack> {
  void runOnOperation() override { importIntegerTosa(getOperation()); }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one tensor. Of integers they are a table of 256 entries: where
// a float operator of ONNX between DequantizeLinear and QuantizeLinear
// gives these for sure, it is written, and the table itself where a result is
// too close to a tie.

#include "Exporter.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Quantize.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

namespace {
/// A function as nodes, and its value.
struct Function {
  llvm::function_ref<Tensor(Tensor)> write;
  llvm::function_ref<double(double)> evaluate;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// How close to a tie, in steps, float arithmetic may be wrong: numbers of up
/// to 256 steps with some ulps of 2^-24 each, and exponentials.
static constexpr double tieDistance = 0x1p-13;

/// Whether quantize(function(dequantize(q))) is `table`, however it is rounded.
static bool isCertain(Type input, Type output, ArrayRef<int8_t> table,
                      llvm::function_ref<double(double)> function) {
  auto x = qnnpack::getQuantizedType(input),
       y = qnnpack::getQuantizedType(output);
  bool isSigned = y.isSigned();
  double lo = isSigned ? -128 : 0, hi = lo + 255;
  for (int64_t byte = 0; byte < 256; ++byte) {
    int64_t q = x.isSigned() ? int8_t(byte) : byte;
    if (q < x.getStorageTypeMin() || q > x.getStorageTypeMax())
      continue;
    double steps =
        function(numerics::dequantize(q, x.getScale(), x.getZeroPoint())) /
        static_cast<float>(y.getScale());
    double shifted = steps + y.getZeroPoint();
    double entry = isSigned ? table[byte] : uint8_t(table[byte]);
    // Beyond the limits only the side counts.
    bool isBelow = shifted<lo - 1, isAbove = shifted> hi + 1;
    if ((isBelow && entry == lo) || (isAbove && entry == hi))
      continue;
    double tie = std::abs(steps - std::floor(steps) - 0.5);
    if (std::isnan(steps) || tie < tieDistance ||
        std::min(std::max(std::nearbyint(steps) + y.getZeroPoint(), lo), hi) !=
            entry)
      return false;
  }
  return true;
}

/// Entry `q` of the table; integers below 0 count from its end.
static Tensor lookUp(Exporter &exporter, Tensor integers, bool isSigned,
                     ArrayRef<int8_t> table) {
  auto entries = llvm::map_to_vector(table, [&](int8_t byte) -> int64_t {
    return isSigned ? byte : uint8_t(byte);
  });
  Tensor index =
      exporter.add("Cast", integers,
                   NodeAttr("to", static_cast<int64_t>(ElementType::Int32)));
  return exporter.addMain(
      "Gather",
      {exporter.addIntegers(isSigned ? ElementType::Int8 : ElementType::UInt8,
                            entries, int64_t(entries.size())),
       index});
}

static LogicalResult writeTable(Operation *op, Exporter &exporter,
                                ArrayRef<int8_t> table, Function function) {
  Value input = op->getOperand(0), output = op->getResult(0);
  Layout layout = exporter.getLayout(input);
  if (isCertain(input.getType(), output.getType(), table, function.evaluate)) {
    Tensor x = exporter.getFloat(input, layout);
    return x ? exporter.setFloat(output, layout, function.write(x)) : failure();
  }
  Tensor q = exporter.get(input, layout);
  if (!q)
    return failure();
  exporter.set(output, layout,
               lookUp(exporter, q,
                      qnnpack::getQuantizedType(output.getType()).isSigned(),
                      table));
  return success();
}

static LogicalResult writeFloat(OperatorOp op, Exporter &exporter,
                                llvm::function_ref<Tensor(Tensor)> write) {
  Value input = op.getInputs().front();
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  return x ? exporter.setFloat(op.getOutput(), layout, write(x), op.isFused())
           : failure();
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// The operator `kind` of ONNX.
static auto node(Exporter &exporter, StringRef kind,
                 ArrayRef<NodeAttr> attributes = {}) {
  return [&exporter, kind, attributes = SmallVector<NodeAttr>(attributes)](
             Tensor x) { return exporter.addMain(kind, x, attributes); };
}

static Tensor clip(Exporter &exporter, Tensor x, float min, float max) {
  return exporter.addMain("Clip",
                          {x, exporter.addFloat(min), exporter.addFloat(max)});
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double hardsigmoid(double x) {
  return std::min(std::max(x + 3, 0.0), 6.0) / 6;
}
static double elu(double x, double alpha) {
  return x > 0 ? x : std::expm1(x) * alpha;
}

static SmallVector<NodeAttr> getHardsigmoid() {
  return {NodeAttr("alpha", 1.0f / 6), NodeAttr("beta", 0.5f)};
}

static LogicalResult writeRelu(qnnpack::ReluOp op, Exporter &exporter) {
  // Between the same parameters, any rounding gives back an integer.
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.getFloat(op.getInput(), layout);
  return x ? exporter.setFloat(op.getOutput(), layout,
                               exporter.addMain("Relu", x))
           : failure();
}

/// A bound whose integer is `integer` for any rounding: `bound`, unless it is
/// close to a tie.
static float getBound(float bound, int64_t integer,
                      quant::UniformQuantizedType type) {
  double steps = bound / static_cast<float>(type.getScale());
  double wanted = integer - type.getZeroPoint();
  bool isInside = std::abs(steps - wanted) < 0.5 - tieDistance;
  bool isBeyond = (integer == type.getStorageTypeMin() && steps < wanted) ||
                  (integer == type.getStorageTypeMax() && steps > wanted);
  return isInside || isBeyond ? bound
                              : numerics::dequantize(integer, type.getScale(),
                                                     type.getZeroPoint());
}

static LogicalResult writeClamp(qnnpack::ClampOp op, Exporter &exporter) {
  auto type = qnnpack::getQuantizedType(op.getInput().getType());
  float min = op.getMin().convertToFloat(), max = op.getMax().convertToFloat();
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.getFloat(op.getInput(), layout);
  if (!x)
    return failure();
  min = getBound(min, qnnpack::quantizeNumber(min, type), type);
  max = getBound(max, qnnpack::quantizeNumber(max, type), type);
  return exporter.setFloat(op.getOutput(), layout, clip(exporter, x, min, max));
}

template <typename OpTy>
static LogicalResult writeFunction(OpTy op, Exporter &exporter,
                                   Function function) {
  return writeTable(op, exporter, *qnnpack::getTable(op), function);
}

static LogicalResult writeSigmoid(qnnpack::SigmoidOp op, Exporter &exporter) {
  return writeFunction(op, exporter, {node(exporter, "Sigmoid"), sigmoid});
}

static LogicalResult writeTanh(qnnpack::TanhOp op, Exporter &exporter) {
  return writeFunction(op, exporter, {node(exporter, "Tanh"), [](double x) {
                                        return std::tanh(x);
                                      }});
}

static LogicalResult writeHardsigmoid(qnnpack::HardsigmoidOp op,
                                      Exporter &exporter) {
  return writeFunction(
      op, exporter,
      {node(exporter, "HardSigmoid", getHardsigmoid()), hardsigmoid});
}

static LogicalResult writeHardswish(qnnpack::HardswishOp op,
                                    Exporter &exporter) {
  return writeFunction(op, exporter,
                       {node(exporter, "HardSwish"),
                        [](double x) { return x * hardsigmoid(x); }});
}

static LogicalResult writeRequantize(qnnpack::RequantizeOp op,
                                     Exporter &exporter) {
  return writeFunction(
      op, exporter, {[](Tensor x) { return x; }, [](double x) { return x; }});
}

static LogicalResult writeLeakyRelu(qnnpack::LeakyReluOp op,
                                    Exporter &exporter) {
  float slope = op.getNegativeSlope().convertToFloat();
  return writeFunction(op, exporter,
                       {node(exporter, "LeakyRelu", NodeAttr("alpha", slope)),
                        [=](double x) { return x > 0 ? x : x * slope; }});
}

static LogicalResult writeElu(qnnpack::EluOp op, Exporter &exporter) {
  float alpha = op.getAlpha().convertToFloat();
  return writeFunction(op, exporter,
                       {node(exporter, "Elu", NodeAttr("alpha", alpha)),
                        [=](double x) { return elu(x, alpha); }});
}

static LogicalResult writeCelu(qnnpack::CeluOp op, Exporter &exporter) {
  float alpha = op.getAlpha().convertToFloat();
  return writeFunction(
      op, exporter,
      {node(exporter, "Celu", NodeAttr("alpha", alpha)),
       [=](double x) { return x > 0 ? x : std::expm1(x / alpha) * alpha; }});
}

static LogicalResult writeThreshold(qnnpack::ThresholdOp op,
                                    Exporter &exporter) {
  float threshold = op.getThreshold().convertToFloat(),
        value = op.getValue().convertToFloat();
  auto write = [&](Tensor x) {
    Tensor isAbove = exporter.add("Greater", {x, exporter.addFloat(threshold)});
    return exporter.addMain("Where", {isAbove, x, exporter.addFloat(value)});
  };
  return writeFunction(
      op, exporter,
      {write, [=](double x) { return x > threshold ? x : double(value); }});
}

//===----------------------------------------------------------------------===//
// Slopes in a tensor
//===----------------------------------------------------------------------===//

/// Slopes along dimension `axis` of `input`, as they are multiplied with it in
/// `layout`.
static Tensor getSlopes(Exporter &exporter, Value input, Value weight,
                        int64_t axis, Layout layout) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank(),
          count = cast<RankedTensorType>(weight.getType()).getNumElements();
  SmallVector<int64_t> shape(count == 1 ? 1 : rank, 1);
  if (count != 1)
    shape[getAxis(axis, layout, rank)] = count;
  Tensor slopes = exporter.getFloat(weight, Layout::AsIs);
  if (!slopes || shape.size() == 1)
    return slopes;
  return exporter.reshape(slopes, shape);
}

// y = x > 0 ? one * x : w * x, where `one` is what the slopes have for 1.
static LogicalResult writePrelu(qnnpack::PreluOp op, Exporter &exporter) {
  auto type = qnnpack::getQuantizedType(op.getWeight().getType());
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.getFloat(op.getInput(), layout);
  Tensor slopes =
      getSlopes(exporter, op.getInput(), op.getWeight(), rank - 1, layout);
  if (!x || !slopes)
    return failure();
  float one = static_cast<float>(type.getScale()) * qnnpack::getPreluOne(type);
  Tensor y;
  if (one == 1) {
    y = exporter.addMain("PRelu", {x, slopes});
  } else {
    Tensor zero = exporter.addFloat(0);
    Tensor above = exporter.add(
        "Mul", {exporter.add("Max", {x, zero}), exporter.addFloat(one)});
    Tensor below =
        exporter.add("Mul", {exporter.add("Min", {x, zero}), slopes});
    y = exporter.addMain("Add", {above, below});
  }
  return exporter.setFloat(op.getOutput(), layout, y);
}

static LogicalResult writePreluKind(PreluAttr kind, OperatorOp op,
                                    Exporter &exporter) {
  Value input = op.getInputs().front();
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  Tensor slopes =
      getSlopes(exporter, input, op.getWeight(), kind.getAxis(), layout);
  if (!x || !slopes)
    return failure();
  return exporter.setFloat(op.getOutput(), layout,
                           exporter.addMain("PRelu", {x, slopes}),
                           op.isFused());
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static LogicalResult softmax(Exporter &exporter, StringRef kind, Value input,
                             Value output, int64_t axis, bool relu = false) {
  Layout layout = exporter.getLayout(input);
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  Tensor y =
      exporter.addMain(kind, x, NodeAttr("axis", getAxis(axis, layout, rank)));
  return exporter.setFloat(output, layout, y, relu);
}

static LogicalResult writeSoftmax(qnnpack::SoftmaxOp op, Exporter &exporter) {
  return softmax(exporter, "Softmax", op.getInput(), op.getOutput(),
                 op.getAxis());
}

template <typename KindTy>
static LogicalResult writeSoftmaxKind(KindTy kind, OperatorOp op,
                                      Exporter &exporter) {
  return softmax(
      exporter, std::is_same_v<KindTy, SoftmaxAttr> ? "Softmax" : "LogSoftmax",
      op.getInputs().front(), op.getOutput(), kind.getAxis(), op.isFused());
}

//===----------------------------------------------------------------------===//
// Float operators
//===----------------------------------------------------------------------===//

static float toFloat(FloatAttr number) {
  return static_cast<float>(number.getValueAsDouble());
}

/// The value of `kind` at `x`.
static Tensor apply(Attribute kind, Exporter &e, Tensor x) {
  auto number = [&](double value) { return e.addFloat(float(value)); };
  return llvm::TypeSwitch<Attribute, Tensor>(kind)
      .Case([&](ReluAttr) { return e.addMain("Relu", x); })
      .Case([&](Relu6Attr) { return clip(e, x, 0, 6); })
      .Case<HardtanhAttr, ClampAttr>([&](auto kind) {
        return clip(e, x, toFloat(kind.getMin()), toFloat(kind.getMax()));
      })
      .Case([&](SigmoidAttr) { return e.addMain("Sigmoid", x); })
      .Case([&](HardsigmoidAttr) {
        return e.addMain("HardSigmoid", x, getHardsigmoid());
      })
      .Case([&](HardswishAttr) { return e.addMain("HardSwish", x); })
      .Case([&](TanhAttr) { return e.addMain("Tanh", x); })
      .Case([&](LeakyReluAttr kind) {
        return e.addMain("LeakyRelu", x,
                         NodeAttr("alpha", toFloat(kind.getNegativeSlope())));
      })
      .Case([&](EluAttr kind) {
        return e.addMain("Elu", x, NodeAttr("alpha", toFloat(kind.getAlpha())));
      })
      .Case([&](CeluAttr kind) {
        return e.addMain("Celu", x,
                         NodeAttr("alpha", toFloat(kind.getAlpha())));
      })
      .Case([&](SeluAttr) { return e.addMain("Selu", x); })
      .Case([&](SiluAttr) {
        return e.addMain("Mul", {x, e.add("Sigmoid", x)});
      })
      .Case([&](QuickGeluAttr) {
        Tensor gate = e.add("Sigmoid", e.add("Mul", {x, number(1.702)}));
        return e.addMain("Mul", {x, gate});
      })
      .Case([&](GeluAttr kind) {
        // x / 2 * (1 + erf(x / sqrt(2))); tanh: of
        // sqrt(2 / pi) * (x + 0.044715 x^3) in its place.
        Tensor inner;
        if (kind.getTanh()) {
          Tensor cube = e.add("Mul", {x, e.add("Mul", {x, x})});
          Tensor sum =
              e.add("Add", {x, e.add("Mul", {cube, number(0.044715)})});
          inner =
              e.add("Tanh", e.add("Mul", {sum, number(std::sqrt(2 / M_PI))}));
        } else {
          inner = e.add("Erf", e.add("Mul", {x, number(std::sqrt(0.5))}));
        }
        Tensor half = e.add("Mul", {x, number(0.5)});
        return e.addMain("Mul", {half, e.add("Add", {inner, number(1)})});
      })
      .Case([&](SoftplusAttr kind) {
        float beta = toFloat(kind.getBeta());
        if (beta == 1)
          return e.addMain("Softplus", x);
        Tensor inner = e.add("Softplus", e.add("Mul", {x, number(beta)}));
        return e.addMain("Div", {inner, number(beta)});
      })
      .Case([&](MishAttr) {
        return e.addMain("Mul", {x, e.add("Tanh", e.add("Softplus", x))});
      })
      .Case([&](NegAttr) { return e.addMain("Neg", x); })
      .Case([&](SinAttr) { return e.addMain("Sin", x); })
      .Case([&](CosAttr) { return e.addMain("Cos", x); })
      .Case([&](SquareAttr) {
        return e.addMain("Mul", {x, x});
      })
      .Case(
          [&](RsqrtAttr) { return e.addMain("Reciprocal", e.add("Sqrt", x)); })
      .Case([&](PowAttr kind) {
        return e.addMain("Pow", {x, number(toFloat(kind.getExponent()))});
      })
      .Case([&](RsubAttr kind) {
        return e.addMain("Sub", {number(toFloat(kind.getScalar())), x});
      })
      .Case([&](DropoutAttr) { return x; });
}

template <typename... KindTys> static void addKinds(Writers &writers) {
  (writers.addKind<KindTys>(
       [](KindTys kind, OperatorOp op, Exporter &exporter) {
         return writeFloat(op, exporter,
                           [&](Tensor x) { return apply(kind, exporter, x); });
       }),
   ...);
}

void onnx::addFunctions(Writers &writers) {
  writers.add(writeRelu);
  writers.add(writeClamp);
  writers.add(writeSigmoid);
  writers.add(writeTanh);
  writers.add(writeHardsigmoid);
  writers.add(writeHardswish);
  writers.add(writeRequantize);
  writers.add(writeLeakyRelu);
  writers.add(writeElu);
  writers.add(writeCelu);
  writers.add(writeThreshold);
  writers.add(writePrelu);
  writers.add(writeSoftmax);
  writers.addKind(writePreluKind);
  writers.addKind(writeSoftmaxKind<SoftmaxAttr>);
  writers.addKind(writeSoftmaxKind<LogSoftmaxAttr>);
  addKinds<ReluAttr, Relu6Attr, HardtanhAttr, ClampAttr, SigmoidAttr,
           HardsigmoidAttr, HardswishAttr, TanhAttr, LeakyReluAttr, EluAttr,
           CeluAttr, SeluAttr, SiluAttr, QuickGeluAttr, GeluAttr, SoftplusAttr,
           MishAttr, NegAttr, SinAttr, CosAttr, SquareAttr, RsqrtAttr, PowAttr,
           RsubAttr, DropoutAttr>(writers);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels against the scalar formulas of Numerics: all 256 inputs of
// a unary kernel, all 65,536 pairs of a binary one, and accumulators of a
// requantization, for many quantization parameters. Integers are compared one
// by one, floats bit by bit.
//
// By default a sample of the parameters. For a proof:
//
//   QBACKEND_EXHAUSTIVE_SETS         parameter sets of each kernel (default 12)
//   QBACKEND_EXHAUSTIVE_MULTIPLIERS  multipliers with all 2^32 accumulators
//                                    (default 0)
//   QBACKEND_EXHAUSTIVE_SEED         of the random parameters (default 1)

#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Numerics/Normalization.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Tables.h"
#include "qbackend/Runtime/Executable.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::numerics;
using namespace qbackend::runtime;

namespace {

/// The number in the environment variable `name`.
int64_t getOption(const char *name, int64_t missing) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : missing;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The element type of a quantized tensor.
std::string print(const TableType &type) {
  return formatv("!quant.uniform<{0}8:f32, {1}:{2}>", type.isSigned ? "i" : "u",
                 formatv("{0:e17}", type.scale).str(), type.zeroPoint);
}

/// The whole number that a float attribute's bits are.
std::string print(float value) {
  return formatv("0x{0:X-8} : f32", llvm::bit_cast<uint32_t>(value));
}

QuantParams paramsOf(const TableType &type) {
  return {type.scale, type.zeroPoint};
}

QuantRange rangeOf(const TableType &type) { return {type.min(), type.max()}; }

class Random {
public:
  Random() : engine(getOption("QBACKEND_EXHAUSTIVE_SEED", 1)) {}

  int64_t integer(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine);
  }
  bool flip() { return integer(0, 1) != 0; }
  double real(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine);
  }
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[integer(0, list.size() - 1)];
  }

  /// Half of them in simple ratios, which makes ties; some no floats.
  double scale() {
    switch (integer(0, 5)) {
    case 0:
    case 1:
      return pick({0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0});
    case 2:
      return pick({0.05, 0.1, 0.2, 0.3, 0.7});
    case 3:
      return std::exp(real(-4, 1));
    default:
      return static_cast<float>(std::exp(real(-5, 1)));
    }
  }

  /// With the ends of the range, and its middle.
  TableType type(bool isSigned) { return type(isSigned, scale()); }

  /// Half of the time with a scale in a simple ratio to that of `other`, so
  /// that many results are ties.
  TableType related(const TableType &other) {
    double factor = pick({0.5, 1.0, 2.0, 2.0, 4.0, 10.0});
    return type(other.isSigned, flip() ? other.scale * factor : scale());
  }

  TableType type(bool isSigned, double scale) {
    TableType result = {scale, 0, isSigned};
    result.zeroPoint = pick({result.min(), result.max(), result.min() + 128,
                             integer(result.min(), result.max()),
                             integer(result.min(), result.max())});
    return result;
  }

private:
  std::mt19937_64 engine;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// An op on `inputs` and its result for the stored values of an element.
struct Kernel {
  std::string op;         // with its dialect's prefix
  std::string attributes; // with the braces, or nothing
  SmallVector<TableType> inputs;
  std::optional<TableType> output; // else f32
  /// The stored result, or the bits of the f32 one.
  std::function<int32_t(int32_t, int32_t)> expected;
};

class ExhaustiveTest : public testing::Test {
protected:
  ExhaustiveTest() : context(makeRegistry()) {}

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerRuntimeDialects(registry);
    registry.insert<mlir::quant::QuantDialect, qnnpack::QNNPackDialect>();
    return registry;
  }

  /// Lowers and compiles the function `main` of `text`.
  std::unique_ptr<Executable> compile(StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse:\n" << text.take_front(4000).str();
      return nullptr;
    }
    mlir::PassManager pm(&context);
    pm.addPass(createConvertQNNPackToLinalgPass());
    if (failed(pm.run(*module))) {
      ADD_FAILURE() << "does not convert:\n" << text.take_front(4000).str();
      return nullptr;
    }
    auto result = Executable::compile(std::move(module), "main");
    if (!result) {
      ADD_FAILURE() << toString(result.takeError());
      return nullptr;
    }
    return std::move(*result);
  }

  /// Runs `executable` on bytes or int32; empty after a failure.
  std::vector<Array> run(const Executable &executable,
                         ArrayRef<Array> arguments) {
    SmallVector<const Array *> pointers;
    for (const Array &argument : arguments)
      pointers.push_back(&argument);
    std::vector<Array> results(executable.getOutputs().size());
    std::string error = toString(executable.run(pointers, results));
    EXPECT_EQ(error, "");
    if (!error.empty())
      results.clear();
    return results;
  }

  /// Compares `kernels` on operands of the given shapes, where the first one
  /// holds its row in each element, and the second one its column: both are of
  /// 256 values in all.
  void check(ArrayRef<Kernel> kernels, ArrayRef<SmallVector<int64_t>> shapes) {
    // As many as compile in a moment.
    for (size_t begin = 0; begin < kernels.size(); begin += 16) {
      checkProgram(
          kernels.slice(begin, std::min<size_t>(16, kernels.size() - begin)),
          shapes);
      if (HasFailure())
        return;
    }
  }

  void checkUnary(ArrayRef<Kernel> kernels) { check(kernels, {{256}}); }
  void checkBinary(ArrayRef<Kernel> kernels) {
    check(kernels, {{256, 256}, {256, 256}});
  }

  int64_t sets = getOption("QBACKEND_EXHAUSTIVE_SETS", 12);
  Random random;
  mlir::MLIRContext context;

private:
  void checkProgram(ArrayRef<Kernel> kernels,
                    ArrayRef<SmallVector<int64_t>> shapes) {
    auto tensor = [](ArrayRef<int64_t> shape, StringRef element) {
      return "tensor<" + formatShape(shape) + "x" + element.str() + ">";
    };
    std::string body, results, types;
    for (auto [k, kernel] : enumerate(kernels)) {
      std::string operands, operandTypes;
      for (auto [i, input] : enumerate(kernel.inputs)) {
        std::string type = tensor(shapes[i], print(input));
        body += formatv("  %x{0}_{1} = quant.scast %a{1} : {2} to {3}\n", k, i,
                        tensor(shapes[i], "i8"), type);
        operands += formatv("{0}%x{1}_{2}", i ? ", " : "", k, i);
        operandTypes += (i ? ", " : "") + type;
      }
      std::string type =
          tensor(shapes[0], kernel.output ? print(*kernel.output) : "f32");
      std::string stored = tensor(shapes[0], kernel.output ? "i8" : "f32");
      body += formatv("  %r{0} = {1} {2} {3} : {4} -> {5}\n", k, kernel.op,
                      operands, kernel.attributes, operandTypes, type);
      if (kernel.output)
        body += formatv("  %y{0} = quant.scast %r{0} : {1} to {2}\n", k, type,
                        stored);
      results +=
          formatv("{0}%{1}{2}", k ? ", " : "", kernel.output ? "y" : "r", k);
      types += (k ? ", " : "") + stored;
    }
    std::string arguments;
    for (auto [i, shape] : enumerate(shapes))
      arguments +=
          formatv("{0}%a{1}: {2}", i ? ", " : "", i, tensor(shape, "i8"));
    std::unique_ptr<Executable> executable =
        compile("func.func @main(" + arguments + ") -> (" + types + ") {\n" +
                body + "  return " + results + " : " + types + "\n}\n");
    if (!executable)
      return;

    int64_t columns = shapes[0].size() == 2 ? shapes[0][1] : 1;
    std::vector<Array> operands;
    for (auto [i, shape] : enumerate(shapes)) {
      operands.push_back(Array::zeros(ElementType::U8, shape));
      for (auto [j, byte] : enumerate(operands.back().data))
        byte = static_cast<uint8_t>(i == 0 ? j / columns : j % 256);
    }
    std::vector<Array> actual = run(*executable, operands);
    for (auto [kernel, array] : zip(kernels, actual))
      compare(kernel, array, columns);
  }

  static int32_t readByte(uint8_t byte, bool isSigned) {
    return isSigned ? static_cast<int8_t>(byte) : byte;
  }

  void compare(const Kernel &kernel, const Array &actual, int64_t columns) {
    std::string name = kernel.op + " " + kernel.attributes;
    for (const TableType &input : kernel.inputs)
      name += " " + print(input);
    name += kernel.output ? " -> " + print(*kernel.output) : " -> f32";
    int64_t differences = 0, count = actual.getNumElements();
    for (int64_t i = 0; i < count; ++i) {
      int32_t a = readByte(i / columns, kernel.inputs[0].isSigned);
      int32_t b = readByte(i % columns, kernel.inputs.back().isSigned);
      int32_t wanted = kernel.expected(a, b);
      int32_t found = kernel.output
                          ? readByte(actual.data[i], kernel.output->isSigned)
                          : actual.as<int32_t>()[i];
      if (wanted != found && ++differences == 1)
        ADD_FAILURE() << name << ": " << found << " for (" << a << ", " << b
                      << "), expected " << wanted;
    }
    EXPECT_EQ(differences, 0) << name << ", of " << count;
  }
};

//===----------------------------------------------------------------------===//
// Unary kernels
//===----------------------------------------------------------------------===//

/// A kernel that `table` describes.
Kernel makeTableKernel(StringRef op, std::string attributes,
                       const TableType &in, const TableType &out,
                       const Table256 &table) {
  return {
      op.str(),
      std::move(attributes),
      {in},
      out,
      [table, min = in.min()](int32_t a, int32_t) { return table[a - min]; }};
}

TEST_F(ExhaustiveTest, FixedResults) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType in = random.type(isSigned);
      TableType unit = {0x1p-8, in.min(), isSigned};
      TableType tanh = {0x1p-7, in.min() + 128, isSigned};
      kernels.push_back(makeTableKernel("qnnpack.sigmoid", "", in, unit,
                                        sigmoidTable(in, unit)));
      kernels.push_back(makeTableKernel("qnnpack.hardsigmoid", "", in, unit,
                                        hardsigmoidTable(in, unit)));
      kernels.push_back(
          makeTableKernel("qnnpack.tanh", "", in, tanh, tanhTable(in, tanh)));
    }
  checkUnary(kernels);
}

TEST_F(ExhaustiveTest, Limits) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType type = random.type(isSigned);
      kernels.push_back(makeTableKernel("qnnpack.relu", "", type, type,
                                        clampTable(type, reluBounds(type))));
      float lo = random.real(-8, 1), hi = lo + random.real(0, 8);
      kernels.push_back(makeTableKernel(
          "qnnpack.clamp", "{min = " + print(lo) + ", max = " + print(hi) + "}",
          type, type, clampTable(type, clampBounds(type, lo, hi))));
      float threshold = random.integer(-4, 4) * static_cast<float>(type.scale),
            value = random.real(-4, 4);
      kernels.push_back(makeTableKernel(
          "qnnpack.threshold",
          "{threshold = " + print(threshold) + ", value = " + print(value) +
              "}",
          type, type, thresholdTable(type, type, threshold, value)));
    }
  checkUnary(kernels);
}

TEST_F(ExhaustiveTest, Activations) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType in = random.type(isSigned), out = random.related(in);
      kernels.push_back(makeTableKernel("qnnpack.hardswish", "", in, out,
                                        hardswishTable(in, out)));
      // 256 elements are a multiple of 64: all of them are the vector code's.
      for (AtenCode code : {AtenCode::Scalar, AtenCode::Vector}) {
        std::string end = code == AtenCode::Vector ? ", vectorized}" : "}";
        float number = random.pick({0.01f, 0.25f, 0.5f, 1.0f, 1.7f});
        std::string alpha = "{alpha = " + print(number) + end;
        kernels.push_back(makeTableKernel(
            "qnnpack.leaky_relu", "{negative_slope = " + print(number) + end,
            in, out, leakyReluTable(in, out, number, code)));
        kernels.push_back(makeTableKernel("qnnpack.elu", alpha, in, out,
                                          eluTable(in, out, number, code)));
        kernels.push_back(makeTableKernel("qnnpack.celu", alpha, in, out,
                                          celuTable(in, out, number, code)));
      }
    }
  checkUnary(kernels);
}

TEST_F(ExhaustiveTest, Numbers) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true})
      for (auto [op, rewrite] : {std::pair("qnnpack.add_scalar", addScalar),
                                 std::pair("qnnpack.mul_scalar", mulScalar)})
        for (bool relu : {false, true}) {
          TableType in = random.type(isSigned);
          double number = random.pick(
              {0.0, -1.0, 2.0, random.real(-99, 99), random.real(-2, 2)});
          ScalarResult result = rewrite(paramsOf(in), number, rangeOf(in));
          TableType out = {result.params.scale, result.params.zeroPoint,
                           isSigned};
          Kernel kernel = {
              op, relu ? "{relu}" : "", {in}, out, [=](int32_t a, int32_t) {
                int32_t y = applyScalar(a, result);
                return relu ? std::max<int32_t>(y, out.zeroPoint) : y;
              }};
          kernel.attributes =
              ", " + formatv("{0:e17}", number).str() + " " + kernel.attributes;
          kernels.push_back(std::move(kernel));
        }
  checkUnary(kernels);
}

TEST_F(ExhaustiveTest, Requantized) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType in = random.type(isSigned), out = random.related(in);
      for (bool relu : {false, true})
        kernels.push_back({"qnnpack.cat",
                           relu ? "{axis = 0 : i64, relu}" : "{axis = 0 : i64}",
                           {in},
                           out,
                           [=](int32_t a, int32_t) {
                             float x = dequantize(a, in.scale, in.zeroPoint);
                             return quantize(x, out.scale, out.zeroPoint,
                                             relu ? out.zeroPoint : out.min(),
                                             out.max());
                           }});
      kernels.push_back({"qnnpack.dequantize",
                         "",
                         {in},
                         std::nullopt,
                         [=](int32_t a, int32_t) {
                           return llvm::bit_cast<int32_t>(
                               dequantize(a, in.scale, in.zeroPoint));
                         }});
    }
  checkUnary(kernels);
}

//===----------------------------------------------------------------------===//
// Binary kernels
//===----------------------------------------------------------------------===//

TEST_F(ExhaustiveTest, Add) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType a = random.type(isSigned), b = random.related(a),
                y = random.related(a);
      auto m = (isSigned ? addMultipliersXnnpack
                         : addMultipliers)(a.scale, b.scale, y.scale);
      auto add = isSigned ? addXnnpack : addQ8;
      for (bool relu : {false, true}) {
        int32_t lo = relu ? y.zeroPoint : y.min();
        if (relu && y.zeroPoint == y.max())
          continue;
        if (m.valid)
          kernels.push_back({"qnnpack.add",
                             relu ? "{relu}" : "",
                             {a, b},
                             y,
                             [=](int32_t p, int32_t q) {
                               return add(p, q, a.zeroPoint, b.zeroPoint, m,
                                          y.zeroPoint, lo, y.max());
                             }});
        kernels.push_back({"qnnpack.add",
                           relu ? "{aten, relu}" : "{aten}",
                           {a, b},
                           y,
                           [=](int32_t p, int32_t q) {
                             return addAten(p, paramsOf(a), q, paramsOf(b),
                                            paramsOf(y), y.min(), y.max(),
                                            relu);
                           }});
      }
    }
  checkBinary(kernels);
}

TEST_F(ExhaustiveTest, Mul) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType a = random.type(isSigned), b = random.related(a),
                y = random.related(a);
      // One in eight overflows 31 bits.
      if (random.integer(0, 7) == 0)
        a.scale *= 1e6;
      // The engine has ATen's multiplier where XNNPACK refuses.
      bool isXnnpack = isSigned && y.zeroPoint != y.max();
      float m = (isXnnpack ? mulMultiplierXnnpack
                           : mulMultiplier)(a.scale, b.scale, y.scale);
      for (bool relu : {false, true}) {
        int32_t lo = relu ? y.zeroPoint : y.min();
        kernels.push_back({"qnnpack.mul",
                           relu ? "{relu}" : "",
                           {a, b},
                           y,
                           [=](int32_t p, int32_t q) {
                             return mulQ8(p, q, a.zeroPoint, b.zeroPoint, m,
                                          y.zeroPoint, lo, y.max());
                           }});
      }
    }
  checkBinary(kernels);
}

TEST_F(ExhaustiveTest, Prelu) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType x = random.type(isSigned), w = random.type(isSigned),
                y = random.related(x);
      int32_t one = preluOne(paramsOf(w), rangeOf(w));
      float m = mulMultiplier(x.scale, w.scale, y.scale);
      kernels.push_back(
          {"qnnpack.prelu", "", {x, w}, y, [=](int32_t p, int32_t q) {
             return prelu(p, q, x.zeroPoint, w.zeroPoint, one, m, y.zeroPoint,
                          y.min(), y.max());
           }});
    }
  check(kernels, {{256, 256}, {256}});
}

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

/// All 256 inputs of 64 channels; the parameters are constants, or operands.
TEST_F(ExhaustiveTest, BatchNorm) {
  constexpr int64_t channels = 64;
  const char *names[] = {"gamma", "beta", "mean", "var"};
  for (int64_t i = 0; i < sets; ++i) {
    TableType x = random.type(i % 2), y = random.type(i % 2);
    bool isConstant = i / 2 % 2, relu = i / 4 % 2;
    std::vector<Array> operands = {
        Array::zeros(ElementType::U8, {256, channels})};
    for (auto [j, byte] : enumerate(operands[0].data))
      byte = static_cast<uint8_t>(j / channels);
    std::string arguments = "%a: tensor<256x64xi8>", body;
    for (auto [k, name] : enumerate(names)) {
      operands.push_back(Array::zeros(ElementType::F32, {channels}));
      std::string literal;
      for (float &value : operands.back().as<float>()) {
        value = k == 3 ? random.real(0, 3) : random.real(-3, 3);
        literal += formatv("{0}0x{1:X-8}", literal.empty() ? "" : ", ",
                           llvm::bit_cast<uint32_t>(value));
      }
      if (isConstant)
        body += formatv("  %{0} = arith.constant dense<[{1}]> : "
                        "tensor<64xf32>\n",
                        name, literal);
      else
        arguments += formatv(", %{0}: tensor<64xf32>", name);
    }
    auto executable = compile(
        formatv(
            "func.func @main({0}) -> tensor<256x64xi8> {{\n{1}"
            "  %x = quant.scast %a : tensor<256x64xi8> to tensor<256x64x{2}>\n"
            "  %r = qnnpack.batch_norm %x, %gamma, %beta, %mean, %var "
            "{{eps = 1.0e-5 : f64{4}} : tensor<256x64x{2}>, tensor<64xf32>, "
            "tensor<64xf32>, tensor<64xf32>, tensor<64xf32> -> "
            "tensor<256x64x{3}>\n"
            "  %y = quant.scast %r : tensor<256x64x{3}> to tensor<256x64xi8>\n"
            "  return %y : tensor<256x64xi8>\n}\n",
            arguments, body, print(x), print(y), relu ? ", relu" : "")
            .str());
    ASSERT_TRUE(executable);
    std::vector<Array> actual =
        run(*executable,
            ArrayRef(operands).take_front(isConstant ? 1 : operands.size()));
    ASSERT_EQ(actual.size(), 1u);
    auto parameter = [&](int k, int64_t c) {
      return operands[1 + k].as<float>()[c];
    };
    for (int64_t c = 0; c < channels; ++c) {
      ChannelAffine affine =
          batchNormAffine(parameter(0, c), parameter(1, c), parameter(2, c),
                          parameter(3, c), 1e-5, x.scale, y.scale);
      for (int32_t byte = 0; byte < 256; ++byte) {
        int32_t q = x.isSigned ? static_cast<int8_t>(byte) : byte;
        uint8_t wanted = static_cast<uint8_t>(
            batchNorm(q - x.zeroPoint, affine, y.zeroPoint,
                      relu ? y.zeroPoint : y.min(), y.max()));
        ASSERT_EQ(actual[0].data[byte * channels + c], wanted)
            << "channel " << c << " of " << q << " in " << print(x) << " -> "
            << print(y);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// A requantization of accumulators.
struct Requantization {
  float multiplier;
  TableType output;
  bool relu;
};

/// Ties, products that overflow, the smallest and the largest multipliers, and
/// ones as networks have them.
std::vector<Requantization> makeRequantizations(Random &random, size_t count) {
  std::vector<float> multipliers = {
      0.5f,    0x1p-2f,  0.1f,     0x1p-10f, 1.0f,    1.5f,
      0.75f,   0x1p-24f, 0x1p-31f, FLT_MIN,  255.0f,  0x1p8f,
      1e4f,    1e8f,     0x1p31f,  0x1p96f,  FLT_MAX, 0x1.fffffep-1f,
      0x1p-7f, 0x1p-23f, 0x1p-8f,  3.0f,     0.001f,  1.0f / 3.0f};
  while (multipliers.size() < count)
    multipliers.push_back(std::exp(random.real(-12, -2)));
  multipliers.resize(count);
  std::vector<Requantization> result;
  for (auto [i, multiplier] : enumerate(multipliers)) {
    TableType output = random.type(i % 2);
    output.scale = 1.0;
    bool relu = i / 2 % 2 && output.zeroPoint < output.max();
    result.push_back({multiplier, output, relu});
  }
  return result;
}

/// Accumulators are the bias of a linear op with weight 0. Its input's scale
/// is the multiplier; the other scales are 1.
class AccumulatorTest : public ExhaustiveTest {
protected:
  static constexpr int64_t size = 1 << 20;

  /// Calls `fill(bias)` until it returns false, and compares each time.
  void checkAccumulators(const Requantization &which,
                         function_ref<bool(MutableArrayRef<int32_t>)> fill) {
    TableType input = {which.multiplier, 0, which.output.isSigned};
    TableType weight = {1.0, 0, true};
    std::string text = formatv(
        "func.func @main(%b: tensor<{0}xi32>) -> tensor<1x{0}xi8> {{\n"
        "  %c = arith.constant dense<0> : tensor<1x1xi8>\n"
        "  %x = quant.scast %c : tensor<1x1xi8> to tensor<1x1x{1}>\n"
        "  %z = arith.constant dense<0> : tensor<{0}x1xi8>\n"
        "  %w = quant.scast %z : tensor<{0}x1xi8> to tensor<{0}x1x{2}>\n"
        "  %r = qnnpack.linear %x, %w, %b {3} : tensor<1x1x{1}>, "
        "tensor<{0}x1x{2}>, tensor<{0}xi32> -> tensor<1x{0}x{4}>\n"
        "  %y = quant.scast %r : tensor<1x{0}x{4}> to tensor<1x{0}xi8>\n"
        "  return %y : tensor<1x{0}xi8>\n}\n",
        size, print(input), print(weight), which.relu ? "{relu}" : "",
        print(which.output));
    std::unique_ptr<Executable> executable = compile(text);
    ASSERT_TRUE(executable);
    bool isSigned = which.output.isSigned;
    auto function = isSigned ? requantizeXnnpack : numerics::requantize;
    int32_t zero = which.output.zeroPoint, hi = which.output.max(),
            lo = which.relu ? zero : which.output.min();
    std::vector<Array> operands = {Array::zeros(ElementType::I32, {size})};
    while (fill(operands[0].as<int32_t>())) {
      std::vector<Array> actual = run(*executable, operands);
      ASSERT_EQ(actual.size(), 1u);
      ArrayRef<int32_t> accumulators = operands[0].as<int32_t>();
      for (int64_t i = 0; i < size; ++i) {
        uint8_t wanted = static_cast<uint8_t>(
            function(accumulators[i], which.multiplier, zero, lo, hi));
        ASSERT_EQ(actual[0].data[i], wanted)
            << "accumulator " << accumulators[i] << ", multiplier "
            << which.multiplier << " -> " << print(which.output)
            << (which.relu ? ", relu" : "");
      }
    }
  }
};

TEST_F(AccumulatorTest, SomeAccumulators) {
  for (const Requantization &which : makeRequantizations(random, 32)) {
    bool done = false;
    checkAccumulators(which, [&](MutableArrayRef<int32_t> bias) {
      // Around 0, the two ends, every tie in reach, and anything.
      for (auto [i, value] : enumerate(bias)) {
        int64_t k = static_cast<int64_t>(i / 4) - size / 8;
        double tie = (static_cast<double>(k % 1000) + 0.5) / which.multiplier;
        switch (i % 4) {
        case 0:
          value = static_cast<int32_t>(k);
          break;
        case 1:
          value = static_cast<int32_t>(static_cast<uint32_t>(INT32_MIN) +
                                       static_cast<uint32_t>(k));
          break;
        case 2:
          value = static_cast<int32_t>(std::clamp(
              std::nearbyint(tie) + static_cast<double>(random.integer(-1, 1)),
              -0x1p31, 0x1.fffffffcp30));
          break;
        default:
          value = static_cast<int32_t>(random.integer(INT32_MIN, INT32_MAX));
        }
      }
      return !std::exchange(done, true);
    });
    if (HasFailure())
      return;
  }
}

TEST_F(AccumulatorTest, AllAccumulators) {
  int64_t count = getOption("QBACKEND_EXHAUSTIVE_MULTIPLIERS", 0);
  if (count == 0)
    GTEST_SKIP() << "set QBACKEND_EXHAUSTIVE_MULTIPLIERS to try all 2^32";
  for (const Requantization &which : makeRequantizations(random, count)) {
    int64_t next = INT32_MIN;
    checkAccumulators(which, [&](MutableArrayRef<int32_t> bias) {
      if (next > INT32_MAX)
        return false;
      for (int32_t &value : bias)
        value = static_cast<int32_t>(next++);
      return true;
    });
    if (HasFailure())
      return;
    std::printf("all accumulators: multiplier %a, zero point %d, %s\n",
                which.multiplier, static_cast<int>(which.output.zeroPoint),
                which.output.isSigned ? "signed" : "unsigned");
    std::fflush(stdout);
  }
}

} // namespace

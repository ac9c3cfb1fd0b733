// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All 256 inputs of the unary kernels, all 65,536 pairs of the binary ones, and
// all inputs of batch norm's channels.

#include "Exhaustive.h"

#include "qbackend/Numerics/BatchNorm.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"

using namespace qbackend;

namespace {

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

int32_t quantizeTo(const TableType &type, float value) {
  return quantize(value, static_cast<float>(type.scale), type.zeroPoint,
                  type.min(), type.max());
}

/// The values of `type`, limited to [`lo`, `hi`].
Table256 limit(const TableType &type, int64_t lo, int64_t hi) {
  Table256 table;
  for (auto [i, y] : enumerate(table))
    y = std::clamp(static_cast<int64_t>(type.min() + i), lo, hi);
  return table;
}

TEST_F(ExhaustiveTest, Limits) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true}) {
      TableType type = random.type(isSigned);
      kernels.push_back(
          makeTableKernel("qnnpack.relu", "", type, type,
                          limit(type, type.zeroPoint, type.max())));
      float lo = random.real(-8, 1), hi = lo + random.real(0, 8);
      kernels.push_back(makeTableKernel(
          "qnnpack.clamp", "{min = " + print(lo) + ", max = " + print(hi) + "}",
          type, type, limit(type, quantizeTo(type, lo), quantizeTo(type, hi))));
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

TEST_F(ExhaustiveTest, Requantize) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool from : {false, true})
      for (bool to : {false, true}) {
        TableType in = random.type(from), out = random.type(to);
        kernels.push_back(makeTableKernel("qnnpack.requantize", "", in, out,
                                          requantizeTable(in, out)));
      }
  checkUnary(kernels);
}

TEST_F(ExhaustiveTest, Numbers) {
  SmallVector<Kernel> kernels;
  for (int64_t i = 0; i < sets; ++i)
    for (bool isSigned : {false, true})
      for (auto [op, rewrite] : {std::pair("qnnpack.add_scalar", &addScalar),
                                 std::pair("qnnpack.mul_scalar", &mulScalar)})
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
             int32_t d = p - static_cast<int32_t>(x.zeroPoint);
             int32_t slope = q - static_cast<int32_t>(w.zeroPoint);
             return requantize(d > 0 ? d * one : d * slope, m, y.zeroPoint,
                               y.min(), y.max());
           }});
    }
  check(kernels, {{256, 256}, {256}});
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Of 1024 equal values the sum of exponentials wraps to 0, of 600 to 104; one
/// has no others.
TEST_F(ExhaustiveTest, SoftmaxWhoseSumWraps) {
  for (int64_t n : {1, 600, 1024}) {
    auto executable = compile(
        formatv("func.func @main(%a: tensor<1x{0}xi8>) -> tensor<1x{0}xi8> {{\n"
                "  %x = quant.scast %a : tensor<1x{0}xi8> to "
                "tensor<1x{0}x!quant.uniform<u8:f32, 0.1>>\n"
                "  %r = qnnpack.softmax %x {{axis = 1 : i64} : "
                "tensor<1x{0}x!quant.uniform<u8:f32, 0.1>> -> "
                "tensor<1x{0}x!quant.uniform<u8:f32, 0.00390625>>\n"
                "  %y = quant.scast %r : "
                "tensor<1x{0}x!quant.uniform<u8:f32, 0.00390625>> to "
                "tensor<1x{0}xi8>\n  return %y : tensor<1x{0}xi8>\n}\n",
                n)
            .str());
    ASSERT_TRUE(executable);
    Array x = Array::zeros(ElementType::U8, {1, n});
    std::fill(x.data.begin(), x.data.end(), 3);
    std::vector<Array> y = run(*executable, x);
    ASSERT_EQ(y.size(), 1u);
    for (uint8_t value : y[0].data)
      ASSERT_EQ(value, 255) << n;
  }
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
        float v = std::fma(affine.scale, static_cast<float>(q - x.zeroPoint),
                           affine.offset);
        uint8_t wanted = static_cast<uint8_t>(quantize(
            v, 1.0f, y.zeroPoint, relu ? y.zeroPoint : y.min(), y.max()));
        ASSERT_EQ(actual[0].data[byte * channels + c], wanted)
            << "channel " << c << " of " << q << " in " << print(x) << " -> "
            << print(y);
      }
    }
  }
}

} // namespace

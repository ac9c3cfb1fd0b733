// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling modules, running them, and running them on many samples.

#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Samples/Progress.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <malloc.h>
#include <mutex>

using namespace llvm;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

namespace {
template <typename T>
Array make(ElementType type, ArrayRef<int64_t> shape, ArrayRef<T> values) {
  Array array = Array::zeros(type, shape);
  EXPECT_EQ(array.data.size(), values.size() * sizeof(T));
  memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

Array makeFloats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
  return make<float>(ElementType::F32, shape, values);
}

/// 0, 1, 2, ... modulo 7, minus 3.
Array makePattern(ArrayRef<int64_t> shape) {
  Array array = Array::zeros(ElementType::F32, shape);
  for (auto [i, value] : enumerate(array.as<float>()))
    value = float(int(i % 7) - 3);
  return array;
}

std::vector<float> floats(const Array &array) {
  return array.as<float>().vec();
}

class ExecutableTest : public testing::Test {
protected:
  ExecutableTest() : context(makeRegistry()) {}

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerRuntimeDialects(registry);
    return registry;
  }

  std::unique_ptr<Executable> compile(StringRef text,
                                      ArrayRef<Executable::Hook> symbols = {},
                                      StringRef entry = "main") {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "the test's module does not parse";
      return nullptr;
    }
    auto result = Executable::compile(std::move(module), entry, {}, symbols);
    if (!result) {
      ADD_FAILURE() << toString(result.takeError());
      return nullptr;
    }
    return std::move(*result);
  }

  std::string compileError(StringRef text, StringRef entry = "main") {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "the test's module does not parse";
    auto result = Executable::compile(std::move(module), entry);
    return result ? "no error" : toString(result.takeError());
  }

  Array run(StringRef text, ArrayRef<Array> arguments) {
    std::unique_ptr<Executable> executable = compile(text);
    Array result;
    if (!executable)
      return result;
    std::vector<const Array *> pointers;
    for (const Array &argument : arguments)
      pointers.push_back(&argument);
    EXPECT_EQ(toString(executable->run(pointers, result)), "");
    return result;
  }

  mlir::MLIRContext context;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The value at (i, j, ...) of an array of floats.
static float at(const Array &array, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [extent, i] : zip(array.shape, index))
    offset = offset * extent + i;
  return array.as<float>()[offset];
}

TEST_F(ExecutableTest, ConvolutionsInEveryLayoutGiveTheDefinition) {
  constexpr int64_t n = 2, c = 3, f = 5, h = 9, k = 3, stride = 2, o = 4;
  Array x = makePattern({n, c, h, h}), w = makePattern({f, c, k, k});
  Array xl = Array::zeros(ElementType::F32, {n, h, h, c});
  Array fhwc = Array::zeros(ElementType::F32, {f, k, k, c});
  Array hwcf = Array::zeros(ElementType::F32, {k, k, c, f});
  float *out = xl.as<float>().data();
  for (int64_t b = 0; b != n; ++b)
    for (int64_t i = 0; i != h; ++i)
      for (int64_t j = 0; j != h; ++j)
        for (int64_t q = 0; q != c; ++q)
          *out++ = at(x, {b, q, i, j});
  for (int64_t g = 0; g != f; ++g)
    for (int64_t i = 0; i != k; ++i)
      for (int64_t j = 0; j != k; ++j)
        for (int64_t q = 0; q != c; ++q) {
          float value = at(w, {g, q, i, j});
          fhwc.as<float>()[((g * k + i) * k + j) * c + q] = value;
          hwcf.as<float>()[((i * k + j) * c + q) * f + g] = value;
        }

  auto text = [](StringRef op, StringRef xs, StringRef ws, StringRef os) {
    return ("func.func @main(%x: tensor<" + xs + "xf32>, %w: tensor<" + ws +
            "xf32>) -> tensor<" + os + "xf32> {\n" +
            "  %z = arith.constant 0.0 : f32\n"
            "  %e = tensor.empty() : tensor<" +
            os + "xf32>\n  %f = linalg.fill ins(%z : f32) outs(%e : tensor<" +
            os + "xf32>) -> tensor<" + os + "xf32>\n  %r = linalg." + op +
            " {strides = dense<2> : vector<2xi64>} ins(%x, %w : tensor<" + xs +
            "xf32>, tensor<" + ws + "xf32>) outs(%f : tensor<" + os +
            "xf32>) -> tensor<" + os + "xf32>\n  return %r : tensor<" + os +
            "xf32>\n}\n")
        .str();
  };
  Array nchw =
      run(text("conv_2d_nchw_fchw", "2x3x9x9", "5x3x3x3", "2x5x4x4"), {x, w});
  Array nhwc = run(text("conv_2d_nhwc_fhwc", "2x9x9x3", "5x3x3x3", "2x4x4x5"),
                   {xl, fhwc});
  Array nhwc2 = run(text("conv_2d_nhwc_hwcf", "2x9x9x3", "3x3x3x5", "2x4x4x5"),
                    {xl, hwcf});
  ASSERT_EQ(nchw.shape, (SmallVector<int64_t>{n, f, o, o}));
  ASSERT_EQ(nhwc.shape, (SmallVector<int64_t>{n, o, o, f}));
  for (int64_t b = 0; b != n; ++b)
    for (int64_t g = 0; g != f; ++g)
      for (int64_t i = 0; i != o; ++i)
        for (int64_t j = 0; j != o; ++j) {
          float sum = 0; // Of small integers: exact in any order.
          for (int64_t q = 0; q != c; ++q)
            for (int64_t s = 0; s != k; ++s)
              for (int64_t t = 0; t != k; ++t)
                sum += at(x, {b, q, i * stride + s, j * stride + t}) *
                       at(w, {g, q, s, t});
          ASSERT_EQ(at(nchw, {b, g, i, j}), sum);
          ASSERT_EQ(at(nhwc, {b, i, j, g}), sum);
          ASSERT_EQ(at(nhwc2, {b, i, j, g}), sum);
        }
}

TEST_F(ExecutableTest, TransposesOfAnyExtents) {
  auto check = [&](ElementType type, StringRef name, ArrayRef<int64_t> from,
                   ArrayRef<int64_t> order) {
    SmallVector<int64_t> to;
    for (int64_t d : order)
      to.push_back(from[d]);
    auto spell = [&](ArrayRef<int64_t> shape) {
      std::string text = "tensor<";
      for (int64_t extent : shape)
        text += std::to_string(extent) + "x";
      return text + name.str() + ">";
    };
    std::string numbers;
    for (int64_t d : order)
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(d);
    Array x = Array::zeros(type, from);
    size_t bytes = getElementSize(type);
    for (size_t i = 0; i < x.data.size(); ++i)
      x.data[i] = uint8_t((i * 37) % 251);
    Array y = run("func.func @main(%x: " + spell(from) + ") -> " + spell(to) +
                      " {\n  %e = tensor.empty() : " + spell(to) +
                      "\n  %r = linalg.transpose ins(%x : " + spell(from) +
                      ") outs(%e : " + spell(to) + ") permutation = [" +
                      numbers + "]\n  return %r : " + spell(to) + "\n}\n",
                  x);
    ASSERT_EQ(y.shape, to);
    SmallVector<int64_t> strides(from.size(), 1);
    for (size_t d = from.size() - 1; d-- > 0;)
      strides[d] = strides[d + 1] * from[d + 1];
    for (int64_t i = 0, e = y.data.size() / bytes; i != e; ++i) {
      int64_t rest = i, offset = 0;
      for (size_t d = to.size(); d-- > 0; rest /= to[d])
        offset += rest % to[d] * strides[order[d]];
      ASSERT_EQ(memcmp(&y.data[i * bytes], &x.data[offset * bytes], bytes), 0)
          << spell(from) << " by " << numbers << ", element " << i;
    }
  };
  for (auto [type, name] : {std::pair(ElementType::F32, StringRef("f32")),
                            std::pair(ElementType::I8, StringRef("i8")),
                            std::pair(ElementType::I64, StringRef("i64"))}) {
    for (auto [rows, columns] :
         {std::pair(16, 16), std::pair(5, 7), std::pair(33, 18),
          std::pair(64, 130), std::pair(3, 100), std::pair(70, 4)})
      check(type, name, {rows, columns}, {1, 0});
    check(type, name, {3, 20, 17}, {0, 2, 1});
    check(type, name, {3, 20, 17}, {2, 0, 1});
    check(type, name, {6, 5, 19, 4}, {3, 1, 0, 2});
    check(type, name, {1, 9, 2, 32}, {0, 1, 3, 2});
  }
  // Points of tiles in more dimensions than a key of 6 bits each has room for.
  check(ElementType::F32, "f32", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5},
        {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
}

TEST_F(ExecutableTest, SumsOfTransposedTilesBeginWithTheResult) {
  // Outputs are lanes, and lie in planes: whole vectors and a rest, whole tiles
  // and a rest, reductions of many steps.
  constexpr int64_t c = 150, f = 37, h = 6, w = 11, k = 3, oh = 4, ow = 9;
  Array weight = makePattern({f, c, k, k}), x = makePattern({1, c, h, w}),
        init = makePattern({1, f, oh, ow});
  std::string bytes;
  for (uint8_t byte : weight.data) {
    bytes += hexdigit(byte >> 4);
    bytes += hexdigit(byte & 15);
  }
  Array y = run(
      "func.func @main(%x: tensor<1x150x6x11xf32>, %i: tensor<1x37x4x9xf32>) "
      "-> tensor<1x37x4x9xf32> {\n  %w = arith.constant dense<\"0x" +
          bytes +
          "\"> : tensor<37x150x3x3xf32>\n"
          "  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : "
          "tensor<1x150x6x11xf32>, tensor<37x150x3x3xf32>) outs(%i : "
          "tensor<1x37x4x9xf32>) -> tensor<1x37x4x9xf32>\n"
          "  return %r : tensor<1x37x4x9xf32>\n}\n",
      {x, init});
  ASSERT_EQ(y.shape, (SmallVector<int64_t>{1, f, oh, ow}));
  for (int64_t g = 0; g != f; ++g)
    for (int64_t i = 0; i != oh; ++i)
      for (int64_t j = 0; j != ow; ++j) {
        float sum = at(init, {0, g, i, j}); // Of small integers: exact.
        for (int64_t q = 0; q != c; ++q)
          for (int64_t s = 0; s != k; ++s)
            for (int64_t t = 0; t != k; ++t)
              sum += at(x, {0, q, i + s, j + t}) * at(weight, {g, q, s, t});
        ASSERT_EQ(at(y, {0, g, i, j}), sum) << g << " " << i << " " << j;
      }
}

TEST_F(ExecutableTest, ConstantWeightsAreTransposedWithTheirValues) {
  // y[f] = sum over c of x[c] * w[f, c], with w[f, c] = 4 f + c.
  Array y = run(R"mlir(
    func.func @main(%x: tensor<1x4xf32>) -> tensor<1x5xf32> {
      %w = arith.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0],
        [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0],
        [16.0, 17.0, 18.0, 19.0]]> : tensor<5x4xf32>
      %z = arith.constant dense<0.0> : tensor<1x5xf32>
      %r = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<1x4xf32>, tensor<5x4xf32>)
        outs(%z : tensor<1x5xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<1x5xf32>
      return %r : tensor<1x5xf32>
    })mlir",
                {makeFloats({1, 4}, {1, 10, 100, 1000})});
  EXPECT_EQ(floats(y), (std::vector<float>{3210, 7654, 12098, 16542, 20986}));
}

TEST_F(ExecutableTest, SumsKeepTheirOrderAndAreNotContracted) {
  // With the order of k kept, ((1e8 + 1) - 1e8) + 1 is 1 in float; any other
  // order gives 2 or 0. A contracted multiply-add of a*a - b would be nonzero.
  Array y = run(R"mlir(
    func.func @main(%x: tensor<1x4xf32>, %w: tensor<4x8xf32>)
        -> tensor<1x8xf32> {
      %z = arith.constant dense<0.0> : tensor<1x8xf32>
      %r = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x8xf32>)
        outs(%z : tensor<1x8xf32>) -> tensor<1x8xf32>
      return %r : tensor<1x8xf32>
    })mlir",
                {makeFloats({1, 4}, {1e8f, 1, -1e8f, 1}),
                 makeFloats({4, 8}, std::vector<float>(32, 1.0f))});
  EXPECT_EQ(floats(y), std::vector<float>(8, 1.0f));

  float a = 1.0f + 0x1p-12f, product = a * a;
  Array z = run(R"mlir(
    func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>)
        -> tensor<16xf32> {
      %e = tensor.empty() : tensor<16xf32>
      %r = linalg.generic {
        indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>,
                         affine_map<(d) -> (d)>],
        iterator_types = ["parallel"]}
        ins(%a, %b : tensor<16xf32>, tensor<16xf32>)
        outs(%e : tensor<16xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %p = arith.mulf %x, %x : f32
        %s = arith.subf %p, %y : f32
        linalg.yield %s : f32
      } -> tensor<16xf32>
      return %r : tensor<16xf32>
    })mlir",
                {makeFloats({16}, std::vector<float>(16, a)),
                 makeFloats({16}, std::vector<float>(16, product))});
  EXPECT_EQ(floats(z), std::vector<float>(16, 0.0f));
}

TEST_F(ExecutableTest, IntegerReduction) {
  // [127, -128] . [2, -1] = 382, which no int8 holds.
  Array x = make<int8_t>(ElementType::I8, {1, 2}, {127, -128});
  Array w = make<int8_t>(ElementType::I8, {1, 2}, {2, -1});
  Array y = run(R"mlir(
    func.func @main(%x: tensor<1x2xi8>, %w: tensor<1x2xi8>)
        -> tensor<1x1xi32> {
      %z = arith.constant dense<0> : tensor<1x1xi32>
      %r = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<1x2xi8>, tensor<1x2xi8>)
        outs(%z : tensor<1x1xi32>) {
      ^bb0(%a: i8, %b: i8, %c: i32):
        %0 = arith.extsi %a : i8 to i32
        %1 = arith.extsi %b : i8 to i32
        %p = arith.muli %0, %1 : i32
        %s = arith.addi %c, %p : i32
        linalg.yield %s : i32
      } -> tensor<1x1xi32>
      return %r : tensor<1x1xi32>
    })mlir",
                {x, w});
  EXPECT_EQ(y.type, ElementType::I32);
  EXPECT_EQ(y.as<int32_t>()[0], 382);
}

TEST_F(ExecutableTest, TosaConvolution) {
  // A 2x2 window of ones with a bias of 0.5, clamped at 10.
  Array y = run(R"mlir(
    func.func @main(%x: tensor<1x3x3x1xf32>) -> tensor<1x2x2x1xf32> {
      %w = "tosa.const"() <{values = dense<1.0> : tensor<1x2x2x1xf32>}>
        : () -> tensor<1x2x2x1xf32>
      %b = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}>
        : () -> tensor<1xf32>
      %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}>
        : () -> tensor<1xf32>
      %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32,
        dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
        stride = array<i64: 1, 1>}
        : (tensor<1x3x3x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>,
           tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>
      %r = tosa.clamp %c {min_val = 0.0 : f32, max_val = 10.0 : f32}
        : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
      return %r : tensor<1x2x2x1xf32>
    })mlir",
                {makeFloats({1, 3, 3, 1}, {-9, 1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_EQ(floats(y), (std::vector<float>{0, 10, 10, 10}));
}

TEST_F(ExecutableTest, MathFunctionsAreRounded) {
  float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values = {-2.5f, -0.1f,  0.0f,    0.3f,   1.0f, 4.0f,
                               88.7f, -87.5f, -100.0f, 1e-4f,  9.5f, 200.0f,
                               inf,   -inf,   NAN,     -1e-30f};
  std::string type = "tensor<" + std::to_string(values.size()) + "xf32>";
  for (StringRef op : {"exp", "tanh", "erf", "sqrt", "rsqrt", "log1p"}) {
    Array y = run(("func.func @main(%x: " + type + ") -> " + type +
                   " {\n  %r = math." + op.str() + " %x : " + type +
                   "\n  return %r : " + type + "\n}"),
                  {makeFloats({int64_t(values.size())}, values)});
    for (auto [x, result] : zip(values, floats(y))) {
      double wide = x;
      float expected = op == "exp"     ? float(std::exp(wide))
                       : op == "tanh"  ? float(std::tanh(wide))
                       : op == "erf"   ? float(std::erf(wide))
                       : op == "sqrt"  ? std::sqrt(x)
                       : op == "rsqrt" ? 1.0f / std::sqrt(x)
                                       : std::log1p(x);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(result)) << op.str() << x;
      else
        EXPECT_EQ(result, expected) << op.str() << " " << x;
    }
  }
}

TEST_F(ExecutableTest, SoftmaxAndConstantGlobals) {
  Array y = run(R"mlir(
    ml_program.global private @shift(dense<[1.0, 3.0]> : tensor<2xf32>)
      : tensor<2xf32>
    func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %s = ml_program.global_load_const @shift : tensor<2xf32>
      %e = tensor.expand_shape %s [[0, 1]] output_shape [1, 2]
        : tensor<2xf32> into tensor<1x2xf32>
      %t = arith.addf %x, %e : tensor<1x2xf32>
      %i = tensor.empty() : tensor<1x2xf32>
      %r = linalg.softmax dimension(1) ins(%t : tensor<1x2xf32>)
        outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
      return %r : tensor<1x2xf32>
    })mlir",
                {makeFloats({1, 2}, {2, 0})});
  EXPECT_EQ(floats(y), (std::vector<float>{0.5f, 0.5f}));
}

//===----------------------------------------------------------------------===//
// Signature, ownership
//===----------------------------------------------------------------------===//

static constexpr StringLiteral doubleAny(R"mlir(
  func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %r = arith.addf %x, %x : tensor<?x3xf32>
    return %r : tensor<?x3xf32>
  })mlir");

TEST_F(ExecutableTest, DynamicBatch) {
  std::unique_ptr<Executable> executable = compile(doubleAny);
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->getInputs()[0].str(), "float32 ?x3");
  for (int64_t n : {1, 4, 0}) {
    Array x = makePattern({n, 3}), y;
    ASSERT_EQ(toString(executable->run(&x, y)), "");
    EXPECT_EQ(y.shape, (SmallVector<int64_t>{n, 3}));
    for (auto [a, b] : zip(floats(x), floats(y)))
      EXPECT_EQ(b, 2 * a);
  }
}

TEST_F(ExecutableTest, ArgumentsAndConstantsAsResults) {
  // Each result is a buffer of its own, and the argument is not written to.
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %c = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
      %i = arith.constant 0 : index
      %v = arith.constant 9.0 : f32
      %s = tensor.insert %v into %x[%i] : tensor<2xf32>
      return %x, %c, %s, %s
        : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makeFloats({2}, {1, 2});
  for (int i = 0; i != 3; ++i) {
    std::vector<Array> results(4);
    ASSERT_EQ(toString(executable->run(&x, results)), "");
    EXPECT_EQ(floats(x), (std::vector<float>{1, 2}));
    EXPECT_EQ(floats(results[0]), (std::vector<float>{1, 2}));
    EXPECT_EQ(floats(results[1]), (std::vector<float>{5, 6}));
    EXPECT_EQ(floats(results[2]), (std::vector<float>{9, 2}));
    EXPECT_EQ(floats(results[3]), (std::vector<float>{9, 2}));
  }
}

TEST_F(ExecutableTest, BytesOfEitherSign) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<2xi8>) -> tensor<2xi8> {
      return %x : tensor<2xi8>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = make<uint8_t>(ElementType::U8, {2}, {1, 255}), y, z;
  ASSERT_EQ(toString(executable->run(&x, y)), "");
  EXPECT_EQ(y.type, ElementType::I8);
  z.type = ElementType::U8;
  ASSERT_EQ(toString(executable->run(&x, z)), "");
  EXPECT_EQ(z.type, ElementType::U8);
  EXPECT_EQ(z.data, x.data);
}

TEST_F(ExecutableTest, RunsDoNotLeak) {
  // Buffers of 64 kB: padded input, convolution, a loop's state, the result.
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<1x128x128xf32>) -> tensor<1x128x128xf32> {
      %z = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %p = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
      ^bb0(%i: index, %j: index, %k: index):
        tensor.yield %z : f32
      } : tensor<1x128x128xf32> to tensor<1x130x130xf32>
      %s = tensor.extract_slice %p[0, 0, 0] [1, 128, 128] [1, 1, 1]
        : tensor<1x130x130xf32> to tensor<1x128x128xf32>
      %r = scf.for %n = %c0 to %c3 step %c1 iter_args(%a = %x)
          -> (tensor<1x128x128xf32>) {
        %b = arith.addf %a, %s : tensor<1x128x128xf32>
        scf.yield %b : tensor<1x128x128xf32>
      }
      return %r : tensor<1x128x128xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makePattern({1, 128, 128}), y;
  auto usage = [] {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  ASSERT_EQ(toString(executable->run(&x, y)), "");
  size_t before = usage();
  for (int i = 0; i != 100; ++i)
    ASSERT_EQ(toString(executable->run(&x, y)), "");
  EXPECT_LT(usage(), before + 65536);
}

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

static std::mutex observedMutex;
static std::vector<std::pair<int64_t, float>> observed;

static void observeMaximum(int64_t id, const UnrankedMemRef *tensor) {
  std::vector<float> values = tensor->copy<float>();
  std::lock_guard<std::mutex> lock(observedMutex);
  observed.push_back(
      {id + 1000 * Executable::getCurrentSample(),
       values.empty() ? NAN : *std::max_element(values.begin(), values.end())});
}

static constexpr StringLiteral observing(R"mlir(
  func.func private @qbackend_runtime_observe(index, tensor<*xf32>)
  func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
    %id = arith.constant 7 : index
    %s = tensor.extract_slice %x[0, 0] [1, 2] [1, 2]
      : tensor<1x4xf32> to tensor<1x2xf32>
    %u = tensor.cast %s : tensor<1x2xf32> to tensor<*xf32>
    call @qbackend_runtime_observe(%id, %u) : (index, tensor<*xf32>) -> ()
    return %s : tensor<1x2xf32>
  })mlir");

TEST_F(ExecutableTest, HooksSeeTensors) {
  std::unique_ptr<Executable> executable =
      compile(observing, {{"qbackend_runtime_observe", observeMaximum}});
  ASSERT_TRUE(executable);
  NamedArray x{"x",
               makeFloats({3, 4}, {1, 90, 2, 90, 3, 90, 4, 90, 5, 90, -6, 90})};
  observed.clear();
  SampleOptions options;
  options.threads = 3;
  std::vector<float> results;
  ASSERT_EQ(toString(runSamples(
                *executable, &x,
                [&](int64_t, int64_t, ArrayRef<Array> arrays) {
                  append_range(results, floats(arrays[0]));
                  return Error::success();
                },
                options)),
            "");
  EXPECT_EQ(results, (std::vector<float>{1, 2, 3, 4, 5, -6}));
  sort(observed);
  EXPECT_EQ(observed, (std::vector<std::pair<int64_t, float>>{
                          {7, 2}, {1007, 4}, {2007, 5}}));
  EXPECT_EQ(Executable::getCurrentSample(), -1);
}

TEST_F(ExecutableTest, MissingHook) {
  std::string error = compileError(observing);
  EXPECT_HAS(error, "function 'qbackend_runtime_observe' has no body");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(ExecutableTest, MissingEntry) {
  EXPECT_EQ(compileError(doubleAny, "forward"),
            "the module has no function 'forward' with a body; it has: main");
}

TEST_F(ExecutableTest, ResultsThatAreNotTensors) {
  EXPECT_HAS(compileError("func.func @main(%x: f32) { return }"),
             "argument 0 of 'main' is a f32; it has to be a ranked tensor");
}

TEST_F(ExecutableTest, UnsupportedOp) {
  context.allowUnregisteredDialects();
  std::string error = compileError(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    })mlir");
  EXPECT_HAS(error, "'other.op' op is not compiled");
}

//===----------------------------------------------------------------------===//
// A model computes tensors, and nothing else
//===----------------------------------------------------------------------===//

TEST_F(ExecutableTest, FunctionsOfTheProcessAreNotCalled) {
  EXPECT_HAS(compileError(R"mlir(
    func.func private @_exit(i32)
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %c = arith.constant 77 : i32
      call @_exit(%c) : (i32) -> ()
      return %x : tensor<2xf32>
    })mlir"),
             "function '_exit' has no body; only the operators of a network "
             "are compiled");
}

TEST_F(ExecutableTest, UnusedFunctionsDoNotMatter) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func private @_exit(i32)
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    })mlir");
  EXPECT_TRUE(executable);
}

TEST_F(ExecutableTest, MemoryIsNotTheModels) {
  EXPECT_HAS(compileError(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %c = llvm.mlir.constant(64 : i64) : i64
      %p = llvm.inttoptr %c : i64 to !llvm.ptr
      llvm.store %c, %p : i64, !llvm.ptr
      return %x : tensor<2xf32>
    })mlir"),
             "'llvm.mlir.constant' op is not compiled: only the operators of a "
             "network are");
  EXPECT_HAS(compileError(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %c = arith.constant 1.0 : f32
      %m = ub.poison : memref<2xf32>
      linalg.fill ins(%c : f32) outs(%m : memref<2xf32>)
      return %x : tensor<2xf32>
    })mlir"),
             "'ub.poison' op has a value of type 'memref<2xf32>'");
  EXPECT_HAS(compileError(R"mlir(
    func.func @main(%x: tensor<2xf32>, %i: tensor<1xi64>) -> tensor<2xf32> {
      %y = builtin.unrealized_conversion_cast %i
        : tensor<1xi64> to tensor<2xf32>
      return %y : tensor<2xf32>
    })mlir"),
             "'builtin.unrealized_conversion_cast' op is not compiled");
}

TEST_F(ExecutableTest, NamesOfTheEngineAreReserved) {
  EXPECT_HAS(compileError(R"mlir(
    func.func private @_mlir_main(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = call @_mlir_main(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })mlir"),
             "symbol '_mlir_main' begins with '_mlir_', which is reserved");
}

TEST_F(ExecutableTest, ClaimsAboutFunctionsAreDropped) {
  // noreturn and a byval argument would end or corrupt the process.
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func private @same(%x: tensor<2xf32> {llvm.byval = f64})
        -> tensor<2xf32> attributes {passthrough = ["noreturn", "noinline"]} {
      return %x : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32> {llvm.noalias}) -> tensor<2xf32>
        attributes {passthrough = ["noreturn"]} {
      %y = call @same(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makePattern({2}), y;
  ASSERT_EQ(toString(executable->run(&x, y)), "");
  EXPECT_EQ(floats(y), floats(x));
}

TEST_F(ExecutableTest, AssemblyOfModulesIsDropped) {
  // It would be run before anything is called.
  std::unique_ptr<Executable> executable = compile(R"mlir(
    module attributes {llvm.module_asm = [".globl evil", "evil: ud2"]} {
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        return %x : tensor<2xf32>
      }
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makePattern({2}), y;
  ASSERT_EQ(toString(executable->run(&x, y)), "");
  EXPECT_EQ(floats(y), floats(x));
}

TEST_F(ExecutableTest, ElidedWeights) {
  EXPECT_HAS(compileError(R"mlir(
    func.func @main() -> tensor<2xf32> {
      %c = arith.constant dense_resource<__elided__> : tensor<2xf32>
      return %c : tensor<2xf32>
    })mlir"),
             "constant '__elided__' has no data");
  EXPECT_HAS(compileError(R"mlir(
    func.func @main() -> tensor<1000xf32> {
      %c = arith.constant dense_resource<cut> : tensor<1000xf32>
      return %c : tensor<1000xf32>
    }
    {-# dialect_resources: { builtin: { cut: "0x040000000000803F" } } #-})mlir"),
             "constant 'cut' has 4 bytes, which are not the elements");
}

TEST_F(ExecutableTest, WrongArguments) {
  std::unique_ptr<Executable> executable = compile(doubleAny);
  ASSERT_TRUE(executable);
  Array y;
  Array shape = makePattern({2, 4});
  EXPECT_EQ(toString(executable->run(&shape, y)),
            "argument 0 of 'main' is float32 2x4; expected float32 ?x3");
  Array type = Array::zeros(ElementType::U8, {2, 3});
  EXPECT_EQ(toString(executable->run(&type, y)),
            "argument 0 of 'main' is uint8 2x3; expected float32 ?x3");
  Array data = makePattern({2, 3});
  data.data.pop_back();
  EXPECT_HAS(toString(executable->run(&data, y)), "has 23 bytes");
  EXPECT_HAS(toString(executable->run({}, y)),
             "takes 1 arrays and gives 1; found 0 and 1");
}

TEST_F(ExecutableTest, FailedAssertionIsAnError) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0 : i64
      %v = tensor.extract %x[%c0] : tensor<1xi64>
      %p = arith.cmpi sgt, %v, %z : i64
      cf.assert %p, "index must be positive"
      return %x : tensor<1xi64>
    })mlir");
  ASSERT_TRUE(executable);
  Array good = make<int64_t>(ElementType::I64, {1}, {1}), y;
  Array bad = make<int64_t>(ElementType::I64, {1}, {-1});
  for (int i = 0; i != 3; ++i) {
    EXPECT_EQ(toString(executable->run(&good, y)), "");
    EXPECT_EQ(toString(executable->run(&bad, y)),
              "'main' stopped at an assertion: index must be positive");
  }
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static constexpr StringLiteral gather(R"mlir(
  func.func @main(%i: tensor<3xi64>) -> tensor<3x2xf32> {
    %w = arith.constant dense<[[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]]>
      : tensor<3x2xf32>
    %e = tensor.empty() : tensor<3x2xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%i : tensor<3xi64>) outs(%e : tensor<3x2xf32>) {
    ^bb0(%row: i64, %out: f32):
      %j = arith.index_cast %row : i64 to index
      %k = linalg.index 1 : index
      %v = tensor.extract %w[%j, %k] : tensor<3x2xf32>
      linalg.yield %v : f32
    } -> tensor<3x2xf32>
    return %r : tensor<3x2xf32>
  })mlir");

TEST_F(ExecutableTest, ElementsAreInside) {
  std::unique_ptr<Executable> executable = compile(gather);
  ASSERT_TRUE(executable);
  Array y;
  Array good = make<int64_t>(ElementType::I64, {3}, {2, 0, 1});
  ASSERT_EQ(toString(executable->run(&good, y)), "");
  EXPECT_EQ(floats(y), (std::vector<float>{2, 2.5, 0, 0.5, 1, 1.5}));
  for (int64_t row : {int64_t(3), int64_t(-1), int64_t(1) << 40}) {
    Array bad = make<int64_t>(ElementType::I64, {3}, {0, row, 1});
    EXPECT_HAS(toString(executable->run(&bad, y)),
               "'tensor.extract' op has an index outside of dimension 0 of "
               "tensor<3x2xf32>");
  }
}

TEST_F(ExecutableTest, IndicesAreNumbers) {
  // LLVM would leave out the check, and return from nowhere.
  const char *indices[] = {"%f = arith.constant 0x7FC00000 : f32\n"
                           "%j = arith.fptosi %f : f32 to i64\n"
                           "%i = arith.index_cast %j : i64 to index\n",
                           "%i = ub.poison : index\n",
                           "%c0 = arith.constant 0 : index\n"
                           "%c30 = arith.constant 30 : i64\n"
                           "%f = tensor.extract %x[%c0] : tensor<2xf32>\n"
                           "%n = arith.fptosi %f : f32 to i64\n"
                           "%m = arith.muli %n, %c30 : i64\n"
                           "%j = arith.shli %n, %m : i64\n"
                           "%i = arith.index_cast %j : i64 to index\n"};
  for (const char *index : indices) {
    std::unique_ptr<Executable> executable =
        compile(std::string("func.func @main(%x: tensor<2xf32>) -> "
                            "tensor<1xf32> {\n") +
                index +
                "%v = tensor.extract %x[%i] : tensor<2xf32>\n"
                "%r = tensor.from_elements %v : tensor<1xf32>\n"
                "return %r : tensor<1xf32>\n}");
    ASSERT_TRUE(executable);
    Array x = makeFloats({2}, {3, 5}), y;
    std::string error = toString(executable->run(&x, y));
    if (error.empty()) {
      ASSERT_EQ(floats(y).size(), 1u) << index;
      EXPECT_TRUE(floats(y)[0] == 3 || floats(y)[0] == 5) << index;
    } else {
      EXPECT_HAS(error, "has an index outside of dimension 0");
    }
  }
}

TEST_F(ExecutableTest, SlicesAreInside) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<5xf32>, %at: tensor<3xi64>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = tensor.extract %at[%c0] : tensor<3xi64>
      %b = tensor.extract %at[%c1] : tensor<3xi64>
      %c = tensor.extract %at[%c2] : tensor<3xi64>
      %offset = arith.index_cast %a : i64 to index
      %size = arith.index_cast %b : i64 to index
      %stride = arith.index_cast %c : i64 to index
      %y = tensor.extract_slice %x[%offset] [%size] [%stride]
        : tensor<5xf32> to tensor<?xf32>
      return %y : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makeFloats({5}, {0, 1, 2, 3, 4}), y;
  auto slice = [&](ArrayRef<int64_t> at) {
    Array place = make<int64_t>(ElementType::I64, {3}, at);
    return toString(executable->run({&x, &place}, y));
  };
  EXPECT_EQ(slice({1, 2, 3}), "");
  EXPECT_EQ(floats(y), (std::vector<float>{1, 4}));
  EXPECT_EQ(slice({0, 5, 1}), "");
  EXPECT_EQ(slice({5, 0, 1}), "");
  EXPECT_EQ(y.shape[0], 0);
  constexpr StringLiteral error = "is outside of dimension 0 of tensor<5xf32>";
  EXPECT_HAS(slice({1, 3, 2}), error);
  EXPECT_HAS(slice({0, 6, 1}), error);
  EXPECT_HAS(slice({-1, 2, 1}), error);
  EXPECT_HAS(slice({5, 1, 1}), error);
  EXPECT_HAS(slice({0, -1, 1}), error);
}

TEST_F(ExecutableTest, ExtentsAreThoseOfTheTypes) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
      %y = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
      return %y : tensor<4xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array four = makePattern({4}), three = makePattern({3}), y;
  EXPECT_EQ(toString(executable->run(&four, y)), "");
  EXPECT_HAS(toString(executable->run(&three, y)),
             "'tensor.cast' op has another extent than 4 in dimension 0");
}

TEST_F(ExecutableTest, OperandsHaveEqualExtents) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.addf %x, %y : tensor<?xf32>
      return %s : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array four = makePattern({4}), three = makePattern({3}), y;
  EXPECT_EQ(toString(executable->run({&four, &four}, y)), "");
  EXPECT_HAS(toString(executable->run({&four, &three}, y)),
             "has operands of different extents along loop 0");
}

TEST_F(ExecutableTest, ReshapesToSeveralUnknownExtents) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<?x2xf32>, %shape: tensor<2xi64>)
        -> tensor<?x?x2xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = tensor.extract %shape[%c0] : tensor<2xi64>
      %b = tensor.extract %shape[%c1] : tensor<2xi64>
      %i = arith.index_cast %a : i64 to index
      %j = arith.index_cast %b : i64 to index
      %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%i, %j, 2]
        : tensor<?x2xf32> into tensor<?x?x2xf32>
      return %y : tensor<?x?x2xf32>
    })mlir");
  ASSERT_TRUE(executable);
  Array x = makePattern({6, 2}), y;
  Array good = make<int64_t>(ElementType::I64, {2}, {2, 3});
  ASSERT_EQ(toString(executable->run({&x, &good}, y)), "");
  EXPECT_EQ(ArrayRef(y.shape), ArrayRef<int64_t>({2, 3, 2}));
  EXPECT_EQ(floats(y), floats(x));
  Array bad = make<int64_t>(ElementType::I64, {2}, {2, 4});
  EXPECT_HAS(toString(executable->run({&x, &bad}, y)),
             "has another number of elements than dimension 0");
}

TEST_F(ExecutableTest, LongChainsCompileInTheirLength) {
  // Each value is read twice, so that nothing is fused; 400 of them took half a
  // minute when all results were in one tensor.empty.
  std::string text = "func.func private @qbackend_runtime_observe(index, "
                     "tensor<*xf32>)\nfunc.func @main(%y0: tensor<1x4xf32>) -> "
                     "tensor<1x4xf32> {\n%i = arith.constant 0 : index\n";
  raw_string_ostream os(text);
  for (int i = 1; i <= 400; ++i)
    os << formatv("%y{0} = tosa.add %y{1}, %y0 : (tensor<1x4xf32>, "
                  "tensor<1x4xf32>) -> tensor<1x4xf32>\n"
                  "%u{0} = tensor.cast %y{0} : tensor<1x4xf32> to "
                  "tensor<*xf32>\n"
                  "call @qbackend_runtime_observe(%i, %u{0}) : (index, "
                  "tensor<*xf32>) -> ()\n",
                  i, i - 1);
  os << "return %y400 : tensor<1x4xf32> }";
  auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(compile(text, {{"qbackend_runtime_observe", observeMaximum}}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(12));
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

static constexpr StringLiteral doublePairs(R"mlir(
  func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = arith.addf %x, %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  })mlir");

namespace {
/// Collects all results, and checks that they come in order.
struct Collector {
  std::vector<float> values;
  std::vector<int64_t> counts;
  int64_t next = 0;

  auto callback() {
    return [this](int64_t first, int64_t count, ArrayRef<Array> results) {
      EXPECT_EQ(first, next);
      next += count;
      counts.push_back(count);
      append_range(values, floats(results[0]));
      return Error::success();
    };
  }
};
} // namespace

TEST_F(ExecutableTest, SamplesComeInOrderOnAnyNumberOfThreads) {
  std::unique_ptr<Executable> executable = compile(doubleAny);
  ASSERT_TRUE(executable);
  NamedArray x{"x", makePattern({101, 3})};
  std::vector<float> expected = floats(x.array);
  for (float &value : expected)
    value *= 2;
  for (unsigned threads : {1u, 2u, 5u, 0u}) {
    SampleOptions options;
    options.threads = threads;
    options.chunkSize = 4;
    Collector collector;
    ASSERT_EQ(
        toString(runSamples(*executable, &x, collector.callback(), options)),
        "");
    EXPECT_EQ(collector.values, expected);
    EXPECT_EQ(collector.counts.back(), 1);
  }
}

TEST_F(ExecutableTest, BytesAreScaledOnlyWhenAsked) {
  std::unique_ptr<Executable> executable = compile(doublePairs);
  ASSERT_TRUE(executable);
  NamedArray x{
      "x", make<uint8_t>(ElementType::U8, {2, 3}, {0, 1, 127, 128, 254, 255})};
  Collector plain, scaled;
  ASSERT_EQ(toString(runSamples(*executable, &x, plain.callback())), "");
  EXPECT_EQ(plain.values, (std::vector<float>{0, 2, 254, 256, 508, 510}));
  SampleOptions options;
  options.inputScale = 1 / 255.0;
  ASSERT_EQ(toString(runSamples(*executable, &x, scaled.callback(), options)),
            "");
  for (auto [byte, value] : zip(x.array.data, scaled.values))
    EXPECT_EQ(value, 2 * (float(byte) / 255.0f)); // As torchvision divides.
}

TEST_F(ExecutableTest, WrongSamples) {
  std::unique_ptr<Executable> executable = compile(doublePairs);
  ASSERT_TRUE(executable);
  auto error = [&](const NamedArray &array) {
    return toString(
        runSamples(*executable, &array, [](int64_t, int64_t, ArrayRef<Array>) {
          return Error::success();
        }));
  };
  EXPECT_EQ(error({"x", makePattern({5, 3})}),
            "5 samples cannot be cut into batches of 2, the function's leading "
            "dimension; give 4 samples, or export the model with a dynamic "
            "batch or a batch of 1");
  EXPECT_EQ(error({"x", makePattern({4, 2})}),
            "array 'x' is float32 4x2; expected float32 Nx3");
  EXPECT_EQ(error({"", makePattern({0, 3})}),
            "input 0 has no samples; give at least one");
  NamedArray nan{"x", makePattern({4, 3})};
  nan.array.as<float>()[7] = NAN;
  nan.array.as<float>()[11] = INFINITY;
  EXPECT_EQ(error(nan),
            "array 'x' has 2 values that are NaN or infinite in float32, first "
            "in sample 2; remove these samples or fix how they are prepared");
}

TEST_F(ExecutableTest, IntegersThatDoNotFit) {
  std::unique_ptr<Executable> executable = compile(R"mlir(
    func.func @main(%x: tensor<1x2xi8>) -> tensor<1x2xi8> {
      return %x : tensor<1x2xi8>
    })mlir");
  ASSERT_TRUE(executable);
  auto error = [&](ArrayRef<int64_t> values) {
    NamedArray x{"x", make<int64_t>(ElementType::I64, {2, 2}, values)};
    return toString(
        runSamples(*executable, &x, [](int64_t, int64_t, ArrayRef<Array>) {
          return Error::success();
        }));
  };
  EXPECT_EQ(error({-128, 255, 0, 1}), "");
  EXPECT_EQ(error({0, 0, 0, 256}),
            "array 'x' has a value that does not fit int8 in sample 1");
  EXPECT_EQ(error({0, -129, 0, 0}),
            "array 'x' has a value that does not fit int8 in sample 0");
}

TEST_F(ExecutableTest, ErrorOfTheCallbackStopsTheRun) {
  std::unique_ptr<Executable> executable = compile(doubleAny);
  ASSERT_TRUE(executable);
  NamedArray x{"x", makePattern({50, 3})};
  SampleOptions options;
  options.threads = 3;
  int64_t calls = 0;
  EXPECT_EQ(toString(runSamples(
                *executable, &x,
                [&](int64_t first, int64_t, ArrayRef<Array>) -> Error {
                  ++calls;
                  if (first == 5)
                    return createStringError("enough");
                  return Error::success();
                },
                options)),
            "enough");
  EXPECT_EQ(calls, 6);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernels and compares them with the scalar formulas of Numerics on
// every input, for many quantization parameters. Integers are compared one by
// one, floats bit by bit.
//
// By default a sample of the parameters. For a proof:
//
//   QBACKEND_EXHAUSTIVE_SETS         parameter sets of each kernel (default 12)
//   QBACKEND_EXHAUSTIVE_MULTIPLIERS  multipliers with all 2^32 accumulators
//                                    (default 0)
//   QBACKEND_EXHAUSTIVE_SEED         of the random parameters (default 1)
//   QBACKEND_EXHAUSTIVE_TARGET       of the compiled code (default the best
//   one)

#ifndef QBACKEND_TEST_CONVERSION_QNNPACKTOLINALG_EXHAUSTIVE_H
#define QBACKEND_TEST_CONVERSION_QNNPACKTOLINALG_EXHAUSTIVE_H

#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Numerics/Tables.h"
#include "qbackend/Support/Shape.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

namespace qbackend {

using namespace llvm;
using namespace qbackend::numerics;
using namespace qbackend::arrays;
using namespace qbackend::runtime;

/// The number in the environment variable `name`.
inline int64_t getOption(const char *name, int64_t missing) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : missing;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The element type of a quantized tensor.
inline std::string print(const TableType &type) {
  return formatv("!quant.uniform<{0}8:f32, {1}:{2}>", type.isSigned ? "i" : "u",
                 formatv("{0:e17}", type.scale).str(), type.zeroPoint);
}

/// The whole number that a float attribute's bits are.
inline std::string print(float value) {
  return formatv("0x{0:X-8} : f32", llvm::bit_cast<uint32_t>(value));
}

inline QuantParams paramsOf(const TableType &type) {
  return {type.scale, type.zeroPoint};
}

inline QuantRange rangeOf(const TableType &type) {
  return {type.min(), type.max()};
}

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
    CompileOptions options;
    if (const char *target = std::getenv("QBACKEND_EXHAUSTIVE_TARGET"))
      options.target = target;
    auto result = Executable::compile(std::move(module), "main", options);
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

} // namespace qbackend

#endif // QBACKEND_TEST_CONVERSION_QNNPACKTOLINALG_EXHAUSTIVE_H

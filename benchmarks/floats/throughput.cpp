// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module as calibration does, and prints the seconds that took and
// the least microseconds of a call: `compile 0.81`, `call 1520.5`.

#include "qbackend/Execution/Runtime/Executable.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <random>

using namespace qbackend::arrays;
using namespace qbackend::runtime;
using Clock = std::chrono::steady_clock;

static double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

int main(int argc, char **argv) {
  CompileOptions options;
  if (argc > 1 && llvm::StringRef(argv[argc - 1]) == "--contract") {
    options.contract = true;
    --argc;
  }
  if (argc < 2) {
    llvm::errs() << "usage: float-throughput MODULE [FUNCTION] [--contract]\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  registerRuntimeDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      argv[1], mlir::ParserConfig(&context));
  if (!module)
    return 1;
  Clock::time_point start = Clock::now();
  auto executable = Executable::compile(std::move(module),
                                        argc > 2 ? argv[2] : "main", options);
  if (!executable) {
    llvm::errs() << llvm::toString(executable.takeError()) << "\n";
    return 1;
  }
  llvm::outs() << llvm::formatv("compile {0:f2}\n", getSeconds(start));

  std::vector<Array> arrays;
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  for (const TensorSignature &input : (*executable)->getInputs()) {
    llvm::SmallVector<int64_t> shape(input.shape);
    for (int64_t &extent : shape)
      extent = std::max<int64_t>(extent, 1);
    arrays.push_back(Array::zeros(input.type, shape));
    if (input.type == ElementType::F32)
      for (float &value : arrays.back().as<float>())
        value = normal(generator);
  }
  std::vector<const Array *> arguments;
  for (const Array &array : arrays)
    arguments.push_back(&array);
  std::vector<Array> results((*executable)->getOutputs().size());
  double best = 1e9;
  start = Clock::now();
  for (int calls = 0; calls < 5 || getSeconds(start) < 0.4; ++calls) {
    Clock::time_point begin = Clock::now();
    if (llvm::Error error = (*executable)->run(arguments, results)) {
      llvm::errs() << llvm::toString(std::move(error)) << "\n";
      return 1;
    }
    best = std::min(best, getSeconds(begin));
  }
  llvm::outs() << llvm::formatv("call {0:f1}\n", best * 1e6);
  return 0;
}

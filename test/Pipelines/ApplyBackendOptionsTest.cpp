// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each option of apply-backend gets to the passes that it is for.

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace qbackend;

static constexpr llvm::StringLiteral kModule = R"(
qbackend.qconfig_mapping @mine {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
func.func @net(%x: tensor<1x2xf32> loc("x")) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%b : tensor<1x2xf32>) -> tensor<1x2xf32> loc("fc")
  return %y : tensor<1x2xf32>
}
)";

namespace {
/// The options of the passes that apply-backend runs, as pipelines spell them.
class OptionRecorder : public PassInstrumentation {
public:
  explicit OptionRecorder(std::string &text) : text(text) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument() == "apply-backend")
      return;
    llvm::raw_string_ostream os(text);
    pass->printAsTextualPipeline(os);
    os << "\n";
  }

private:
  std::string &text;
};

/// A value that is no default, and what a pass has of it; empty: it is for
/// apply-backend itself.
struct Case {
  std::string value;
  std::string expected;
};
} // namespace

/// What passes have of `options`; whether they succeed doesn't matter.
static std::string record(llvm::StringRef options) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kModule, &context);
  EXPECT_TRUE(module);
  std::unique_ptr<Pass> pass = createApplyBackendPass();
  EXPECT_TRUE(succeeded(
      pass->initializeOptions(options, [](const llvm::Twine &message) {
        ADD_FAILURE() << message.str();
        return failure();
      })));
  std::string text;
  PassManager manager(&context);
  manager.addPass(std::move(pass));
  manager.addInstrumentation(std::make_unique<OptionRecorder>(text));
  (void)manager.run(*module);
  return text;
}

TEST(ApplyBackendOptions, ReachTheirPasses) {
  llvm::SmallString<64> samples;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("options", "npz", samples));
  arrays::NamedArray x;
  x.name = "x";
  x.array = arrays::Array::zeros(arrays::ElementType::F32, {1, 2});
  ASSERT_FALSE(bool(arrays::writeNpz(samples, {x})));
  std::string path = samples.str().str();

  const llvm::StringMap<Case> cases = {
      {"backend", {"fbgemm", "backend=fbgemm"}},
      {"batch-size", {"3", "batch-size=3"}},
      {"calibration", {"none.json", "calibration=none.json"}},
      {"corrections", {"mse-ranges", "corrections={mse-ranges}"}},
      {"data", {path, "data=" + path}},
      {"entry", {"net", "entry=net"}},
      {"equalization", {"@mine", "equalization=@mine"}},
      {"explain", {"fc", ""}},
      {"input-scale", {"1/2", "input-scale=1/2"}},
      {"keep-float", {"fc", "keep-float={fc}"}},
      {"lower-to", {"linalg", "lower-to=linalg"}},
      {"mode", {"fake-quant", "fold-weights=false"}},
      {"non-finite", {"ignore", "non-finite=ignore"}},
      {"num-threads", {"1", "num-threads=1"}},
      {"qconfig", {"@mine", "qconfig=@mine"}},
      {"quantized-inputs", {"0", "quantized-inputs={0}"}},
      {"quantized-outputs", {"0", "quantized-outputs={0}"}},
      {"require-quantized", {"1", ""}},
      {"sample-arguments", {"0", "sample-arguments=0"}},
      {"samples", {"1", "samples=1"}},
      {"sharing", {"fx", "sharing=fx"}},
      {"weights", {path, ""}},
  };
  std::string withoutOptions = record("data=" + path);
  unsigned found = 0;
  for (const Key &key : listApplyBackendKeys()) {
    auto it = cases.find(key.name);
    if (it == cases.end()) {
      ADD_FAILURE() << "apply-backend has the option '" << key.name
                    << "': say here which pass gets it";
      continue;
    }
    ++found;
    const Case &expected = it->second;
    if (expected.expected.empty())
      continue;
    std::string options = key.name + "=" + expected.value;
    std::string text = record(key.name == "data" || key.name == "calibration"
                                  ? options
                                  : "data=" + path + " " + options);
    EXPECT_NE(text.find(expected.expected), std::string::npos)
        << "no pass has " << options << ":\n"
        << text;
    if (key.name == "data")
      continue;
    EXPECT_EQ(withoutOptions.find(expected.expected), std::string::npos)
        << options << " is a default";
  }
  EXPECT_EQ(found, cases.size());
  llvm::sys::fs::remove(samples);
}

/// The command line refuses values by the kind of the key.
TEST(ApplyBackendOptions, HaveKinds) {
  for (const Key &key : listApplyBackendKeys()) {
    EXPECT_FALSE(key.help.empty()) << key.name;
    bool isNumber = key.name == "batch-size" || key.name == "num-threads" ||
                    key.name == "samples";
    EXPECT_EQ(key.kind == Key::Kind::Integer, isNumber) << key.name;
    bool isChoice =
        key.name == "mode" || key.name == "non-finite" || key.name == "sharing";
    EXPECT_EQ(!key.choices.empty(), isChoice) << key.name;
  }
}

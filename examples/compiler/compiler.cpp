// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler with ops of its own that quantizes with Core alone: it runs
// networks itself, on its own samples, and so needs no code generator of
// qbackend's.
//
//   compiler network.mlir samples.txt

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/NetworkRunner.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <fstream>
#include <sstream>

using namespace mlir;
using Numbers = std::vector<float>;

namespace {
/// %y = "acme.gain"(%x) {by = 2.0 : f64}: x * by, an op that qbackend knows
/// nothing of.
class GainOp
    : public Op<GainOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                OpTrait::OneOperand, OpTrait::SameOperandsAndResultType,
                MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "acme.gain"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
};

/// Computes a function op by op, on samples of a text file: one a line.
class Interpreter : public qbackend::NetworkRun {
public:
  Interpreter(ModuleOp module, func::FuncOp function, std::string path,
              qbackend::ObserveCallback observed)
      : function(function), path(std::move(path)),
        observed(std::move(observed)) {
    module.walk<WalkOrder::PreOrder>([&](qbackend::ObserveOp op) {
      int64_t site = sites.size();
      sites[op.getOperation()] = site;
    });
  }

  llvm::Error open() override {
    samples.clear();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream numbers(line);
      samples.emplace_back();
      for (float number; numbers >> number;)
        samples.back().push_back(number);
    }
    if (samples.empty())
      return llvm::createStringError("'" + path + "' has no samples");
    return llvm::Error::success();
  }
  int64_t getSampleCount() const override { return samples.size(); }
  llvm::Error skip(int64_t count) override {
    next += count;
    return llvm::Error::success();
  }

  llvm::Error
  run(int64_t count, StringRef,
      llvm::function_ref<llvm::Error(int64_t, int64_t)> finished) override {
    for (int64_t i = 0; i != count && next < samples.size(); ++i, ++next) {
      if (llvm::Error error = runSample(i, samples[next]))
        return error;
      if (llvm::Error error = finished(i, 1))
        return error;
    }
    return llvm::Error::success();
  }

private:
  llvm::Error runSample(int64_t sample, const Numbers &input) {
    llvm::DenseMap<Value, Numbers> values;
    values[function.getArgument(0)] = input;
    for (Operation &op : function.getBody().front().without_terminator()) {
      Numbers result = values.lookup(op.getOperand(0));
      if (auto observe = dyn_cast<qbackend::ObserveOp>(op)) {
        ArrayRef<int64_t> shape = observe.getInput().getType().getShape();
        observed({sites.lookup(&op), sample, int64_t(shape.size()) - 1,
                  llvm::SmallVector<int64_t>(shape), result});
      } else if (auto gain = dyn_cast<GainOp>(op)) {
        for (float &x : result)
          x *= gain->getAttrOfType<FloatAttr>("by").getValueAsDouble();
      } else if (auto kind = dyn_cast<qbackend::OperatorOp>(op);
                 kind && isa<qbackend::ReluAttr>(kind.getKind())) {
        for (float &x : result)
          x = std::max(x, 0.0f);
      } else {
        return llvm::createStringError("this compiler doesn't run '" +
                                       op.getName().getStringRef() + "'");
      }
      values[op.getResult(0)] = std::move(result);
    }
    return llvm::Error::success();
  }

  func::FuncOp function;
  std::string path;
  qbackend::ObserveCallback observed;
  llvm::DenseMap<Operation *, int64_t> sites;
  std::vector<Numbers> samples;
  size_t next = 0;
};

struct Runner : qbackend::NetworkRunnerInterface {
  using NetworkRunnerInterface::NetworkRunnerInterface;
  llvm::Error checkRequest(const qbackend::SampleRequest &) const override {
    return llvm::Error::success();
  }
  llvm::Error checkSamples(func::FuncOp,
                           const qbackend::SampleRequest &) const override {
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<qbackend::NetworkRun>>
  prepare(ModuleOp module, func::FuncOp function,
          const qbackend::SampleRequest &request,
          qbackend::ObserveCallback observed) const override {
    return std::make_unique<Interpreter>(module, function, request.data,
                                         std::move(observed));
  }
};

class AcmeDialect : public Dialect {
public:
  explicit AcmeDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<AcmeDialect>()) {
    addOperations<GainOp>();
    addInterfaces<Runner>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "acme"; }
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: compiler network.mlir samples.txt\n";
    return 2;
  }
  DialectRegistry registry;
  qbackend::registerCoreDialects(registry);
  registry.insert<AcmeDialect>();
  MLIRContext context(registry);
  context.getOrLoadDialect<AcmeDialect>();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  PassManager manager(&context);
  qbackend::ApplyBackendPassOptions options;
  options.backend = "qnnpack";
  options.qconfig = "minmax";
  options.data = argv[2];
  manager.addPass(qbackend::createApplyBackendPass(options));
  if (failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}

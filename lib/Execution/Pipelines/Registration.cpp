// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Execution brings, and makes it what runs networks.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Execution/Int8/Passes.h"
#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Execution/Pipelines/ObservedRun.h"
#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Execution/Runtime/Executable.h"
#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Execution/Samples/SampleSource.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::arrays;

static bool isUnsigned(ElementType type) {
  return type == ElementType::U8 || type == ElementType::U16 ||
         type == ElementType::U32 || type == ElementType::U64;
}

/// Reads the arrays of an .npz as tensors.
static llvm::Expected<ParameterFile> readArrayFile(StringRef path) {
  llvm::Expected<std::vector<NamedArray>> read = readArrays(path);
  if (!read)
    return read.takeError();
  auto arrays = std::make_shared<std::vector<NamedArray>>(std::move(*read));
  ParameterFile file;
  for (const auto &[name, array] : *arrays) {
    StoredTensor tensor;
    tensor.name = name;
    tensor.typeName = getElementName(array.type).str();
    tensor.kind = array.type == ElementType::Bool ? StoredKind::Bool
                  : isFloat(array.type)           ? StoredKind::Float
                  : isUnsigned(array.type)        ? StoredKind::Unsigned
                                                  : StoredKind::Signed;
    tensor.bits = 8 * getElementSize(array.type);
    tensor.shape = array.shape;
    tensor.bytes = ArrayRef(reinterpret_cast<const char *>(array.data.data()),
                            array.data.size());
    file.tensors.push_back(std::move(tensor));
  }
  file.owner = std::move(arrays);
  return file;
}

namespace {
struct JITRunner final : NetworkRunnerInterface {
  using NetworkRunnerInterface::NetworkRunnerInterface;

  llvm::Error checkRequest(const SampleRequest &request) const override {
    return checkSampleRequest(request);
  }

  llvm::Expected<std::string>
  hashSamples(const SampleRequest &request) const override {
    return arrays::hashSamples(request.data, request.inputScale);
  }

  llvm::Error checkSamples(func::FuncOp function,
                           const SampleRequest &request) const override {
    return qbackend::checkSamples(function, request);
  }

  llvm::Expected<std::unique_ptr<NetworkRun>>
  prepare(ModuleOp module, func::FuncOp function, const SampleRequest &request,
          ObserveCallback observed) const override {
    return ObservedRun::compile(module, function, request, std::move(observed));
  }

  llvm::Expected<ParameterFile> readParameters(StringRef path) const override {
    return readArrayFile(path);
  }
};
} // namespace

void qbackend::registerExecution(DialectRegistry &registry) {
  runtime::registerRuntimeDialects(registry);
  registry.addExtension(+[](MLIRContext *context, QBackendDialect *dialect) {
    dialect->addInterfaces<JITRunner>();
    // A pass that runs a network compiles it, and can't load what that takes
    // beside others.
    DialectRegistry compiled;
    runtime::registerRuntimeDialects(compiled);
    for (StringRef name : compiled.getDialectNames())
      context->getOrLoadDialect(name);
  });
}

void qbackend::registerExecutionPasses() {
  registerInt8Passes();
  registerExecutionPipelinesPasses();
  PassPipelineRegistration<ExecutionPipelineOptions>(
      "qbackend-execution-pipeline",
      "from a module of any stage to code that can be run",
      addExecutionPipeline);
  codegen::registerCodeGenPasses();
  codegen::registerLowerToLLVMPipeline();
}

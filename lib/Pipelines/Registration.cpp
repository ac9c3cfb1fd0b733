// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything this project brings, registered at once.

#include "qbackend/CodeGen/Passes.h"
#include "qbackend/Conversion/Passes.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Operators/Recognizer.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Runtime/Executable.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;

void qbackend::registerAllDialects(DialectRegistry &registry) {
  // Dialects that others load must be known by name, too: an op of one that
  // isn't is unregistered, and MLIR frees its name under it when the dialect
  // comes. Tensor loads complex.
  registry.insert<QBackendDialect, complex::ComplexDialect,
                  qnnpack::QNNPackDialect, quant::QuantDialect>();
  registerRecognizers(registry);
  registerQNNPackEngine(registry);
  runtime::registerRuntimeDialects(registry);
}

void qbackend::registerAllPasses() {
  registerQBackendTransformsPasses();
  registerConversionPasses();
  registerQBackendPipelinesPasses();
  registerPipelines();
  codegen::registerCodeGenPasses();
  codegen::registerLowerToLLVMPipeline();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Core brings.

#include "qbackend/Conversion/Passes.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Operators/Recognizer.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

void qbackend::registerCoreDialects(DialectRegistry &registry) {
  // Dialects that others load must be known by name, too: an op of one that
  // isn't is unregistered, and MLIR frees its name under it when the dialect
  // comes. Tensor loads complex.
  registry.insert<QBackendDialect, complex::ComplexDialect,
                  qnnpack::QNNPackDialect, quant::QuantDialect>();
  // What networks come in.
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  index::IndexDialect, linalg::LinalgDialect, math::MathDialect,
                  ml_program::MLProgramDialect, scf::SCFDialect,
                  shape::ShapeDialect, tensor::TensorDialect, tosa::TosaDialect,
                  ub::UBDialect>();
  // What other tools leave on a module, as attributes.
  registry.insert<DLTIDialect, gpu::GPUDialect, omp::OpenMPDialect,
                  sparse_tensor::SparseTensorDialect,
                  transform::TransformDialect>();
  func::registerInlinerExtension(registry);
  registerRecognizers(registry);
  registerQNNPackEngine(registry);
}

void qbackend::registerCorePasses() {
  registerQBackendTransformsPasses();
  registerConversionPasses();
  registerQBackendPipelinesPasses();
  registerPipelines();
}

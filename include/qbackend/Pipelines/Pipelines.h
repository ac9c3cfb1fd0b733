// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes. apply-backend, the tools and the passes that print
// take it from here; each pipeline is also registered under its name, such as
// --qbackend-prepare-pipeline="backend=qnnpack".

#ifndef QBACKEND_PIPELINES_PIPELINES_H
#define QBACKEND_PIPELINES_PIPELINES_H

#include "qbackend/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace qbackend {

struct RaisePipelineOptions : mlir::PassPipelineOptions<RaisePipelineOptions> {
  Option<std::string> backend{
      *this, "backend",
      llvm::cl::desc("Backend whose patterns may name ops; empty: none"),
      llvm::cl::init("")};
};

struct PreparePipelineOptions
    : mlir::PassPipelineOptions<PreparePipelineOptions> {
  Option<std::string> backend{
      *this, "backend",
      llvm::cl::desc("Name of a built-in backend, path of a configuration "
                     "file, or @symbol in the module"),
      llvm::cl::init("qnnpack")};
  Option<std::string> qconfig{
      *this, "qconfig",
      llvm::cl::desc("Name of a qconfig mapping of the backend, or @symbol in "
                     "the module; empty: the backend's default"),
      llvm::cl::init("")};
  Option<Sharing> sharing{
      *this, "sharing",
      llvm::cl::desc("Which values have one observer, where outputs share "
                     "their inputs'"),
      llvm::cl::init(Sharing::Groups),
      llvm::cl::values(
          clEnumValN(Sharing::Groups, "groups",
                     "all that share with each other, directly or not"),
          clEnumValN(Sharing::FX, "fx",
                     "PyTorch FX's: operator by operator, the first input's"))};
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("Function that is the network; empty: main, forward, or "
                     "the only public one"),
      llvm::cl::init("")};
  ListOption<std::string> keepFloat{
      *this, "keep-float",
      llvm::cl::desc("Names of operators, or of modules that they are in, that "
                     "stay float")};
  ListOption<int64_t> quantizedInputs{
      *this, "quantized-inputs",
      llvm::cl::desc("Numbers of the arguments of the function that are "
                     "integers for its caller")};
  ListOption<int64_t> quantizedOutputs{
      *this, "quantized-outputs",
      llvm::cl::desc("Numbers of the results of the function that are integers "
                     "for its caller")};
};

/// What becomes of quantized operators: the same for both pipelines that follow
/// calibration.
struct KernelPipelineOptions
    : mlir::PassPipelineOptions<KernelPipelineOptions> {
  Option<std::string> backend{
      *this, "backend",
      llvm::cl::desc("Name of a built-in backend, path of a configuration "
                     "file, or @symbol in the module"),
      llvm::cl::init("qnnpack")};
  Option<std::string> lowerTo{
      *this, "lower-to",
      llvm::cl::desc(
          "reference, or a form of the backend's engine; empty: what "
          "the backend lowers to"),
      llvm::cl::init("")};
  Option<bool> fakeQuantize{
      *this, "fake-quantize",
      llvm::cl::desc("Float code instead, which computes the numbers "
                     "that the integers of the reference form stand for"),
      llvm::cl::init(false)};
};

/// From float code to operators in their normal form.
void addRaisePipeline(mlir::OpPassManager &manager,
                      const RaisePipelineOptions &options);

/// From float code to observed operators: what is calibrated.
void addPreparePipeline(mlir::OpPassManager &manager,
                        const PreparePipelineOptions &options);

/// From calibrated operators to the reference form, and to kernels.
void addKernelPipeline(mlir::OpPassManager &manager,
                       const KernelPipelineOptions &options);

/// From kernels to the form that a compiler takes. Nothing, of the reference
/// form.
void addLoweringPipeline(mlir::OpPassManager &manager,
                         const KernelPipelineOptions &options);

/// Whether `module` has been observed, by whatever backend: then nothing is to
/// be prepared.
bool isObserved(mlir::ModuleOp module);

/// A copy of `module` inside of it, since passes run on what is inside of their
/// own op only. It has no data layout of its own: upstream would look for what
/// the two have in common, and not all of their entries can be compared.
mlir::OwningOpRef<mlir::ModuleOp> copyInside(mlir::ModuleOp module);

/// Registers each pipeline as qbackend-NAME-pipeline.
void registerPipelines();

} // namespace qbackend

#endif // QBACKEND_PIPELINES_PIPELINES_H

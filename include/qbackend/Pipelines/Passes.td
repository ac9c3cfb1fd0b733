// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration, the last lowering, and the pass that runs all others.

#ifndef QBACKEND_PIPELINES_PASSES
#define QBACKEND_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"
include "qbackend/Transforms/PassOptions.td"

defvar CalibrationOptions = [
    EntryOption,
    Option<"calibration", "calibration", "std::string", "\"\"",
           "Calibration table to take ranges from, or 'ranges': those that follow "
           "from the ranges of the arguments, without a run">,
    Option<"data", "data", "std::string", "\"\"",
           "Samples to calibrate on: an .npz or .npy file, a directory of them, or "
           "- for arrays on standard input; FILE:ARRAY picks one array of a "
           "file">,
    Option<"samples", "samples", "int64_t", "-1",
           "How many samples of the data to use; -1: all">,
    Option<"batchSize", "batch-size", "int64_t", "20",
           "How many samples an observer sees as one batch">,
    Option<"inputScale", "input-scale", "std::string", "\"\"",
           "What integer data is multiplied by, such as 1/255 for images">,
    Option<"sampleArguments", "sample-arguments", "std::string", "\"\"",
           "Numbers of the arguments that hold samples, such as 0,2; the others "
           "are the same in each run">,
    Option<"threads", "num-threads", "unsigned", "0",
           "Threads to run samples on; 0: one for each core">,
    Option<"nonFinite", "non-finite", "std::string", "\"error\"",
           "What to do about values that are NaN or infinite: error, or ignore, "
           "which counts them and leaves them out">,
    Option<"equalization", "equalization", "std::string", "\"\"",
           "Layers to equalize: @symbol of a qconfig_mapping in the module, whose "
           "qconfigs other than none mean that; empty: none">,
    ListOption<"corrections", "corrections", "std::string",
               "What makes the integers better by parameters alone: mse-ranges, "
               "cross-layer-equalization, bias-absorption, adaptive-rounding, "
               "bias-correction">
];

def WeightsOption : Option<"weights", "weights", "std::string", "\"\"",
    "File with the tensors of arguments, extern globals and resources without "
    "data, by name: .safetensors or .npz; empty: none">;

def BindParametersPass : Pass<"qbackend-bind-parameters", "::mlir::ModuleOp"> {
  let summary = "give weights that a module only names their data";
  let description = [{
    Before: a network whose weights are arguments, an `ml_program.global` that is
    `#ml_program.extern`, or `dense_resource<key>` without data. After: constants
    with the tensors of the file `weights`, which is a .safetensors or .npz, and a
    signature without those arguments.

    A tensor belongs to the argument of a public function that has its name (that of
    its location, `qbackend.name`, `iree.abi.name`, `ml_program.identifier`,
    `jax.arg_info`, or its number: `arg1`), to the global of that symbol, and to the
    resource of that key. Each tensor must have a place, and each such global and
    resource a tensor, of the same type and shape. An argument that no tensor is
    called like is data.
  }];
  let options = [WeightsOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CalibratePass : Pass<"qbackend-calibrate", "::mlir::ModuleOp"> {
  let summary = "find the scale and zero point of each observer";
  let description = [{
    Before: observed operators. After: each observer has its range, scale and
    zero point. They come, in this order, from the module itself (calibrated
    observers, `qbackend.range` on arguments), from the table, from a run of the
    float network on the data, and if neither is given, from a run on
    seeded synthetic inputs, with a warning.

    With `equalization`, the columns of inputs and weights are given like ranges
    first: the weights are changed, and inputs that no layer computes are
    multiplied by a vector.

    `corrections` change parameters too: of weights and biases before observers
    are calibrated (`cross-layer-equalization`, `bias-absorption`), of observers
    (`mse-ranges`), and of weights and biases afterwards, by a further run on the
    samples (`adaptive-rounding`, `bias-correction`). Their order doesn't matter.
  }];
  let options = CalibrationOptions;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ApplyBackendPass : Pass<"apply-backend", "::mlir::ModuleOp"> {
  let summary = "quantize a module for a backend: all passes in order";
  let description = [{
    Before: a float module. After: `qnnpack` ops, or what `lower-to` says.
    Operators that stay float are inlined as they came, each with a
    remark. The last one, QB000, is a table of the operators and their
    multiply-accumulates by verdict.

    With `explain`, the module stays as it is, and a copy of it is quantized. What
    is printed to stdout is about the operator whose result has that name, as
    `qbackend-print-observers` prints it: the code that it was recognised from
    and where that is, the pattern that it matched, its qconfig and which entry of
    the mapping gave it, the observers of its inputs and its result with the values
    that share them, ranges, its kernel, and each remark about it with what its
    code means. Ranges, and the kernel, are known with `data` or `calibration`:
    they are not made up. `require-quantized` has no effect.
  }];
  let options = !listconcat([
    BackendOption, QConfigOption, SharingOption,
    Option<"mode", "mode", "std::string", "\"convert\"",
           "convert: to integers; fake-quant: float code that computes "
           "the numbers which the integers of the reference form stand for">,
    KeepFloatOption, QuantizedInputsOption, QuantizedOutputsOption,
    LowerToOption, WeightsOption,
    Option<"requireQuantized", "require-quantized", "double", "0",
           "Fail if less than this percentage of the multiply-accumulates (of the "
           "operators, if there are none) is in integer kernels, or with "
           "lower-to=reference quantized">,
    Option<"explain", "explain", "std::string", "\"\"",
           "Print all about the operator of this name instead; empty: none">
  ], CalibrationOptions);
}

def LowerKernelsPass : Pass<"qbackend-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "kernels to the form that a compiler takes";
  let description = [{
    Before: kernels of the engine that the backend's `lowering` names. After: the
    form `lower-to`. For the reference form nothing changes; for the engine's own
    ops, what stayed float is the code that it came as; in other forms
    nothing is left of a dialect of this project.
  }];
  let options = [BackendOption, LowerToOption];
}

#endif // QBACKEND_PIPELINES_PASSES

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that run networks, and the one that runs all others.

#ifndef QBACKEND_PIPELINES_PASSES
#define QBACKEND_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

defvar CalibrationOptions = [
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
    Option<"threads", "num-threads", "unsigned", "0",
           "Threads to run samples on; 0: one for each core">,
    Option<"nonFinite", "non-finite", "std::string", "\"error\"",
           "What to do about values that are NaN or infinite: error, or ignore, "
           "which counts them and leaves them out">
];

def CalibratePass : Pass<"qbackend-calibrate", "::mlir::ModuleOp"> {
  let summary = "find the scale and zero point of each observer";
  let description = [{
    Before: observed operators. After: each observer has its range, scale and
    zero point. They come, in this order, from the module itself (calibrated
    observers, `qbackend.range` on arguments), from the table, from a run of the
    real-valued network on the data, and if neither is given, from a run on
    seeded synthetic inputs, with a warning.
  }];
  let options = CalibrationOptions;
}

def ApplyBackendPass : Pass<"apply-backend", "::mlir::ModuleOp"> {
  let summary = "quantize a module for a backend: all passes in order";
  let description = [{
    Before: a real-valued module. After: `qnnpack` ops, or what `lower-to` says.
    Operators that stay real-valued are inlined as they came, each with a
    remark. The last one, QB000, is a table of the operators and their
    multiply-accumulates by verdict.
  }];
  let options = !listconcat([
    Option<"backend", "backend", "std::string", "\"qnnpack\"",
           "Name of a built-in backend, path of a configuration file, or @symbol "
           "of a qbackend.backend_config in the module">,
    Option<"qconfig", "qconfig", "std::string", "\"\"",
           "Name of a qconfig mapping of the backend, or @symbol of one in the "
           "module; empty: the backend's default">,
    Option<"sharing", "sharing", "::qbackend::Sharing",
           "::qbackend::Sharing::Groups",
           "Which values have one observer, where outputs share their inputs'", [{
      ::llvm::cl::values(
        clEnumValN(::qbackend::Sharing::Groups, "groups",
                   "all that share with each other, directly or not"),
        clEnumValN(::qbackend::Sharing::FX, "fx",
                   "PyTorch FX's: operator by operator, the first input's"))
    }]>,
    Option<"mode", "mode", "std::string", "\"convert\"",
           "convert: to integers; fake-quant: real-valued code that computes "
           "the numbers which the integers of the reference form stand for">,
    ListOption<"quantizedInputs", "quantized-inputs", "int64_t",
           "Numbers of the arguments of the function that are integers for its "
           "caller">,
    ListOption<"quantizedOutputs", "quantized-outputs", "int64_t",
           "Numbers of the results of the function that are integers for its "
           "caller">,
    Option<"lowerTo", "lower-to", "std::string", "\"\"",
           "reference, qnnpack, linalg or tosa; empty: what the backend lowers to">,
    Option<"requireQuantized", "require-quantized", "double", "0",
           "Fail if less than this percentage of the multiply-accumulates (of the "
           "operators, if there are none) is in integer kernels, or with "
           "lower-to=reference quantized">
  ], CalibrationOptions);
}

#endif // QBACKEND_PIPELINES_PASSES

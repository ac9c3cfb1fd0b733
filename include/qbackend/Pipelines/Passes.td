// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that run networks, and the one that runs all others.

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

def CalibratePass : Pass<"qbackend-calibrate", "::mlir::ModuleOp"> {
  let summary = "find the scale and zero point of each observer";
  let description = [{
    Before: observed operators. After: each observer has its range, scale and
    zero point. They come, in this order, from the module itself (calibrated
    observers, `qbackend.range` on arguments), from the table, from a run of the
    real-valued network on the data, and if neither is given, from a run on
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
    Before: a real-valued module. After: `qnnpack` ops, or what `lower-to` says.
    Operators that stay real-valued are inlined as they came, each with a
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
           "convert: to integers; fake-quant: real-valued code that computes "
           "the numbers which the integers of the reference form stand for">,
    KeepFloatOption, QuantizedInputsOption, QuantizedOutputsOption,
    LowerToOption,
    Option<"requireQuantized", "require-quantized", "double", "0",
           "Fail if less than this percentage of the multiply-accumulates (of the "
           "operators, if there are none) is in integer kernels, or with "
           "lower-to=reference quantized">,
    Option<"explain", "explain", "std::string", "\"\"",
           "Print all about the operator of this name instead; empty: none">
  ], CalibrationOptions);
}

def IsolateNetworkPass
    : Pass<"qbackend-isolate-network", "::mlir::ModuleOp"> {
  let summary = "leave what a function reaches, if it only computes tensors";
  let description = [{
    Before: a module after `qbackend-execution-pipeline`. After: `entry` is its only
    public function, and what that doesn't reach is gone, as are all attributes of
    others than this project that no op asks for: those that bring code of their own
    (`llvm.module_asm`), or that passes and LLVM believe (`passthrough`,
    `bufferization.buffer_layout`, `target_features`, `llvm.byval` of a call's
    argument, a subprogram in a location). A module is data, often someone else's: an
    op on memory, a type of memory or of another dialect in a type or an attribute, a
    call of a function without a body, functions that call themselves, a tensor of
    more than 2^31 elements, a constant without its data, and arithmetic on other
    numbers than f16, bf16, f32, f64 and integers of at most 128 bits are errors.
    Functions with the name of one that LLVM may call get another one; for `entry`,
    which others call by its name, that is an error. What is run, and what is compiled
    to an object, passes here first.
  }];
  let options = [EntryOption];
}

def PrintOperatorsPass
    : Pass<"qbackend-print-operators", "::mlir::ModuleOp"> {
  let summary = "print the graph of operators, whatever the spelling";
  let description = [{
    Raises a copy of the module, and prints to stdout what it computes, one
    operator a line: its number, kind, attributes, the shape of its weight and
    of its result, and the numbers of its inputs. The text is the same for each
    spelling of a network: transposes at the edges and changes of dimensions of
    size 1 are left out, and so are these dimensions, which axes don't count; sums
    don't depend on the order of their operands, and the order of lines is that
    in which results need them. What is no operator
    has a question mark. The last line is the share of floating-point operations
    that no operator does. The module stays as it is; `qbackend-opt` doesn't
    print it, unless `-o` names a file.
  }];
  let options = [NamedOpsOption];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrintObserversPass
    : Pass<"qbackend-print-observers", "::mlir::ModuleOp"> {
  let summary = "print the groups of values that share an observer";
  let description = [{
    Observes a copy of the module, and prints to stdout its operators, one a
    line: number, what its result is called, kinds, inputs, which ones were
    fused, and the observers of its weight, and of its activations if they are
    not observed here; then each observer with its class, type, range, scheme
    and smallest scale, and below it a line for each value that it sees, with
    the numbers of the operators that read what was observed. A value that
    another observer sees before is `after` that one. With `format=dot` it is a
    graph for Graphviz, in which the values of an observer are one cluster.

    A module with observers is printed as it is. The module stays as it is;
    `qbackend-opt` doesn't print it, unless `-o` names a file.
  }];
  let options = [BackendOption, QConfigOption, SharingOption, EntryOption,
    Option<"format", "format", "::qbackend::GraphFormat",
           "::qbackend::GraphFormat::Text", "Form of the output", [{
      ::llvm::cl::values(
        clEnumValN(::qbackend::GraphFormat::Text, "text", "lines"),
        clEnumValN(::qbackend::GraphFormat::Dot, "dot", "Graphviz"))
    }]>];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerKernelsPass : Pass<"qbackend-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "kernels to the form that a compiler takes";
  let description = [{
    Before: kernels of the engine that the backend's `lowering` names. After: the
    form `lower-to`. For the reference form nothing changes; for the engine's own
    ops, what stayed real-valued is the code that it came as; in other forms
    nothing is left of a dialect of this project.

    With `all-engines`, the kernels of each engine become linalg, and there is no
    backend.
  }];
  let options = [BackendOption, LowerToOption,
    Option<"allEngines", "all-engines", "bool", "false",
           "Lower what there is of any engine to linalg">];
}

def LowerObserversPass : Pass<"qbackend-lower-observers", "::mlir::ModuleOp"> {
  let summary = "observers to calls of what records them";
  let description = [{
    Before: inlined operators with observers. After: no observer is left. With a
    `hook`, the `n`-th `qbackend.observe` of the module, in the order of the
    code, calls the private function of that name with `n` and its tensor;
    without one it does nothing.
  }];
  let options = [Option<"hook", "hook", "std::string", "\"\"",
    "Name of the function that observers call; empty: none">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // QBACKEND_PIPELINES_PASSES

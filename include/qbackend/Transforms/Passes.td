// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from a float module to its reference form.

#ifndef QBACKEND_TRANSFORMS_PASSES
#define QBACKEND_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "qbackend/Transforms/PassOptions.td"

def RaisePass : Pass<"qbackend-raise", "::mlir::ModuleOp"> {
  let summary = "recognise operators in tosa, linalg and other dialects";
  let description = [{
    Before: float code in any dialect with a recogniser. After: each
    subgraph that is an operator PyTorch knows is a `qbackend.operator` with the
    original code as its body, with images in NHWC; transposes are
    `qbackend.transpose`. Code that is not recognised stays, and gets a missed
    remark, unless it is an op that the backend names in a pattern, which becomes
    an operator of kind `#qbackend.op`. Running it again changes nothing.
  }];
  let options = [NamedOpsOption];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NormalizeCodePass : Pass<"qbackend-normalize-code", "::mlir::ModuleOp"> {
  let summary = "inline private functions, and refine shapes through casts";
  let description = [{
    Before: float code in any form. After: the same in the form that passes
    behind this one see through. A call of a private function of one block is
    what that computes, under the names it has there; a function that is called
    no more is gone. In a function where a `tensor.cast` hides an extent, ops of
    tensor, linalg and tosa have all extents that follow from those of their
    operands; arguments and results of functions keep their types. A slice that
    only drops or adds dimensions of 1 is a change of shape. Transposes that end where
    they began are gone. Calls of public functions, recursion and functions with
    attributes on arguments stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ImportQuantizationPass
    : Pass<"qbackend-import-quantization", "::mlir::ModuleOp"> {
  let summary = "recognise quantization that a module comes with";
  let description = [{
    Before: float code with quantize and dequantize, or fake quantization,
    in it: `quant.qcast` and `dcast`, or arithmetic in linalg, tosa, arith and
    math, of one op or of several. After: `qbackend.quantize` and `dequantize`;
    a constant that was quantized is its integers with a `dequantize`. Bytes of
    weights stay as they are, and so do all scales and zero points.

    What code computes decides, not how it is spelled: it is asked on both sides
    of each step that its integers have. Integers that are limited to less than
    their type get a clamp, or a relu. What rounds in an op with other things is
    made an op of its own.

    What quantizes in another way (a zero point out of range, more than 8 bits,
    channels of an activation) stays, and gets the missed remark QB140. What
    differs in ties only is imported, with the remark QB143.
  }];
  let options = [Option<"castsOnly", "casts-only", "bool", "false",
    "Recognise quant.qcast and dcast only, and leave code as it is">];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::quant::QuantDialect"];
}

def NormalizeLayoutPass : Pass<"qbackend-normalize-layout"> {
  let summary = "move transposes to the module's edges, and cancel them";
  let description = [{
    Before: operators with `qbackend.transpose` between them. After: operators
    that work in any layout take the layout of their inputs, with their axes
    adapted; pairs of transposes are gone; reshapes take the transpose before
    them into their `permutation`. A transpose that is left between two
    operators becomes an operator of kind `transpose`.
  }];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FusePass : Pass<"qbackend-fuse", "::mlir::ModuleOp"> {
  let summary = "join operators that are one pattern of the backend";
  let description = [{
    Before: one operator per kind. After: operators that match a pattern of
    several kinds are one operator with all kinds, and batch norm is folded into
    the weights where the pattern's fuser method says so:
    `w' = w * (gamma * r)`, `b' = (b - mean) * r * gamma + beta`,
    `r = 1 / sqrt(var + eps)`. Patterns with a fuser method go first, longer
    ones before shorter ones, then in the order of the configuration.

    PyTorch fuses modules whatever their qconfigs are. Its quantizers of exported
    programs look for patterns among what one entry selects by name or class of
    module; so for a backend of these, operators that `qconfig` has different such
    entries for stay apart.
  }];
  let options = [BackendOption, QConfigOption];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ObservePass : Pass<"qbackend-observe", "::mlir::ModuleOp"> {
  let summary = "decide what is quantized, and insert observers";
  let description = [{
    Before: fused operators. After: each operator that the backend supports with
    its qconfig has that qconfig; its inputs and result go through
    `qbackend.observe`, as its pattern's observation type says. Observers that
    share are one symbol (a union-find to a fixed point). An operator that stays
    float gets a missed remark with the reason.

    Arguments and results with `qbackend.quantized` are integers for the caller,
    and `quantized-inputs` and `quantized-outputs` put it on those of the only
    public function. Such an argument is read by all operators with one observer
    of their type; that it is integers is made true by `qbackend-convert`.

    `keep-float` names operators that stay float, whatever their qconfig: by
    their own name, that of a part, or of a module that they are in. Operators
    without a named location have the name that tables and printed observers give
    them, such as `conv2d+relu_0`, which qconfig mappings select, too.

    What the entry doesn't reach by calls stays float: nothing would be
    known of its values. In a module of several public functions of which none
    is the entry, all are observed.
  }];
  let options = [BackendOption, QConfigOption, SharingOption, EntryOption,
                 KeepFloatOption, QuantizedInputsOption,
                 QuantizedOutputsOption];
  let dependentDialects = ["::qbackend::QBackendDialect"];
}

def VerifySharingPass : Pass<"qbackend-verify-sharing"> {
  let summary = "fail if what should share an observer doesn't";
  let description = [{
    Before: observed operators. After: the same, if each operator that is
    decided to be `output_share_observer_with_input` has one observer on its
    inputs and its result. Its kernel passes the parameters of its input on, so with two
    observers the integers would be requantized, or wrong. Each operator that
    has two is an error, unless the module came with the parameters of both.
    With `sharing=fx` there may be some.
  }];
}

def ConvertPass : Pass<"qbackend-convert", "::mlir::ModuleOp"> {
  let summary = "calibrated observers to quantize and dequantize";
  let description = [{
    Before: observed and calibrated operators. After, the reference form: each
    observed value is quantized once and dequantized for its users, weights are
    integer constants with their dequantize, and the operators in between are
    still float, unless the backend has a reference implementation of
    their pattern, which is called instead. No observer is left. An argument or
    a result with `qbackend.quantized` has the quantized type, and is neither
    quantized nor dequantized inside.

    An operator with a dynamic qconfig reads floats: that they become
    integers at run time is what its qconfig says. With one that is for weights
    only, the weight is the numbers that constant integers stand for; with f16,
    it is a constant of 16-bit floats, and so are, unless the qconfig is
    dynamic, the activations in passing.

    A bias is an integer of the scale of the products, but for a backend with
    `real_bias` whose form is `reference`.

    Without `fold-weights`, weights and biases stay float constants that
    are quantized and dequantized like activations, and no reference
    implementation is called: that is what simulates quantization.
  }];
  let options = [BackendOption, LowerToOption,
    Option<"foldWeights", "fold-weights", "bool", "true",
           "Whether weights become constant integers">];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::quant::QuantDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CreateKernelsPass : Pass<"qbackend-create-kernels", "::mlir::ModuleOp"> {
  let summary = "lower quantized operators to the kernels of an engine";
  let description = [{
    Before: the reference form. After: each operator with a qconfig whose inputs
    are dequantized and whose result is quantized is a kernel of the engine that
    the backend's `lowering` names, on the integers. An operator without such a
    kernel, or beyond its limits, stays float and gets a missed remark.
    With `lower-to=reference` nothing changes.
  }];
  let options = [BackendOption, LowerToOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::quant::QuantDialect"];
}

def InlineOperatorsPass : Pass<"qbackend-inline-operators"> {
  let summary = "put the body of each operator in its place";
  let description = [{
    Before: operators. After: the code they were raised from, and what remains of
    the transposes in `linalg`. Observers and their statistics stay.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def StripConfigurationPass
    : Pass<"qbackend-strip-configuration", "::mlir::ModuleOp"> {
  let summary = "remove what has been used up of a configuration";
  let description = [{
    Before: a module without operators. After: the same without
    `qbackend.backend_config`, `qbackend.qconfig_mapping` and the `qbackend.name`,
    `qbackend.range` and `qbackend.role` of arguments: a compiler that does not
    know this dialect would stop at them.
  }];
}

def VerifyIntegerOnlyPass
    : Pass<"qbackend-verify-integer-only", "::mlir::ModuleOp"> {
  let summary = "fail if floats are computed between quantized tensors";
  let description = [{
    Before: `qnnpack` ops, or what they were lowered to. After: the same, if
    there is no offender. An offender is an op that computes a tensor of floats
    from a quantized tensor, directly or not, from which another quantized
    tensor is computed, directly or not. Each one is an error.

    A quantized tensor is one of a quantized type or of 8-bit integers. So the
    `dequantize` before a float operator is an offender, too; the last one
    of a network isn't, nor is what comes before the first `quantize`. Not
    counted as data are constants (and what is computed from constants only) and
    sizes. Scalars may be floats: requantizing multiplies an integer by a float
    number, and in `linalg` that is in the body of an op.

    Paths go through functions, branches, loops and regions. They end at
    dynamic quantization, which is float by definition: an op that
    quantizes by a scale or zero point (a single float that is not a constant),
    and a `qnnpack` op from floats to floats.

    The reference form is an error, since its operators are float by
    definition. With remarks on, QB120 counts the quantized tensors and the
    float ones outside of them.
  }];
}

def VerifyAccumulatorsPass
    : Pass<"qbackend-verify-accumulators", "::mlir::ModuleOp"> {
  let summary = "fail if a sum of products may need more than 32 bits";
  let description = [{
    Before: `qnnpack` ops. After: the same, if none of their accumulators can
    wrap, whatever the input is: that is an error. The smallest and the largest
    sum of each convolution, transposed convolution and linear layer follow from
    its weight and bias; of a weight that is an argument the integers of its type
    are taken. With remarks on, QB125 has them of each layer, and of the network.
  }];
}

#endif // QBACKEND_TRANSFORMS_PASSES

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator kinds: PyTorch's operators as typed attributes. Images are NHWC.

#ifndef QBACKEND_DIALECT_QBACKEND_OPERATORKINDS
#define QBACKEND_DIALECT_QBACKEND_OPERATORKINDS

include "qbackend/Dialect/QBackend/QBackendBase.td"

def OperatorKindAttrInterface : AttrInterface<"OperatorKindAttrInterface"> {
  let cppNamespace = "::qbackend";
  let description = [{
    An operator as PyTorch knows it. The mnemonic of the attribute is the name
    that patterns use. Other dialects join with attributes of their own.
  }];
  let methods = [
    InterfaceMethod<"The name of the kind in patterns, such as `conv2d`.",
      "::llvm::StringRef", "getKindName", (ins), "",
      "return std::decay_t<decltype($_attr)>::getMnemonic();">,
    InterfaceMethod<[{
        The kind of the same operator when dimension `i` of its activations was
        dimension `permutation[i]`; null if it can't be laid out that way.
      }], "::mlir::Attribute", "permute",
      (ins "::llvm::ArrayRef<int64_t>":$permutation), "", "return {};">,
    InterfaceMethod<[{
        True if permuting the dimensions of the activations never changes what
        the operator computes, but for the parameters that `permute` maps.
      }], "bool", "isShapeOnly", (ins), "", "return false;">,
    InterfaceMethod<[{
        Says at `op` what is wrong with operands of such an operator.
        `activations` are the ranked types of its inputs.
      }], "::mlir::LogicalResult", "verifyOperands",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "::llvm::ArrayRef<::mlir::RankedTensorType>":$activations,
           "::mlir::RankedTensorType":$weight), "", "return ::mlir::success();">
  ];
}

class QBackend_Kind<string name, string kindMnemonic, list<string> overrides = []>
    : QBackend_Attr<name, kindMnemonic,
        [DeclareAttrInterfaceMethods<OperatorKindAttrInterface, overrides>]> {
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}
/// Parameters that are always printed.
class QBackend_ParametricKind<string name, string kindMnemonic,
                              list<string> overrides = []>
    : QBackend_Kind<name, kindMnemonic, overrides> {
  let assemblyFormat = "`<` struct(params) `>`";
}
class QBackend_ElementwiseKind<string name, string kindMnemonic>
    : QBackend_Kind<name, kindMnemonic, ["permute"]> {
  let assemblyFormat = "";
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::permute(::llvm::ArrayRef<int64_t>) const {
      return *this;
    }
  }];
}

defvar Ints = "::mlir::DenseI64ArrayAttr";

//===----------------------------------------------------------------------===//
// Weighted
//===----------------------------------------------------------------------===//

def QBackend_Conv2dAttr
    : QBackend_ParametricKind<"Conv2d", "conv2d", ["verifyOperands"]> {
  let summary = "2-d convolution; weight [out, kh, kw, in / groups]";
  let description = [{
    `padding` is `[top, bottom, left, right]`.

    Example:
    ```mlir
    #qbackend.conv2d<stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 1>
    ```
  }];
  let parameters = (ins Ints:$stride, Ints:$padding, Ints:$dilation,
                        "int64_t":$groups);
  let genVerifyDecl = 1;
}

def QBackend_LinearAttr
    : QBackend_Kind<"Linear", "linear", ["verifyOperands"]> {
  let summary = "fully connected layer on the last dimension; weight [out, in]";
  let assemblyFormat = "";
}

class QBackend_BatchNormKind<string name, string kindMnemonic>
    : QBackend_ParametricKind<name, kindMnemonic, ["permute"]> {
  let description = [{
    `(x - running_mean) / sqrt(running_var + eps) * weight + bias` along `axis`.
  }];
  let parameters = (ins "int64_t":$axis, QBackend_Real<"added to the variance">:$eps);
}
def QBackend_BatchNorm1dAttr : QBackend_BatchNormKind<"BatchNorm1d", "batch_norm1d"> {
  let summary = "batch norm of [N, C] or [N, C, L] in inference";
}
def QBackend_BatchNorm2dAttr : QBackend_BatchNormKind<"BatchNorm2d", "batch_norm2d"> {
  let summary = "batch norm of images in inference";
}

//===----------------------------------------------------------------------===//
// Binary, concatenation
//===----------------------------------------------------------------------===//

class QBackend_BinaryKind<string name, string kindMnemonic>
    : QBackend_Kind<name, kindMnemonic, ["permute"]> {
  let description = [{
    Two tensors, or one tensor and `scalar`.
  }];
  let parameters = (ins QBackend_OptionalReal<"second operand">:$scalar);
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::permute(::llvm::ArrayRef<int64_t>) const {
      return *this;
    }
  }];
}
def QBackend_AddAttr : QBackend_BinaryKind<"Add", "add"> {
  let summary = "addition";
}
def QBackend_MulAttr : QBackend_BinaryKind<"Mul", "mul"> {
  let summary = "multiplication";
}

def QBackend_CatAttr : QBackend_ParametricKind<"Cat", "cat", ["permute"]> {
  let summary = "concatenation along `axis`";
  let parameters = (ins "int64_t":$axis);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def QBackend_MaxPool2dAttr : QBackend_ParametricKind<"MaxPool2d", "max_pool2d"> {
  let summary = "2-d max pooling; out-of-image taps don't count";
  let parameters = (ins Ints:$kernel, Ints:$stride, Ints:$padding, Ints:$dilation);
  let genVerifyDecl = 1;
}

def QBackend_AvgPool2dAttr : QBackend_ParametricKind<"AvgPool2d", "avg_pool2d"> {
  let summary = "2-d average pooling";
  let parameters = (ins Ints:$kernel, Ints:$stride, Ints:$padding,
    QBackend_Flag<"windows may reach past the padding">:$ceil_mode,
    QBackend_Flag<"padding does not count in the divisor">:$count_exclude_pad,
    QBackend_OptionalInt<"divisor instead of the window's size">:$divisor_override);
  let genVerifyDecl = 1;
}

def QBackend_AdaptiveAvgPool2dAttr
    : QBackend_ParametricKind<"AdaptiveAvgPool2d", "adaptive_avg_pool2d"> {
  let summary = "2-d average pooling to a given size";
  let parameters = (ins Ints:$output_size);
}

def QBackend_MeanAttr : QBackend_ParametricKind<"Mean", "mean", ["permute"]> {
  let summary = "mean over `axes`";
  let parameters = (ins Ints:$axes, QBackend_Flag<"keep reduced dimensions as 1">:$keepdim);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def QBackend_ReluAttr : QBackend_ElementwiseKind<"Relu", "relu"> {
  let summary = "max(x, 0)";
}
def QBackend_Relu6Attr : QBackend_ElementwiseKind<"Relu6", "relu6"> {
  let summary = "min(max(x, 0), 6)";
}
class QBackend_BoundedKind<string name, string kindMnemonic>
    : QBackend_ElementwiseKind<name, kindMnemonic> {
  let parameters = (ins QBackend_Real<"lower bound">:$min,
                        QBackend_Real<"upper bound">:$max);
  let assemblyFormat = "`<` struct(params) `>`";
}
def QBackend_HardtanhAttr : QBackend_BoundedKind<"Hardtanh", "hardtanh"> {
  let summary = "clamp to two bounds, [-1, 1] unless said otherwise";
}
def QBackend_ClampAttr : QBackend_BoundedKind<"Clamp", "clamp"> {
  let summary = "clamp to any bounds";
}
def QBackend_SigmoidAttr : QBackend_ElementwiseKind<"Sigmoid", "sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
}
def QBackend_HardsigmoidAttr : QBackend_ElementwiseKind<"Hardsigmoid", "hardsigmoid"> {
  let summary = "min(max(x + 3, 0), 6) / 6";
}
def QBackend_HardswishAttr : QBackend_ElementwiseKind<"Hardswish", "hardswish"> {
  let summary = "x * hardsigmoid(x)";
}
def QBackend_TanhAttr : QBackend_ElementwiseKind<"Tanh", "tanh"> {
  let summary = "hyperbolic tangent";
}
def QBackend_LeakyReluAttr : QBackend_ElementwiseKind<"LeakyRelu", "leaky_relu"> {
  let summary = "x > 0 ? x : x * negative_slope";
  let parameters = (ins QBackend_Real<"slope below 0">:$negative_slope);
  let assemblyFormat = "`<` struct(params) `>`";
}
def QBackend_EluAttr : QBackend_ElementwiseKind<"Elu", "elu"> {
  let summary = "x > 0 ? x : alpha * (exp(x) - 1)";
  let parameters = (ins QBackend_Real<"limit below 0, negated">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
}
def QBackend_SoftmaxAttr : QBackend_ParametricKind<"Softmax", "softmax", ["permute"]> {
  let summary = "softmax along `axis`";
  let parameters = (ins "int64_t":$axis);
}
def QBackend_DropoutAttr : QBackend_ElementwiseKind<"Dropout", "dropout"> {
  let summary = "dropout in inference: the identity";
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

class QBackend_ReshapeKind<string name, string kindMnemonic>
    : QBackend_Kind<name, kindMnemonic, ["permute", "isShapeOnly"]> {
  let description = [{
    The elements of the input, its dimensions first permuted by `permutation`
    (none: as they are), in row-major order, in the shape of the result.
  }];
  let parameters = (ins OptionalParameter<Ints>:$permutation);
}
def QBackend_FlattenAttr : QBackend_ReshapeKind<"Flatten", "flatten"> {
  let summary = "all dimensions but the first as one";
}
def QBackend_ReshapeAttr : QBackend_ReshapeKind<"Reshape", "reshape"> {
  let summary = "another shape: reshape, view, squeeze, unsqueeze";
}
def QBackend_TransposeAttr : QBackend_ParametricKind<"Transpose", "transpose", ["isShapeOnly"]> {
  let summary = "other order of dimensions: transpose, permute";
  let parameters = (ins Ints:$permutation);
  let extraClassDefinition = [{
    bool $cppClass::isShapeOnly() const { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def QBackend_OpAttr : QBackend_Attr<"Op", "op",
    [DeclareAttrInterfaceMethods<OperatorKindAttrInterface, ["getKindName"]>]> {
  let summary = "any op, which a backend names in a pattern";
  let description = [{
    The op is in the body, with its attributes. Its name is the kind.

    Example:
    ```mlir
    #qbackend.op<"vendor.swish">
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $name `>`";
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getKindName() const {
      return getName().getValue();
    }
  }];
}

#endif // QBACKEND_DIALECT_QBACKEND_OPERATORKINDS

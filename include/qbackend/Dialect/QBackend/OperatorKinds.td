// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator kinds: PyTorch's operators as typed attributes. Images are NHWC.
//
// More than 600 lines, for it is one table: what is known of a kind is in its row.

#ifndef QBACKEND_DIALECT_QBACKEND_OPERATORKINDS
#define QBACKEND_DIALECT_QBACKEND_OPERATORKINDS

include "qbackend/Dialect/QBackend/QBackendBase.td"

def OperatorKindAttrInterface : AttrInterface<"OperatorKindAttrInterface"> {
  let cppNamespace = "::qbackend";
  let description = [{
    An operator as PyTorch knows it. The mnemonic of the attribute is the name
    that patterns use. Other dialects join with attributes of their own.

    All that has to be known of a kind is asked here, and nowhere by a list of
    kinds. What has no answer that is safe for any kind has no default.
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
           "::mlir::RankedTensorType":$weight), "", "return ::mlir::success();">,
    InterfaceMethod<[{
        The number of tensors that it takes; nullopt if it takes any number.
      }], "std::optional<unsigned>", "getInputCount", (ins)>,
    InterfaceMethod<[{
        Whether all its results are among the numbers of its inputs, or 0, so
        that what is quantized before it is quantized after it.
      }], "bool", "keepsNumbers", (ins)>,
    InterfaceMethod<"What its weight is.",
      "::qbackend::WeightRole", "getWeightRole", (ins)>,
    InterfaceMethod<[{
        Its arithmetic, from its parameters and shapes, whatever its code is: two
        operations for each product that is summed up, one for each element of a
        window, one for each result of an activation or of arithmetic. Data
        movement counts nothing.
      }], "::qbackend::OperationCounts", "countOperations",
      (ins "const ::qbackend::OperatorOperands &":$operands)>,
    InterfaceMethod<[{
        The range of its result, from those of its inputs, which are as many as
        it takes; nullopt if there are no bounds. Safe, not tight.
      }], "std::optional<::qbackend::FloatRange>", "inferRange",
      (ins "const ::qbackend::OperatorOperands &":$operands,
           "::llvm::ArrayRef<::qbackend::FloatRange>":$inputs)>,
    InterfaceMethod<[{
        The kind as it is printed for comparison, where dimensions of size 1 are
        not shown: with parameters that count only the others.
      }], "::mlir::Attribute", "getShownKind",
      (ins "const ::qbackend::OperatorOperands &":$operands)>,
    InterfaceMethod<"Whether the order of its inputs says nothing.",
      "bool", "isCommutative", (ins), "", "return false;">,
    InterfaceMethod<"The number in the place of its second input, or null.",
      "::mlir::FloatAttr", "getSecondNumber", (ins), "", "return {};">,
    InterfaceMethod<[{
        The parameters that its result has whatever was observed, as PyTorch
        fixes them; nullopt if it has those of an observer.
      }], "std::optional<::qbackend::FixedParameters>", "getFixedParameters",
      (ins), "", "return std::nullopt;">
  ];
}

/// A kind, and its answers to the interface: a C++ expression each, over the
/// parameters of the attribute and the arguments of the method. The functions
/// that they call are in lib/Dialect/QBackend. A kind that leaves out one of
/// them is an error of mlir-tblgen, which names it.
class QBackend_KindAttr<string name, string kindMnemonic, list<Trait> traits>
    : QBackend_Attr<name, kindMnemonic, traits> {
  string inputCount = ?;
  string keepsNumbers = ?;
  string weightRole = ?;
  string operations = ?;
  string range = ?;
  string shown = ?;
  /// What `permute` gives; empty: no permutation goes through.
  string permuted = "";
  /// Of methods that have a default.
  string overridden = "";
  let extraClassDefinition = [{
    std::optional<unsigned> $cppClass::getInputCount() const {
      return }] # inputCount # [{;
    }
    bool $cppClass::keepsNumbers() const { return }] # keepsNumbers # [{; }
    ::qbackend::WeightRole $cppClass::getWeightRole() const {
      return WeightRole::}] # weightRole # [{;
    }
    ::qbackend::OperationCounts $cppClass::countOperations(
        const ::qbackend::OperatorOperands &operands) const {
      return }] # operations # [{;
    }
    std::optional<::qbackend::FloatRange> $cppClass::inferRange(
        const ::qbackend::OperatorOperands &operands,
        ::llvm::ArrayRef<::qbackend::FloatRange> inputs) const {
      return }] # range # [{;
    }
    ::mlir::Attribute $cppClass::getShownKind(
        const ::qbackend::OperatorOperands &operands) const {
      return }] # shown # [{;
    }
  }] # !if(!empty(permuted), "", [{
    ::mlir::Attribute $cppClass::permute(
        ::llvm::ArrayRef<int64_t> permutation) const {
      return }] # permuted # [{;
    }
  }]) # overridden;
}

/// One input, no weight, nothing that depends on dimensions: what most kinds
/// are. `keepsNumbers`, `operations` and `range` are for each to say.
class QBackend_Kind<string name, string kindMnemonic, list<string> overrides = []>
    : QBackend_KindAttr<name, kindMnemonic,
        [DeclareAttrInterfaceMethods<OperatorKindAttrInterface, overrides>]> {
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let inputCount = "1";
  let weightRole = "None";
}
/// Parameters that are always printed.
class QBackend_ParametricKind<string name, string kindMnemonic,
                              list<string> overrides = []>
    : QBackend_Kind<name, kindMnemonic, overrides> {
  let assemblyFormat = "`<` struct(params) `>`";
}
class QBackend_ElementwiseKind<string name, string kindMnemonic,
                               list<string> overrides = []>
    : QBackend_Kind<name, kindMnemonic, !listconcat(["permute"], overrides)> {
  let assemblyFormat = "";
  let keepsNumbers = "false";
  let operations = "detail::countResults(operands)";
  let shown = "*this";
  let permuted = "*this";
}

defvar Ints = "::mlir::DenseI64ArrayAttr";

//===----------------------------------------------------------------------===//
// Weighted
//===----------------------------------------------------------------------===//

def ConvolutionKindAttrInterface : AttrInterface<"ConvolutionKindAttrInterface"> {
  let cppNamespace = "::qbackend";
  let description = [{
    Convolutions, transposed ones too, over any number of spatial dimensions.
  }];
  let methods = [
    InterfaceMethod<"Of each spatial dimension.", "::llvm::ArrayRef<int64_t>",
      "getStrides", (ins), "", "return $_attr.getStride().asArrayRef();">,
    InterfaceMethod<"Before and after, of each spatial dimension.",
      "::llvm::ArrayRef<int64_t>", "getPaddings", (ins), "",
      "return $_attr.getPadding().asArrayRef();">,
    InterfaceMethod<"Of each spatial dimension.", "::llvm::ArrayRef<int64_t>",
      "getDilations", (ins), "", "return $_attr.getDilation().asArrayRef();">,
    InterfaceMethod<"The number of groups.", "int64_t", "getGroupCount", (ins),
      "", "return $_attr.getGroups();">,
    InterfaceMethod<"Whether input pixels are spread over output pixels.",
      "bool", "isTransposed", (ins), "", "return false;">,
    InterfaceMethod<"Of each spatial dimension; empty unless transposed.",
      "::llvm::ArrayRef<int64_t>", "getOutputPaddings", (ins), "", "return {};">
  ];
}

class QBackend_ConvolutionKind<string name, string kindMnemonic,
                               dag extra = (ins),
                               list<string> convolutionOverrides = []>
    : QBackend_KindAttr<name, kindMnemonic,
        [DeclareAttrInterfaceMethods<OperatorKindAttrInterface, ["verifyOperands"]>,
         DeclareAttrInterfaceMethods<ConvolutionKindAttrInterface,
                                     convolutionOverrides>]> {
  let parameters = !con((ins Ints:$stride, Ints:$padding), extra,
                        (ins Ints:$dilation, "int64_t":$groups));
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let inputCount = "1";
  let keepsNumbers = "false";
  let weightRole = "Products";
  let operations = "detail::countConvolution(*this, operands)";
  let range = "detail::convolutionRange(*this, operands, inputs.front())";
  let shown = "*this";
}
class QBackend_ConvKind<string name, string kindMnemonic, int rank>
    : QBackend_ConvolutionKind<name, kindMnemonic> {
  let overridden = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::DenseI64ArrayAttr stride, ::mlir::DenseI64ArrayAttr padding,
        ::mlir::DenseI64ArrayAttr dilation, int64_t groups) {
      return detail::verifyConvolution(emitError, }] # !cast<string>(rank) # [{, stride, padding,
                                       dilation, groups);
    }
    ::llvm::LogicalResult $cppClass::verifyOperands(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<::mlir::RankedTensorType> activations,
        ::mlir::RankedTensorType weight) const {
      return detail::verifyConvolutionOperands(
          emitError, getMnemonic(), }] # !cast<string>(rank) # [{, getGroups(), activations,
          weight);
    }
  }];
}
class QBackend_ConvTransposeKind<string name, string kindMnemonic, int rank>
    : QBackend_ConvolutionKind<name, kindMnemonic,
                               (ins Ints:$output_padding), ["isTransposed", "getOutputPaddings"]> {
  let description = [{
    Pixel `i` of the input adds to pixels `i * stride - before + k * dilation` of
    the output. The weight is that of a convolution, `[out, ..., in / groups]`,
    and not flipped: PyTorch's `[in, out / groups, ...]` with the first two
    dimensions exchanged within each group.
  }];
  let overridden = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::DenseI64ArrayAttr stride, ::mlir::DenseI64ArrayAttr padding,
        ::mlir::DenseI64ArrayAttr outputPadding,
        ::mlir::DenseI64ArrayAttr dilation, int64_t groups) {
      if (::mlir::failed(detail::verifyConvolution(
              emitError, }] # !cast<string>(rank) # [{, stride, padding, dilation, groups)))
        return ::mlir::failure();
      return detail::verifyInts(emitError, "output_padding", outputPadding,
                                }] # !cast<string>(rank) # [{, 0);
    }
    ::llvm::LogicalResult $cppClass::verifyOperands(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<::mlir::RankedTensorType> activations,
        ::mlir::RankedTensorType weight) const {
      return detail::verifyConvolutionOperands(
          emitError, getMnemonic(), }] # !cast<string>(rank) # [{, getGroups(), activations,
          weight);
    }
    bool $cppClass::isTransposed() const { return true; }
    ::llvm::ArrayRef<int64_t> $cppClass::getOutputPaddings() const {
      return getOutputPadding().asArrayRef();
    }
  }];
}

def QBackend_Conv1dAttr : QBackend_ConvKind<"Conv1d", "conv1d", 1> {
  let summary = "1-d convolution of [N, L, C]; weight [out, k, in / groups]";
}
def QBackend_Conv2dAttr : QBackend_ConvKind<"Conv2d", "conv2d", 2> {
  let summary = "2-d convolution; weight [out, kh, kw, in / groups]";
  let description = [{
    `padding` is `[top, bottom, left, right]`.

    Example:
    ```mlir
    #qbackend.conv2d<stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 1>
    ```
  }];
}
def QBackend_Conv3dAttr : QBackend_ConvKind<"Conv3d", "conv3d", 3> {
  let summary = "3-d convolution of [N, D, H, W, C]; weight [out, kd, kh, kw, in / groups]";
}
def QBackend_ConvTranspose1dAttr
    : QBackend_ConvTransposeKind<"ConvTranspose1d", "conv_transpose1d", 1> {
  let summary = "1-d transposed convolution";
}
def QBackend_ConvTranspose2dAttr
    : QBackend_ConvTransposeKind<"ConvTranspose2d", "conv_transpose2d", 2> {
  let summary = "2-d transposed convolution";
}
def QBackend_ConvTranspose3dAttr
    : QBackend_ConvTransposeKind<"ConvTranspose3d", "conv_transpose3d", 3> {
  let summary = "3-d transposed convolution";
}

def QBackend_LinearAttr
    : QBackend_Kind<"Linear", "linear", ["verifyOperands"]> {
  let summary = "fully connected layer on the last dimension; weight [out, in]";
  let assemblyFormat = "";
  let keepsNumbers = "false";
  let weightRole = "Products";
  let operations = "detail::countLinear(operands)";
  let range = "detail::productsRange(operands, inputs.front(), /*anySubset=*/false)";
  let shown = "*this";
}

def QBackend_MatmulAttr : QBackend_Kind<"Matmul", "matmul", ["verifyOperands"]> {
  let summary = "product of two activations, [..., m, k] and [..., k, n]";
  let assemblyFormat = "";
  let inputCount = "2";
  let keepsNumbers = "false";
  let operations = "detail::countMatmul(operands)";
  let range = "detail::matmulRange(operands, inputs)";
  let shown = "*this";
}

def QBackend_EmbeddingAttr
    : QBackend_Kind<"Embedding", "embedding", ["verifyOperands"]> {
  let summary = "rows of a table; its input holds their indices, weight [rows, columns]";
  let assemblyFormat = "";
  let keepsNumbers = "false";
  let weightRole = "Rows";
  let operations = "OperationCounts()";
  let range = "detail::rowsRange(operands)";
  let shown = "*this";
}

def BatchNormKindAttrInterface : AttrInterface<"BatchNormKindAttrInterface"> {
  let cppNamespace = "::qbackend";
  let description = [{
    Batch norms, of any number of dimensions.
  }];
  let methods = [
    InterfaceMethod<"The dimension of the channels.", "int64_t", "getChannelAxis",
      (ins), "", "return $_attr.getAxis();">,
    InterfaceMethod<"What is added to the variance.", "double", "getEpsilon",
      (ins), "", "return $_attr.getEps().getValueAsDouble();">
  ];
}

class QBackend_BatchNormKind<string name, string kindMnemonic>
    : QBackend_KindAttr<name, kindMnemonic,
        [DeclareAttrInterfaceMethods<OperatorKindAttrInterface, ["permute"]>,
         DeclareAttrInterfaceMethods<BatchNormKindAttrInterface>]> {
  let assemblyFormat = "`<` struct(params) `>`";
  let inputCount = "1";
  let description = [{
    `(x - running_mean) / sqrt(running_var + eps) * weight + bias` along `axis`.
  }];
  let parameters = (ins "int64_t":$axis, QBackend_Float<"added to the variance">:$eps);
  let keepsNumbers = "false";
  let weightRole = "Scale";
  let operations = "detail::countResults(operands)";
  let range = "detail::batchNormRange(operands, getEpsilon(), inputs.front())";
  let shown = "*this";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation), getEps())";
}
def QBackend_BatchNorm1dAttr : QBackend_BatchNormKind<"BatchNorm1d", "batch_norm1d"> {
  let summary = "batch norm of [N, C] or [N, C, L] in inference";
}
def QBackend_BatchNorm2dAttr : QBackend_BatchNormKind<"BatchNorm2d", "batch_norm2d"> {
  let summary = "batch norm of images in inference";
}
def QBackend_BatchNorm3dAttr : QBackend_BatchNormKind<"BatchNorm3d", "batch_norm3d"> {
  let summary = "batch norm of [N, D, H, W, C] in inference";
}

//===----------------------------------------------------------------------===//
// Normalization by the statistics of the activation itself
//===----------------------------------------------------------------------===//

class QBackend_TrailingNormKind<string name, string kindMnemonic>
    : QBackend_ParametricKind<name, kindMnemonic, ["permute"]> {
  let parameters = (ins Ints:$axes, QBackend_Float<"added to the variance">:$eps);
  let keepsNumbers = "false";
  let weightRole = "Scale";
  let operations = "detail::countResults(operands)";
  let permuted = "detail::getIfAny(*this, detail::permuteOrdered(getAxes(), permutation), getEps())";
}
def QBackend_LayerNormAttr : QBackend_TrailingNormKind<"LayerNorm", "layer_norm"> {
  let summary = "(x - mean) / sqrt(variance + eps) * weight + bias over `axes`";
  let description = [{
    Mean and variance (of n, not n - 1, elements) are over the dimensions `axes`,
    in ascending order, which are the dimensions of weight and bias.
  }];
  let range = "detail::layerNormRange(operands, getAxes(), getEps(), inputs.front())";
  let shown = "get(getContext(), detail::getShownDims(operands.inputs.front(), getAxes()), getEps())";
}
def QBackend_RmsNormAttr : QBackend_TrailingNormKind<"RmsNorm", "rms_norm"> {
  let summary = "x / sqrt(mean(x * x) + eps) * weight over `axes`";
  let range = "detail::rmsNormRange(operands, getAxes(), getEps(), inputs.front())";
  let shown = "get(getContext(), detail::getShownDims(operands.inputs.front(), getAxes()), getEps())";
}

class QBackend_InstanceNormKind<string name, string kindMnemonic>
    : QBackend_ParametricKind<name, kindMnemonic, ["permute"]> {
  let description = [{
    `layer_norm` of each channel of each sample: over all dimensions but the
    first one, the batch, and `axis`, along which weight and bias vary.
  }];
  let parameters = (ins "int64_t":$axis, QBackend_Float<"added to the variance">:$eps);
  let keepsNumbers = "false";
  let weightRole = "Scale";
  let operations = "detail::countResults(operands)";
  let range = "detail::instanceNormRange(operands, getAxis(), getEps(), inputs.front())";
  let shown = "*this";
  let permuted = "detail::keepsBatch(permutation) ? get(getContext(), detail::permuteAxis(getAxis(), permutation), getEps()) : ::mlir::Attribute()";
}
def QBackend_InstanceNorm1dAttr
    : QBackend_InstanceNormKind<"InstanceNorm1d", "instance_norm1d"> {
  let summary = "instance norm of rank 3";
}
def QBackend_InstanceNorm2dAttr
    : QBackend_InstanceNormKind<"InstanceNorm2d", "instance_norm2d"> {
  let summary = "instance norm of images";
}
def QBackend_InstanceNorm3dAttr
    : QBackend_InstanceNormKind<"InstanceNorm3d", "instance_norm3d"> {
  let summary = "instance norm of rank 5";
}
def QBackend_GroupNormAttr
    : QBackend_ParametricKind<"GroupNorm", "group_norm", ["permute"]> {
  let summary = "instance norm of groups of neighbouring channels together";
  let parameters = (ins "int64_t":$axis, "int64_t":$num_groups,
                        QBackend_Float<"added to the variance">:$eps);
  let keepsNumbers = "false";
  let weightRole = "Scale";
  let operations = "detail::countResults(operands)";
  let range = "detail::groupNormRange(operands, getNumGroups(), getEps(), inputs.front())";
  let shown = "*this";
  let permuted = "detail::keepsBatch(permutation) ? get(getContext(), detail::permuteAxis(getAxis(), permutation), getNumGroups(), getEps()) : ::mlir::Attribute()";
}

//===----------------------------------------------------------------------===//
// Binary, concatenation
//===----------------------------------------------------------------------===//

class QBackend_BinaryKind<string name, string kindMnemonic>
    : QBackend_Kind<name, kindMnemonic,
                    ["permute", "isCommutative", "getSecondNumber"]> {
  let description = [{
    Two tensors, or one tensor and `scalar`.
  }];
  let inputCount = "getScalar() ? 1 : 2";
  let keepsNumbers = "false";
  let operations = "detail::countResults(operands)";
  let shown = "*this";
  let parameters = (ins QBackend_OptionalFloat<"second operand">:$scalar);
  let permuted = "*this";
  let overridden = [{
    bool $cppClass::isCommutative() const { return true; }
    ::mlir::FloatAttr $cppClass::getSecondNumber() const { return getScalar(); }
  }];
}
def QBackend_AddAttr : QBackend_BinaryKind<"Add", "add"> {
  let summary = "addition";
  let range = "detail::addRanges(inputs.front(), detail::getSecondRange(inputs, getScalar()))";
}
def QBackend_MulAttr : QBackend_BinaryKind<"Mul", "mul"> {
  let summary = "multiplication";
  let range = "detail::multiplyRanges(inputs.front(), detail::getSecondRange(inputs, getScalar()))";
}
def QBackend_SubAttr : QBackend_ElementwiseKind<"Sub", "sub"> {
  let summary = "subtraction of two tensors; numbers are added";
  let inputCount = "2";
  let range = "detail::subtractRanges(inputs[0], inputs[1])";
}
def QBackend_RsubAttr : QBackend_ElementwiseKind<"Rsub", "rsub"> {
  let summary = "scalar - x";
  let parameters = (ins QBackend_Float<"what is subtracted from">:$scalar);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::subtractRanges(detail::pointRange(getScalar()), inputs.front())";
}
def QBackend_DivAttr : QBackend_ElementwiseKind<"Div", "div"> {
  let summary = "division of two tensors; by a number is `mul`";
  let inputCount = "2";
  let range = "detail::divideRanges(inputs[0], inputs[1])";
}

//===----------------------------------------------------------------------===//
// Functions of one tensor
//===----------------------------------------------------------------------===//

def QBackend_NegAttr : QBackend_ElementwiseKind<"Neg", "neg"> {
  let summary = "-x";
  let range = "detail::subtractRanges({0, 0}, inputs.front())";
}
def QBackend_SinAttr : QBackend_ElementwiseKind<"Sin", "sin"> {
  let summary = "sine";
  let range = "detail::sinRange(inputs.front())";
}
def QBackend_CosAttr : QBackend_ElementwiseKind<"Cos", "cos"> {
  let summary = "cosine";
  let range = "detail::cosRange(inputs.front())";
}
def QBackend_SquareAttr : QBackend_ElementwiseKind<"Square", "square"> {
  let summary = "x * x";
  let range = "detail::powRange(inputs.front(), 2)";
}
def QBackend_RsqrtAttr : QBackend_ElementwiseKind<"Rsqrt", "rsqrt"> {
  let summary = "1 / sqrt(x)";
  let range = "detail::powRange(inputs.front(), -0.5)";
}
def QBackend_PowAttr : QBackend_ElementwiseKind<"Pow", "pow"> {
  let summary = "x to the power of a number";
  let parameters = (ins QBackend_Float<"the power">:$exponent);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::powRange(inputs.front(), getExponent().getValueAsDouble())";
}

def QBackend_CatAttr : QBackend_ParametricKind<"Cat", "cat", ["permute"]> {
  let summary = "concatenation along `axis`";
  let parameters = (ins "int64_t":$axis);
  let inputCount = "std::nullopt";
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "detail::joinRanges(inputs)";
  let shown = "get(getContext(), detail::getShownDim(operands.output, getAxis()))";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation))";
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class QBackend_MaxPoolKind<string name, string kindMnemonic, int rank>
    : QBackend_ParametricKind<name, kindMnemonic> {
  let parameters = (ins Ints:$kernel, Ints:$stride, Ints:$padding, Ints:$dilation);
  let genVerifyDecl = 1;
  let overridden = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::DenseI64ArrayAttr kernel, ::mlir::DenseI64ArrayAttr stride,
        ::mlir::DenseI64ArrayAttr padding, ::mlir::DenseI64ArrayAttr dilation) {
      if (::mlir::failed(detail::verifyInts(emitError, "kernel", kernel,
                                            }] # !cast<string>(rank) # [{, 1)))
        return ::mlir::failure();
      return detail::verifyConvolution(emitError, }] # !cast<string>(rank) # [{, stride,
                                       padding, dilation, /*groups=*/1);
    }
  }];
  let keepsNumbers = "true";
  let operations = "detail::countWindows(operands, getKernel())";
  let range = "inputs.front()";
  let shown = "*this";
}
def QBackend_MaxPool1dAttr : QBackend_MaxPoolKind<"MaxPool1d", "max_pool1d", 1> {
  let summary = "1-d max pooling; out-of-image taps don't count";
}
def QBackend_MaxPool2dAttr : QBackend_MaxPoolKind<"MaxPool2d", "max_pool2d", 2> {
  let summary = "2-d max pooling; out-of-image taps don't count";
}
def QBackend_MaxPool3dAttr : QBackend_MaxPoolKind<"MaxPool3d", "max_pool3d", 3> {
  let summary = "3-d max pooling; out-of-image taps don't count";
}

class QBackend_AvgPoolKind<string name, string kindMnemonic, int rank>
    : QBackend_ParametricKind<name, kindMnemonic> {
  let parameters = (ins Ints:$kernel, Ints:$stride, Ints:$padding,
    QBackend_Flag<"windows may reach past the padding">:$ceil_mode,
    QBackend_Flag<"padding does not count in the divisor">:$count_exclude_pad,
    QBackend_OptionalInt<"divisor instead of the window's size">:$divisor_override);
  let genVerifyDecl = 1;
  let overridden = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::DenseI64ArrayAttr kernel, ::mlir::DenseI64ArrayAttr stride,
        ::mlir::DenseI64ArrayAttr padding, bool ceilMode, bool countExcludePad,
        std::optional<int64_t> divisorOverride) {
      if (::mlir::failed(detail::verifyInts(emitError, "kernel", kernel,
                                            }] # !cast<string>(rank) # [{, 1)) ||
          ::mlir::failed(detail::verifyInts(emitError, "stride", stride,
                                            }] # !cast<string>(rank) # [{, 1)) ||
          ::mlir::failed(detail::verifyInts(emitError, "padding", padding,
                                            2 * }] # !cast<string>(rank) # [{, 0)))
        return ::mlir::failure();
      if (divisorOverride && *divisorOverride == 0)
        return emitError() << "'divisor_override' is 0";
      return ::mlir::success();
    }
  }];
  let keepsNumbers = "false";
  let operations = "detail::countWindows(operands, getKernel())";
  let range = "detail::avgPoolRange(*this, inputs.front())";
  let shown = "*this";
}
def QBackend_AvgPool1dAttr : QBackend_AvgPoolKind<"AvgPool1d", "avg_pool1d", 1> {
  let summary = "1-d average pooling";
}
def QBackend_AvgPool2dAttr : QBackend_AvgPoolKind<"AvgPool2d", "avg_pool2d", 2> {
  let summary = "2-d average pooling";
}
def QBackend_AvgPool3dAttr : QBackend_AvgPoolKind<"AvgPool3d", "avg_pool3d", 3> {
  let summary = "3-d average pooling";
}

class QBackend_AdaptiveAvgPoolKind<string name, string kindMnemonic>
    : QBackend_ParametricKind<name, kindMnemonic> {
  let parameters = (ins Ints:$output_size);
  let keepsNumbers = "false";
  let operations = "detail::countInputs(operands)";
  let range = "inputs.front()";
  let shown = "*this";
}
def QBackend_AdaptiveAvgPool1dAttr
    : QBackend_AdaptiveAvgPoolKind<"AdaptiveAvgPool1d", "adaptive_avg_pool1d"> {
  let summary = "1-d average pooling to a given size";
}
def QBackend_AdaptiveAvgPool2dAttr
    : QBackend_AdaptiveAvgPoolKind<"AdaptiveAvgPool2d", "adaptive_avg_pool2d"> {
  let summary = "2-d average pooling to a given size";
}
def QBackend_AdaptiveAvgPool3dAttr
    : QBackend_AdaptiveAvgPoolKind<"AdaptiveAvgPool3d", "adaptive_avg_pool3d"> {
  let summary = "3-d average pooling to a given size";
}

def QBackend_MeanAttr : QBackend_ParametricKind<"Mean", "mean", ["permute"]> {
  let summary = "mean over `axes`";
  let parameters = (ins Ints:$axes, QBackend_Flag<"keep reduced dimensions as 1">:$keepdim);
  let keepsNumbers = "false";
  let operations = "detail::countInputs(operands)";
  let range = "inputs.front()";
  let shown = "detail::getShownMean(*this, operands)";
  let permuted = "detail::getIfAny(*this, detail::permuteReduced(getAxes(), getKeepdim(), permutation), getKeepdim())";
}

def QBackend_SumAttr : QBackend_ParametricKind<"Sum", "sum", ["permute"]> {
  let summary = "sum over `axes`";
  let parameters = (ins Ints:$axes, QBackend_Flag<"keep reduced dimensions as 1">:$keepdim);
  let keepsNumbers = "false";
  let operations = "detail::countInputs(operands)";
  let range = "detail::sumRange(operands, getAxes(), inputs.front())";
  let shown = "get(getContext(), detail::getShownDims(operands.inputs.front(), getAxes()), false)";
  let permuted = "detail::getIfAny(*this, detail::permuteReduced(getAxes(), getKeepdim(), permutation), getKeepdim())";
}

def QBackend_AmaxAttr : QBackend_ParametricKind<"Amax", "amax", ["permute"]> {
  let summary = "largest over `axes`";
  let parameters = (ins Ints:$axes, QBackend_Flag<"keep reduced dimensions as 1">:$keepdim);
  let keepsNumbers = "true";
  let operations = "detail::countInputs(operands)";
  let range = "inputs.front()";
  let shown = "get(getContext(), detail::getShownDims(operands.inputs.front(), getAxes()), false)";
  let permuted = "detail::getIfAny(*this, detail::permuteReduced(getAxes(), getKeepdim(), permutation), getKeepdim())";
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def QBackend_ReluAttr : QBackend_ElementwiseKind<"Relu", "relu"> {
  let summary = "max(x, 0)";
  let keepsNumbers = "true";
  let range = "detail::clampRange(inputs.front(), 0, HUGE_VAL)";
}
def QBackend_Relu6Attr : QBackend_ElementwiseKind<"Relu6", "relu6"> {
  let summary = "min(max(x, 0), 6)";
  let range = "detail::clampRange(inputs.front(), 0, 6)";
}
class QBackend_BoundedKind<string name, string kindMnemonic>
    : QBackend_ElementwiseKind<name, kindMnemonic> {
  let parameters = (ins QBackend_Float<"lower bound">:$min,
                        QBackend_Float<"upper bound">:$max);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::clampRange(inputs.front(), getMin(), getMax())";
}
def QBackend_HardtanhAttr : QBackend_BoundedKind<"Hardtanh", "hardtanh"> {
  let summary = "clamp to two bounds, [-1, 1] unless said otherwise";
}
def QBackend_ClampAttr : QBackend_BoundedKind<"Clamp", "clamp"> {
  let summary = "clamp to any bounds";
}
def QBackend_SigmoidAttr : QBackend_ElementwiseKind<"Sigmoid", "sigmoid", ["getFixedParameters"]> {
  let summary = "1 / (1 + exp(-x))";
  let range = "detail::sigmoidRange(inputs.front())";
  let overridden = [{
    std::optional<::qbackend::FixedParameters>
    $cppClass::getFixedParameters() const {
      return FixedParameters{0x1p-8, 0};
    }
  }];
}
def QBackend_HardsigmoidAttr : QBackend_ElementwiseKind<"Hardsigmoid", "hardsigmoid", ["getFixedParameters"]> {
  let summary = "min(max(x + 3, 0), 6) / 6";
  let range = "detail::hardsigmoidRange(inputs.front())";
  let overridden = [{
    std::optional<::qbackend::FixedParameters>
    $cppClass::getFixedParameters() const {
      return FixedParameters{0x1p-8, 0};
    }
  }];
}
def QBackend_HardswishAttr : QBackend_ElementwiseKind<"Hardswish", "hardswish"> {
  let summary = "x * hardsigmoid(x)";
  let range = "detail::hardswishRange(inputs.front())";
}
def QBackend_TanhAttr : QBackend_ElementwiseKind<"Tanh", "tanh", ["getFixedParameters"]> {
  let summary = "hyperbolic tangent";
  let range = "detail::tanhRange(inputs.front())";
  let overridden = [{
    std::optional<::qbackend::FixedParameters>
    $cppClass::getFixedParameters() const {
      return FixedParameters{0x1p-7, 128};
    }
  }];
}
def QBackend_LeakyReluAttr : QBackend_ElementwiseKind<"LeakyRelu", "leaky_relu"> {
  let summary = "x > 0 ? x : x * negative_slope";
  let parameters = (ins QBackend_Float<"slope below 0">:$negative_slope);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::leakyReluRange(inputs.front(), getNegativeSlope().getValueAsDouble())";
}
def QBackend_EluAttr : QBackend_ElementwiseKind<"Elu", "elu"> {
  let summary = "x > 0 ? x : alpha * (exp(x) - 1)";
  let parameters = (ins QBackend_Float<"limit below 0, negated">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::eluRange(inputs.front(), getAlpha().getValueAsDouble())";
}
def QBackend_CeluAttr : QBackend_ElementwiseKind<"Celu", "celu"> {
  let summary = "max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)";
  let parameters = (ins QBackend_Float<"limit below 0, negated">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::celuRange(inputs.front(), getAlpha().getValueAsDouble())";
}
def QBackend_SiluAttr : QBackend_ElementwiseKind<"Silu", "silu"> {
  let summary = "x * sigmoid(x)";
  let range = "detail::siluRange(inputs.front())";
}
def QBackend_GeluAttr : QBackend_ElementwiseKind<"Gelu", "gelu"> {
  let summary = "x * Phi(x), the normal distribution; with `tanh`, approximately";
  let parameters = (ins QBackend_Flag<"PyTorch's approximate = 'tanh'">:$tanh);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let range = "detail::geluRange(inputs.front(), getTanh())";
}
def QBackend_SeluAttr : QBackend_ElementwiseKind<"Selu", "selu"> {
  let summary = "1.0507 * (x > 0 ? x : 1.6733 * (exp(x) - 1)), PyTorch's constants";
  let range = "detail::seluRange(inputs.front())";
}
def QBackend_SoftplusAttr : QBackend_ElementwiseKind<"Softplus", "softplus"> {
  let summary = "log(1 + exp(beta * x)) / beta";
  let parameters = (ins QBackend_Float<"how sharp the bend is">:$beta);
  let assemblyFormat = "`<` struct(params) `>`";
  let range = "detail::softplusRange(inputs.front(), getBeta().getValueAsDouble())";
}
def QBackend_MishAttr : QBackend_ElementwiseKind<"Mish", "mish"> {
  let summary = "x * tanh(softplus(x))";
  let range = "detail::mishRange(inputs.front())";
}
def QBackend_QuickGeluAttr : QBackend_ElementwiseKind<"QuickGelu", "quick_gelu"> {
  let summary = "x * sigmoid(1.702 * x)";
  let range = "detail::quickGeluRange(inputs.front())";
}
def QBackend_PreluAttr : QBackend_ParametricKind<"Prelu", "prelu", ["permute"]> {
  let summary = "x > 0 ? x : x * weight; one slope, or one for each index of `axis`";
  let parameters = (ins "int64_t":$axis);
  let keepsNumbers = "false";
  let weightRole = "Slopes";
  let operations = "detail::countResults(operands)";
  let range = "detail::preluRange(operands, inputs.front())";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation))";
  let shown = "get(getContext(), detail::getShownDim(operands.output, getAxis()))";
}
def QBackend_LogSoftmaxAttr
    : QBackend_ParametricKind<"LogSoftmax", "log_softmax", ["permute"]> {
  let summary = "logarithm of the softmax along `axis`";
  let parameters = (ins "int64_t":$axis);
  let keepsNumbers = "false";
  let operations = "detail::countResults(operands)";
  let range = "detail::logSoftmaxRange(operands, getAxis(), inputs.front())";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation))";
  let shown = "get(getContext(), detail::getShownDim(operands.output, getAxis()))";
}
def QBackend_SoftmaxAttr : QBackend_ParametricKind<"Softmax", "softmax", ["permute"]> {
  let summary = "softmax along `axis`";
  let parameters = (ins "int64_t":$axis);
  let keepsNumbers = "false";
  let operations = "detail::countResults(operands)";
  let range = "detail::softmaxRange(operands, getAxis(), inputs.front())";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation))";
  let shown = "get(getContext(), detail::getShownDim(operands.output, getAxis()))";
}
def QBackend_DropoutAttr : QBackend_ElementwiseKind<"Dropout", "dropout"> {
  let summary = "dropout in inference: the identity";
  let keepsNumbers = "true";
  let range = "inputs.front()";
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
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "detail::getShownReshape(getPermutation(), operands)";
  let permuted = "get(getContext(), detail::permuteReshape(getContext(), getPermutation(), permutation))";
  let overridden = [{
    bool $cppClass::isShapeOnly() const { return true; }
  }];
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
  let overridden = [{
    bool $cppClass::isShapeOnly() const { return true; }
  }];
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "get(getContext(), detail::getShownDims(operands.inputs.front(), getPermutation()))";
}

def QBackend_NarrowAttr : QBackend_ParametricKind<"Narrow", "narrow", ["permute"]> {
  let summary = "part of a tensor: slice, narrow, chunk, split";
  let description = [{
    Of each dimension, `sizes` elements from `offsets` on, each `strides` after
    the one before. A size of -1 is that of a dynamic dimension, taken whole.
  }];
  let parameters = (ins Ints:$offsets, Ints:$sizes, Ints:$strides);
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "get(getContext(), detail::getShownNumbers(operands, getOffsets()), detail::getShownNumbers(operands, getSizes()), detail::getShownNumbers(operands, getStrides()))";
  let permuted = "get(getContext(), detail::permuteInts(getOffsets(), permutation), detail::permuteInts(getSizes(), permutation), detail::permuteInts(getStrides(), permutation))";
}
def QBackend_PadAttr : QBackend_ParametricKind<"Pad", "pad", ["permute"]> {
  let summary = "`low` elements before and `high` after, of each dimension";
  let parameters = (ins Ints:$low, Ints:$high, QBackend_Float<"of what is added">:$value);
  let keepsNumbers = "getValue().getValue().isZero()";
  let operations = "OperationCounts()";
  let range = "detail::joinRanges({inputs.front(), detail::pointRange(getValue())})";
  let shown = "get(getContext(), detail::getShownNumbers(operands, getLow()), detail::getShownNumbers(operands, getHigh()), getValue())";
  let permuted = "get(getContext(), detail::permuteInts(getLow(), permutation), detail::permuteInts(getHigh(), permutation), getValue())";
}
def QBackend_RepeatAttr : QBackend_ParametricKind<"Repeat", "repeat", ["permute"]> {
  let summary = "the tensor `multiples` times along each dimension: repeat, tile, expand";
  let parameters = (ins Ints:$multiples);
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "get(getContext(), detail::getShownNumbers(operands, getMultiples()))";
  let permuted = "get(getContext(), detail::permuteInts(getMultiples(), permutation))";
}
def QBackend_PixelShuffleAttr : QBackend_ParametricKind<"PixelShuffle", "pixel_shuffle"> {
  let summary = "channels to pixels; channel c * f * f + i * f + j is pixel (i, j) of c";
  let parameters = (ins "int64_t":$upscale_factor);
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "*this";
}
def QBackend_PixelUnshuffleAttr
    : QBackend_ParametricKind<"PixelUnshuffle", "pixel_unshuffle"> {
  let summary = "pixels to channels, the inverse of pixel_shuffle";
  let parameters = (ins "int64_t":$downscale_factor);
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "*this";
}
def QBackend_ChannelShuffleAttr
    : QBackend_ParametricKind<"ChannelShuffle", "channel_shuffle", ["permute"]> {
  let summary = "channels [groups, n] along `axis` as [n, groups]";
  let parameters = (ins "int64_t":$axis, "int64_t":$groups);
  let keepsNumbers = "true";
  let operations = "OperationCounts()";
  let range = "inputs.front()";
  let shown = "get(getContext(), detail::getShownDim(operands.output, getAxis()), getGroups())";
  let permuted = "get(getContext(), detail::permuteAxis(getAxis(), permutation), getGroups())";
}
def QBackend_InterpolateMode : I32EnumAttr<"InterpolateMode", "how a resize finds its pixels", [
    I32EnumAttrCase<"Nearest", 0, "nearest">,
    I32EnumAttrCase<"Bilinear", 1, "bilinear">]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}
def QBackend_InterpolateAttr
    : QBackend_ParametricKind<"Interpolate", "interpolate"> {
  let summary = "images of another size: interpolate, upsample";
  let description = [{
    PyTorch's: pixel `o` of the result lies at `o * in / out` (nearest),
    `(o + 0.5) * in / out - 0.5` (bilinear) or `o * (in - 1) / (out - 1)`
    (bilinear with `align_corners`) of the input. `scale_factors`, of height and
    width, take the place of `out / in`.
  }];
  let parameters = (ins EnumParameter<QBackend_InterpolateMode>:$mode,
    QBackend_Flag<"corner pixels keep their place">:$align_corners,
    OptionalParameter<"::mlir::DenseF64ArrayAttr">:$scale_factors);
  let keepsNumbers = "getMode() == InterpolateMode::Nearest";
  let operations = "detail::countResults(operands)";
  let range = "inputs.front()";
  let shown = "*this";
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def QBackend_OpAttr : QBackend_Kind<"Op", "op", ["getKindName"]> {
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
  let overridden = [{
    ::llvm::StringRef $cppClass::getKindName() const {
      return getName().getValue();
    }
  }];
  let inputCount = "std::nullopt";
  let keepsNumbers = "false";
  let operations = "detail::countResults(operands)";
  let range = "std::nullopt";
  let shown = "*this";
}

#endif // QBACKEND_DIALECT_QBACKEND_OPERATORKINDS

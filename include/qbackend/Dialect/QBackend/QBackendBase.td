// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qbackend dialect itself, and the parameter classes its attributes share.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDBASE
#define QBACKEND_DIALECT_QBACKEND_QBACKENDBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def QBackend_Dialect : Dialect {
  let name = "qbackend";
  let cppNamespace = "::qbackend";
  let summary = "PyTorch's BackendConfig quantization";
  let description = [{
    Says what a backend can quantize (`backend_config`, `pattern_config`), what
    a user wants quantized (`qconfig_mapping`), what an operator is
    (`operator`), where its ranges are observed (`observer`, `observe`) and
    where numbers change between float and quantized (`quantize`, `dequantize`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class QBackend_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<QBackend_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// A float, printed so that it reads back exactly.
class QBackend_Float<string desc> : AttrOrTypeParameter<"::mlir::FloatAttr", desc> {
  let parser = "::qbackend::detail::parseFloat($_parser)";
  let printer = "::qbackend::detail::printFloat($_printer, $_self)";
}
class QBackend_OptionalFloat<string desc>
    : OptionalParameter<"::mlir::FloatAttr", desc> {
  let parser = "::qbackend::detail::parseFloat($_parser)";
  let printer = "::qbackend::detail::printFloat($_printer, $_self)";
}
class QBackend_OptionalInt<string desc>
    : OptionalParameter<"std::optional<int64_t>", desc>;

/// `true` or `false`, left out when false.
class QBackend_Flag<string desc> : DefaultValuedParameter<"bool", "false", desc>;

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDBASE

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The qbackend dialect: configurations, operators, observers.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKEND_H
#define QBACKEND_DIALECT_QBACKEND_QBACKEND_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"
#include "qbackend/Dialect/QBackend/OperatorKinds.h"
#include "qbackend/Support/Places.h"

#include "qbackend/Dialect/QBackend/QBackendDialect.h.inc"
#include "qbackend/Dialect/QBackend/QBackendEnums.h.inc"

#include "qbackend/Dialect/QBackend/AttrFields.h"

namespace qbackend::detail {
/// A number in any of MLIR's spellings, as an f64 attribute.
mlir::FailureOr<mlir::FloatAttr> parseFloat(mlir::AsmParser &parser);
void printFloat(mlir::AsmPrinter &printer, mlir::FloatAttr value);

/// The list `name` of a kind: its number of elements, and the smallest one
/// allowed.
mlir::LogicalResult
verifyInts(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           llvm::StringRef name, mlir::DenseI64ArrayAttr values, int64_t size,
           int64_t least);
/// Parameters of a convolution over `rank` spatial dimensions.
mlir::LogicalResult
verifyConvolution(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  int64_t rank, mlir::DenseI64ArrayAttr stride,
                  mlir::DenseI64ArrayAttr padding,
                  mlir::DenseI64ArrayAttr dilation, int64_t groups);
mlir::LogicalResult verifyConvolutionOperands(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    llvm::StringRef name, int64_t rank, int64_t groups,
    llvm::ArrayRef<mlir::RankedTensorType> activations,
    mlir::RankedTensorType weight);
} // namespace qbackend::detail

#include "qbackend/Dialect/QBackend/QBackendAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QBackend/QBackendAttrs.h.inc"

#define GET_OP_CLASSES
#include "qbackend/Dialect/QBackend/QBackendOps.h.inc"

namespace qbackend {

/// The form that needs no engine: float operators between dequantize and
/// quantize.
inline constexpr llvm::StringLiteral kReferenceForm = "reference";

/// The elements of `elements` with dimension `i` being the former dimension
/// `permutation[i]`; null if the data is not there (a resource without a blob).
mlir::DenseElementsAttr transposeElements(mlir::ElementsAttr elements,
                                          llvm::ArrayRef<int64_t> permutation);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_QBACKEND_H

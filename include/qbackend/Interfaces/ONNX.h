// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized networks as ONNX files.

#ifndef QBACKEND_INTERFACES_ONNX_H
#define QBACKEND_INTERFACES_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace qbackend {

/// Writes the network of `module`, in the form of `qnnpack` ops or float,
/// to `output` as an ONNX model of opset 17: integers are between
/// QuantizeLinear and DequantizeLinear. `entry` is the function that is the
/// network; empty: main, forward, or the only public one. `module` is changed:
/// its float code becomes operators.
///
/// Fails, before anything is written, with an error at the first of each kind
/// of op that ONNX can't say, at a constant without data, and if the file would
/// have 2 GB or more, which no reader takes.
mlir::LogicalResult translateToONNX(mlir::ModuleOp module,
                                    llvm::raw_ostream &output,
                                    llvm::StringRef entry = "");

/// Has what is said about networks that are written to `context` printed.
void printExportRemarks(mlir::MLIRContext *context);

/// Registers the translation --qbackend-to-onnx.
void registerToONNXTranslation();

} // namespace qbackend

#endif // QBACKEND_INTERFACES_ONNX_H

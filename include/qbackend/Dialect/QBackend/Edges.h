// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, requantization, and limits: what a backend's
// file says beside PyTorch's BackendConfig.

#ifndef QBACKEND_DIALECT_QBACKEND_EDGES_H
#define QBACKEND_DIALECT_QBACKEND_EDGES_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QBackend/Rounding.h"

#include "qbackend/Dialect/QBackend/QBackendEdgesEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QBackend/QBackendEdgesAttrs.h.inc"

#define GET_OP_CLASSES
#include "qbackend/Dialect/QBackend/QBackendEdgesOps.h.inc"

namespace qbackend {

/// The attribute of a `pattern_config` with the specs of its edges.
inline constexpr llvm::StringLiteral kEdgesAttrName = "qbackend.edges";

/// The specs of `pattern`; null if it has none.
inline EdgesAttr getEdges(PatternConfigOp pattern) {
  return pattern->getAttrOfType<EdgesAttr>(kEdgesAttrName);
}

/// Of a network: PyTorch's operators by the names of their locations, as
/// `qbackend-import` reads them: `{relu = "torch.ops.aten.relu.default"}`.
inline constexpr llvm::StringLiteral kTorchNamesAttrName =
    "qbackend.torch_names";

/// The attribute of a `pattern_config` that says how its kernels requantize,
/// and of the operators that were quantized by it.
inline constexpr llvm::StringLiteral kRequantizationAttrName =
    "qbackend.requantization";

/// That of a pattern or an operator; null if it has none.
inline RequantizationRuleAttr getRequantizationRule(mlir::Operation *op) {
  return op->getAttrOfType<RequantizationRuleAttr>(kRequantizationAttrName);
}

/// Why the arithmetic of `op` in `backend` is not that of an engine's kernel:
/// other patterns say how they requantize, its own doesn't, and it computes
/// numbers. Empty if it is.
std::string whyNoArithmetic(BackendConfigOp backend, OperatorOp op);

/// How the result of an operator is observed whose root has `count` tensor
/// inputs, by the specs of `pattern` or their short form; nullopt if the counts
/// are listed and this one is not.
std::optional<ObservationType> getObservationFor(PatternConfigOp pattern,
                                                 unsigned count);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_EDGES_H

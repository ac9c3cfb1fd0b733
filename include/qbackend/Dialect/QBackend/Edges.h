// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, and limits: what a backend's file says beside
// PyTorch's BackendConfig.

#ifndef QBACKEND_DIALECT_QBACKEND_EDGES_H
#define QBACKEND_DIALECT_QBACKEND_EDGES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

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

/// How the result of an operator is observed whose root has `count` tensor
/// inputs, by the specs of `pattern` or their short form; nullopt if the counts
/// are listed and this one is not.
std::optional<ObservationType> getObservationFor(PatternConfigOp pattern,
                                                 unsigned count);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_EDGES_H

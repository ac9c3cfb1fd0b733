// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of the dialect, for what has to know every attribute: its parser.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDDEFINITIONS
#define QBACKEND_DIALECT_QBACKEND_QBACKENDDEFINITIONS

include "qbackend/Dialect/QBackend/QBackendEdges.td"
include "qbackend/Dialect/QBackend/QBackendOps.td"

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDDEFINITIONS

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from one dialect to another: creation and registration.

#ifndef QBACKEND_CONVERSION_PASSES_H
#define QBACKEND_CONVERSION_PASSES_H

#include "qbackend/Conversion/QBackendToLinalg.h"
#include "qbackend/Conversion/QBackendToQNNPack.h"
#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "qbackend/Conversion/QNNPackToTosa.h"
#include "qbackend/Conversion/TosaToQNNPack.h"

namespace qbackend {
#define GEN_PASS_REGISTRATION
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

#endif // QBACKEND_CONVERSION_PASSES_H

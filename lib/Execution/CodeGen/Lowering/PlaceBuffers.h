// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena for the buffers of a function.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_PLACEBUFFERS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_PLACEBUFFERS_H

#include "qbackend/Execution/CodeGen/Passes.h"

namespace qbackend::codegen {

/// Makes the pass; `bytes` is where it says how large the arena of the last
/// public function is, which its caller then gives; null: as the options say.
std::unique_ptr<mlir::Pass>
createPlaceBuffersPass(const PlaceBuffersPassOptions &options, int64_t *bytes);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_PLACEBUFFERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of --apply-backend, for command lines, manuals and completion.

#ifndef QBACKEND_PIPELINES_APPLYBACKENDKEYS_H
#define QBACKEND_PIPELINES_APPLYBACKENDKEYS_H

#include "qbackend/Support/Key.h"

namespace qbackend {

/// All options of ApplyBackendPass, by name.
std::vector<Key> listApplyBackendKeys();

} // namespace qbackend

#endif // QBACKEND_PIPELINES_APPLYBACKENDKEYS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sample this thread works on, for hooks that compiled code calls.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_RUNCONTEXT_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_RUNCONTEXT_H

#include <cstdint>

namespace qbackend::runtime {

/// While it lives, `Executable::getCurrentSample` is `sample` on this thread.
struct SampleScope {
  explicit SampleScope(int64_t sample);
  ~SampleScope();
};

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_RUNCONTEXT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code tells the function that it calls with an observed tensor.

#ifndef QBACKEND_LIB_EXECUTION_PIPELINES_HOOKINDEX_H
#define QBACKEND_LIB_EXECUTION_PIPELINES_HOOKINDEX_H

#include <cstdint>

namespace qbackend {

/// The number of an observe op in the order of the code, and the dimension of
/// its value that is the channels.
inline int64_t makeHookIndex(int64_t site, int64_t channelAxis) {
  return site | channelAxis << 32;
}
inline int64_t getHookSite(int64_t index) { return index & 0xffffffff; }
inline int64_t getHookChannelAxis(int64_t index) { return index >> 32; }

} // namespace qbackend

#endif // QBACKEND_LIB_EXECUTION_PIPELINES_HOOKINDEX_H

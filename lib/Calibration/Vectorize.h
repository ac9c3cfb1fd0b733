// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over calibration data in the vectors of the processor that they run on.

#ifndef QBACKEND_LIB_CALIBRATION_VECTORIZE_H
#define QBACKEND_LIB_CALIBRATION_VECTORIZE_H

#include <cstdint>
#include <cstring>

// Sanitizers can't run yet where a function is chosen.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QBACKEND_IS_SANITIZED 1
#elif defined(__has_feature)
#define QBACKEND_IS_SANITIZED                                                  \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||      \
   __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer))
#else
#define QBACKEND_IS_SANITIZED 0
#endif

/// Compiles a function once for each of these extensions, and calls the best
/// one that the processor has. No clone may round otherwise than the others:
/// the library is compiled with -ffp-contract=off.
#if defined(__x86_64__) && defined(__gnu_linux__) && !QBACKEND_IS_SANITIZED && \
    __has_attribute(target_clones)
#define QBACKEND_VECTORIZE                                                     \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define QBACKEND_VECTORIZE
#endif

namespace qbackend::calibration {

inline uint32_t toBits(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}

inline float fromBits(uint32_t bits) {
  float v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

/// The bits of the exponent: all are set in what is not finite, none in zeros
/// and subnormals.
constexpr uint32_t exponentBits = 0x7f800000u;

} // namespace qbackend::calibration

#endif // QBACKEND_LIB_CALIBRATION_VECTORIZE_H

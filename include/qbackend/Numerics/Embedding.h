// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embedding tables of 8-bit and 4-bit integers, with a scale and a zero point
// for each row, both f32 (ATen's scalar code, quantized::embedding_byte and
// embedding_4bit).

#ifndef QBACKEND_NUMERICS_EMBEDDING_H
#define QBACKEND_NUMERICS_EMBEDDING_H

#include <cstdint>

namespace qbackend::numerics {

/// Bits of an entry of the table.
enum class EmbeddingBits { Four = 4, Eight = 8 };

/// Returns clamp(rne(f32(f32(w * f32(1 / scale)) + zeroPoint)), 0, 2^bits - 1):
/// the zero point is added before rounding.
int32_t quantizeEmbedding(float w, float scale, float zeroPoint,
                          EmbeddingBits bits);

/// What the entries of a row are multiplied by, and what is added then.
struct EmbeddingRow {
  float scale = 1.0f;
  float bias = 0.0f;
};

/// Returns `scale` and -f32(zeroPoint * scale); with 4 bits both are rounded to
/// a 16-bit float, which is how the engine stores them.
EmbeddingRow embeddingRow(float scale, float zeroPoint, EmbeddingBits bits);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_EMBEDDING_H

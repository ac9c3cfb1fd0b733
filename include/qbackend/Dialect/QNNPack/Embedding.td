// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect: embedding tables. Included by QNNPackOps.td.

#ifndef QBACKEND_DIALECT_QNNPACK_EMBEDDING
#define QBACKEND_DIALECT_QNNPACK_EMBEDDING

class QNNPack_EmbeddingLookupOp<string mnemonic>
    : QNNPack_VerifiedOp<mnemonic> {
  let arguments = (ins RankedTensorOf<[I32, I64]>:$indices,
                       TensorRankOf<[I8], [2]>:$table,
                       TensorRankOf<[F32], [1]>:$scales,
                       TensorRankOf<[F32], [1]>:$zero_points);
  let results = (outs QNNPack_Float:$output);
  let assemblyFormat = [{
    $indices `,` $table `,` $scales `,` $zero_points attr-dict
    `:` type($indices) `,` type($table) `,` type($scales) `,`
    type($zero_points) `->` type($output)
  }];
}

def QNNPack_EmbeddingByteOp : QNNPack_EmbeddingLookupOp<"embedding_byte"> {
  let summary = "look up rows of an 8-bit table, as floats";
  let description = [{
    `table` holds unsigned bytes. Row `i` has the scale `s = scales[i]` and the
    zero point `z = zero_points[i]`, a float, which no quantized type has:
    `y = fma(s, q, -f32(z * s))`. The result has a row for each index. An index
    that is negative, or not less than the number of rows, fails a `cf.assert`
    when the program runs. Source: ATen, scalar.

    **Constraints:**
    - `table`, `scales` and `zero_points` are static, with as many entries as
      rows;
    - `output` has the shape of `indices` and then the columns of `table`.

    Example:
    ```mlir
    %y = qnnpack.embedding_byte %i, %t, %s, %z : tensor<7xi64>, tensor<6x4xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<7x4xf32>
    ```
  }];
}

def QNNPack_Embedding4BitOp : QNNPack_EmbeddingLookupOp<"embedding_4bit"> {
  let summary = "look up rows of a 4-bit table, as floats";
  let description = [{
    `qnnpack.embedding_byte` on a table with two columns in a byte, the even one
    in the low half. `s` and `-f32(z * s)` are rounded to 16-bit floats first,
    which is how the engine stores them. Source: ATen, scalar.

    **Constraints:**
    - `table`, `scales` and `zero_points` are static, with as many entries as
      rows;
    - `output` has the shape of `indices` and then twice the columns of `table`.

    Example:
    ```mlir
    %y = qnnpack.embedding_4bit %i, %t, %s, %z : tensor<7xi64>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<7x4xf32>
    ```
  }];
}

#endif // QBACKEND_DIALECT_QNNPACK_EMBEDDING

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect: upsampling, and the permutation of channels.
// Included by QNNPackOps.td.

#ifndef QBACKEND_DIALECT_QNNPACK_RESIZE
#define QBACKEND_DIALECT_QNNPACK_RESIZE

def QNNPack_ChannelShuffleOp : QNNPack_VerifiedOp<"channel_shuffle"> {
  let summary = "interleave groups of channels";
  let description = [{
    The channels, `[groups, C / groups]`, are transposed to
    `[C / groups, groups]`: channel `i * groups + g` of the result is channel
    `g * C / groups + i` of the input. Channels are the last dimension. Source:
    QNNPACK x8zip.

    **Constraints:**
    - the type stays, the rank is at least 1, and the number of channels is
      static;
    - `groups` is positive and divides the channels.

    Example:
    ```mlir
    %y = qnnpack.channel_shuffle %x {groups = 2 : i64} : tensor<1x4x4x6x!u8> -> tensor<1x4x4x6x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, I64Attr:$groups);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_UpsampleNearest2dOp : QNNPack_VerifiedOp<"upsample_nearest2d"> {
  let summary = "quantized upsampling that copies the nearest pixel";
  let description = [{
    Row `o` of the result is row `min(floor(f32(o * r)), in - 1)` of the input
    with `r = f32(in / out)`, or `r = f32(1 / factor)` with `scale_factors`
    (height, width); columns likewise. The same size is a copy. Source: ATen.

    **Constraints:**
    - batch and channels stay, and height and width are static and positive;
    - with `scale_factors`, two positive numbers, the result has
      `floor(in * factor)` rows and columns;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.upsample_nearest2d %x : tensor<1x4x4x2x!u8> -> tensor<1x8x8x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input,
                       OptionalAttr<DenseF64ArrayAttr>:$scale_factors);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_UpsampleBilinear2dOp : QNNPack_VerifiedOp<"upsample_bilinear2d"> {
  let summary = "quantized upsampling that interpolates between four pixels";
  let description = [{
    Row `o` of the result lies at row
    `r = max(f32(f32(s * (o + 0.5)) - 0.5), 0)` of the input, `s = f32(in / out)` or, with `scale_factors` (height, width),
    `s = f32(1 / factor)`; with `align_corners`,
    `r = f32(f32((in - 1) / (out - 1)) * o)`. With `h1 = f32(r - floor(r))`,
    `h0 = f32(1 - h1)`, and `w0`, `w1` likewise for the column:
    `v = h0 * (w0 * p00 + w1 * p01) + h1 * (w0 * p10 + w1 * p11)`, each
    operation rounded, and `y = clamp(zx + rne(f32(v - zx)), qmin, qmax)`. The
    same size is a copy. Source: ATen, contiguous.

    `channels_last` names the formula that ATen has for channels-last images on
    AVX2, which fuses products and sums, see docs/Numerics.md.
    Its bits are those of one instruction set: use it to compare with
    the engine, and not otherwise.

    **Constraints:**
    - batch and channels stay, and height and width are static and positive;
    - with `scale_factors`, two positive numbers, the result has
      `floor(in * factor)` rows and columns;
    - with `channels_last`, the channels are static;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.upsample_bilinear2d %x {align_corners} : tensor<1x4x4x2x!u8> -> tensor<1x7x7x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, UnitAttr:$align_corners,
                       OptionalAttr<DenseF64ArrayAttr>:$scale_factors,
                       UnitAttr:$channels_last);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

#endif // QBACKEND_DIALECT_QNNPACK_RESIZE

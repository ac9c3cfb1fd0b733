// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of a signal processor that multiplies and adds symmetric
// int8. Its engine is dsp.cpp, which offers the forms `dsp` and `linalg`.

#weighted = #qbackend.dtype_config<
  input = <si8, qschemes = ["per_tensor_symmetric"]>,
  output = <si8, qschemes = ["per_tensor_symmetric"]>,
  weight = <si8, qschemes = ["per_tensor_symmetric"]>,
  bias = f32>
#plain = #qbackend.dtype_config<
  input = <si8, qschemes = ["per_tensor_symmetric"]>,
  output = <si8, qschemes = ["per_tensor_symmetric"]>>

qbackend.backend_config @dsp version 2 default_qconfig @default
    lowering ["dsp", "reference", "linalg"] {
  qbackend.pattern_config [linear] <dtypes = [#weighted]>
  qbackend.pattern_config [add] <dtypes = [#plain]>
  // The processor has none: the reference form is what is left of it.
  qbackend.pattern_config [mul] <dtypes = [#plain]>

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <
      activation = <min_max, si8, per_tensor_symmetric>,
      weight = <min_max, si8, per_tensor_symmetric>>
  }
}

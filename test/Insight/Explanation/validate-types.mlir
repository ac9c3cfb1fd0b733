// RUN: not qbackend-config validate %s | FileCheck %s --implicit-check-not=error: --implicit-check-not="warning: dtype" --implicit-check-not="warning: activation" --implicit-check-not="warning: weight"

#good = #qbackend.dtype_config<
  input = <ui8, quant_min = 0, quant_max = 255, scale_exact_match = 0.5, zero_point_exact_match = 128>,
  weight = <si8, quant_min = -127, quant_max = 127, scale_min = 1.0E-4>>

qbackend.backend_config @types version 2 {
  qbackend.pattern_config [linear] <dtypes = [#good]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the input has quant_min alone, which, as in PyTorch, is ignored; give quant_max, too
  qbackend.pattern_config [relu] <dtypes = [#qbackend.dtype_config<input = <ui8, quant_min = 0>>]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the output has quant_max alone, which, as in PyTorch, is ignored; give quant_min, too
  qbackend.pattern_config [tanh] <dtypes = [#qbackend.dtype_config<output = <ui8, quant_max = 9>>]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the input has zero_point_exact_match alone, which, as in PyTorch, is ignored; give scale_exact_match, too
  qbackend.pattern_config [elu] <dtypes = [#qbackend.dtype_config<input = <ui8, zero_point_exact_match = 0>>]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the input has scale_exact_match alone, which, as in PyTorch, is ignored; give zero_point_exact_match, too
  qbackend.pattern_config [mul] <dtypes = [#qbackend.dtype_config<input = <ui8, scale_exact_match = 0.5>>]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the weight has bounds [-129, 127] beyond the integers of si8, [-128, 127]; choose bounds in [-128, 127]
  qbackend.pattern_config [conv2d] <dtypes = [#qbackend.dtype_config<weight = <si8, quant_min = -129, quant_max = 127>>]>
  // CHECK: :[[@LINE+1]]:3: error: dtype of the input has zero_point_exact_match 256, which ui8 doesn't have; choose one in [0, 255]
  qbackend.pattern_config [sigmoid] <dtypes = [#qbackend.dtype_config<input = <ui8, scale_exact_match = 1.0, zero_point_exact_match = 256>>]>
  // CHECK: :[[@LINE+1]]:3: warning: dtype of the input is f32, which has no scale and no integers to constrain; give the type alone
  qbackend.pattern_config [add] <dtypes = [#qbackend.dtype_config<input = <f32, scale_min = 0.5>>]>
  // What two patterns share is said once.
  qbackend.pattern_config [cat] <dtypes = [#qbackend.dtype_config<input = <f32, scale_min = 0.5>>]>
  // CHECK: :[[@LINE+1]]:3: note: dtype of the input has scale_max, which, as in PyTorch, is not checked
  qbackend.pattern_config [relu6] <dtypes = [#qbackend.dtype_config<input = <ui8, scale_max = 0.5>>]>

  qbackend.qconfig_mapping @good {
    qbackend.qconfig global <activation = <fixed_qparams, ui8, per_tensor_symmetric, scale = 0.5, zero_point = 128>, weight = <per_channel_min_max, si8, per_channel_symmetric, quant_min = -127, quant_max = 127>>
    qbackend.qconfig object_type "relu" <activation = <placeholder, ui8, is_dynamic = true>, weight = <placeholder, f16>>
    // The range is all of the type: reduced, it is [0, 127].
    qbackend.qconfig object_type "tanh" <activation = <min_max, ui8, quant_min = 0, quant_max = 255, reduce_range = true>, weight = <min_max, si8>>
    qbackend.qconfig object_type "elu" <activation = <min_max, ui8, is_dynamic = true>, weight = <min_max, si8>>
  }
  qbackend.qconfig_mapping @bad {
    // CHECK: :[[@LINE+1]]:5: error: activation observer min_max has the range [-1, 255], but ui8 holds [0, 255]; choose quant_min and quant_max of ui8
    qbackend.qconfig object_type "tanh" <activation = <min_max, ui8, quant_min = -1, quant_max = 255>, weight = <min_max, si8>>
    // CHECK: :[[@LINE+1]]:5: error: activation observer per_channel_min_max has the scheme per_channel_affine; activations have one scale; choose min_max or histogram with a per_tensor scheme
    qbackend.qconfig object_type "elu" <activation = <per_channel_min_max, ui8, per_channel_affine>, weight = <min_max, si8>>
    // CHECK: :[[@LINE+1]]:5: error: weight observer min_max has the scheme per_channel_symmetric; choose a per_tensor scheme, or per_channel_min_max
    qbackend.qconfig object_type "add" <activation = <min_max, ui8>, weight = <min_max, si8, per_channel_symmetric>>
    // CHECK: :[[@LINE+1]]:5: error: weight observer per_channel_min_max has the scheme per_tensor_symmetric; choose a per_channel scheme, or min_max
    qbackend.qconfig object_type "mul" <activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_tensor_symmetric>>
    // CHECK: :[[@LINE+1]]:5: warning: activation observer fixed_qparams is symmetric, but has the zero point 3; choose per_tensor_affine, or zero point 0
    qbackend.qconfig object_type "sigmoid" <activation = <fixed_qparams, si8, per_tensor_symmetric, scale = 0.5, zero_point = 3>, weight = <min_max, si8>>
    // CHECK: :[[@LINE+1]]:5: warning: activation observer histogram is dynamic, but needs a calibration to find its range; choose placeholder for what is quantized at run time
    qbackend.qconfig object_type "cat" <activation = <histogram, ui8, is_dynamic = true>, weight = <min_max, si8>>
    // CHECK: :[[@LINE+1]]:5: error: weight observer min_max computes integers, but its dtype is f16; observe f16 with placeholder
    qbackend.qconfig object_type "conv2d" <activation = <min_max, ui8>, weight = <min_max, f16>>
    // CHECK: :[[@LINE+1]]:5: warning: weight observer placeholder has the scheme per_channel_affine, but f32 is not quantized; leave out the scheme
    qbackend.qconfig object_type "linear" <activation = <min_max, ui8>, weight = <placeholder, f32, per_channel_affine>>
    // CHECK: :[[@LINE+1]]:5: warning: activation observer min_max has reduce_range and a range of its own, [0, 200], which is halved to [0, 100]; leave out reduce_range
    qbackend.qconfig object_type "relu6" <activation = <min_max, ui8, quant_min = 0, quant_max = 200, reduce_range = true>, weight = <min_max, si8>>
  }
}
// CHECK: types: 6 errors, {{.*}} warnings

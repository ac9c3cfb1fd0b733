// RUN: not qbackend-config validate %s | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:

#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
#s8 = #qbackend.dtype_config<input = <si8>, output = <si8>>
#coarse = #qbackend.dtype_config<input = <ui8, scale_min = 0.5>>

qbackend.backend_config @mappings version 2 default_qconfig @default {
  // CHECK: :[[@LINE+1]]:3: note: dtypes[1] of pattern [linear] is met by no mapping; of @default: its input needs scales of at least 5.000000e-01, the qconfig has eps {{.*}}; nothing to change, if users bring their own qconfig; else add a mapping
  qbackend.pattern_config [linear] <dtypes = [#u8, #coarse]>
  // CHECK: :[[@LINE+1]]:3: note: the default mapping @default does not fit patterns [relu], [tanh]: dtypes[0]: its input is si8, the qconfig observes ui8; nothing to change, if the qconfig is meant for others; mapping @signed fits
  qbackend.pattern_config [relu] <dtypes = [#s8]>
  qbackend.pattern_config [tanh] <dtypes = [#s8]>
  // CHECK: :[[@LINE+1]]:3: warning: no mapping fits pattern [elu]; of @default: dtypes[0]: its input is f16, the qconfig observes ui8; add a dtype config that the qconfig meets, or a mapping
  qbackend.pattern_config [elu] <dtypes = [#qbackend.dtype_config<input = <f16>>]>
  // Its own entry fits.
  qbackend.pattern_config [sigmoid] <dtypes = [#qbackend.dtype_config<output = <ui8, scale_exact_match = 0.00390625, zero_point_exact_match = 0>>]>
  // Turned off on purpose.
  qbackend.pattern_config [cat] <dtypes = [#qbackend.dtype_config<input = <f32>>]>

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
    qbackend.qconfig object_type "sigmoid" <activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8>>
    qbackend.qconfig object_type "cat" none
    // PyTorch has a prelu; this backend need not.
    qbackend.qconfig object_type "prelu" none
    // CHECK: :[[@LINE+1]]:5: error: mapping @default selects the kind "conv_2d", which does not exist; the nearest are conv2d, {{.*}}
    qbackend.qconfig object_type "conv_2d" none
    // CHECK: :[[@LINE+1]]:5: error: mapping @default selects the kind "rel", which does not exist; the nearest are relu, {{.*}}
    qbackend.qconfig module_name_object_type_order "layer1", "rel", 0 none
  }
  qbackend.qconfig_mapping @signed {
    qbackend.qconfig global <activation = <min_max, si8>, weight = <min_max, si8, per_tensor_symmetric>>
    qbackend.qconfig object_type "cat" none
  }
}
// CHECK: mappings: 2 errors, 1 warnings, 2 notes

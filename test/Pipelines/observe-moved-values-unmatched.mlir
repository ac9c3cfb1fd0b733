// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=@b qconfig=@m" --qbackend-print-observers="backend=@b qconfig=@m" -o /dev/null | FileCheck %s

// A backend without a pattern for a transpose observes none, as PyTorch with such
// a BackendConfig: the argument is updated once, and once for its reshape.

// CHECK: @x:
// CHECK-NEXT: x 2 times -> 0
// CHECK-NEXT: relu -> result 0
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @b version 1 {
  qbackend.pattern_config [relu] <observation = output_share_observer_with_input, dtypes = [#u8]>
  qbackend.pattern_config [reshape] <observation = output_share_observer_with_input, dtypes = [#u8]>
}
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
func.func @main(%x: tensor<1x4x6xf32> loc("x")) -> tensor<1x6x4xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x6xf32> into tensor<4x6xf32> loc("reshape")
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 4, 6] : tensor<4x6xf32> into tensor<1x4x6xf32> loc("reshape")
  %2 = tosa.transpose %1 {perms = array<i32: 0, 2, 1>} : (tensor<1x4x6xf32>) -> tensor<1x6x4xf32> loc("permute")
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x6x4xf32>) -> tensor<1x6x4xf32> loc("relu")
  return %3 : tensor<1x6x4xf32>
}

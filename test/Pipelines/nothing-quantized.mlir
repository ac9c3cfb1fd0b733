// RUN: split-file %s %t
// RUN: qbackend-opt --apply-backend=@b calibration=ranges %t/qb111.mlir 2>&1 | FileCheck %s --check-prefix=QB111
// RUN: qbackend-opt --apply-backend=qnnpack calibration=ranges %t/qb123.mlir 2>&1 | FileCheck %s --check-prefix=QB123

// The warning has the reason of each code: the title of its section in
// docs/Diagnostics.md.
// QB111: warning: nothing is quantized: no observation type is for its number of tensors (QB111, 1 of 1)
// QB123: warning: nothing is quantized: a constant makes its values infinite (QB123, 2 of 2)

//--- qb111.mlir
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [add] <dtypes = [#qbackend.dtype_config<input = <ui8>, output = <ui8>>], num_tensor_args_to_observation_type = {"1" = "output_share_observer_with_input"}>
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  }
}
func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.add %x, %y : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

//--- qb123.mlir
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %m = arith.constant dense<[[0.0, 0xFF800000, 0.0, 0xFF800000]]> : tensor<1x4xf32>
  %y = arith.addf %x, %m : tensor<1x4xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  %s = linalg.softmax dimension(1) ins(%y : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %s : tensor<1x4xf32>
}

// RUN: qbackend-opt --apply-backend="native calibration=ranges lower-to=qnnpack" %s | FileCheck %s
// RUN: qbackend-opt --apply-backend="onednn calibration=ranges lower-to=qnnpack" %s | FileCheck %s
// RUN: qbackend-opt --apply-backend="qnnpack calibration=ranges lower-to=qnnpack" %s 2>&1 | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt --apply-backend="x86 calibration=ranges lower-to=qnnpack" %s 2>&1 | FileCheck %s --check-prefix=REAL

// A layer norm is an integer kernel where the configuration has it, as PyTorch's for
// native and onednn do.
// CHECK: %[[X:.*]] = qnnpack.quantize
// CHECK: %[[Y:.*]] = qnnpack.layer_norm %[[X]], %{{.*}}, %{{.*}} {eps = 1.000000e-05 : f64, normalized_shape = array<i64: 4>} : tensor<2x4x!quant.uniform<u8:f32, {{.*}}>>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4x!quant.uniform<u8:f32,
// CHECK: qnnpack.dequantize %[[Y]]
// REAL-NOT: qnnpack.quantize
// REAL: QB103{{.*}}Operator=layer_norm
// REAL-NOT: qnnpack.quantize
func.func @main(%x: tensor<2x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<2x4xf32> {
  %n = "tosa.const"() <{values = dense<0.25> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %eps = "tosa.const"() <{values = dense<1.0e-5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %g = "tosa.const"() <{values = dense<[[0.5, 1.0, 1.5, 2.0]]> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
  %b = "tosa.const"() <{values = dense<[[0.5, 0.0, 0.5, 1.0]]> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sum = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %mean = tosa.mul %sum, %n, %s : (tensor<2x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x1xf32>
  %d = tosa.sub %x, %mean : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q = tosa.mul %d, %d, %s : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<1xi8>) -> tensor<2x4xf32>
  %qs = tosa.reduce_sum %q {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %var = tosa.mul %qs, %n, %s : (tensor<2x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x1xf32>
  %ve = tosa.add %var, %eps : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %r = tosa.rsqrt %ve : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %m = tosa.mul %d, %r, %s : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<1xi8>) -> tensor<2x4xf32>
  %mg = tosa.mul %m, %g, %s : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<1xi8>) -> tensor<2x4xf32>
  %mb = tosa.add %mg, %b : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %mb : tensor<2x4xf32>
}

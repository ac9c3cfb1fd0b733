// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

// Normalizations, and slopes. What they are over comes last.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @batch_norm(
// CHECK: qnnpack.batch_norm %arg0, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {eps = 1.000000e-03 : f64} :
func.func @batch_norm(%x: tensor<1x3x3x4x!x8>) -> tensor<1x3x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<1x3x3x4x!x8> -> tensor<1x3x3x4xf32>
  %p0 = arith.constant dense<2.0> : tensor<4xf32>
  %p1 = arith.constant dense<3.0> : tensor<4xf32>
  %p2 = arith.constant dense<4.0> : tensor<4xf32>
  %p3 = arith.constant dense<5.0> : tensor<4xf32>
  %o = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0e-3>] inputs(%r) weight(%p0) bias(%p1) running_mean(%p2) running_var(%p3) qconfig #q : (tensor<1x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x3x3x4xf32> {
  ^bb0(%a0: tensor<1x3x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>):
    %e = tensor.empty() : tensor<1x3x3x4xf32>
    qbackend.yield %e : tensor<1x3x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x4xf32> -> tensor<1x3x3x4x!y8>
  return %y : tensor<1x3x3x4x!y8>
}

// CHECK-LABEL: func.func @batch_norm_relu(
// CHECK: %[[X:.*]] = qnnpack.transpose %arg0 {permutation = array<i64: 0, 2, 3, 4, 1>}
// CHECK: %[[Y:.*]] = qnnpack.batch_norm %[[X]], %{{.*}} {eps = 1.000000e-03 : f64, relu} : tensor<1x2x3x5x4x{{.*}} -> tensor<1x2x3x5x4x!quant.uniform<u8:f32, 2.500000e-01:7>>
// CHECK: qnnpack.transpose %[[Y]] {permutation = array<i64: 0, 4, 1, 2, 3>}
func.func @batch_norm_relu(%x: tensor<1x4x2x3x5x!x8>) -> tensor<1x4x2x3x5x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x2x3x5x!x8> -> tensor<1x4x2x3x5xf32>
  %p0 = arith.constant dense<2.0> : tensor<4xf32>
  %p1 = arith.constant dense<3.0> : tensor<4xf32>
  %p2 = arith.constant dense<4.0> : tensor<4xf32>
  %p3 = arith.constant dense<5.0> : tensor<4xf32>
  %o = qbackend.operator [#qbackend.batch_norm3d<axis = 1, eps = 1.0e-3>, #qbackend.relu] inputs(%r) weight(%p0) bias(%p1) running_mean(%p2) running_var(%p3) qconfig #q : (tensor<1x4x2x3x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2x3x5xf32> {
  ^bb0(%a0: tensor<1x4x2x3x5xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>):
    %e = tensor.empty() : tensor<1x4x2x3x5xf32>
    qbackend.yield %e : tensor<1x4x2x3x5xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x2x3x5xf32> -> tensor<1x4x2x3x5x!y8>
  return %y : tensor<1x4x2x3x5x!y8>
}

// CHECK-LABEL: func.func @batch_norm_without_affine(
// CHECK: %[[M:.*]] = arith.constant dense<2.0{{.*}}> : tensor<4xf32>
// CHECK: %[[V:.*]] = arith.constant dense<3.0{{.*}}> : tensor<4xf32>
// CHECK: %[[W:.*]] = arith.constant dense<1.0{{.*}}> : tensor<4xf32>
// CHECK: %[[B:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK: qnnpack.batch_norm %arg0, %[[W]], %[[B]], %[[M]], %[[V]]
func.func @batch_norm_without_affine(%x: tensor<1x3x3x4x!x8>) -> tensor<1x3x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<1x3x3x4x!x8> -> tensor<1x3x3x4xf32>
  %p0 = arith.constant dense<2.0> : tensor<4xf32>
  %p1 = arith.constant dense<3.0> : tensor<4xf32>
  %o = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%r) running_mean(%p0) running_var(%p1) qconfig #q : (tensor<1x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x3x3x4xf32> {
  ^bb0(%a0: tensor<1x3x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>):
    %e = tensor.empty() : tensor<1x3x3x4xf32>
    qbackend.yield %e : tensor<1x3x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x4xf32> -> tensor<1x3x3x4x!y8>
  return %y : tensor<1x3x3x4x!y8>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK: qnnpack.layer_norm %arg0, %{{.*}}, %{{.*}} {eps = {{.*}}, normalized_shape = array<i64: 3, 4>} :
func.func @layer_norm(%x: tensor<2x3x4x!x8>) -> tensor<2x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<2x3x4x!x8> -> tensor<2x3x4xf32>
  %p0 = arith.constant dense<2.0> : tensor<3x4xf32>
  %p1 = arith.constant dense<3.0> : tensor<3x4xf32>
  %o = qbackend.operator [#qbackend.layer_norm<axes = [1, 2], eps = 1.0e-5>] inputs(%r) weight(%p0) bias(%p1) qconfig #q : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  ^bb0(%a0: tensor<2x3x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x4xf32>):
    %e = tensor.empty() : tensor<2x3x4xf32>
    qbackend.yield %e : tensor<2x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3x4xf32> -> tensor<2x3x4x!y8>
  return %y : tensor<2x3x4x!y8>
}

// CHECK-LABEL: func.func @layer_norm_in_the_middle(
// CHECK: %[[X:.*]] = qnnpack.transpose %arg0 {permutation = array<i64: 0, 2, 1>}
// CHECK: %[[Y:.*]] = qnnpack.layer_norm %[[X]] {eps = {{.*}}, normalized_shape = array<i64: 3>} :
// CHECK: qnnpack.transpose %[[Y]] {permutation = array<i64: 0, 2, 1>}
func.func @layer_norm_in_the_middle(%x: tensor<2x3x4x!x8>) -> tensor<2x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<2x3x4x!x8> -> tensor<2x3x4xf32>
  %o = qbackend.operator [#qbackend.layer_norm<axes = [1], eps = 1.0e-5>] inputs(%r) qconfig #q : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  ^bb0(%a0: tensor<2x3x4xf32>):
    %e = tensor.empty() : tensor<2x3x4xf32>
    qbackend.yield %e : tensor<2x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3x4xf32> -> tensor<2x3x4x!y8>
  return %y : tensor<2x3x4x!y8>
}

// CHECK-LABEL: func.func @instance_norm(
// CHECK: qnnpack.instance_norm %arg0 {eps = {{[^,]*}}} : tensor
func.func @instance_norm(%x: tensor<2x3x3x4x!x8>) -> tensor<2x3x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<2x3x3x4x!x8> -> tensor<2x3x3x4xf32>
  %o = qbackend.operator [#qbackend.instance_norm2d<axis = 3, eps = 1.0e-5>] inputs(%r) qconfig #q : (tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32> {
  ^bb0(%a0: tensor<2x3x3x4xf32>):
    %e = tensor.empty() : tensor<2x3x3x4xf32>
    qbackend.yield %e : tensor<2x3x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3x3x4xf32> -> tensor<2x3x3x4x!y8>
  return %y : tensor<2x3x3x4x!y8>
}

// CHECK-LABEL: func.func @instance_norm_bias_alone(
// CHECK: %[[W:.*]] = arith.constant dense<1.0{{.*}}> : tensor<4xf32>
// CHECK: qnnpack.instance_norm %arg0, %[[W]], %{{.*}} {
func.func @instance_norm_bias_alone(%x: tensor<2x3x4x!x8>) -> tensor<2x3x4x!y8> {
  %r = qbackend.dequantize %x : tensor<2x3x4x!x8> -> tensor<2x3x4xf32>
  %p0 = arith.constant dense<2.0> : tensor<4xf32>
  %o = qbackend.operator [#qbackend.instance_norm1d<axis = 2, eps = 1.0e-5>] inputs(%r) bias(%p0) qconfig #q : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32> {
  ^bb0(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<2x3x4xf32>
    qbackend.yield %e : tensor<2x3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3x4xf32> -> tensor<2x3x4x!y8>
  return %y : tensor<2x3x4x!y8>
}

// CHECK-LABEL: func.func @group_norm(
// CHECK: qnnpack.transpose
// CHECK: qnnpack.group_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = {{.*}}, num_groups = 2 : i64} : tensor<2x3x4x
// CHECK: qnnpack.transpose
func.func @group_norm(%x: tensor<2x4x3x!x8>) -> tensor<2x4x3x!y8> {
  %r = qbackend.dequantize %x : tensor<2x4x3x!x8> -> tensor<2x4x3xf32>
  %p0 = arith.constant dense<2.0> : tensor<4xf32>
  %p1 = arith.constant dense<3.0> : tensor<4xf32>
  %o = qbackend.operator [#qbackend.group_norm<axis = 1, num_groups = 2, eps = 1.0e-5>] inputs(%r) weight(%p0) bias(%p1) qconfig #q : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32> {
  ^bb0(%a0: tensor<2x4x3xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>):
    %e = tensor.empty() : tensor<2x4x3xf32>
    qbackend.yield %e : tensor<2x4x3xf32>
  }
  %y = qbackend.quantize %o : tensor<2x4x3xf32> -> tensor<2x4x3x!y8>
  return %y : tensor<2x4x3x!y8>
}

// CHECK-LABEL: func.func @prelu(
// CHECK: %[[W:.*]] = quant.scast
// CHECK: qnnpack.prelu %arg0, %[[W]] :
func.func @prelu(%x: tensor<1x2x2x4x!x8>) -> tensor<1x2x2x4x!y8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x4x!x8> -> tensor<1x2x2x4xf32>
  %wi = arith.constant dense<1> : tensor<4xi8>
  %wq = quant.scast %wi : tensor<4xi8> to tensor<4x!quant.uniform<u8:f32, 0.0078125:3>>
  %w = qbackend.dequantize %wq : tensor<4x!quant.uniform<u8:f32, 0.0078125:3>> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.prelu<axis = 3>] inputs(%r) weight(%w) qconfig #q : (tensor<1x2x2x4xf32>, tensor<4xf32>) -> tensor<1x2x2x4xf32> {
  ^bb0(%a0: tensor<1x2x2x4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<1x2x2x4xf32>
    qbackend.yield %e : tensor<1x2x2x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x4xf32> -> tensor<1x2x2x4x!y8>
  return %y : tensor<1x2x2x4x!y8>
}

// CHECK-LABEL: func.func @prelu_one_slope(
// CHECK: %[[W:.*]] = quant.scast
// CHECK: qnnpack.prelu %arg0, %[[W]] :
func.func @prelu_one_slope(%x: tensor<1x4x2x2x!x8>) -> tensor<1x4x2x2x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x2x2x!x8> -> tensor<1x4x2x2xf32>
  %wi = arith.constant dense<1> : tensor<1xi8>
  %wq = quant.scast %wi : tensor<1xi8> to tensor<1x!quant.uniform<u8:f32, 0.0078125:3>>
  %w = qbackend.dequantize %wq : tensor<1x!quant.uniform<u8:f32, 0.0078125:3>> -> tensor<1xf32>
  %o = qbackend.operator [#qbackend.prelu<axis = 1>] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x2x2xf32>, tensor<1xf32>) -> tensor<1x4x2x2xf32> {
  ^bb0(%a0: tensor<1x4x2x2xf32>, %a1: tensor<1xf32>):
    %e = tensor.empty() : tensor<1x4x2x2xf32>
    qbackend.yield %e : tensor<1x4x2x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x2x2xf32> -> tensor<1x4x2x2x!y8>
  return %y : tensor<1x4x2x2x!y8>
}

// CHECK-LABEL: func.func @celu(
// CHECK: qnnpack.celu %arg0 {alpha = 2.000000e+00 : f32} :
func.func @celu(%x: tensor<4x!x8>) -> tensor<4x!y8> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.celu<alpha = 2.0>] inputs(%r) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}
